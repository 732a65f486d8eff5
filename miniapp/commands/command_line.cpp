// SPDX-License-Identifier: BSD-3-Clause
// What a command line may hold: CLI11's messages and help in plain words, ranges of numbers.
#include <fmt/format.h>

#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "commands/commands.hpp"
#include "harness/environment.hpp"
#include "runtime/error.hpp"
#include "runtime/text.hpp"
#include "studies.hpp"

namespace parity::commands {
namespace {

bool has_one_dash(const std::string& word) { return word.size() > 1 && word[0] == '-' && word[1] != '-'; }

std::string no_option(const std::string& word) {
  return fmt::format(
      "'{}' is no option; options begin with '--'{}", word,
      access(word.c_str(), F_OK) == 0 ? fmt::format(", and a file of that name is ./{}", word) : "");
}

std::optional<std::string> behind(const std::string& text, const std::string& mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return std::nullopt;
  return text.substr(at + mark.size());
}

/// "--missing: drop not in {refuse,keep}"
std::optional<std::string> no_member(const std::string& name, const std::string& said) {
  const std::size_t at = said.find(" not in {");
  if (at == std::string::npos || said.back() != '}') return std::nullopt;
  return fmt::format("{} is '{}': give one of {}", name, said.substr(0, at),
                     said.substr(at + 9, said.size() - at - 10));
}

/// "--steps: At Most 1 required but received 2"
std::optional<std::string> too_often(const std::string& name, const std::string& said) {
  const auto count = behind(said, "At Most 1 required but received ");
  if (!count) return std::nullopt;
  return fmt::format("{} is given {} times; give it once", name, *count);
}

/// "before is required"
std::optional<std::string> missing_name(const std::string& message, const std::vector<std::string>& words,
                                        const CLI::App& command) {
  std::string names;
  bool is_one = false;
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional()) {
      names += " " + option->get_name();
      is_one = is_one || message == option->get_name() + " is required";
    }
  if (!is_one) return std::nullopt;
  // It may be there, but look like an option.
  for (const std::string& word : words)
    if (has_one_dash(word) && word[1] > '9') return no_option(word);
  return fmt::format("{} is missing: parity {}{}", message.substr(0, message.find(' ')), command.get_name(),
                     names);
}

/// "; a list has commas and no blanks: --variable u,v", where words[k] stands behind an option of one list.
std::string as_list(const std::vector<std::string>& words, std::size_t k, const CLI::App& command) {
  if (k < 2 || words[k - 2].rfind("--", 0) != 0) return "";
  const CLI::Option* const option = command.get_option_no_throw(words[k - 2]);
  if (!option || option->get_delimiter() != ',') return "";
  return fmt::format("; a list has commas and no blanks: {} {},{}", words[k - 2], words[k - 1], words[k]);
}

/// CLI11 lists what it did not expect from the last word to the first.
std::optional<std::string> unexpected(const std::string& said, const std::vector<std::string>& words,
                                      const CLI::App& command) {
  const std::string list = " " + said + " ";
  bool only_names = false;
  for (std::size_t k = 0; k < words.size(); ++k) {
    const std::string& word = words[k];
    if (word == "--") {
      only_names = true;
      continue;
    }
    if (list.find(" " + word + " ") == std::string::npos) continue;
    if (only_names && word[0] == '-')
      return fmt::format("'{}' stands behind '--', where all words are names; put it before", word);
    return has_one_dash(word) ? no_option(word)
                              : fmt::format("'{}' is one word too many{}", word, as_list(words, k, command));
  }
  return std::nullopt;
}

/// ": in plans it is [nx, ny, nz]; here give --nx, --ny, --nz", where the command's study has such an axis of
/// several parameters.
std::string parts_of_axis(const std::string& command, const std::string& option) {
  for (const harness::Study* study : studies())
    if (study->name() == command)
      for (const harness::JointAxis& axis : study->joint_axes())
        if ("--" + axis.name == option)
          return fmt::format(": in plans it is [{}]; here give --{}", fmt::join(axis.parts, ", "),
                             fmt::join(axis.parts, ", --"));
  return "";
}

/// message: CLI11's; words: those of the command line; command: the one they were given to.
std::string in_plain_words(const std::string& message, const std::vector<std::string>& words,
                           const CLI::App& command) {
  if (message.find("ubcommand is required") != std::string::npos) {
    const auto wrong = std::find_if(words.begin(), words.end(), has_one_dash);
    return wrong == words.end() ? "no command is given: a subcommand such as 'list' is required"
                                : no_option(*wrong);
  }
  if (const auto text = missing_name(message, words, command)) return *text;
  const std::size_t colon = message.find(": ");
  if (colon == std::string::npos) return message;
  const std::string name = message.substr(0, colon), said = message.substr(colon + 2);
  if (said.find(" required ") != std::string::npos && runtime::ends_with(said, "missing"))
    return name + " needs a value after it";
  if (said.rfind("is ", 0) == 0) return name + " " + said;  // commands/numbers
  if (const auto text = no_member(name, said)) return *text;
  if (const auto text = too_often(name, said)) return *text;
  if (message.find("not expected") != std::string::npos)
    if (const auto text = unexpected(said, words, command)) return *text;
  return message;
}

/// Where a line of at most 'width' ends best: {its end, the begin of the next one}.
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

std::string explained(const CLI::App& app, const CLI::ParseError& error, const std::string& command,
                      std::vector<std::string> words) {
  using runtime::did_you_mean;
  using runtime::shown;
  const CLI::App* scope = &app;
  std::vector<std::string> known;
  for (const CLI::App* sub : app.get_subcommands({})) {
    known.push_back(sub->get_name());
    if (sub->get_name() == command) scope = sub;
  }
  if (const auto at = std::find(words.begin(), words.end(), command); at != words.end()) words.erase(at);
  words.erase(std::remove(words.begin(), words.end(), ""), words.end());
  std::string message = in_plain_words(error.what(), words, *scope);
  if (scope == &app && !command.empty())
    message = fmt::format("'{}' is no command{}", shown(command), did_you_mean(command, known));
  known.clear();
  for (const CLI::Option* option : scope->get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  const auto is_known = [&known](const std::string& word) {
    return std::find(known.begin(), known.end(), word) != known.end();
  };
  // One dash where there should be two.
  for (const std::string& word : words)
    if (word.size() > 2 && word[0] == '-' && word[1] != '-' && is_known("-" + word))
      message = fmt::format("{} is no option; did you mean -{}?", shown(word), word);
  const auto unknown = std::find_if(words.begin(), words.end(), [&is_known](const std::string& word) {
    return word.size() > 2 && word.rfind("--", 0) == 0 && word != "--" &&
           !is_known(word.substr(0, word.find('=')));
  });
  if (unknown != words.end()) {
    const std::string word = unknown->substr(0, unknown->find('='));
    const std::string parts = parts_of_axis(scope->get_name(), word);
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
  return wrapped(CLI::Formatter::make_help(app, std::move(name), mode), help_width(), get_column_width());
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
