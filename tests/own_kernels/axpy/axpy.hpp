// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <parity/study.hpp>

struct Axpy {  // y = s x + y
  std::int64_t n = 1 << 24;
  double s = 2;
  static auto parameters() {
    return parity::Parameters<Axpy>()
        .add(&Axpy::n, {"n", "Values of each array", "values", 1, 1e10})
        .add(&Axpy::s, {"s", "The factor", "", -1e6, 1e6});
  }
  double bytes(std::size_t size) const { return 3.0 * n * size; }
  double flops() const { return 2.0 * n; }
  double memory(std::size_t size) const { return 2.0 * n * size; }

  template <class T>
  struct Data {  // input, and what is right
    std::vector<T> x, y;
    explicit Data(const Axpy& p) : x(parity::random_values<T>(p.n, 1)), y(parity::random_values<T>(p.n, 2)) {}
    parity::Verdict check(const Axpy& p, const std::vector<T>& result) const {
      return parity::compare(
          result, y.size(), [&](auto i) { return p.s * x[i] + y[i]; }, parity::ulps<T>(2));
    }
  };
};
