// SPDX-License-Identifier: BSD-3-Clause
// Command lines: words near to an unknown one, ranges of numbers, help wrapped to the terminal.
#include <fmt/format.h>

#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "commands/commands.hpp"
#include "harness/environment.hpp"
#include "runtime/error.hpp"
#include "runtime/program.hpp"
#include "runtime/text.hpp"

namespace parity::commands {
namespace {

/// ": in plans it is [nx, ny, nz]; here give --nx, --ny, --nz", if the command's study has such an axis of
/// several parameters.
std::string parts_of_axis(const harness::Studies& studies, const std::string& command,
                          const std::string& option) {
  for (const harness::Study* study : studies)
    if (study->name() == command)
      for (const harness::JointAxis& axis : study->joint_axes())
        if ("--" + axis.name == option)
          return fmt::format(": in plans it is [{}]; here give --{}", fmt::join(axis.parts, ", "),
                             fmt::join(axis.parts, ", --"));
  return "";
}

/// The best break of a line of at most 'width': {its end, the start of the next line}.
std::pair<std::size_t, std::size_t> break_of(const std::string& line, std::size_t width, std::size_t after) {
  const std::size_t blank = line.rfind(' ', width);
  if (blank != std::string::npos && blank > after) return {blank, blank + 1};
  const std::size_t comma = line.rfind(',', width - 1);
  if (comma != std::string::npos && comma > after) return {comma + 1, comma + 1};
  return {width, width};
}

}  // namespace

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

namespace {

template <class N>
CLI::Validator from_to(N least, N most, const char* kind) {
  const std::string range = fmt::format("{} to {}", least, most);
  const std::string wanted =
      fmt::format("give {} from {} to {}", kind, fmt::format("{}", least), fmt::format("{}", most));
  return CLI::Validator(
      [least, most, wanted](std::string& text) -> std::string {
        N number{};
        if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.erase(0, 1);
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        const bool is_number =
            error != std::errc::invalid_argument && end == text.data() + text.size() && !text.empty();
        if (is_number && error == std::errc() && number >= least && number <= most) {
          if constexpr (std::is_integral_v<N>) text = fmt::format("{}", number);
          return "";
        }
        const char* const quote = is_number ? "" : "'";
        return fmt::format("is {}{}{}: {}", quote, runtime::shown(text), quote, wanted);
      },
      range);
}

}  // namespace

std::string explained(const CLI::App& app, const harness::Studies& studies, const CLI::ParseError& error,
                      std::vector<std::string> words) {
  using runtime::did_you_mean;
  using runtime::shown;
  const CLI::App* scope = &app;
  std::vector<std::string> known;
  for (const CLI::App* sub : app.get_subcommands({})) known.push_back(sub->get_name());
  std::string command;  // the command that was begun, or a word that names none
  for (const CLI::App* begun : app.get_subcommands()) command = (scope = begun)->get_name();
  for (const std::string& word : app.remaining())
    if (command.empty() && word.rfind('-', 0) != 0) command = word;
  if (const auto at = std::find(words.begin(), words.end(), command); at != words.end()) words.erase(at);
  words.erase(std::remove(words.begin(), words.end(), ""), words.end());
  std::string message = error.what();
  if (const auto at = message.find(": is "); at != std::string::npos) message.erase(at, 1);  // from a range
  if (scope == &app && !command.empty())
    message = fmt::format("'{}' is no command{}", shown(command), did_you_mean(command, known));
  known.clear();
  for (const CLI::Option* option : scope->get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  const auto is_known = [&known](const std::string& word) {
    return std::find(known.begin(), known.end(), word) != known.end();
  };
  // One dash instead of two.
  for (const std::string& word : words)
    if (word.size() > 2 && word[0] == '-' && word[1] != '-' && is_known("-" + word))
      message = fmt::format("{} is no option; did you mean -{}?", shown(word), word);
  const bool stray = error.get_name() == "RequiredError" || error.get_name() == "ExtrasError";
  const auto unknown = std::find_if(words.begin(), words.end(), [&](const std::string& word) {
    return word.size() > 2 && word[0] == '-' && (word[1] == '-' || (stray && word[1] > '9')) &&
           !is_known(word.substr(0, word.find('=')));
  });
  if (unknown != words.end()) {
    const std::string word = unknown->substr(0, unknown->find('='));
    const std::string parts = parts_of_axis(studies, scope->get_name(), word);
    message = fmt::format("{} is no option{}{}", shown(word),
                          scope == &app ? "" : fmt::format(" of 'parity {}'", scope->get_name()),
                          parts.empty() ? did_you_mean(word, known) : parts);
  }
  std::replace(message.begin(), message.end(), '\n', ' ');
  return fmt::format("{} ('parity {}--help' explains)", shown(message, 300),
                     scope == &app ? "" : scope->get_name() + " ");
}

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

std::string WrappedHelp::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  return wrapped(runtime::in_words_of_program(CLI::Formatter::make_help(app, std::move(name), mode)),
                 help_width(), get_column_width());
}

CLI::Validator number(const std::string& wanted) {
  return CLI::Validator(
      [wanted](std::string& text) -> std::string {
        double value = 0;
        if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.erase(0, 1);
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error == std::errc() && end == text.data() + text.size()) return "";
        const bool comma = text.find(',') != std::string::npos;
        return fmt::format("is '{}': give {}", runtime::shown(text),
                           comma ? "a number, with a point where it has decimals" : wanted);
      },
      "");
}
CLI::Validator number_from(double least, double most) { return from_to(least, most, "a number"); }
CLI::Validator whole_from(std::int64_t least, std::int64_t most) {
  return from_to(least, most, "a whole number");
}

CLI::Option* add_parameter(CLI::App* command, const harness::Study& study, const std::string& name,
                           std::int64_t& value) {
  for (const harness::Parameter& p : study.parameters())
    if (p.name == name)
      return command->add_option(p.option_name(), value, p.help)
          ->transform(whole_from(std::int64_t(p.least), std::int64_t(p.most)));
  throw std::logic_error(study.name() + " has no parameter " + name);
}

}  // namespace parity::commands
