// SPDX-License-Identifier: BSD-3-Clause
// The variant that 'parity filter' chooses, compared with the committed records of the frontier.
#include "tools/filter/choose.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "harness/plan.hpp"
#include "harness/records.hpp"

namespace {

using namespace parity;
using diffusion::Precision;
using diffusion::Problem;
using filter::DeviceClass;

Problem problem(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t steps,
                Precision precision = Precision::f32) {
  Problem p;
  p.nx = nx, p.ny = ny, p.nz = nz, p.steps = steps, p.precision = precision;
  return p;
}

using Grid = std::tuple<Precision, std::int64_t, std::int64_t>;
struct Measured {
  Problem problem;
  std::map<std::string, double> seconds;  ///< by the variant's name
  std::set<std::string> refused;
  double fastest = std::numeric_limits<double>::infinity();
};

/// Every result of the frontier on a device that a filter may choose.
std::map<Grid, Measured> frontier(const std::string& device) {
  std::vector<std::string> files;
  for (const auto& f : std::filesystem::directory_iterator(PARITY_RESULTS "/" + device + "/frontier"))
    if (f.path().extension() == ".jsonl") files.push_back(f.path().string());
  const harness::Records records = harness::read_records(files);
  std::map<Grid, Measured> grids;
  const auto of = [&](const harness::Measurement& m) -> Measured& {
    const Precision precision = m.word("precision") == "double" ? Precision::f64 : Precision::f32;
    Measured& grid = grids[{precision, m.integer("nx"), m.integer("ny")}];
    grid.problem = problem(m.integer("nx"), m.integer("ny"), m.integer("nz"), m.integer("steps"), precision);
    return grid;
  };
  const auto may_be_chosen = [](const harness::Measurement& m) {
    return m.kernel != "kokkos-resident" && m.kernel != "cuda-plane-cluster-barriers";
  };
  for (const harness::Measurement& m : records.measurements) {
    if (m.study != "diffusion" || !m.comparable() || m.floor || m.mechanism != "stream") continue;
    if (!may_be_chosen(m)) continue;
    Measured& grid = of(m);
    const auto at = grid.seconds.emplace(m.name(), m.host().value).first;
    at->second = std::min(at->second, m.host().value);
    grid.fastest = std::min(grid.fastest, m.host().value);
  }
  for (const harness::SkippedRow& s : records.skipped)
    if (s.row.study == "diffusion") of(s.row).refused.insert(s.row.name());
  return grids;
}

/// Checks the first preferred variant that was not refused, on all grids with a record. The class 'gpu' has
/// no records.
void expect_within(double factor, DeviceClass on, const std::map<Grid, Measured>& grids) {
  for (const auto& [key, grid] : grids) {
    const auto names = filter::preferred(on, grid.problem, 2);
    const auto first = std::find_if(names.begin(), names.end(),
                                    [&, of = &grid](const std::string& n) { return !of->refused.count(n); });
    ASSERT_NE(first, names.end()) << describe(grid.problem);
    const auto measured = std::find_if(grid.seconds.begin(), grid.seconds.end(), [&](const auto& m) {
      return (m.first + "/").rfind(*first + "/", 0) == 0;
    });
    ASSERT_NE(measured, grid.seconds.end()) << describe(grid.problem) << ": no record of " << *first;
    EXPECT_LE(measured->second, factor * grid.fastest) << describe(grid.problem) << ": " << *first;
  }
}

TEST(Choose, IsWithinAFifthOfTheFastestOnAnH200) {
  const auto grids = frontier("h200");
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    for (const int n : {16, 32, 64, 128, 256, 512, 1024})
      EXPECT_TRUE(grids.count({precision, n, n})) << n << " of frontier.toml";
    for (const auto& [nx, ny] : {std::pair(1000, 600), std::pair(1440, 721), std::pair(100, 100)})
      EXPECT_TRUE(grids.count({precision, nx, ny})) << nx;
  }
  expect_within(1.2, DeviceClass::gpu_9, grids);
}

/// Records of a CPU cover two grids. None covers 1000 x 600, 1440 x 721 and 100 x 100.
TEST(Choose, IsWithinAFifthOfTheFastestOnACpu) {
  auto grids = frontier("cpu");
  for (const Precision precision : {Precision::f32, Precision::f64})
    for (const int n : {128, 2048}) EXPECT_TRUE(grids.count({precision, n, n})) << n;
  expect_within(1.2, DeviceClass::cpu, grids);
}

TEST(Choose, NamesVariantsOfTheRegistry) {
  std::set<std::string> names;
  for (const DeviceClass on : {DeviceClass::cpu, DeviceClass::gpu, DeviceClass::gpu_9})
    for (const Precision precision : {Precision::f32, Precision::f64})
      for (const int n : {8, 64, 100, 128, 256, 1000, 4000})
        for (const int nz : {1, 64})
          for (const int steps : {1, 100})
            for (const std::string& name : filter::preferred(on, problem(n, n, nz, steps, precision), 2))
              names.insert(name.substr(0, name.find('/')));
  for (const std::string& name : names) {
    const auto& all = diffusion::registry();
    const auto e = std::find_if(all.begin(), all.end(), [&](const auto& x) { return x.name == name; });
    ASSERT_NE(e, all.end()) << name;
    EXPECT_FALSE(e->floor) << name;
  }
}

/// A pass over a few planes takes as long as one over many, and threads without a plane are idle.
TEST(Choose, FewPlanesAreSharedOut) {
  const auto place = [](DeviceClass on, std::int64_t n, std::int64_t nz, const char* name) {
    const auto names = filter::preferred(on, problem(n, n, nz, 100), 16);
    return std::find(names.begin(), names.end(), name) - names.begin();
  };
  const auto first_on_cpu = [](std::int64_t nz, std::int64_t steps) {
    return filter::preferred(DeviceClass::cpu, problem(128, 128, nz, steps), 16).front();
  };
  EXPECT_EQ(first_on_cpu(16, 100), "openmp-plane-lanes/1");
  EXPECT_EQ(first_on_cpu(15, 100), "openmp-temporal");
  EXPECT_EQ(first_on_cpu(15, 7), "openmp-fused") << "less than a pass";
  const DeviceClass on = DeviceClass::gpu_9, older = DeviceClass::gpu;
  EXPECT_EQ(place(older, 128, 64, "cuda-plane-registers"), 0);
  EXPECT_EQ(place(older, 129, 64, "kokkos-temporal-tuned/2"), 0);
  EXPECT_LT(place(on, 64, 64, "kokkos-resident/1"), place(on, 64, 64, "kokkos-plane-registers/1x1"));
  EXPECT_GT(place(on, 256, 64, "kokkos-resident/1"), place(on, 256, 64, "kokkos-temporal-tuned/2"));
}

/// A build without native CUDA and with Kokkos on the host has none of the fastest variants for a GPU.
TEST(Choose, AnyBuildHasOne) {
  const auto chosen = filter::choose(DeviceClass::gpu_9, problem(64, 64, 8, 100), 2);
  ASSERT_TRUE(chosen);
  EXPECT_TRUE(chosen->choice.entry->why_unavailable().empty()) << chosen->choice.name();
}

}  // namespace
