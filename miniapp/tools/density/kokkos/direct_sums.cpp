// SPDX-License-Identifier: BSD-3-Clause
// Direct and window sums for 'parity density'.
#include <type_traits>

#include "kde/expansion.hpp"
#include "runtime/messages.hpp"
#include "tools/density/kokkos/sums_on_device.hpp"
#include "tools/density/kokkos/window.hpp"
#include "tools/density/sorted_samples.hpp"

namespace parity::density {
namespace {

using namespace kde;

/// Sums one query's terms over a block of samples, in eight lanes.
template <bool gaussian>
struct DirectFunctor {
  const double *x, *w, *q;
  std::int64_t n;
  double h;
  Kernel kernel;
  double scale;
  double* result;
  bool add;  ///< to the sums over earlier blocks

  // The template tests for weights once: a test at every pair would keep a host from vectorising.
  template <bool weighted>
  KOKKOS_INLINE_FUNCTION double term(double query, std::int64_t j) const {
    const double k = gaussian ? exp2_minus_square((query - x[j]) * scale) : kernel((query - x[j]) / h);
    if constexpr (weighted)
      return w[j] * k;
    else
      return k;
  }
  template <bool weighted>
  KOKKOS_INLINE_FUNCTION double sum_of(double query) const {
    constexpr int lanes = 8;
    double sum[lanes];
    for (int l = 0; l < lanes; ++l) sum[l] = 0;
    std::int64_t j = 0;
    for (; j + lanes <= n; j += lanes) {
      PARITY_LANES
      for (int l = 0; l < lanes; ++l) sum[l] += term<weighted>(query, j + l);
    }
    for (; j < n; ++j) sum[0] += term<weighted>(query, j);
    double total = 0;
    for (int l = 0; l < lanes; ++l) total += sum[l];
    return total;
  }
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const double total = w ? sum_of<true>(q[i]) : sum_of<false>(q[i]);
    result[i] = add ? result[i] + total : total;
  }
};

/// Adds the terms of n samples, in blocks; 'more': to the sums of earlier samples.
void add_samples(const SampleSet& s, PlacedProblem& p, const double* x, const double* w, std::int64_t n,
                 double h, const Kernel& kernel, bool more) {
  constexpr std::int64_t block = direct_block;
  for_tiles(s, p.m, double(std::min(n, block)), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t first = 0; first < n; first += block) {
      const auto add_block = [&](auto gaussian) {
        Kokkos::parallel_for("parity::kde::direct_sums", Range64(begin, end),
                             DirectFunctor<decltype(gaussian)::value>{
                                 x + first, w ? w + first : nullptr, p.q, std::min(block, n - first), h,
                                 kernel, scale_of(h), p.sums.data(), more || first > 0});
      };
      kernel.compact() ? add_block(std::false_type()) : add_block(std::true_type());
      if (n <= block) continue;
      Kokkos::fence();
      runtime::stop_if_interrupted();
    }
  });
}

/// Adds up the ranks' samples in rank order: every rank adds them as a single process would.
void add_samples_of_all_ranks(const SampleSet& s, PlacedProblem& p, double h, const Kernel& kernel) {
  std::int64_t before = 0;
  for (int rank = 0; rank < runtime::rank_info().ranks; ++rank) {
    std::int64_t n = std::int64_t(s.x().size());
    runtime::broadcast_bytes(rank, &n, sizeof n);
    const bool own = rank == runtime::rank_info().rank;
    Numbers x(static_cast<std::size_t>(n)), w(s.weighted() ? x.size() : 0);
    if (own) {
      std::copy(s.x().begin(), s.x().end(), x.begin());
      std::copy(s.w().begin(), s.w().end(), w.begin());
    }
    runtime::broadcast_bytes(rank, x.data(), n * std::int64_t(sizeof(double)));
    runtime::broadcast_bytes(rank, w.data(), std::int64_t(w.size() * sizeof(double)));
    const PlacedValues there(x), weights(w);
    add_samples(s, p, there.data(), weights.data(), n, h, kernel, before > 0);
    Kokkos::fence();
    before += n;
  }
}

}  // namespace

Sums direct_sums(const SampleSet& s, Values queries, double h, const Kernel& kernel) {
  PlacedProblem p(s, queries, "sums");
  if (s.shared())
    add_samples_of_all_ranks(s, p, h, kernel);
  else
    add_samples(s, p, p.x, p.w, p.n, h, kernel, /*more=*/false);
  return {p.sums.take(s), "direct", 1e-13};
}

Sums window_sums(const SampleSet& s, Values queries, double h, double tolerance) {
  const SortedSamples sorted(s);
  const PlacedValues x(sorted.x), w(sorted.w);
  PlacedProblem p(s, queries, "sums");
  const double cutoff = cutoff_for(tolerance);
  // Several times the samples in a window of evenly spread ones, since some regions are denser.
  const Range ends = s.summary().range;
  const double in_window = std::min(1.0, 8 * cutoff * h / (ends.greatest - ends.least)) * double(p.n);
  for_tiles(s, p.m, in_window, [&](std::int64_t begin, std::int64_t end) {
    Kokkos::parallel_for(
        "parity::kde::window_sums", Range64(begin, end),
        WindowSums{x.data(), w.data(), p.n, p.q, PolynomialTerm<double>(h), cutoff * h, p.sums.data()});
  });
  return {p.sums.take(s), "window", cutoff_bound(cutoff) + 1e-13};
}

}  // namespace parity::density
