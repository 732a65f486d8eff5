// SPDX-License-Identifier: BSD-3-Clause
// Compact kernels by sorted samples and prefix sums. A kernel is a polynomial of u = (q - x) / h on its
// support, so that a window's sum follows from sums of powers of x. The powers are taken about the middle of
// boxes of width h, and prefix sums begin anew in each: nothing cancels, whatever the range.
#include <parallel/algorithm>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "density/kokkos/sums_on_device.hpp"
#include "kde/kokkos/window.hpp"

namespace parity::density {
namespace {

constexpr int powers = 5;  // 0 ... 4

/// Where Kokkos computes: ascending samples and, for each, the sums of w t^k over the samples of its box up
/// to it.
struct PrefixData {
  const double* x;
  const double* prefix;  ///< (n, powers)
  std::int64_t n;
  double h;
};

/// sum over samples with indices [begin, end) of w u^k, u = (q - x) / h, k < powers.
struct PowerSums {
  double value[powers];
};

PARITY_INLINE std::int64_t box_of(double x, double h) { return std::int64_t(floor(x / h)); }

PARITY_INLINE PowerSums power_sums(const PrefixData& d, double q, std::int64_t begin, std::int64_t end) {
  PowerSums total{};
  while (begin < end) {
    // The part of the window that lies in one box.
    const std::int64_t box = box_of(d.x[begin], d.h);
    std::int64_t part = first_not_below(d.x + begin, end - begin, double(box + 1) * d.h) + begin;
    // Rounding of the box's edge must not stop the loop or mix boxes.
    while (part > begin + 1 && box_of(d.x[part - 1], d.h) != box) --part;
    while (part < end && box_of(d.x[part], d.h) == box) ++part;
    if (part <= begin) part = begin + 1;
    double m[powers];
    const bool first_of_box = begin == 0 || box_of(d.x[begin - 1], d.h) != box;
    for (int k = 0; k < powers; ++k)
      m[k] = d.prefix[(part - 1) * powers + k] - (first_of_box ? 0.0 : d.prefix[(begin - 1) * powers + k]);
    // u = s - t with s the query's distance from the box's middle: binomial theorem.
    const double s = (q - (double(box) + 0.5) * d.h) / d.h;
    double power[powers];
    power[0] = 1;
    for (int k = 1; k < powers; ++k) power[k] = power[k - 1] * s;
    for (int k = 0; k < powers; ++k) {
      double binomial = 1;
      for (int l = 0; l <= k; ++l) {
        total.value[k] += binomial * power[k - l] * (l % 2 ? -m[l] : m[l]);
        binomial *= double(k - l) / double(l + 1);
      }
    }
    begin = part;
  }
  return total;
}

struct PrefixFunctor {
  PrefixData data;
  Kernel kernel;
  const double* q;
  double* result;

  /// Moves an end of the window by the samples for which rounding of q - h or q + h decided otherwise than
  /// the kernel would.
  KOKKOS_INLINE_FUNCTION bool inside(double query, std::int64_t j) const {
    const double u = (query - data.x[j]) / data.h;
    return u >= -1 && u <= 1;
  }
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const double query = q[i];
    std::int64_t begin = first_not_below(data.x, data.n, query - data.h);
    std::int64_t end = first_not_below(data.x, data.n, query + data.h);
    while (begin > 0 && inside(query, begin - 1)) --begin;
    while (begin < data.n && begin < end && !inside(query, begin)) ++begin;
    while (end < data.n && inside(query, end)) ++end;
    while (end > begin && !inside(query, end - 1)) --end;
    double sum = 0;
    if (kernel.shape == Shape::triangular) {
      const std::int64_t middle = first_not_below(data.x + begin, end - begin, query) + begin;
      const PowerSums below = power_sums(data, query, begin, middle),
                      above = power_sums(data, query, middle, end);
      sum = below.value[0] - below.value[1] + above.value[0] + above.value[1];
    } else {
      const PowerSums p = power_sums(data, query, begin, end);
      sum = kernel.shape == Shape::box            ? p.value[0]
            : kernel.shape == Shape::epanechnikov ? p.value[0] - p.value[2]
                                                  : p.value[0] - 2 * p.value[2] + p.value[4];
    }
    result[i] = sum > 0 ? sum : 0;
  }
};

}  // namespace

double Samples::total() const {
  return w.empty() ? double(x.size()) : std::accumulate(w.begin(), w.end(), 0.0);
}

Sums prefix_sums(const Samples& s, const std::vector<double>& queries, double h, const Kernel& kernel) {
  std::vector<std::size_t> order(s.x.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  __gnu_parallel::sort(order.begin(), order.end(),
                       [&s](std::size_t a, std::size_t b) { return s.x[a] < s.x[b]; });
  std::vector<double> x(order.size()), prefix(order.size() * powers);
  for (std::size_t i = 0; i < order.size(); ++i) {
    x[i] = s.x[order[i]];
    const std::int64_t box = box_of(x[i], h);
    const double t = (x[i] - (double(box) + 0.5) * h) / h;
    const bool first = i == 0 || box_of(x[i - 1], h) != box;
    double power = s.w.empty() ? 1.0 : s.w[order[i]];
    for (std::size_t k = 0; k < powers; ++k, power *= t)
      prefix[i * powers + k] = (first ? 0.0 : prefix[(i - 1) * powers + k]) + power;
  }
  const ExecData d(x, {}, queries);
  const Array<double> sums = to_exec(prefix);
  Kokkos::parallel_for("parity::kde::prefix_sums", Range64(0, d.m),
                       PrefixFunctor{{d.x.data(), sums.data(), d.n, h}, kernel, d.q.data(), d.result.data()});
  Kokkos::fence();
  return {to_host(d.result), "prefix sums", 1e-13};
}

}  // namespace parity::density
