// SPDX-License-Identifier: BSD-3-Clause
// One sweep of a 7-point stencil; points on the surface keep their values.
#pragma once
#include <parity/study.hpp>

namespace boxes {

struct Stencil7 {
  int nx = 128, ny = 96, nz = 64;
  static constexpr double a = 0.4, b = 0.1;
  static constexpr const char* about = "one sweep of a 7-point stencil over a box";
  static auto parameters() {
    return parity::Parameters<Stencil7>()
        .add(&Stencil7::nx, {"nx", "Points in x", "points", 1, 4096})
        .add(&Stencil7::ny, {"ny", "Points in y", "points", 1, 4096})
        .add(&Stencil7::nz, {"nz", "Points in z", "points", 1, 4096})
        .join("size", {"nx", "ny", "nz"});
  }
  std::int64_t points() const { return std::int64_t(nx) * ny * nz; }
  double bytes(std::size_t size) const { return 2.0 * points() * size; }
  double flops() const { return 8.0 * points(); }
  double memory(std::size_t size) const { return 2.0 * points() * size; }

  /// The formula of all versions; in(k, j, i): a View or a Box.
  template <class In>
  PARITY_INLINE auto update(const In& in, int k, int j, int i) const {
    using T = std::decay_t<decltype(in(k, j, i))>;
    if (k == 0 || j == 0 || i == 0 || k == nz - 1 || j == ny - 1 || i == nx - 1) return T(in(k, j, i));
    return T(a) * in(k, j, i) + T(b) * (in(k, j, i - 1) + in(k, j, i + 1) + in(k, j - 1, i) +
                                        in(k, j + 1, i) + in(k - 1, j, i) + in(k + 1, j, i));
  }
  /// Values in C order by plane, row and column, for versions without Views.
  template <class T>
  struct Box {
    T* data;
    std::int64_t ny, nx;
    PARITY_INLINE T& operator()(int k, int j, int i) const { return data[(k * ny + j) * nx + i]; }
  };
  template <class T>
  Box<T> box(T* data) const {
    return {data, ny, nx};
  }

  template <class T>
  struct Data {
    std::vector<T> in;
    explicit Data(const Stencil7& p) : in(parity::random_values<T>(p.points(), 7)) {}
    parity::Verdict check(const Stencil7& p, const std::vector<T>& result) const {
      const std::vector<double> exact(in.begin(), in.end());
      return parity::compare(
          result, in.size(),
          [&](std::int64_t at) {
            return p.update(p.box(exact.data()), int(at / p.nx / p.ny), int(at / p.nx % p.ny),
                            int(at % p.nx));
          },
          parity::ulps<T>(8));
    }
  };
};

}  // namespace boxes
