// SPDX-License-Identifier: BSD-3-Clause
// Sums that check results: pairs by the definition, in short runs of samples whose sums are added at the
// end. A GPU computes every pair. A host skips samples that are too far away to contribute.
#include "tools/density/exact_terms.hpp"
#include "tools/density/kokkos/sums_on_device.hpp"

namespace parity::density {
namespace {

constexpr std::int64_t run_length = 4096;
constexpr int lanes = 8;
constexpr double few_pairs = 0x1p24;  // above this a host skips far samples

/// Sums one run of samples for one query; neighbouring indices have the same run.
template <Shape shape>
struct RunSum {
  const double *x, *w, *q;
  std::int64_t n, m;
  double h, inverse_h;
  double* partial;  ///< (runs, queries)

  template <bool weighted>
  KOKKOS_INLINE_FUNCTION double sum_of(double query, std::int64_t begin, std::int64_t end) const {
    const auto term = [&](std::int64_t j) {
      const double k = exact_term<shape>(query - x[j], h, inverse_h);
      if constexpr (weighted)
        return w[j] * k;
      else
        return k;
    };
    double sum[lanes];
    for (int l = 0; l < lanes; ++l) sum[l] = 0;
    std::int64_t j = begin;
    for (; j + lanes <= end; j += lanes) {
      PARITY_LANES
      for (int l = 0; l < lanes; ++l) sum[l] += term(j + l);
    }
    for (; j < end; ++j) sum[0] += term(j);
    double total = 0;
    for (int l = 0; l < lanes; ++l) total += sum[l];
    return total;
  }
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t run = i / m, begin = run * run_length;
    const std::int64_t end = begin + run_length < n ? begin + run_length : n;
    const double query = q[i - run * m];
    partial[i] = w ? sum_of<true>(query, begin, end) : sum_of<false>(query, begin, end);
  }
};

/// Adds the runs of one query to its sum.
struct AddRuns {
  const double* partial;
  std::int64_t runs, m;
  double* sums;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    double sum = sums[i];
    for (std::int64_t r = 0; r < runs; ++r) sum += partial[r * m + i];
    sums[i] = sum;
  }
};

struct SetZero {
  double* sums;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const { sums[i] = 0; }
};

template <Shape shape>
void add_all(const SampleSet& s, PlacedProblem& p, double h) {
  double* const sums = p.sums.data();
  Kokkos::parallel_for("parity::kde::zero_sums", Range64(0, p.m), SetZero{sums});
  const double pairs = compat::exec_is_device() ? 0x1p33 : 0x1p27;
  const std::int64_t all_runs = (p.n + run_length - 1) / run_length;
  const auto step = std::min(all_runs, std::int64_t(std::max(pairs / double(run_length) / double(p.m), 1.0)));
  const Array<double> partial(Kokkos::ViewAllocateWithoutInitializing("sums of runs"),
                              std::size_t(step * p.m));
  for (std::int64_t first = 0; first < all_runs; first += step) {
    const std::int64_t runs = std::min(step, all_runs - first), skipped = first * run_length;
    Kokkos::parallel_for("parity::kde::exact_sums", Range64(0, runs * p.m),
                         RunSum<shape>{p.x + skipped, p.w ? p.w + skipped : nullptr, p.q, p.n - skipped, p.m,
                                       h, 1 / h, partial.data()});
    Kokkos::parallel_for("parity::kde::add_runs", Range64(0, p.m), AddRuns{partial.data(), runs, p.m, sums});
    if (step < all_runs) Kokkos::fence();
    s.reached(double(std::min(p.n, (first + runs) * run_length)), double(p.n), "samples");
  }
}

}  // namespace

double most_checked_pairs() { return compat::exec_is_device() ? 0x1p37 : 0x1p28; }

double pairs_to_check(const SampleSet& s, Values places, double h, const Kernel& kernel) {
  const double all = double(s.x().size()) * double(places.size());
  return compat::exec_is_device() || all <= few_pairs ? all : all * share_near(s.x(), places, h, kernel);
}

Numbers exact_sums(const SampleSet& s, Values queries, double h, const Kernel& kernel) {
  if (queries.empty()) return {};
  const bool few = double(s.x().size()) * double(queries.size()) <= few_pairs;
  return with_shape(kernel.shape, [&](auto shape) {
    if (!compat::exec_is_device() && !few) {
      s.begin_stage("check");
      return exact_sums_near<decltype(shape)::value>(s, queries, h);
    }
    PlacedProblem p(s, queries, "check");
    add_all<decltype(shape)::value>(s, p, h);
    return p.sums.take(s);
  });
}

}  // namespace parity::density
