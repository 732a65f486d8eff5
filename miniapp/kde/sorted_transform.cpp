// SPDX-License-Identifier: BSD-3-Clause
#include "kde/sorted_transform.hpp"

#include <parallel/algorithm>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "kde/expansion.hpp"
#include "runtime/parallel.hpp"

namespace parity::kde {
namespace {

/// Values in ascending order with their original indices, divided into boxes. A box's number is a double,
/// since integers would overflow: far out, where a box contains no double, it has a single value.
struct Boxes {
  std::vector<std::pair<double, std::int64_t>, runtime::Untouched<std::pair<double, std::int64_t>>> values;
  std::vector<double> box;          ///< number of each occupied box, ascending
  std::vector<std::int64_t> begin;  ///< index of its first value; one more entry at the end

  Boxes(Values v, double width) : values(v.size()) {
    constexpr std::int64_t piece = 1 << 16;
    const auto n = std::int64_t(v.size());
    runtime::for_ranges(n, piece, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) values[std::size_t(i)] = {v[std::size_t(i)], i};
    });
    __gnu_parallel::sort(values.begin(), values.end());
    std::vector<std::vector<std::int64_t>> begins(std::size_t((n + piece - 1) / piece));
    runtime::for_ranges(n, piece, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i)
        if (i == 0 || std::floor(value(i) / width) != std::floor(value(i - 1) / width))
          begins[std::size_t(first / piece)].push_back(i);
    });
    for (const auto& some : begins) begin.insert(begin.end(), some.begin(), some.end());
    box.resize(begin.size());
    for (std::size_t b = 0; b < box.size(); ++b) box[b] = std::floor(value(begin[b]) / width);
    begin.push_back(n);
  }
  double value(std::int64_t i) const { return values[std::size_t(i)].first; }
  std::size_t place(std::int64_t i) const { return std::size_t(values[std::size_t(i)].second); }
  std::size_t size() const { return box.size(); }
  std::int64_t count(std::size_t b) const { return begin[b + 1] - begin[b]; }
};

constexpr std::int64_t boxes_at_once = 64;  // between two checks for a signal

}  // namespace

void sorted_transform(Values x, Values w, Values q, double h, int terms, double cutoff, double* sums) {
  // A power of two: centres and positions within a box are exact.
  const double width = std::exp2(std::floor(std::log2(0.5 * h))), half = 0.5 * width / h;
  const Boxes samples(x, width);
  const bool at_samples = q.is(x);
  const Boxes own_queries(at_samples ? Values() : q, width);
  const Boxes& queries = at_samples ? samples : own_queries;
  const auto reach = std::int64_t(std::ceil(cutoff * h / width)) + 1;
  const std::size_t p = std::size_t(terms);

  std::vector<std::vector<double>> tables(std::size_t(2 * reach + 1));
  for (std::int64_t d = -reach; d <= reach; ++d)
    tables[std::size_t(d + reach)] = translation(terms, half, double(d) * width / h);
  // A value's position in its box, in [-1, 1).
  const auto place_in = [width](double box, double value) { return 2 * (value / width - box) - 1; };
  const auto weight = [&w, &samples](std::int64_t j) { return w.empty() ? 1.0 : w[samples.place(j)]; };

  std::vector<double> moments(samples.size() * p);
  runtime::for_ranges(std::int64_t(samples.size()), boxes_at_once,
                      [&](std::int64_t first, std::int64_t last) {
                        for (auto b = std::size_t(first); b < std::size_t(last); ++b) {
                          double* const m = &moments[b * p];
                          for (std::int64_t j = samples.begin[b]; j < samples.begin[b + 1]; ++j) {
                            const double t = place_in(samples.box[b], samples.value(j));
                            double power = weight(j);
                            for (std::size_t k = 0; k < p; ++k, power *= t) m[k] += power;
                          }
                        }
                      });

  const auto sum_in_box = [&](std::size_t to) {
    const double box = queries.box[to], lowest = box - double(reach), highest = box + double(reach);
    const std::int64_t first = queries.begin[to], count = queries.count(to);
    std::vector<double> local(p, 0.0), near(std::size_t(count), 0.0);
    const auto from_begin = std::lower_bound(samples.box.begin(), samples.box.end(), lowest);
    for (auto at = from_begin; at != samples.box.end() && *at <= highest; ++at) {
      const std::size_t from = std::size_t(at - samples.box.begin());
      if (samples.count(from) * count <= terms * 2) {
        // For few pairs direct evaluation is cheaper and more accurate.
        for (std::int64_t i = 0; i < count; ++i)
          for (std::int64_t j = samples.begin[from]; j < samples.begin[from + 1]; ++j) {
            const double r = (queries.value(first + i) - samples.value(j)) / h;
            near[std::size_t(i)] += weight(j) * std::exp(-0.5 * r * r);
          }
        continue;
      }
      // Far out, rounding of the ends may include boxes beyond the reach.
      const double distance = box - *at;
      if (std::fabs(distance) > double(reach)) continue;
      const double* const a = tables[std::size_t(std::int64_t(distance) + reach)].data();
      const double* const m = &moments[from * p];
      for (std::size_t k = 0; k < p; ++k) {
        double sum = 0;
        for (std::size_t l = 0; l < p; ++l) sum += a[k * p + l] * m[l];
        local[k] += sum;
      }
    }
    for (std::int64_t i = 0; i < count; ++i) {
      const double tau = place_in(box, queries.value(first + i));
      double sum = 0;
      for (std::size_t k = p; k-- > 0;) sum = sum * tau + local[k];
      sums[queries.place(first + i)] = sum + near[std::size_t(i)];
    }
  };
  runtime::for_ranges(std::int64_t(queries.size()), boxes_at_once,
                      [&](std::int64_t first, std::int64_t last) {
                        for (std::int64_t b = first; b < last; ++b) sum_in_box(std::size_t(b));
                      });
}

}  // namespace parity::kde
