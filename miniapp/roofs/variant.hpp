// SPDX-License-Identifier: BSD-3-Clause
// The contract of a variant of the roofs study: one quantity of a machine, by working set.
#pragma once
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "harness/variant.hpp"
#include "host_device.hpp"

namespace parity::roofs {

enum class Kind { read, copy, triad, multiply_add, exponential, dependent };

/// Operations on a value in one pass of multiply-add and dependent, one after the other.
inline constexpr int chain = 16;
/// Arguments, so that no compiler knows them: x is multiplied by 1 and 1 is added, which is exact and counts.
inline constexpr double factor = 1, summand = 1, triad_factor = 0.5;

/// The values of part 'index' of 'parts': [begin, end).
struct Part {
  std::int64_t begin = 0, end = 0;
};
PARITY_INLINE Part part_of(std::int64_t values, std::int64_t parts, std::int64_t index) {
  return {values * index / parts, values * (index + 1) / parts};
}

template <class T>
PARITY_INLINE T chained(T x, T m, T a) {
  for (int k = 0; k < chain; ++k) x = m * x + a;
  return x;
}

PARITY_INLINE float exponential_of(float x) { return expf(x); }
PARITY_INLINE double exponential_of(double x) { return exp(x); }

/// The three arrays of a variant and the numbers above, as kernels take them.
template <class T>
struct Arrays {
  T *a = nullptr, *b = nullptr, *c = nullptr;
  std::int64_t values = 0, passes = 0;
  T m = T(factor), s = T(summand), t = T(triad_factor);
};

/// What one pass does with one value; what was read, for the kind that only reads.
template <Kind kind, class T>
PARITY_INLINE T touch(const Arrays<T>& d, std::int64_t i) {
  T read = 0;
  if constexpr (kind == Kind::read) read = d.a[i];
  if constexpr (kind == Kind::copy) d.b[i] = d.a[i];
  if constexpr (kind == Kind::triad) d.c[i] = d.a[i] + d.t * d.b[i];
  if constexpr (kind == Kind::multiply_add) d.a[i] = chained(d.a[i], d.m, d.s);
  if constexpr (kind == Kind::exponential) d.a[i] = exponential_of(-d.a[i]);
  return read;
}

/// One pass over the values begin, begin + stride, … below end, by one thread of those that share a part. 'd'
/// is the caller's own copy: what is stored through it could change its numbers otherwise.
template <Kind kind, class T>
PARITY_INLINE T pass(const Arrays<T>& d, std::int64_t begin, std::int64_t end, std::int64_t stride) {
  T sum = 0;
  if (stride == 1) {  // known to the compiler, which makes vectors of neighbours
    PARITY_LANES_SUM(sum)
    for (std::int64_t i = begin; i < end; ++i) sum += touch<kind>(d, i);
  } else {
    for (std::int64_t i = begin; i < end; i += stride) sum += touch<kind>(d, i);
  }
  return sum;
}

/// All passes; the sum of the last one.
template <Kind kind, class T>
PARITY_INLINE T all_passes(const Arrays<T>& d, std::int64_t begin, std::int64_t end, std::int64_t stride) {
  T sum = 0;
  if constexpr (kind == Kind::dependent) {
    if (begin >= end) return sum;
    T x = d.a[begin];
    for (std::int64_t k = 0; k < d.passes; ++k) x = chained(x, d.m, d.s);
    d.a[begin] = x;
  } else {
    for (std::int64_t k = 0; k < d.passes; ++k) sum = pass<kind>(d, begin, end, stride);
  }
  return sum;
}

/// f(kind) with the kind as a constant.
template <class F>
void with_kind(Kind kind, const F& f) {
  switch (kind) {
    case Kind::read:
      return f(std::integral_constant<Kind, Kind::read>());
    case Kind::copy:
      return f(std::integral_constant<Kind, Kind::copy>());
    case Kind::triad:
      return f(std::integral_constant<Kind, Kind::triad>());
    case Kind::multiply_add:
      return f(std::integral_constant<Kind, Kind::multiply_add>());
    case Kind::exponential:
      return f(std::integral_constant<Kind, Kind::exponential>());
    case Kind::dependent:
      return f(std::integral_constant<Kind, Kind::dependent>());
  }
}

struct Problem {
  runtime::Precision precision = runtime::Precision::f64;
  std::string quantity = "copy";
  std::int64_t bytes = std::int64_t(1) << 26;  ///< of all arrays together

  Kind kind() const;
  /// Values of each array.
  std::int64_t values() const;
  /// How often one sample goes through them.
  std::int64_t passes() const;
};

/// Arrays that a quantity reads or writes; of a sum, what each thread found is a result of its own.
inline int arrays_of(Kind kind) { return kind == Kind::triad ? 3 : kind == Kind::copy ? 2 : 1; }

template <class T>
class Variant : public harness::Execution {
 public:
  /// Untimed. Takes the arrays that are read, each of values().
  virtual void load(const T* a, const T* b) = 0;
  /// Untimed, after synchronise. The result: values(), or of a sum one a thread.
  virtual std::vector<T> store() = 0;

 protected:
  /// The array that has the result.
  static T* result_of(const Arrays<T>& d, Kind kind) {
    return kind == Kind::copy ? d.b : kind == Kind::triad ? d.c : d.a;
  }
};

struct Entry : harness::ComputingEntry<Problem, Variant> {};

const std::vector<Entry>& registry();

}  // namespace parity::roofs
