// SPDX-License-Identifier: BSD-3-Clause
// Names, tunings and parameters.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/plan.hpp"
#include "runtime/device.hpp"
#include "runtime/stream.hpp"
#include "studies.hpp"

namespace {

using namespace parity;
using namespace parity::harness;
using namespace parity::runtime;

TEST(Tunings, AreListsOfNumbers) {
  EXPECT_EQ(parse_tuning("1x2x128")->values, (std::vector<int>{1, 2, 128}));
  for (const char* bad : {"", "x", "1x", "x1", "0x1", "-1", "1x2y", "1 x2", "99999999999", "1xx2"})
    EXPECT_FALSE(parse_tuning(bad)) << bad;
}

TEST(Registry, NamesAreUniqueAndTwinsExist) {
  for (const Study* study : studies()) {
    std::vector<std::string> names;
    for (const Entry* e : study->entries()) {
      EXPECT_EQ(std::count(names.begin(), names.end(), e->name), 0) << e->name;
      names.push_back(e->name);
      EXPECT_EQ(e->name.rfind(name(e->family), 0), 0u) << e->name << " must begin with its family";
    }
    for (const Entry* e : study->entries())
      EXPECT_EQ(std::count(names.begin(), names.end(), e->twin), e->twin.empty() ? 0 : 1) << e->twin;
  }
}

/// Help and options come from the studies, before any registry exists.
TEST(Registry, AStudySaysWhetherItHasTunings) {
  for (const Study* study : studies()) {
    bool has = false;
    for (const Entry* e : study->entries()) has = has || !e->tunings.empty();
    EXPECT_EQ(study->about().has_tunings, has) << study->name();
  }
}

/// The reason that a build gives stays, even with a working GPU; the GPU is probed on the first query.
TEST(Registry, AnEntryKeepsWhatItsBuildSaysOfIt) {
  Entry e;
  e.unavailable = "needs a newer compiler";
  describe_cell(e, "fused", "cuda_tuned", Tier::tuned, "a sentence");
  EXPECT_EQ(e.unavailable, "needs a newer compiler");
  EXPECT_EQ(e.why_unavailable() == e.unavailable, !runtime::why_no_cuda() && runtime::device());
}

/// Everything else uses the list of parameters: it must cover a Problem, and its default must be valid.
TEST(Parameters, ListsHoldEveryParameterOnceWithAValidStandard) {
  for (const Study* study : studies()) {
    const auto task = study->task({});
    const harness::Values values = task->values();
    std::vector<std::string> names;
    for (const Parameter& p : study->parameters()) {
      EXPECT_EQ(values.count(p.name), p.omit_if_default ? 0u : 1u) << p.name;
      EXPECT_EQ(std::count(names.begin(), names.end(), p.name), 0) << p.name;
      names.push_back(p.name);
      EXPECT_FALSE(p.help.empty()) << p.name;
      EXPECT_EQ(p.checked(p.name, p.standard), p.standard) << p.name;
      EXPECT_EQ(p.parse(p.name, to_string(p.standard)), p.standard) << p.name;
    }
  }
}

}  // namespace
