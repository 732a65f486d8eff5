// SPDX-License-Identifier: BSD-3-Clause
// For any number of ranks, the densities equal those of one process bit for bit.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "harness/plan.hpp"
#include "kde/reference.hpp"
#include "kde/shared_samples.hpp"
#include "kde/study.hpp"
#include "ranks.hpp"

namespace {

using namespace parity;
using kde::Distribution;
using kde::Problem;
using runtime::Precision;

/// Fewer samples than ranks, fewer flushes than ranks, and numbers that no number of ranks divides.
std::vector<Problem> problems(Precision precision) {
  std::vector<Problem> all;
  for (const std::int64_t n : {1, 5, 700, 4099})
    for (const Distribution d : {Distribution::lognormal, Distribution::uniform}) {
      Problem p;
      p.precision = precision, p.n = n, p.distribution = d, p.bandwidth = 0.03;
      p.ranks = runtime::rank_info().ranks;
      all.push_back(p);
    }
  return all;
}

template <class T>
std::vector<T> densities(const harness::Choice& c, const Problem& p, const T* samples, std::int64_t count) {
  const auto variant = kde::entry_of(c).make<T>(p, c.tuning);
  std::vector<T> density(std::size_t(count), std::numeric_limits<T>::quiet_NaN());
  for (int run = 0; run < 2; ++run) {  // the second run must not use remains of the first
    variant->load(samples);
    variant->synchronise();
    variant->advance();
    variant->synchronise();
  }
  variant->store(density.data());
  return density;
}

template <class T>
int compare_all(Precision precision) {
  int compared = 0;
  for (const Problem& p : problems(precision))
    for (const harness::Choice& c : harness::select(kde::study(), {"*-ring", "kokkos-transform-ranks"})) {
      if (kde::study().task_of(p)->why_not(c)) continue;
      const auto samples = kde::random_samples<T>(p);
      std::vector<T> whole;
      {
        const runtime::ApartScope apart;
        Problem alone = p;
        alone.ranks = 1;
        whole = densities<T>(c, alone, samples.data(), p.n);
      }
      const runtime::Share own = kde::own_samples(p);
      const auto found = densities<T>(c, p, samples.data() + own.first, own.size);
      expect_on_every_rank(
          own.size == 0 || std::memcmp(found.data(), whole.data() + own.first, found.size() * sizeof(T)) == 0,
          c.name() + " on " + describe(p));
      const auto expected = reference_density(p, samples, own);
      EXPECT_TRUE(verify(p, kde::entry_of(c), expected, found).passed()) << c.name() << " on " << describe(p);
      // A wrong value on one rank fails the verification on all ranks.
      auto wrong = found;
      if (runtime::rank_info().rank == 0) wrong.front() *= T(1.01);
      EXPECT_FALSE(verify(p, kde::entry_of(c), expected, wrong).passed())
          << c.name() << " on " << describe(p);
      ++compared;
    }
  return compared;
}

TEST(RanksKde, GiveTheDensitiesOfOneProcessBitForBit) {
  EXPECT_GE(compare_all<float>(Precision::f32), 16);
  EXPECT_GE(compare_all<double>(Precision::f64), 16);
}

}  // namespace
