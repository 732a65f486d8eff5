// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <parity/study.hpp>

struct Dot {  // dot product of a library that supports only doubles
  std::int64_t n = 100000;
  using Types = parity::Types<double>;
  static auto parameters() {
    return parity::Parameters<Dot>().add(&Dot::n, {"n", "Values", "values", 1, 1e10});
  }
  double bytes(std::size_t size) const { return 2.0 * n * size; }
  template <class T>
  struct Data {
    std::vector<T> x, y;
    long double sum = 0;
    explicit Data(const Dot& p) : x(parity::random_values<T>(p.n, 1)), y(parity::random_values<T>(p.n, 2)) {
      for (std::int64_t i = 0; i < p.n; ++i) sum += (long double)x[i] * y[i];
    }
    parity::Verdict check(const Dot& p, const std::vector<T>& result) const {
      return parity::compare(
          result, 1, [&](auto) { return sum; }, parity::ulps<T>(double(p.n)));
    }
  };
};
