// SPDX-License-Identifier: BSD-3-Clause
// Sums of compact kernels by sorted samples and prefix sums. A kernel is a polynomial of u = (q - x) / h on
// its support, so a window's sum follows from sums of powers of x. Powers are taken about the middle of boxes
// whose width is the largest power of two up to h, and prefix sums restart in each box: nothing cancels, for
// any range, and a value's position in its box is exact.
#include <algorithm>
#include <cmath>

#include "tools/density/kokkos/sums_on_device.hpp"
#include "tools/density/kokkos/window.hpp"
#include "tools/density/sorted_samples.hpp"

namespace parity::density {
namespace {

constexpr int powers = 5;  // 0 ... 4

/// In Kokkos' memory: ascending samples and, for each, the sums of w t^k over the samples of its box up to
/// and including it.
struct PrefixData {
  const double* x;
  const double* prefix;  ///< (n, powers)
  std::int64_t n;
  double h, width;
};

/// sum over samples with indices [begin, end) of w u^k, u = (q - x) / h, k < powers.
struct PowerSums {
  double value[powers];
};

/// Number of a value's box; a double, because integers would overflow.
PARITY_INLINE double box_of(double x, double width) { return floor(x / width); }

PARITY_INLINE PowerSums power_sums(const PrefixData& d, double q, std::int64_t begin, std::int64_t end) {
  PowerSums total{};
  while (begin < end) {
    // The part of the window in one box. Far out, where a box contains no double, the part is one value.
    const double first = d.x[begin], box = box_of(first, d.width), edge = (box + 1) * d.width;
    const std::int64_t rest = end - begin;
    const std::int64_t part = begin + (edge > first ? first_not_below(d.x + begin, rest, edge)
                                                    : first_above(d.x + begin, rest, first));
    double m[powers];
    const bool first_of_box = begin == 0 || box_of(d.x[begin - 1], d.width) != box;
    for (int k = 0; k < powers; ++k)
      m[k] = d.prefix[(part - 1) * powers + k] - (first_of_box ? 0.0 : d.prefix[(begin - 1) * powers + k]);
    // u = (s - t) width / h with s the query's distance from the box's middle: binomial theorem.
    const double s = (q / d.width - box - 0.5) * (d.width / d.h);
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

  /// True if the kernel includes sample j. The caller corrects the window's ends with it, because rounding of
  /// q - h and q + h can shift them.
  KOKKOS_INLINE_FUNCTION bool inside(double query, std::int64_t j) const {
    const double u = (query - data.x[j]) / data.h;
    return u >= -1 && u <= 1;
  }
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const double query = q[i];
    std::int64_t begin = first_not_below(data.x, data.n, query - data.h);
    std::int64_t end = first_above(data.x, data.n, query + data.h);
    while (begin > 0 && inside(query, begin - 1)) --begin;
    while (begin < end && !inside(query, begin)) ++begin;
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

/// Prefix sums of sorted samples, computed in pieces; then adds the carry of each piece's first box.
Numbers prefixes_of(const SortedSamples& s, double h, double width) {
  constexpr std::int64_t piece = 1 << 14;
  const auto n = std::int64_t(s.x.size());
  Numbers prefix(s.x.size() * powers);
  const auto begins_box = [&](std::int64_t i) {
    return i == 0 || box_of(s.x[std::size_t(i)], width) != box_of(s.x[std::size_t(i - 1)], width);
  };
  runtime::for_ranges(n, piece, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const double x = s.x[std::size_t(i)];
      const double t = (x / width - box_of(x, width) - 0.5) * (width / h);
      const bool anew = i == begin || begins_box(i);
      double power = s.w.empty() ? 1.0 : s.w[std::size_t(i)];
      double* const sums = &prefix[std::size_t(i * powers)];
      for (int k = 0; k < powers; ++k, power *= t) sums[k] = (anew ? 0.0 : sums[k - powers]) + power;
    }
  });
  const std::int64_t pieces = (n + piece - 1) / piece;
  std::vector<std::int64_t> shared(std::size_t(pieces), 0);  // samples of a piece in the box before it
  std::vector<double> carried(std::size_t(pieces * powers), 0.0);
  runtime::for_pieces(pieces, [&](std::int64_t p) {
    const std::int64_t begin = p * piece, end = std::min(n, begin + piece);
    std::int64_t i = begin;
    while (i < end && !begins_box(i)) ++i;
    shared[std::size_t(p)] = i - begin;
  });
  for (std::int64_t p = 1; p < pieces; ++p) {
    if (shared[std::size_t(p)] == 0) continue;
    for (int k = 0; k < powers; ++k) {
      double& sum = carried[std::size_t(p * powers + k)];
      sum = prefix[std::size_t((p * piece - 1) * powers + k)];
      // A box that covers all of the previous piece also includes that piece's carry.
      if (shared[std::size_t(p - 1)] == piece) sum += carried[std::size_t((p - 1) * powers + k)];
    }
  }
  runtime::for_pieces(pieces, [&](std::int64_t p) {
    for (std::int64_t i = 0; i < shared[std::size_t(p)]; ++i)
      for (int k = 0; k < powers; ++k)
        prefix[std::size_t((p * piece + i) * powers + k)] += carried[std::size_t(p * powers + k)];
  });
  return prefix;
}

}  // namespace

Sums prefix_sums(const SampleSet& s, Values queries, double h, const Kernel& kernel) {
  const double width = std::exp2(std::floor(std::log2(h)));
  const SortedSamples sorted(s);
  const Numbers prefixes = prefixes_of(sorted, h, width);
  const PlacedValues x(sorted.x), prefix(prefixes);
  PlacedProblem p(s, queries, "sums");
  for_tiles(s, p.m, 4096, [&](std::int64_t begin, std::int64_t end) {
    Kokkos::parallel_for("parity::kde::prefix_sums", Range64(begin, end),
                         PrefixFunctor{{x.data(), prefix.data(), p.n, h, width}, kernel, p.q, p.sums.data()});
  });
  return {p.sums.take(s), "prefix sums", 1e-13};
}

}  // namespace parity::density
