// SPDX-License-Identifier: BSD-3-Clause
// The kernels of 'parity density'. A compact kernel's bandwidth is half the width of its support.
#pragma once
#include <string>
#include <vector>

#include "host_device.hpp"

namespace parity::density {

enum class Shape { gaussian, epanechnikov, biweight, triangular, box };

/// k(u) with k(0) = 1; the density's kernel is peak * k(u) / h.
struct Kernel {
  Shape shape = Shape::gaussian;

  bool compact() const { return shape != Shape::gaussian; }
  /// K(0), which makes the kernel integrate to 1.
  double peak() const;
  /// The kernel's standard deviation for h = 1; it converts a rule's Gaussian bandwidth to this kernel's.
  double deviation() const;

  PARITY_INLINE double operator()(double u) const {
    const double a = u < 0 ? -u : u, rest = 1 - u * u;
    switch (shape) {
      case Shape::gaussian:
        return exp(-0.5 * u * u);
      case Shape::epanechnikov:
        return a <= 1 ? rest : 0;
      case Shape::biweight:
        return a <= 1 ? rest * rest : 0;
      case Shape::triangular:
        return a <= 1 ? 1 - a : 0;
      case Shape::box:
        return a <= 1 ? 1 : 0;
    }
    return 0;
  }
};

std::vector<std::string> kernel_names();
/// Throws runtime::UsageError that suggests the nearest name.
Kernel kernel_of(const std::string& name);
std::string name(const Kernel& kernel);

}  // namespace parity::density
