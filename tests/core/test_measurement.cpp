// SPDX-License-Identifier: BSD-3-Clause
// The one type for a result: written and read again, earlier schemas, damaged records.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/records.hpp"
#include "measurements.hpp"
#include "runtime/error.hpp"

namespace {

using namespace parity;
using namespace parity::harness;
using nlohmann::json;

Measurement full_row() {
  Measurement m = test::row("diffusion", "kokkos-fused",
                            {{"nx", std::int64_t(128)}, {"alpha", 0.03125}, {"precision", "float"}},
                            {2e-3, 1e-3, 3e-3}, "cuda-fused", "kokkos-graph-two", "1x2x128");
  m.run = {"id", "0123456789ab", true, "abcdef012345", "Release", "GPU A", "", "host", "42"};
  m.tuning_axes = "planes x rows x columns of a tile";
  m.device_seconds = {{1e-3}, {1e-3, 4e-3}, {2e-3}};
  m.setup_seconds = 1, m.capture_seconds = 2, m.load_seconds = 3, m.store_seconds = 4, m.first_seconds = 5;
  m.preemptions = {{2}, {0}, {7}};
  for (const int start : {1, 2, 3}) m.energy.push_back({start, "NVML", 200, 2.1, 800, 100, 4.0 + start, ""});
  m.energy[1].joules = Energy::none, m.energy[1].refused = "the counter stood still";
  m.stop = "repeats";
  m.model = {1, 2, 3, 4};
  m.metrics = {{"throughput", 7, "Gpt/s", Better::higher}, {"copy_bandwidth", 8, "B/s", Better::neither}};
  m.verdict = {1e-7, 2e-5, "Fourier"};
  return m;
}

/// The names and contents of all fields are a contract with existing files and with readers in other
/// languages.
TEST(Measurement, IsWrittenUnderTheseNames) {
  Measurement m = full_row();
  m.kernel = "some-kernel", m.mechanism = "graph", m.family = Family::cuda;
  m.floor = true, m.tier = Tier::tuned;
  m.verdict.caveat = "noise", m.energy = {m.energy[1]};
  const char* const line = R"({
    "type": "measurement", "study": "diffusion", "variant": "kokkos-fused+kokkos-graph-two", "kernel": "some-kernel",
    "mechanism": "graph", "family": "cuda", "tuning": "1x2x128", "tuning_axes": "planes x rows x columns of a tile",
    "twin": "cuda-fused", "floor": true, "tier": "tuned",
    "problem": {"alpha": 0.03125, "nx": 128, "precision": "float"},
    "run": {"id": "id", "commit": "0123456789ab", "modified": true, "changes": "abcdef012345", "build": "Release",
            "device": "GPU A", "host": "host", "job": "42"},
    "starts": [1, 2, 3], "processes": ["1", "2", "3"], "stop": "repeats",
    "setup_seconds": 1.0, "capture_seconds": 2.0, "load_seconds": 3.0, "store_seconds": 4.0, "first_seconds": 5.0,
    "host_seconds": [[0.002], [0.001], [0.003]], "device_seconds": [[0.001], [0.001, 0.004], [0.002]],
    "preemptions": [[2.0], [0.0], [7.0]],
    "energy": [{"start": 2, "meter": "NVML", "runs": 200.0, "window_seconds": 2.1, "counted_joules": 800.0,
                "idle_watts": 100.0, "run_joules": null, "refused": "the counter stood still"}],
    "model": {"launches": 1.0, "bytes": 2.0, "flops": 3.0, "submissions": 4.0},
    "metrics": [["throughput", 7.0, "Gpt/s", "higher"], ["copy_bandwidth", 8.0, "B/s", "neither"]],
    "verification": {"error": 1e-07, "tolerance": 2e-05, "reference": "Fourier", "caveat": "noise"}})";
  EXPECT_EQ(json::parse(record_of(m, "another run").dump()), json::parse(line));
  EXPECT_EQ(to_json(measurement_of(json::parse(line), "")), to_json(m));
  EXPECT_EQ(to_json(measurement_of(to_json(m), "")), to_json(m));
  EXPECT_EQ(m.run.commit_text(), "0123456789ab (modified, abcdef012345)");
}

