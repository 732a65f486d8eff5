// SPDX-License-Identifier: BSD-3-Clause
// Division by precomputed numbers, the rows of a host's threads, configurations of tuned kernels,
// distribution of planes over the registers of teams, messages between teams.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "diffusion/problem.hpp"
#include "diffusion/resident/mailbox.hpp"
#include "diffusion/resident/plane_share.hpp"
#include "diffusion/temporal/staggered_stream.hpp"
#include "diffusion/tile_configs.hpp"

namespace {

using namespace parity;
using namespace parity::diffusion;
using runtime::FastDivide;

TEST(FastDivide, DividesAtEveryEdge) {
  const std::uint32_t most = std::uint32_t(FastDivide::limit - 1);
  std::vector<std::uint32_t> edges = {0, 1, 2, 3, 5, 7, 10, 641, 1024, 1028, 46341, 65535, 6700417};
  for (int s = 2; s < 32; ++s)
    for (const int d : {-1, 0, 1}) edges.push_back(std::min(most, (std::uint32_t(1) << (s - 1)) + d));
  for (const std::uint32_t n : std::vector<std::uint32_t>(edges)) edges.push_back(most - n);
  for (const std::uint32_t divisor : edges) {
    if (divisor == 0) continue;
    const FastDivide by(divisor);
    EXPECT_EQ(by.divisor(), divisor);
    const auto expect = [&](std::uint32_t n) {
      ASSERT_EQ(by(n), n / divisor) << n << " / " << divisor;
      ASSERT_EQ(by.remainder(n, by(n)), n % divisor) << n << " % " << divisor;
    };
    for (const std::uint32_t n : edges) {
      expect(n);
      // A quotient can be off by one at its last number and at the first number of the next quotient.
      const std::uint32_t multiple = n / divisor * divisor;
      expect(multiple);
      if (multiple > 0) expect(multiple - 1);
    }
  }
}

TEST(FastDivide, RefusesOtherDivisors) {
  for (const std::int64_t divisor : {std::int64_t(0), std::int64_t(-1), FastDivide::limit})
    EXPECT_THROW(FastDivide{divisor}, std::out_of_range) << divisor;
}

/// A host's threads share rows, not only planes: each has work if there are as many rows as threads.
TEST(RowGroups, HaveWorkForEveryThreadAndEveryRowOnce) {
  for (const std::int64_t planes : {1, 2, 5, 64})
    for (const std::int64_t height : {1, 2, 7, 8, 9, 31, 721, 2048})
      for (const int threads : {1, 2, 3, 16, 61, 128}) {
        const RowGroups groups(planes, height, threads);
        std::vector<int> rows(std::size_t(planes * height));
        for (int n = 0; n < int(groups.count()); ++n) {
          const RowGroups::Group g = groups(n);
          ASSERT_LT(g.first, g.last);
          ASSERT_LE(g.last - g.first, groups.rows());
          for (int j = g.first; j < g.last; ++j) ++rows.at(std::size_t(g.plane * height + j));
        }
        EXPECT_EQ(rows, std::vector<int>(rows.size(), 1)) << planes << "x" << height << " on " << threads;
        EXPECT_GE(groups.count(), std::min(planes * height, 4 * std::int64_t(threads)))
            << planes << "x" << height << " on " << threads;
      }
}

TEST(Configs, AreChosenByNameAndRefusedWithTheirList) {
  using Some = Configs<Count<2>, Count<1>, Count<4>>;
  EXPECT_EQ(Some::names(), (std::vector<std::string>{"2", "1", "4"}));
  int chosen = 0;
  Some::dispatch({{4}}, [&](auto config) { chosen = decltype(config)::count; });
  EXPECT_EQ(chosen, 4);
  EXPECT_FALSE(Some::refuse({{1}}).has_value());
  EXPECT_EQ(Some::refuse({{3}}), "it is compiled for 2, 1, 4");
  EXPECT_FALSE((Configs<Tile<2, 4, 64>>::has({{4, 64}}))) << "a block of one point a thread is no tile";
  using Limited = Configs<Tile<4, 2, 64, 1>, Tile<4, 4, 64, 8>, Tile<4, 4, 64>>;
  EXPECT_EQ(Limited::names(), (std::vector<std::string>{"4x2x64x1", "4x4x64x8", "4x4x64"}));
  for (const std::string& name : Limited::names())
    EXPECT_TRUE(harness::parse_tuning(name).has_value()) << name << " cannot be asked for";
  EXPECT_EQ((Tile<4, 2, 64, 1>::least), 0) << "no limit";
}

TEST(Configs, IndicesOf32BitsAreRefusedWhereTheyEnd) {
  Problem p;
  p.nx = 16384, p.ny = 2, p.nz = 30000;
  EXPECT_FALSE(refuse_many_halo_cells(p).has_value());
  p.nz = 40000;
  EXPECT_TRUE(refuse_many_halo_cells(p).has_value());
  EXPECT_TRUE(refuse_large_planes(p).has_value());
  p.nx = 2048, p.ny = 2048, p.nz = 900;
  EXPECT_FALSE(refuse_many_threads(p, {{1}}).has_value());
  p.nz = 1024;
  EXPECT_TRUE(refuse_many_threads(p, {{1}}).has_value());
  EXPECT_FALSE(refuse_many_threads(p, {{2}}).has_value()) << "two rows a thread are half the threads";
}

/// Every row and column of a plane has an owner, no team gets more than it holds, and no grid exceeds the
/// machine.
int expect_shares_resident(const ResidentForm& form, int value_bytes, const ResidentRoom& room) {
  const ResidentForm forms[] = {form};
  int shared_out = 0, whole = 0;
  for (const int nx : {3, 16, 30, 31, 32, 100, 127, 128, 250, 256, 512})
    for (int ny = 2; ny < 600; ny += 1 + ny / 40)
      for (const int nz : {1, 64}) {
        Problem p;
        p.nx = nx, p.ny = ny, p.nz = nz, p.steps = 9;
        const PlaneShare s = best_share(forms, value_bytes, p, 64, room);
        if (s.form < 0) continue;
        const int least = ny / s.pairs(), most = (ny + s.pairs() - 1) / s.pairs();
        EXPECT_GE(least, form.rows + 2) << describe(p) << ": a partner's last rows are its own";
        EXPECT_LE(most, 2 * form.rows) << describe(p);
        if (s.whole) {
          EXPECT_TRUE(nx == form.row() && least == 2 * form.rows && most == least) << describe(p);
          ++whole;
        }
        EXPECT_LE(s.groups, form.groups());
        EXPECT_TRUE(s.lanes <= form.lanes && s.lanes * form.columns >= nx &&
                    s.lanes * (form.columns - 1) <= nx);
        if (form.shared) {
          EXPECT_GE(s.teams, 2);
          EXPECT_EQ(best_share(forms, value_bytes, p, 1, room).form, -1)
              << describe(p) << ": no plane a team";
          EXPECT_LE(s.planes * s.teams, room.multiprocessors * form.teams) << describe(p);
        } else {
          EXPECT_EQ(s.teams, 1);
        }
        const ResidentForm used = s.whole ? form : form.any_plane();
        EXPECT_LE(used.scratch_bytes(value_bytes), 40936);
        EXPECT_LE(used.scratch_bytes(value_bytes) * form.teams, room.scratch_of_multiprocessor);
        ++shared_out;
      }
  EXPECT_TRUE(whole > 0 || room.multiprocessors < 132 || shared_out == 0);
  return shared_out;
}

TEST(PlaneShare, NoGridIsLargerThanTheMachine) {
  const auto form = [](int rows, int columns, int lanes, int warps, int teams, Late late) {
    return ResidentForm{rows, columns, lanes, warps, teams, warps * lanes > 64 && columns > 4,
                        true, late,    0,     true,  16,    0};
  };
  for (const ResidentRoom& room :
       {ResidentRoom{132, 228 * 1024, 47016}, ResidentRoom{56, 64 * 1024, 47016}}) {
    EXPECT_GT(expect_shares_resident(form(4, 2, 16, 4, 1, Late::rows), 8, room), 0);
    EXPECT_GT(expect_shares_resident(form(16, 4, 32, 8, 1, Late::rows_one_slot), 8, room), 0);
    EXPECT_GT(expect_shares_resident(form(16, 8, 32, 8, 1, Late::laplacian), 4, room), 0);
    EXPECT_GT(expect_shares_resident(form(8, 8, 32, 4, 2, Late::laplacian), 8, room), 0);
  }
  EXPECT_EQ(expect_shares_resident(form(8, 16, 32, 4, 2, Late::laplacian), 4, {132, 32 * 1024, 32 * 1024}), 0)
      << "two teams do not fit a multiprocessor with so little";
}

/// Planes of 128 columns: two teams per plane as long as the extra batches do not cost more than it saves.
template <class T>
void expect_late_seams_by_number_of_planes() {
  using F = LateSeamForm<T, true>;
  static_assert(F::rows() == 64 && LateSeamForm<T, false>::rows() == 64 && F::scratch_bytes() <= 40936, "");
  const ResidentRoom room{132, 228 * 1024, 47016};
  const ResidentForm one[] = {{16, 4, 32, 8, 1, false, true, Late::rows_one_slot, 2, true, 2, 0}};
  const auto share = [&](int nx, int ny, int nz, int most = 64) {
    Problem p;
    p.nx = nx, p.ny = ny, p.nz = nz, p.steps = 9;
    const PlaneShare late = share_at_late_seams<T>(p, most, room);
    return late.cost < best_share(one, int(sizeof(T)), p, most, room).cost ? late : PlaneShare();
  };
  for (const int nz : {1, 64, 66}) {
    const PlaneShare s = share(128, 128, nz);
    EXPECT_TRUE(s.kernel == ResidentKernel::late_seams && s.teams == 2 && s.planes == nz &&
                s.groups == F::warps)
        << nz << " planes";
  }
  for (const int nz : {67, 130, 132, 198}) EXPECT_EQ(share(128, 128, nz).form, -1) << nz << " planes";
  EXPECT_EQ(share(128, 640, 40).teams, 10);
  EXPECT_EQ(share(128, 640, 40).planes, 10) << "four batches of as many";
  for (const auto& [nx, ny] : {std::pair(128, 64), std::pair(128, 130), std::pair(127, 128)})
    EXPECT_EQ(share(nx, ny, 1).form, -1) << nx << "x" << ny;
  EXPECT_EQ(share(128, 128, 1, 1).form, -1) << "no plane may be shared";
}
TEST(LateSeams, TakePlanesByTheirNumber) {
  expect_late_seams_by_number_of_planes<float>();
  expect_late_seams_by_number_of_planes<double>();
}

/// Whole planes use this kernel if a team has the scratch for it; more teams share planes if there are few.
TEST(SwappedSlots, TakePlanesThatFillTeamsOfEightWarps) {
  const auto share = [](int nx, int ny, int value_bytes, std::int64_t scratch, int most = 64) {
    Problem p;
    p.nx = nx, p.ny = ny, p.nz = 64, p.steps = 9;
    return share_with_swapped_slots(p, value_bytes, most, {132, 228 * 1024, scratch});
  };
  constexpr std::int64_t since_5_1 = 40936;
  const std::int64_t until_5_1 = compat::scratch_of_launch(since_5_1, 32 * SwappedSlotForm::warps, 40601);
  for (const auto& [n, bytes, teams, at_once] :
       {std::tuple(256, 4, 2, 64), std::tuple(256, 8, 4, 32), std::tuple(512, 4, 8, 16)}) {
    const PlaneShare s = share(n, n, bytes, until_5_1);
    EXPECT_TRUE(s.kernel == ResidentKernel::swapped_slots && s.whole && s.teams == teams &&
                s.planes == at_once)
        << n;
    EXPECT_EQ(share(n, n, bytes, since_5_1).form >= 0, n * bytes == 1024) << "others hand over a Laplacian";
    EXPECT_EQ(share(n, n, bytes, until_5_1, teams - 1).form, -1) << "more teams than may share a plane";
    for (const auto& [nx, ny] : {std::pair(n, n + 1), std::pair(n, n / teams), std::pair(n - 1, n)})
      EXPECT_EQ(share(nx, ny, bytes, until_5_1).form, -1) << nx << "x" << ny;
  }
  EXPECT_EQ(share(512, 512, 8, until_5_1).form, -1) << "no registers for that";
}

/// Nests of any length end at the last slot of their half, and two consecutive nests share no slot.
TEST(LateSeams, PlacesOfANestAreItsOwn) {
  using Box = NestMailbox<float, 4>;
  for (int nest = 0; nest < 4; ++nest)
    for (int some = 1; some <= Box::steps; ++some) {
      const int first = Box::first(nest, some), behind = first + some * Box::two_rows;
      EXPECT_GE(first, nest % 2 * Box::half);
      EXPECT_EQ(behind + Box::two_rows, (nest % 2 + 1) * Box::half) << "the last message goes behind";
    }
  EXPECT_EQ(2 * Box::half, Box::size);
}

/// From Kokkos 5.1 on a launch gets no more scratch than scratch_size_max.
TEST(StaggeredStream, NeedsMoreScratchThanSomeVersionsOfKokkosGive) {
  const auto fits = [](auto stream, std::int64_t most, int version) {
    return stream.scratch_bytes <= compat::scratch_of_launch(most, stream.threads, version);
  };
  constexpr int until_5_1 = 40936, from_5_2 = 232448 - 16 * 1024;
  for (const bool in_float : {true, false}) {
    const auto of = [&](std::int64_t most, int version) {
      return in_float ? fits(temporal::StaggeredStream<float, true, false>{}, most, version)
                      : fits(temporal::StaggeredStream<double, true, false>{}, most, version);
    };
    EXPECT_TRUE(of(until_5_1, 40601));
    EXPECT_FALSE(of(until_5_1, 50100)) << "the other kernel";
    EXPECT_TRUE(of(from_5_2, 50200));
  }
}

/// One lane's words of a message, which arrive one by one.
template <class T>
void expect_all_or_nothing() {
  using Box = Mailbox<T, 4, 4>;
  std::vector<typename Box::Word> box(Box::size, Box::empty);
  const T rows[2][4] = {{T(0.1), T(-0.0), T(3e30), T(-7)}, {T(1), T(2), T(3), T(4)}};
  for (unsigned message = 0; message < 9; ++message) {
    T got[2][4] = {};
    Box::fetch(got, box.data(), message);
    EXPECT_FALSE(Box::complete(got)) << "the place is empty";
    Box::put(rows[0], 0, box.data(), message);
    Box::fetch(got, box.data(), message);
    EXPECT_FALSE(Box::complete(got)) << "a row is missing";
    Box::put(rows[1], 1, box.data(), message);
    const auto word = std::exchange(Box::place(box.data(), message, 1)[32 * (Box::words - 1)], Box::empty);
    bool gave_up = false;
    Box::take(
        got, box.data(), message, [] {}, [&] { gave_up = true; });
    EXPECT_TRUE(gave_up) << "a word is missing";
    Box::place(box.data(), message, 1)[32 * (Box::words - 1)] = word;
    int fences = 0;
    Box::take(
        got, box.data(), message, [&] { ++fences; }, [] { FAIL() << "all is there"; });
    EXPECT_EQ(fences, message % 2) << "every second message of four places";
    for (int r = 0; r < 2; ++r) EXPECT_TRUE(std::equal(rows[r], rows[r] + 4, got[r]));
  }
  EXPECT_EQ(std::count(box.begin(), box.end(), Box::empty), Box::size) << "all is taken";
}

TEST(Mailbox, GivesAMessageWhenAllOfItHasCome) {
  expect_all_or_nothing<float>();
  expect_all_or_nothing<double>();
}

}  // namespace
