// SPDX-License-Identifier: BSD-3-Clause
#include "commands/plain_words.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "runtime/text.hpp"

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

}  // namespace

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

}  // namespace parity::commands
