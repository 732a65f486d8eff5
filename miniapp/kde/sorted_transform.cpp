// SPDX-License-Identifier: BSD-3-Clause
#include "kde/sorted_transform.hpp"

#include <parallel/algorithm>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kde/expansion.hpp"

namespace parity::kde {
namespace {

/// Values in ascending order with the place each came from, cut into boxes.
struct Boxes {
  std::vector<double> value;
  std::vector<std::int64_t> place;
  std::vector<std::int64_t> box;    ///< number of each occupied box, ascending
  std::vector<std::int64_t> begin;  ///< its first value; one more entry at the end

  Boxes(const std::vector<double>& v, double width) {
    std::vector<std::pair<double, std::int64_t>> sorted(v.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < std::int64_t(v.size()); ++i) sorted[std::size_t(i)] = {v[std::size_t(i)], i};
    __gnu_parallel::sort(sorted.begin(), sorted.end());
    value.resize(v.size());
    place.resize(v.size());
    for (std::size_t i = 0; i < v.size(); ++i) {
      value[i] = sorted[i].first;
      place[i] = sorted[i].second;
      const auto number = std::int64_t(std::floor(value[i] / width));
      if (box.empty() || number != box.back()) {
        box.push_back(number);
        begin.push_back(std::int64_t(i));
      }
    }
    begin.push_back(std::int64_t(v.size()));
  }
  std::size_t size() const { return box.size(); }
  std::int64_t count(std::size_t b) const { return begin[b + 1] - begin[b]; }
};

}  // namespace

std::vector<double> sorted_transform(const std::vector<double>& x, const std::vector<double>& w,
                                     const std::vector<double>& q, double h, int terms, double cutoff) {
  // A power of two: middles and places within a box are exact.
  const double width = std::exp2(std::floor(std::log2(0.5 * h))), half = 0.5 * width / h;
  const Boxes samples(x, width);
  const bool at_samples = &x == &q;
  const Boxes own_queries(at_samples ? std::vector<double>{} : q, width);
  const Boxes& queries = at_samples ? samples : own_queries;
  const auto reach = std::int64_t(std::ceil(cutoff * h / width)) + 1;
  const std::size_t p = std::size_t(terms);

  std::vector<std::vector<double>> tables(std::size_t(2 * reach + 1));
  for (std::int64_t d = -reach; d <= reach; ++d)
    tables[std::size_t(d + reach)] = translation(terms, half, double(d) * width / h);
  const auto middle = [width](std::int64_t box) { return (double(box) + 0.5) * width; };
  const auto weight = [&w, &samples](std::int64_t j) {
    return w.empty() ? 1.0 : w[std::size_t(samples.place[std::size_t(j)])];
  };

  std::vector<double> moments(samples.size() * p);
#pragma omp parallel for schedule(dynamic, 64)
  for (std::int64_t b = 0; b < std::int64_t(samples.size()); ++b) {
    double* const m = &moments[std::size_t(b) * p];
    const double centre = middle(samples.box[std::size_t(b)]);
    for (std::int64_t j = samples.begin[std::size_t(b)]; j < samples.begin[std::size_t(b) + 1]; ++j) {
      const double t = (samples.value[std::size_t(j)] - centre) * (2 / width);
      double power = weight(j);
      for (std::size_t k = 0; k < p; ++k, power *= t) m[k] += power;
    }
  }

  std::vector<double> sums(q.size());
#pragma omp parallel for schedule(dynamic, 64)
  for (std::int64_t b = 0; b < std::int64_t(queries.size()); ++b) {
    const std::size_t to = std::size_t(b);
    const std::int64_t box = queries.box[to], first = queries.begin[to], count = queries.count(to);
    std::vector<double> local(p, 0.0), near(std::size_t(count), 0.0);
    const auto from_begin = std::lower_bound(samples.box.begin(), samples.box.end(), box - reach);
    for (auto at = from_begin; at != samples.box.end() && *at <= box + reach; ++at) {
      const std::size_t from = std::size_t(at - samples.box.begin());
      if (samples.count(from) * count <= terms * 2) {
        // Few pairs cost less one by one, and are more accurate.
        for (std::int64_t i = 0; i < count; ++i)
          for (std::int64_t j = samples.begin[from]; j < samples.begin[from + 1]; ++j) {
            const double r = (queries.value[std::size_t(first + i)] - samples.value[std::size_t(j)]) / h;
            near[std::size_t(i)] += weight(j) * std::exp(-0.5 * r * r);
          }
        continue;
      }
      const double* const a = tables[std::size_t(box - *at + reach)].data();
      const double* const m = &moments[from * p];
      for (std::size_t k = 0; k < p; ++k) {
        double sum = 0;
        for (std::size_t l = 0; l < p; ++l) sum += a[k * p + l] * m[l];
        local[k] += sum;
      }
    }
    const double centre = middle(box);
    for (std::int64_t i = 0; i < count; ++i) {
      const double tau = (queries.value[std::size_t(first + i)] - centre) * (2 / width);
      double sum = 0;
      for (std::size_t k = p; k-- > 0;) sum = sum * tau + local[k];
      sums[std::size_t(queries.place[std::size_t(first + i)])] = sum + near[std::size_t(i)];
    }
  }
  return sums;
}

}  // namespace parity::kde
