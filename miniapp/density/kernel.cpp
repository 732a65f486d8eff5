// SPDX-License-Identifier: BSD-3-Clause
#include "density/kernel.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "runtime/error.hpp"
#include "runtime/suggest.hpp"

namespace parity::density {
namespace {

constexpr const char* names[] = {"gaussian", "epanechnikov", "biweight", "triangular", "box"};

}  // namespace

double Kernel::peak() const {
  switch (shape) {
    case Shape::gaussian:
      return 1 / std::sqrt(2 * M_PI);
    case Shape::epanechnikov:
      return 3.0 / 4;
    case Shape::biweight:
      return 15.0 / 16;
    case Shape::triangular:
      return 1;
    case Shape::box:
      return 1.0 / 2;
  }
  return 0;
}

double Kernel::deviation() const {
  switch (shape) {
    case Shape::gaussian:
      return 1;
    case Shape::epanechnikov:
      return std::sqrt(1.0 / 5);
    case Shape::biweight:
      return std::sqrt(1.0 / 7);
    case Shape::triangular:
      return std::sqrt(1.0 / 6);
    case Shape::box:
      return std::sqrt(1.0 / 3);
  }
  return 1;
}

std::vector<std::string> kernel_names() { return {std::begin(names), std::end(names)}; }

Kernel kernel_of(const std::string& text) {
  for (int k = 0; k < 5; ++k)
    if (text == names[k]) return Kernel{Shape(k)};
  // What R, scikit-learn and Stata call them.
  static const std::map<std::string, std::string> elsewhere = {{"rectangular", "box"},
                                                               {"uniform", "box"},
                                                               {"tophat", "box"},
                                                               {"boxcar", "box"},
                                                               {"quartic", "biweight"},
                                                               {"linear", "triangular"},
                                                               {"parabolic", "epanechnikov"},
                                                               {"normal", "gaussian"}};
  const auto other = elsewhere.find(text);
  throw runtime::UsageError(fmt::format("no kernel is called '{}'{} (there are: {})", text,
                                        other != elsewhere.end()
                                            ? fmt::format("; did you mean {}?", other->second)
                                            : runtime::did_you_mean(text, kernel_names()),
                                        fmt::join(kernel_names(), " ")));
}

std::string name(const Kernel& kernel) { return names[int(kernel.shape)]; }

}  // namespace parity::density
