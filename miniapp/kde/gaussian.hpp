// SPDX-License-Identifier: BSD-3-Clause
// The Gaussian term exp(-(q - x)^2 / (2 h^2)) in all forms that the variants use, for host and device.
//
// All forms except the library form compute 2^(-d^2) with d = c (q - x), c = sqrt(log2(e) / 2) / h. They take
// the difference first: it is nearly exact, whereas samples scaled beforehand lose digits in proportion to
// their distance from 0. Polynomials: minimax in relative error of 2^f (Remez): degree 5 on [-1/2, 1/2]
// 7.5e-8, degree 10 2.1e-16, degree 5 on [-1/32, 1/32] 4.5e-15.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>  // unqualified memcpy, which hipcc has for a GPU, too

#include "host_device.hpp"

namespace parity::kde {

constexpr double root_half_log2e = 0.84932180028801904272;

/// Scales a distance so that its Gaussian is a power of two.
PARITY_INLINE double scale_of(double bandwidth) { return root_half_log2e / bandwidth; }

template <class To, class From>
PARITY_INLINE To bits_as(From from) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(To) == 4 && sizeof(From) == 4) {
    union {
      From from;
      To to;
    } pun;
    pun.from = from;
    return pun.to;
  }
#endif
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}

/// The smaller of |d| and a limit that is not NaN.
PARITY_INLINE float bounded(float d, float limit) {
#if defined(__CUDA_ARCH__)
  return fminf(fabsf(d), limit);
#else
  const float a = std::fabs(d);
  return a < limit ? a : limit;
#endif
}
/// The same for double. On a GPU up to one part in 2^20 above the limit, because it compares only the high
/// words.
PARITY_INLINE double bounded(double d, double limit) {
#if defined(__CUDA_ARCH__)
  const int high = min(__double2hiint(d) & 0x7fffffff, __double2hiint(limit));
  return __hiloint2double(high, __double2loint(d));
#else
  const double a = std::fabs(d);
  return a < limit ? a : limit;
#endif
}

/// 2^(-d^2) by a polynomial, relative error 2e-7 (float). Constant at 2^-125 beyond |d| = 11.2.
PARITY_INLINE float exp2_minus_square(float d) {
  d = bounded(d, 11.2f);
  constexpr float magic = 12582912.f;  // 1.5 * 2^23: its sum with k holds k in the lowest bits
  const float t = multiply_add(-d, d, magic), k = t - magic, f = multiply_add(-d, d, -k);
  float p = 1.3276472632e-3f;
  p = multiply_add(p, f, 9.6755413431e-3f);
  p = multiply_add(p, f, 5.5507132719e-2f);
  p = multiply_add(p, f, 2.4022119724e-1f);
  p = multiply_add(p, f, 6.9314696707e-1f);
  p = multiply_add(p, f, 1.0000000716f);
  return bits_as<float>(bits_as<std::uint32_t>(p) + (bits_as<std::uint32_t>(t) << 23));
}

/// 2^(-d^2) by a polynomial, relative error 1e-15 times the exponent's magnitude (double). Constant at
/// 2^-1000 beyond |d| = 31.6.
PARITY_INLINE double exp2_minus_square(double d) {
  d = bounded(d, 31.6);
  constexpr double magic = 6755399441055744.0;  // 1.5 * 2^52
  const double t = multiply_add(-d, d, magic), k = t - magic, f = multiply_add(-d, d, -k);
  double p = 7.0372795305828035e-9;
  p = multiply_add(p, f, 1.0208537904552164e-7);
  p = multiply_add(p, f, 1.3215662831846103e-6);
  p = multiply_add(p, f, 1.5252658116561384e-5);
  p = multiply_add(p, f, 1.5403529961135955e-4);
  p = multiply_add(p, f, 1.3333558228561475e-3);
  p = multiply_add(p, f, 9.6181291080345887e-3);
  p = multiply_add(p, f, 5.5504108664458833e-2);
  p = multiply_add(p, f, 2.4022650695908768e-1);
  p = multiply_add(p, f, 6.9314718055994978e-1);
  p = multiply_add(p, f, 1.0);
  return bits_as<double>(bits_as<std::uint64_t>(p) + (bits_as<std::uint64_t>(t) << 52));
}

/// A table of the powers 2^(i/16), i < 16.
constexpr int power_table_size = 16;

