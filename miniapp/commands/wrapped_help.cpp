// SPDX-License-Identifier: BSD-3-Clause
#include "commands/wrapped_help.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace parity::commands {
namespace {

/// Where a line of at most 'width' ends best: {its end, the begin of the next one}.
std::pair<std::size_t, std::size_t> break_of(const std::string& line, std::size_t width, std::size_t after) {
  const std::size_t blank = line.rfind(' ', width);
  if (blank != std::string::npos && blank > after) return {blank, blank + 1};
  const std::size_t comma = line.rfind(',', width - 1);
  if (comma != std::string::npos && comma > after) return {comma + 1, comma + 1};
  return {width, width};
}

}  // namespace

std::string wrapped(const std::string& text, std::size_t width, std::size_t column) {
  const std::size_t inner = width >= 2 * column ? column : width / 3;
  std::string all;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    if (indent > inner && line.size() > width) {
      line.erase(0, indent - inner);
      indent = inner;
    }
    while (line.size() > width) {
      const auto [stop, next] = break_of(line, width, indent);
      all += line.substr(0, stop) + "\n";
      if (indent > 0) indent = inner;
      line = std::string(indent, ' ') + line.substr(next);
    }
    all += line + "\n";
  }
  if (!text.empty() && text.back() != '\n') all.pop_back();
  return all;
}

std::size_t help_width() {
  constexpr std::size_t least = 30, standard = 100;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return std::max<std::size_t>(least, size.ws_col);
  std::size_t columns = 0;
  const char* const text = std::getenv("COLUMNS");
  if (text && std::from_chars(text, text + std::strlen(text), columns).ec == std::errc() && columns > 0)
    return std::max(least, columns);
  return standard;
}

std::string WrappedHelp::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  return wrapped(CLI::Formatter::make_help(app, std::move(name), mode), help_width(), get_column_width());
}

}  // namespace parity::commands
