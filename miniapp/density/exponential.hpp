// SPDX-License-Identifier: BSD-3-Clause
// exp of what is not positive, in a form that a host computes for many values at once. It shares nothing with
// the exponentials of kde/gaussian.hpp, which it is used to check.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>

#include "host_device.hpp"

namespace parity::density {

/// exp(t) for t <= 0, relative error below 1e-15; 0 below -708.
PARITY_INLINE double exp_of_negative(double t) {
#if defined(__CUDA_ARCH__)
  return exp(t);
#else
  const double bounded = t > -708.0 ? t : -708.0;
  constexpr double magic = 6755399441055744.0;  // its sum with a small k holds k in the lowest bits
  const double shifted = multiply_add(bounded, 1.4426950408889634, magic), k = shifted - magic;
  // ln 2 in two parts: the first times k is exact.
  const double r =
      multiply_add(k, -1.9082149292705877e-10, multiply_add(k, -0.693147180369123816490, bounded));
  // The Taylor series; |r| <= 0.347, so that what is left out is below 5e-18.
  double p = 1.0 / 6227020800;
  p = multiply_add(p, r, 1.0 / 479001600);
  p = multiply_add(p, r, 1.0 / 39916800);
  p = multiply_add(p, r, 1.0 / 3628800);
  p = multiply_add(p, r, 1.0 / 362880);
  p = multiply_add(p, r, 1.0 / 40320);
  p = multiply_add(p, r, 1.0 / 5040);
  p = multiply_add(p, r, 1.0 / 720);
  p = multiply_add(p, r, 1.0 / 120);
  p = multiply_add(p, r, 1.0 / 24);
  p = multiply_add(p, r, 1.0 / 6);
  p = multiply_add(p, r, 0.5);
  p = multiply_add(p, r, 1.0);
  p = multiply_add(p, r, 1.0);
  std::uint64_t bits, exponent;
  std::memcpy(&bits, &p, sizeof bits);
  std::memcpy(&exponent, &shifted, sizeof exponent);
  bits += exponent << 52;
  std::memcpy(&p, &bits, sizeof p);
  return t > -708.0 ? p : 0.0;
#endif
}

}  // namespace parity::density