/// Old records have no tier; the twin that they name may have another tier or algorithm.
TEST(Measurement, OldRecordsGetTheirTierByName) {
  const auto read = [](const char* variant, const char* twin) {
    json old = json::parse(record_of(full_row(), "another run").dump());
    for (const char* field : {"tier", "kernel", "family", "mechanism"}) old.erase(field);
    old["variant"] = variant, old["twin"] = twin;
    const Measurement m = measurement_of(old, "");
    return std::pair<std::string, std::string>(name(m.tier), m.twin);
  };
  using Found = std::pair<std::string, std::string>;
  EXPECT_EQ(read("kokkos-fused+graph-two", "cuda-fused"), Found("first", "cuda-fused"));
  EXPECT_EQ(read("kokkos-fused-tuned", "cuda-fused-tuned"), Found("tuned", "cuda-fused-tuned"));
  EXPECT_EQ(read("kokkos-fused-tuned", "openmp-fused"), Found("tuned", "openmp-fused"));
  EXPECT_EQ(read("kokkos-fused-team", "cuda-fused"), Found("further", "cuda-fused"));
  EXPECT_EQ(read("kokkos-resident", "cuda-resident"), Found("only", "cuda-resident"));
  EXPECT_EQ(read("kokkos-split-tuned", "cuda-split"), Found("tuned", ""));
  EXPECT_EQ(read("kokkos-temporal", "openmp-temporal"), Found("only", "openmp-temporal"));
  EXPECT_EQ(read("kokkos-temporal", "cuda-temporal"), Found("only", "")) << "another algorithm";
  json other = json::parse(record_of(full_row(), "another run").dump());
  EXPECT_FALSE(measurement_of(other, "").floor);
  other["method"] = "exact propagator";
  EXPECT_TRUE(measurement_of(other, "").floor) << "no baseline for the study's own method";
}

TEST(Measurement, JoulesOfBlocksAreTheirMedian) {
  std::vector<Measurement> blocks;
  for (const int start : {1, 2, 3}) {
    Measurement m = test::row("diffusion", "kokkos-fused", {{"nx", std::int64_t(8)}}, {1e-3 * start});
    m.processes = {start}, m.process_names = {std::to_string(start)};
    m.energy = {{start, "NVML", 1, 1, 1, 0, 10.0 * start, ""}};
    if (start > 1) m.metrics.push_back({"step_energy", 10.0 * start, "J", Better::lower});
    blocks.push_back(std::move(m));
  }
  const Measurement row = merged(blocks);
  ASSERT_EQ(row.energy.size(), 3u);
  EXPECT_TRUE(row.has_energy());
  EXPECT_EQ(row.metric("step_energy"), 20) << "those of the first start were refused";
  Measurement second = blocks[1];
  second.energy[0].joules = 5;
  const Measurement replaced = merged({row, second});
  EXPECT_EQ(replaced.energy[1].joules, 5) << "measured again";
  EXPECT_EQ(replaced.energy.size(), 3u);
}

TEST(Measurement, AnErrorBeyondItsToleranceIsReadAsItIs) {
  Measurement m = full_row();
  m.verdict.error = 70 * m.verdict.tolerance;
  EXPECT_EQ(measurement_of(json::parse(to_json(m).dump()), "").verdict.error, m.verdict.error);
  json j = to_json(full_row());
  j["verification"]["passed"] = false;  // the writer's verdict counts, not only the two numbers
  j["verification"]["caveat"] = "noise";
  EXPECT_EQ(measurement_of(j, "").verdict.error, INFINITY);
  EXPECT_FALSE(measurement_of(j, "").verdict.passed());
}

