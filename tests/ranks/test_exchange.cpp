// SPDX-License-Identifier: BSD-3-Clause
// For any number of ranks and any decomposition, the result equals that of one process bit for bit.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <map>

#include "diffusion/distributed_check.hpp"
#include "diffusion/exchanged.hpp"
#include "diffusion/halo.hpp"
#include "diffusion/mechanism.hpp"
#include "diffusion/reference.hpp"
#include "diffusion/study.hpp"
#include "harness/plan.hpp"
#include "ranks.hpp"
#include "runtime/error.hpp"
#include "runtime/messages.hpp"
#include "runtime/nccl.hpp"
#include "runtime/peer.hpp"

namespace {

using namespace parity;
using diffusion::Part;
using diffusion::Problem;
using harness::Choice;
using runtime::Precision;

/// All decompositions of three axes for this number of ranks.
std::vector<Problem> decompositions(const Problem& of) {
  std::vector<Problem> all;
  const int ranks = runtime::rank_info().ranks;
  for (int x = 1; x <= ranks; ++x)
    for (int y = 1; x * y <= ranks; ++y) {
      if (ranks % (x * y) != 0) continue;
      Problem p = of;
      p.ranks_x = x, p.ranks_y = y, p.ranks_z = ranks / x / y;
      all.push_back(p);
    }
  return all;
}

/// 2, 3, 4 and 7 divide no axis evenly; with 7 ranks, parts are as small as halos allow.
std::vector<Problem> problems(Precision precision) {
  std::vector<Problem> all;
  for (const std::int64_t halo : {2, 3}) {
    Problem p;
    p.precision = precision, p.halo = halo;
    p.steps = (halo == 2) == (precision == Precision::f32) ? 6 : 9;
    p.nz = 9, p.ny = 23, p.nx = 29;
    for (const Problem& d : decompositions(p)) all.push_back(d);
  }
  Problem wide;  // parts on 7 ranks are as large as the halo of 8 steps
  wide.precision = precision;
  wide.steps = precision == Precision::f32 ? 18 : 9;
  wide.nz = 7, wide.ny = 115, wide.nx = 131;
  for (const Problem& d : decompositions(wide)) all.push_back(d);
  if (runtime::resolved(runtime::Transport::automatic) == runtime::Transport::peer && !runtime::why_no_nccl())
    for (Problem p : std::vector<Problem>(all))
      if (p.divides_planes()) p.messages = runtime::Transport::nccl, all.push_back(p);
  return all;
}

template <class T>
std::vector<T> padded_result(diffusion::Variant<T>& variant, const Problem& local, const T* field,
                             const diffusion::Mechanism& mechanism = {}) {
  std::vector<T> padded(std::size_t(local.padded_points()), diffusion::poison<T>);
  if (!mechanism.plain()) {
    variant.load(field);
    variant.advance();  // ranks that have never exchanged data cannot be captured
    variant.synchronise();
    variant.prepare(mechanism);
  }
  for (int run = 0; run < 2; ++run) {  // the second run must not use remains of the first
    variant.load(field);
    variant.synchronise();
    variant.advance();
    variant.synchronise();
  }
  variant.store(padded.data());
  return padded;
}

/// The result of one process with the same arithmetic: a GPU fuses multiply and add.
template <class T>
std::vector<T> serial_result(Problem whole, const std::string& with = "openmp-fused") {
  whole.ranks_x = whole.ranks_y = whole.ranks_z = 1;
  const Choice serial = harness::select(diffusion::study(), {with}).front();
  const auto field = diffusion::random_field<T>(whole);
  const auto variant = diffusion::entry_of(serial).make<T>(whole, serial.tuning);
  return padded_result(*variant, whole, field.data());
}

/// This rank's padded part of a padded result of the whole field.
template <class T>
std::vector<T> part_of_result(const Problem& whole, const Part& part, const std::vector<T>& result) {
  std::vector<T> values;
  for (std::int64_t k = 0; k < part.z.size; ++k)
    for (std::int64_t j = 0; j < part.local.rows(); ++j)
      for (std::int64_t i = 0; i < part.local.pitch(); ++i) {
        const std::int64_t row = whole.halo + diffusion::wrap(part.y.first + j - whole.halo, whole.ny),
                           column = whole.halo + diffusion::wrap(part.x.first + i - whole.halo, whole.nx);
        values.push_back(
            result[std::size_t(((part.z.first + k) * whole.rows() + row) * whole.pitch() + column)]);
      }
  return values;
}

/// The variant with the same passes over whole planes.
std::string whole_planes(std::string name) {
  const std::string end = "-exchange";
  return name.erase(name.find(end), end.size());
}

struct Compared {
  int all = 0;
  int by_nccl = 0, by_peer = 0;            ///< number of results with this transport
  std::map<std::string, int> problems_of;  ///< by the variant's name
};

template <class T>
Compared compare_all(Precision precision) {
  Compared compared;
  for (const Problem& p : problems(precision)) {
    diffusion::DistributedCheck<T> check(p, runtime::rank_info().rank);
    std::map<std::string, std::vector<T>> expected;
    for (const Choice& c : harness::select(
             diffusion::study(), {"*-fused-exchange", "*-fused-overlap", "*-fused-deep/*",
                                  "*-fused-overlap+graph-whole", "kokkos-fused-wrap", "*-temporal-exchange/*",
                                  "*-temporal-exchange-tuned/*", "*-temporal-exchange-tuned+graph-whole",
                                  "openmp-temporal-exchange/2x2", "kokkos-temporal-exchange/2x3"})) {
      const diffusion::Entry& e = diffusion::entry_of(c);
      if (diffusion::study().task_of(p)->why_not(c)) continue;
      const std::string with = e.form.passes                       ? whole_planes(e.name)
                               : !e.on_device()                    ? "openmp-fused"
                               : e.family == harness::Family::cuda ? "cuda-fused"
                                                                   : "kokkos-fused";
      if (expected[with].empty()) expected[with] = part_of_result(p, check.own, serial_result<T>(p, with));
      const auto variant = e.make<T>(e.exchanges ? p : check.own.local, c.tuning);
      const std::vector<T> result =
          padded_result(*variant, check.own.local, check.field.data(), diffusion::mechanism_of(c));
      expect_on_every_rank(std::memcmp(result.data(), expected[with].data(), result.size() * sizeof(T)) == 0,
                           c.name() + " on " + describe(p));
      const auto verdict = check.verdict(result.data(), false, 1e-4);
      expect_on_every_rank(verdict.passed(), c.name() + " on " + describe(p) + ": its check");
      ++compared.all;
      ++compared.problems_of[c.name()];
      if (p.divides_planes() && e.on_device()) {
        compared.by_nccl += runtime::resolved(p.messages) == runtime::Transport::nccl;
        compared.by_peer += runtime::resolved(p.messages) == runtime::Transport::peer;
      }
    }
  }
  return compared;
}

TEST(Ranks, GiveTheSerialResultBitForBit) {
  for (const Compared& compared : {compare_all<float>(Precision::f32), compare_all<double>(Precision::f64)}) {
    EXPECT_GT(compared.all, 12);
    if (runtime::rank_info().rank == 0)
      for (const auto& [name, problems] : compared.problems_of)
        std::printf("%s: %d problems\n", name.c_str(), problems);
    EXPECT_EQ(compared.by_nccl > 0, !runtime::why_no_nccl()) << runtime::why_no_nccl().value_or("it works");
    EXPECT_EQ(compared.by_peer > 0, !runtime::why_no_peer()) << runtime::why_no_peer().value_or("it works");
  }
}

TEST(Ranks, AWrongPointOrHaloOfOneIsSeenByAll) {
  for (const Problem& p : problems(Precision::f64)) {
    const std::vector<double> whole = serial_result<double>(p);
    const int last = runtime::rank_info().ranks - 1;
    diffusion::DistributedCheck<double> check(p, runtime::rank_info().rank);
    const std::vector<double> right = part_of_result(p, check.own, whole);
    EXPECT_TRUE(check.verdict(right.data(), false, 1e-13).passed()) << describe(p);
    const std::size_t centre =
        std::size_t(p.halo * check.own.local.pitch() + p.halo + check.own.local.nx / 2);
    for (const std::size_t place : {std::size_t(0), std::size_t(p.halo), centre}) {
      std::vector<double> wrong = right;
      if (runtime::rank_info().rank == last) wrong[place] += 1e-9;
      EXPECT_FALSE(check.verdict(wrong.data(), false, 1e-13).passed()) << describe(p) << " at " << place;
    }
  }
}

TEST(Ranks, Reduce) {
  const auto place = runtime::rank_info();
  EXPECT_EQ(runtime::largest(place.rank), place.ranks - 1);
  EXPECT_EQ(runtime::smallest(place.rank + 1), 1);
  EXPECT_EQ(runtime::broadcast(place.rank == 0 ? "a word" : "another"), "a word");
  std::int64_t sums[] = {place.rank, std::int64_t(1) << 61};
  if (place.rank > 0) sums[1] = -1;
  runtime::add_over_ranks(sums, 2);
  EXPECT_EQ(sums[0], place.ranks * (place.ranks - 1) / 2);
  EXPECT_EQ(sums[1], (std::int64_t(1) << 61) - (place.ranks - 1));
  double told[] = {double(place.rank), 2};
  runtime::broadcast_bytes(place.ranks - 1, told, sizeof told);
  EXPECT_EQ(told[0], place.ranks - 1);
}

}  // namespace
