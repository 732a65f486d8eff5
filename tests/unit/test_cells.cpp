// SPDX-License-Identifier: BSD-3-Clause
// The four cells of an algorithm.
#include <gtest/gtest.h>

#include "analysis/cells.hpp"
#include "measurements.hpp"

namespace parity::analysis {
namespace {

using harness::Measurement;

const harness::Values problem = {{"nx", std::int64_t(8)}};

Measurement row(const char* kernel, double seconds, const char* mechanism = "stream",
                const char* tuning = "") {
  return test::row("diffusion", kernel, problem, {seconds, seconds, seconds}, "", mechanism, tuning);
}

TEST(Cells, StandAgainstTheFastestNativeRow) {
  const std::vector<Measurement> rows = {row("kokkos-fused", 8),
                                         row("kokkos-fused-tuned", 3, "stream", "1"),
                                         row("kokkos-fused-tuned", 2.5, "stream", "2"),
                                         row("cuda-fused", 4),
                                         row("cuda-fused-tuned", 2),
                                         row("openmp-fused", 1)};
  const std::vector<Cells> all = cells_of(rows);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].algorithm, "fused");
  EXPECT_DOUBLE_EQ(all[0][Cells::kokkos].speed.value, 0.25);
  EXPECT_DOUBLE_EQ(all[0][Cells::kokkos_tuned].speed.value, 0.8) << "of two tunings the faster";
  EXPECT_DOUBLE_EQ(all[0][Cells::native].speed.value, 0.5);
  EXPECT_DOUBLE_EQ(all[0][Cells::native_tuned].speed.value, 1);
  EXPECT_EQ(all[0].fastest_native().kernel, "cuda-fused-tuned");
}

TEST(Cells, OpenMpIsNativeWithoutCudaAndMissingCellsAreEmpty) {
  const std::vector<Measurement> rows = {row("kokkos-tile-tuned", 2), row("openmp-tile", 1)};
  const std::vector<Cells> all = cells_of(rows);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0][Cells::kokkos].row, nullptr);
  EXPECT_EQ(text(all[0], Cells::kokkos), "-");
  EXPECT_EQ(text(all[0], Cells::native), "1");
  EXPECT_DOUBLE_EQ(all[0][Cells::kokkos_tuned].speed.value, 0.5);
  EXPECT_EQ(all[0][Cells::native_tuned].row, nullptr);
}

TEST(Cells, AreOfOneMechanismAndNeedBothSides) {
  EXPECT_TRUE(cells_of({row("kokkos-fused", 1)}).empty());
  EXPECT_TRUE(cells_of({row("cuda-fused", 1)}).empty());
  EXPECT_TRUE(cells_of({row("kokkos-fused", 1, "graph"), row("cuda-fused", 1)}).empty());
  EXPECT_EQ(cells_of({row("kokkos-fused", 1, "kokkos-graph"), row("cuda-fused", 1, "graph")}).size(), 1u);
}

}  // namespace
}  // namespace parity::analysis
