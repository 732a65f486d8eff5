// SPDX-License-Identifier: BSD-3-Clause
#include "tools/density/kernel.hpp"

#include <fmt/format.h>

#include <cmath>

#include "runtime/error.hpp"
#include "runtime/text.hpp"

namespace parity::density {
namespace {

/// In the order of Shape.
const struct {
  const char* name;
  double peak, deviation;
} facts[] = {{"gaussian", 1 / std::sqrt(2 * M_PI), 1},
             {"epanechnikov", 3.0 / 4, std::sqrt(1.0 / 5)},
             {"biweight", 15.0 / 16, std::sqrt(1.0 / 7)},
             {"triangular", 1, std::sqrt(1.0 / 6)},
             {"box", 1.0 / 2, std::sqrt(1.0 / 3)}};

}  // namespace

double Kernel::peak() const { return facts[int(shape)].peak; }
double Kernel::deviation() const { return facts[int(shape)].deviation; }

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const auto& f : facts) names.emplace_back(f.name);
  return names;
}

Kernel kernel_of(const std::string& text) {
  for (const auto& f : facts)
    if (text == f.name) return Kernel{Shape(&f - facts)};
  throw runtime::UsageError(fmt::format("no kernel is called '{}'{} (there are: {})", text,
                                        runtime::did_you_mean(text, kernel_names()),
                                        fmt::join(kernel_names(), " ")));
}

std::string name(const Kernel& kernel) { return facts[int(kernel.shape)].name; }

}  // namespace parity::density
