// SPDX-License-Identifier: BSD-3-Clause
#include "commands/numbers.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <type_traits>

#include "runtime/text.hpp"

namespace parity::commands {
namespace {

template <class N>
CLI::Validator from_to(N least, N most, const char* kind) {
  const std::string range = fmt::format("{:g} to {:g}", double(least), double(most));
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

CLI::Validator number_from(double least, double most) { return from_to(least, most, "a number"); }
CLI::Validator whole_from(std::int64_t least, std::int64_t most) {
  return from_to(least, most, "a whole number");
}

}  // namespace parity::commands
