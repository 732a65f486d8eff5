// SPDX-License-Identifier: BSD-3-Clause
#include "harness/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "runtime/error.hpp"
#include "runtime/text.hpp"

namespace parity::harness {
namespace {

using runtime::UsageError;

template <class N>
bool reads_as(const std::string& word, N& number) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size();
}

}  // namespace

std::string to_string(const Value& value) {
  if (const auto* word = std::get_if<std::string>(&value)) return *word;
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  return fmt::format("{}", std::get<std::int64_t>(value));
}

std::string Parameter::option_name() const {
  std::string text = "--" + (option.empty() ? name : option);
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

std::string Parameter::range() const {
  if (!range_words.empty()) return range_words;
  if (!words.empty()) return fmt::format("{}", fmt::join(words, ", "));
  if (!allowed.empty()) return fmt::format("one of {}", fmt::join(allowed, ", "));
  if (std::holds_alternative<std::int64_t>(standard))
    return fmt::format("a whole number from {} to {}", std::int64_t(least), std::int64_t(most));
  return fmt::format("a number from {:g} to {:g}", least, most);
}

Value Parameter::checked(const std::string& where, const Value& value) const {
  const auto refuse = [&] {
    throw UsageError(fmt::format("{} is {}: give {}", where, runtime::shown(to_string(value)), range()));
  };
  if (std::holds_alternative<std::string>(standard)) {
    const auto* word = std::get_if<std::string>(&value);
    if (!word) throw UsageError(fmt::format("{}: must be a string", where));
    if (!words.empty() && std::find(words.begin(), words.end(), *word) == words.end())
      throw UsageError(fmt::format("{} is '{}'{} (give {})", where, runtime::shown(*word),
                                   runtime::did_you_mean(*word, words), fmt::join(words, ", ")));
    return value;
  }
  if (std::holds_alternative<std::int64_t>(standard)) {
    const auto* number = std::get_if<std::int64_t>(&value);
    if (!number) throw UsageError(fmt::format("{}: must be a whole number", where));
    if (*number < std::int64_t(least) || *number > std::int64_t(most)) refuse();
    if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), *number) == allowed.end()) refuse();
    return value;
  }
  if (std::holds_alternative<std::string>(value))
    throw UsageError(fmt::format("{}: must be a number", where));
  const double number =
      std::holds_alternative<double>(value) ? std::get<double>(value) : double(std::get<std::int64_t>(value));
  if (!(number >= least && number <= most) || (above_least && number == least)) refuse();
  return number;
}

Value Parameter::parse(const std::string& where, const std::string& word) const {
  if (std::holds_alternative<std::string>(standard)) return checked(where, word);
  std::int64_t whole = 0;
  if (reads_as(word, whole)) return checked(where, whole);
  double number = 0;
  if (std::holds_alternative<std::int64_t>(standard) && reads_as(word, number) && std::abs(number) < 9e15 &&
      number == std::floor(number))
    return checked(where, std::int64_t(number));  // 1e6
  if (!std::holds_alternative<double>(standard) || !reads_as(word, number))
    throw UsageError(fmt::format("{} is '{}': give {}", where, runtime::shown(word), range()));
  return checked(where, number);
}

}  // namespace parity::harness
