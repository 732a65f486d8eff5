// SPDX-License-Identifier: BSD-3-Clause
// Direct and window sums for 'parity density'.
#include <algorithm>
#include <numeric>

#include "density/kokkos/sums_on_device.hpp"
#include "kde/expansion.hpp"
#include "kde/kokkos/window.hpp"

namespace parity::density {
namespace {

/// One query against all samples, in eight lanes.
struct DirectFunctor {
  const double *x, *w, *q;
  std::int64_t n;
  double inverse_h;
  Kernel kernel;
  double scale;
  double* result;

  KOKKOS_INLINE_FUNCTION double term(double query, std::int64_t j) const {
    const double k = kernel.shape == Shape::gaussian ? exp2_minus_square((query - x[j]) * scale)
                                                     : kernel((query - x[j]) * inverse_h);
    return w ? w[j] * k : k;
  }
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    constexpr int lanes = 8;
    double sum[lanes];
    for (int l = 0; l < lanes; ++l) sum[l] = 0;
    const double query = q[i];
    std::int64_t j = 0;
    for (; j + lanes <= n; j += lanes) {
      PARITY_LANES
      for (int l = 0; l < lanes; ++l) sum[l] += term(query, j + l);
    }
    for (; j < n; ++j) sum[0] += term(query, j);
    double total = 0;
    for (int l = 0; l < lanes; ++l) total += sum[l];
    result[i] = total;
  }
};

}  // namespace

Sums direct_sums(const Samples& samples, const std::vector<double>& queries, double h, const Kernel& kernel) {
  const ExecData d(samples.x, samples.w, queries);
  Kokkos::parallel_for(
      "parity::kde::direct_sums", Range64(0, d.m),
      DirectFunctor{d.x.data(), d.weights(), d.q.data(), d.n, 1 / h, kernel, scale_of(h), d.result.data()});
  Kokkos::fence();
  return {to_host(d.result), "direct", 1e-13};
}

Sums window_sums(const Samples& samples, const std::vector<double>& queries, double h, double tolerance) {
  std::vector<std::size_t> order(samples.x.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  __gnu_parallel::sort(order.begin(), order.end(),
                       [&samples](std::size_t a, std::size_t b) { return samples.x[a] < samples.x[b]; });
  Samples sorted;
  for (const std::size_t i : order) sorted.x.push_back(samples.x[i]);
  if (!samples.w.empty())
    for (const std::size_t i : order) sorted.w.push_back(samples.w[i]);
  const ExecData d(sorted.x, sorted.w, queries);
  const double cutoff = cutoff_for(tolerance);
  Kokkos::parallel_for("parity::kde::window_sums", Range64(0, d.m),
                       WindowFunctor<double>{d.x.data(), d.weights(), d.n, d.q.data(), nullptr,
                                             PolynomialTerm<double>(h), cutoff * h, d.result.data(), 1.0});
  Kokkos::fence();
  return {to_host(d.result), "window", cutoff_bound(cutoff) + 1e-13};
}

}  // namespace parity::density