/// sum + 2^(-(d/4)^2) with a table of powers: half the double-precision operations of the polynomial form.
/// Relative error 5e-15.
PARITY_INLINE double add_exp2_minus_square_table(double d, const double* table, double sum) {
  d = bounded(d, 126.4);
  constexpr double magic = 6755399441055744.0;
  const double t = multiply_add(-d, d, magic), k = t - magic, f = multiply_add(-d, d, -k);
  double p = 1.3333334709266009e-3 / 1048576;
  p = multiply_add(p, f, 9.6183547398992304e-3 / 65536);
  p = multiply_add(p, f, 5.5504108711187804e-2 / 4096);
  p = multiply_add(p, f, 2.4022650687647609e-1 / 256);
  p = multiply_add(p, f, 6.9314718055993244e-1 / 16);
  p = multiply_add(p, f, 1.0000000000000045);
#if defined(__CUDA_ARCH__)
  const int low = __double2loint(t);
  const double power = table[low & 15];
  const double scaled = __hiloint2double(__double2hiint(power) + ((low & ~15) << 16), __double2loint(power));
#else
  const auto low = std::int32_t(bits_as<std::uint64_t>(t));
  const double scaled = bits_as<double>(bits_as<std::uint64_t>(table[low & 15]) +
                                        (std::uint64_t(std::int64_t(low & ~15)) << 48));
#endif
  return multiply_add(scaled, p, sum);
}

/// 2^(-d^2) by a GPU's special-function unit (2 ulp, denormals flushed); by the polynomial on a host.
PARITY_INLINE float exp2_minus_square_hardware(float d) {
#if defined(__CUDA_ARCH__)
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(-d * d));
  return power;
#else
  return exp2_minus_square(d);
#endif
}

// Terms that a variant adds to the sum of query q for sample x. 'pair' numbers the pairs of an unrolled tile,
// so that a term can treat them differently. bind gives a term its table: table_size doubles in shared memory
// or scratch, filled by all threads together; the caller synchronises them afterwards.

struct WithoutTable {
  static constexpr int table_size = 0;
  PARITY_INLINE void bind(double*, int, int) {}
};

/// The library's exp, as in the original work but without its division: exp(-t^2 / 2), t = (q - x) / h.
template <class T>
struct LibraryTerm : WithoutTable {
  T inverse_bandwidth;
  explicit LibraryTerm(double bandwidth) : inverse_bandwidth(T(1.0 / bandwidth)) {}
  PARITY_INLINE T operator()(T q, T x) const {
    const T t = (q - x) * inverse_bandwidth;
    return exp(T(-0.5) * t * t);
  }
  PARITY_INLINE T value(int, T q, T x) const { return (*this)(q, x); }
  PARITY_INLINE T add(int pair, T q, T x, T sum) const { return sum + value(pair, q, x); }
};

/// A polynomial on the fused multiply-add units.
template <class T>
struct PolynomialTerm : WithoutTable {
  T scale;
  explicit PolynomialTerm(double bandwidth) : scale(T(scale_of(bandwidth))) {}
  PARITY_INLINE T value(int, T q, T x) const { return exp2_minus_square((q - x) * scale); }
  PARITY_INLINE T add(int pair, T q, T x, T sum) const { return sum + value(pair, q, x); }
};

/// The fastest single method: a GPU's special-function unit in float, a table of powers in double.
template <class T>
struct HardwareTerm;
template <>
struct HardwareTerm<float> : WithoutTable {
  float scale;
  explicit HardwareTerm(double bandwidth) : scale(float(scale_of(bandwidth))) {}
  PARITY_INLINE float value(int, float q, float x) const {
    return exp2_minus_square_hardware((q - x) * scale);
  }
  PARITY_INLINE float add(int pair, float q, float x, float sum) const { return sum + value(pair, q, x); }
};
template <>
struct HardwareTerm<double> {
  static constexpr int table_size = power_table_size;
  double factor;
  const double* table = nullptr;
  explicit HardwareTerm(double bandwidth) : factor(4 * scale_of(bandwidth)) {}
  PARITY_INLINE void bind(double* place, int thread, int threads) {
    for (int i = thread; i < table_size; i += threads) place[i] = exp2(double(i) / table_size);
    table = place;
  }
  PARITY_INLINE double value(int, double q, double x) const {
    return add_exp2_minus_square_table((q - x) * factor, table, 0.0);
  }
  PARITY_INLINE double add(int, double q, double x, double sum) const {
    return add_exp2_minus_square_table((q - x) * factor, table, sum);
  }
};

/// Mask of the pairs, out of 16, that use the polynomial; spread evenly.
PARITY_INLINE constexpr unsigned polynomial_pairs(int share) {
  return share == 1 ? 0x0001u : share == 2 ? 0x0101u : share == 3 ? 0x0421u : share == 4 ? 0x0303u : 0x9249u;
}

/// Computes Share of every 16 pairs by polynomial and the rest on the special-function unit, so that both
/// units work concurrently.
template <int Share>
struct MixedTerm : WithoutTable {
  float scale;
  explicit MixedTerm(double bandwidth) : scale(float(scale_of(bandwidth))) {}
  PARITY_INLINE float value(int pair, float q, float x) const {
    const float d = (q - x) * scale;
    return (polynomial_pairs(Share) >> (pair & 15)) & 1 ? exp2_minus_square(d)
                                                        : exp2_minus_square_hardware(d);
  }
  PARITY_INLINE float add(int pair, float q, float x, float sum) const { return sum + value(pair, q, x); }
};

}  // namespace parity::kde
