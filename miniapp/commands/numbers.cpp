// SPDX-License-Identifier: BSD-3-Clause
#include "commands/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "runtime/text.hpp"

namespace parity::commands {
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

namespace {
template <class N>
CLI::Option* with_parameter(CLI::App* command, const harness::Study& study, const std::string& name, N& value,
                            std::int64_t least) {
  for (const harness::Parameter& p : study.parameters())
    if (p.name == name)
      return command->add_option(p.option_name(), value, p.help)
          ->transform(whole_from(std::max(least, std::int64_t(p.least)), std::int64_t(p.most)));
  throw std::logic_error(study.name() + " has no parameter " + name);
}
}  // namespace

CLI::Option* add_parameter(CLI::App* command, const harness::Study& study, const std::string& name,
                           std::int64_t& value, std::int64_t least) {
  return with_parameter(command, study, name, value, least);
}
CLI::Option* add_parameter(CLI::App* command, const harness::Study& study, const std::string& name,
                           int& value, std::int64_t least) {
  return with_parameter(command, study, name, value, least);
}

}  // namespace parity::commands