TEST(Measurement, OfTwoLinesOfOneStartTheLastCounts) {
  Measurement first = full_row(), again = full_row();
  again.processes = {2}, again.process_names = {"once more"}, again.host_seconds = {{9}};
  again.device_seconds.clear();
  again.preemptions = {{1}};
  const Measurement m = merged({first, again});
  EXPECT_EQ(m.processes, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(m.process_names, (std::vector<std::string>{"1", "once more", "3"}));
  EXPECT_EQ(m.host_seconds, (ByProcess{{2e-3}, {9}, {3e-3}}));
  EXPECT_EQ(m.preemptions, (ByProcess{{2}, {1}, {7}}));
}

TEST(Measurement, TimesAndRatiosAreOfTheQuietSamples) {
  Measurement a = full_row();
  a.host_seconds = {{1, 9, 1, 9, 1}, {2, 2}, {3}}, a.preemptions = {{0, 4, 0, 3, 0}, {5, 5}, {1}};
  EXPECT_EQ(a.quiet_seconds(), (ByProcess{{1, 1, 1}, {2, 2}, {3}}));
  EXPECT_EQ(to_json(a)["host_seconds"]["median"], 2.0);
  Measurement b = a;
  b.host_seconds = {{4, 4, 4, 4, 4}, {2, 2}, {3}}, b.preemptions.clear();
  EXPECT_EQ(time_ratio(b, a).value, 1);
  EXPECT_EQ(time_ratio(b, a).interval.has_value(), true);
  EXPECT_EQ(time_left(b, {&a}).value, 0);
  a.host_seconds[0] = {1, 1, 9, 9, 9}, a.preemptions[0] = {1, 0, 2, 2, 2};
  EXPECT_EQ(a.quiet_seconds()[0].size(), 5u) << "half of them were taken from as often";
  a.preemptions[0] = {0};
  EXPECT_EQ(a.quiet_seconds()[0].size(), 5u) << "not of these samples";
}

TEST(Measurement, ALineOfRecordsLeavesOutWhatItsHeaderAndNamesSay) {
  Measurement plain = test::row("diffusion", "kokkos-fused", {{"nx", std::int64_t(128)}}, {2e-3, 1e-3});
  plain.host_seconds[0][0] = 0.0020375149999836;
  const json line = record_of(plain, "a");
  for (const char* left_out : {"run", "kernel", "mechanism", "family", "tuning", "model", "schema", "energy",
                               "device_seconds", "end_to_end_seconds", "floor", "setup_seconds"})
    EXPECT_FALSE(line.contains(left_out)) << left_out;
  EXPECT_EQ(line["host_seconds"].dump(), "[[0.002037515],[0.001]]");
  EXPECT_EQ(line["metrics"][0].size(), 4u);
  Measurement again = measurement_of(line, "");
  EXPECT_TRUE(again.run.id.empty());
  EXPECT_EQ(record_of(again, ""), line);
  EXPECT_EQ(again.kernel, "kokkos-fused");
  EXPECT_EQ(again.mechanism, "stream");
  EXPECT_EQ(again.family, Family::kokkos);
  Measurement graph = plain;
  graph.variant = "kokkos-fused+graph-two", graph.mechanism = "graph-two";
  EXPECT_EQ(measurement_of(record_of(graph, "a"), "").mechanism, "graph-two");
  Measurement wrong = plain;
  wrong.verdict = {INFINITY, 1, "exact"};
  EXPECT_FALSE(measurement_of(json::parse(record_of(wrong, "a").dump()), "").verdict.passed());
  SkippedRow skipped{full_row(), "no GPU"};
  EXPECT_EQ(to_json(skipped_of(record_of(skipped, "x"), "")), to_json(skipped));
}

/// One block of the result.
Measurement block_of(const Measurement& row, int number, std::vector<double> seconds) {
  Measurement m = row;
  m.processes = {number};
  m.process_names = {std::to_string(number)};
  m.host_seconds = {std::move(seconds)};
  m.device_seconds.clear();
  return m;
}

/// A result of one operation in this time.
Measurement throughput_row(double seconds) {
  Measurement m = full_row();
  m.metrics = {{"throughput", 1 / seconds, "1/s", Better::higher}};
  return m;
}

TEST(Measurement, BlocksOfARowAreOneRow) {
  Measurement first = block_of(full_row(), 1, {1, 1}), second = block_of(full_row(), 2, {2}),
              third = block_of(full_row(), 3, {4});
  first.setup_seconds = 10, second.setup_seconds = 30, third.setup_seconds = 20;
  second.verdict.error = 1e-5;
  second.stop = "time cap";
  second.metrics[0].value = 9;
  third.metrics[0].value = 100;
  const Measurement m = merged({third, block_of(full_row(), 2, {99}), first, second});
  EXPECT_EQ(m.processes, (std::vector<int>{1, 2, 3})) << "of two with the same number the last";
  EXPECT_EQ(m.host_seconds, (ByProcess{{1, 1}, {2}, {4}}));
  EXPECT_EQ(m.host().value, 2);
  EXPECT_EQ(m.setup_seconds, 20);
  EXPECT_EQ(m.verdict.error, 1e-5) << "the worst";
  EXPECT_EQ(m.stop, "time cap");
  EXPECT_DOUBLE_EQ(m.metric("throughput"), 9) << "no rate of known work: the median";
  EXPECT_EQ(m.metric("copy_bandwidth"), 8);
  const Measurement even = merged({block_of(throughput_row(1), 1, {1}), block_of(throughput_row(3), 2, {3})});
  EXPECT_DOUBLE_EQ(even.metric("throughput"), 1 / even.host().value) << "fits the time of the row";
  EXPECT_EQ(to_json(measurement_of(to_json(m), "")), to_json(m));
}

TEST(Measurement, ARowThatIsWrongInOneBlockIsWrong) {
  Measurement wrong = block_of(full_row(), 2, {});
  wrong.host_seconds.clear();
  wrong.verdict.error = 1;
  for (const bool first : {true, false}) {
    wrong.processes = {first ? 1 : 3};
    const Measurement m = merged({block_of(full_row(), 2, {1}), wrong});
    EXPECT_FALSE(m.verdict.passed());
    EXPECT_FALSE(m.timed());
    EXPECT_TRUE(m.metrics.empty());
  }
}

TEST(Measurement, RatiosAreOfBlocksThatBothHave) {
  Measurement a = full_row(), b = full_row();
  a.process_names = {"1", "2", "3"}, a.host_seconds = {{10}, {20}, {30}};
  b.process_names = {"2", "3", "4"}, b.host_seconds = {{2}, {3}, {1}};
  EXPECT_EQ(time_ratio(a, b).value, 10);
  EXPECT_EQ(time_ratio(a, b).processes, 2);
  EXPECT_EQ(time_difference(a, b).value, 22.5);
  b.run.id = "another";
  EXPECT_EQ(time_ratio(a, b).processes, 0);
}

}  // namespace
