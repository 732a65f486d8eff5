// SPDX-License-Identifier: BSD-3-Clause
#include "commands/plain_words.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "runtime/suggest.hpp"
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

/// What stands behind the first 'mark', if it is there.
std::optional<std::string> behind(const std::string& text, const std::string& mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return std::nullopt;
  return text.substr(at + mark.size());
}

/// "Could not convert: --steps = 1.5"
std::optional<std::string> not_converted(const std::string& message, const CLI::App& command) {
  const auto rest = behind(message, "Could not convert: ");
  const auto value = rest ? behind(*rest, " = ") : std::nullopt;
  if (!value) return std::nullopt;
  const std::string name = rest->substr(0, rest->find(" = "));
  const CLI::Option* const option = command.get_option_no_throw(name);
  const bool whole = option && option->get_type_name().rfind("INT", 0) == 0;
  return fmt::format("{} is '{}': give a {}", name, *value,
                     whole ? "whole number" : "number, with a point where it has decimals");
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

/// Commands of before, and what does the same.
constexpr std::pair<const char*, const char*> moved[] = {
    {"merit", "findings --merit"},
    {"scaling", "findings --scaling"},
    {"tunings", "findings --tunings FILE"},
    {"merge", "export FILE... --records --output FILE"},
    {"roofs", "measure jobs/plans/roofs.toml"},
};

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
  if (const auto text = not_converted(message, command)) return *text;
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

}  // namespace

std::string explained(const CLI::App& app, const CLI::ParseError& error, const std::string& command,
                      std::vector<std::string> words) {
  using runtime::did_you_mean;
  using runtime::shown;
  for (const auto& [word, now] : moved)
    if (command == word) return fmt::format("'{}' is no command any more: it is 'parity {}'", word, now);
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

}  // namespace parity::commands
