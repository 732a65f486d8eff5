// SPDX-License-Identifier: BSD-3-Clause
// Fields of more than 2^31 - 1 points: the Views of Kokkos 5 compute offsets in the type of their indices.
#include <gtest/gtest.h>

#include "backend/kokkos/diffusion/two_stage.hpp"
#include "diffusion/variant.hpp"

namespace {

using namespace parity;
using namespace parity::diffusion;

Problem planes(std::int64_t nz) {
  Problem p;
  p.nz = nz;
  p.ny = p.nx = 1024 - 2 * p.halo;
  return p;
}

TEST(LargeViews, AreRefusedWhereIntDoesNotReachAllOfThem) {
  for (const std::int64_t nz : {1, 2047, 2048, 2100}) {
    const auto refused = refuse_large_views(planes(nz), /*int_reaches_all=*/false);
    EXPECT_EQ(refused.has_value(), nz > 2047) << nz;
    EXPECT_FALSE(refuse_large_views(planes(nz), /*int_reaches_all=*/true)) << nz;
  }
}

TEST(LargeViews, FirstVersionsAreRefusedAndThoseOnPointersAreNot) {
  static_assert(indexes_views<ElementaryOperations> && !indexes_views<TunedElementaryOperations>);
  int seen = 0;
  for (const Entry& e : registry()) {
    if (e.name != "kokkos-fused" && e.name != "kokkos-fused-tuned") continue;
    const auto reason =
        e.refuse(planes(2100), e.tunings.empty() ? Tuning() : *harness::parse_tuning(e.tunings[0]));
    const bool refused = reason && reason->find("called with int") != std::string::npos;
    EXPECT_EQ(refused, e.name == "kokkos-fused" && !int_reaches_all()) << e.name;
    ++seen;
  }
  EXPECT_EQ(seen, 2);
}

/// Reads the byte after the first 2^31 - 1 with an int index.
TEST(LargeViews, AreReadWhereTheyAre) {
  if (compat::exec_is_device()) GTEST_SKIP() << "the memory is a GPU's";
  if (!int_reaches_all()) GTEST_SKIP() << "this Kokkos computes places in the type of the indices: refused";
  const FieldView<char> bytes(Kokkos::view_alloc(Kokkos::WithoutInitializing, "bytes"), 2100, 1024, 1024);
  const Field<char> field{bytes, 2};
  field(2099, 5, 7) = 17;
  EXPECT_EQ(bytes.data()[(std::size_t(2099) * 1024 + 7) * 1024 + 9], 17);
}

}  // namespace
