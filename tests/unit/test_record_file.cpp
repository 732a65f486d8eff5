// SPDX-License-Identifier: BSD-3-Clause
// A file of records that a run goes on with: what of it is there, and which run a row belongs to.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/records.hpp"
#include "measurements.hpp"

namespace {

using namespace parity;
using namespace parity::harness;
using nlohmann::json;

class RecordFiles : public testing::Test {
 protected:
  RecordFiles() { std::remove(path_.c_str()); }
  ~RecordFiles() override {
    continue_run("");  // as in a process of its own
    std::remove(path_.c_str());
  }
  /// As a run of this commit, build and device began it.
  void begin(const std::string& run) {
    json e = to_json(this_environment());
    e["id"] = run;
    std::ofstream(path_, std::ios::app) << e.dump() << "\n";
  }
  static Measurement block(const char* kernel, int ny, int start, const std::string& run = "") {
    Measurement m = test::row("diffusion", kernel, {{"ny", std::int64_t(ny)}}, {1});
    m.starts = {start};
    m.processes = {run + std::to_string(start)};
    m.run = this_environment().run;
    if (!run.empty()) m.run.id = run;
    return m;
  }
  void write(Measurement m, bool right = true) {
    if (!right) m.verdict.error = 1;
    std::ofstream(path_, std::ios::app) << to_json(m).dump() << "\n";
  }

  static SkippedRow skip(const char* kernel, int ny, int start, const std::string& run = "") {
    SkippedRow s{block(kernel, ny, start, run), "busy"};
    s.row.host_seconds.clear();
    return s;
  }

  std::string path_ = testing::TempDir() + "record_file.jsonl";
};

TEST_F(RecordFiles, EachProblemGoesOnInTheRunThatHasIt) {
  for (const auto& [run, ny] : {std::pair("first slice", 8), std::pair("second slice", 9)}) {
    begin(run);
    for (const int start : {1, 2})
      for (const char* kernel : {"kokkos-a", "cuda-a"}) write(block(kernel, ny, start, run));
  }
  {
    RecordFile file(path_, Existing::resume);
    for (const int ny : {8, 9})
      for (const char* kernel : {"kokkos-a", "cuda-a"}) {
        const std::string row_key = key(block(kernel, ny, 3));
        EXPECT_TRUE(file.has(row_key, 2, 3)) << "of whichever run of this commit, build and device";
        EXPECT_FALSE(file.has(row_key, 3, 3));
        file.append(block(kernel, ny, 3));
        EXPECT_TRUE(file.has(row_key, 3, 3));
        EXPECT_EQ(file.row(row_key)->starts, (std::vector<int>{1, 2, 3}));
      }
    // A row that is new goes to the others of its problem, since pairs are of one run.
    file.append(block("openmp-a", 8, 3));
    EXPECT_EQ(file.finished(3), 4u);
  }
  const Records records = read_records({path_});
  ASSERT_EQ(records.measurements.size(), 5u) << "no row is in two runs";
  for (const Measurement& m : records.measurements)
    EXPECT_EQ(m.run.id, m.integer("ny") == 8 ? "first slice" : "second slice");
}

TEST_F(RecordFiles, ARowIsSkippedOnceAStartInTheRunOfItsProblem) {
  begin("first slice");
  write(block("kokkos-a", 8, 1, "first slice"));
  begin("second slice");
  std::ofstream(path_, std::ios::app) << to_json(skip("cuda-a", 9, 1, "second slice")).dump() << "\n";
  {
    RecordFile file(path_, Existing::resume);
    for (const int again : {1, 2}) {
      file.append({skip("cuda-a", 8, 1), skip("cuda-a", 9, 1), skip("cuda-a", 9, 2)});
      EXPECT_EQ(file.skipped(key(block("cuda-a", 8, 1)))->row.starts, std::vector<int>{1}) << again;
      EXPECT_EQ(file.skipped(key(block("cuda-a", 9, 1)))->row.starts, (std::vector<int>{1, 2})) << again;
    }
    EXPECT_FALSE(file.has(key(block("cuda-a", 9, 1)), 1, 3)) << "it is tried again";
    EXPECT_EQ(file.finished(1), 1u) << "a skipped row is no finished one";
    EXPECT_FALSE(file.skipped(key(block("kokkos-a", 8, 1))));
    file.append(block("cuda-a", 9, 2));
    EXPECT_EQ(file.skipped(key(block("cuda-a", 9, 1)))->row.starts, std::vector<int>{1});
  }
  const Records records = read_records({path_});
  ASSERT_EQ(records.skipped.size(), 2u) << "no row is in two runs";
  for (const SkippedRow& s : records.skipped) {
    EXPECT_EQ(s.row.run.id, s.row.integer("ny") == 8 ? "first slice" : "second slice");
    EXPECT_EQ(s.row.starts, std::vector<int>{1});
    EXPECT_EQ(s.reason, "busy");
  }
  EXPECT_EQ(read_lines(path_).size(), 7u) << "nothing twice";
}

TEST_F(RecordFiles, WhereJoulesAreWantedARowWithoutThemIsNotThere) {
  begin("run");
  write(block("cuda-a", 8, 1, "run"));
  Measurement counted = block("cuda-b", 8, 1, "run");
  counted.energy = {{1, "NVML", 1, 1, 1, 0, 1, ""}};
  write(counted);
  Measurement refused = block("cuda-c", 8, 1, "run");
  refused.energy = {Energy()};
  refused.energy[0].refused = "it did not count";
  write(refused);
  RecordFile file(path_, Existing::resume);
  const auto has = [&file](const char* kernel) { return file.has(key(block(kernel, 8, 1)), 1, 1); };
  EXPECT_TRUE(has("cuda-a") && has("cuda-b") && has("cuda-c"));
  file.want_energy();
  EXPECT_FALSE(has("cuda-a"));
  EXPECT_TRUE(has("cuda-b"));
  EXPECT_TRUE(has("cuda-c")) << "what cannot be counted is not tried for ever";
  EXPECT_EQ(file.finished(1), 2u);
  counted = block("cuda-a", 8, 1);
  counted.energy = {{1, "NVML", 1, 1, 1, 0, 1, ""}};
  file.append(counted);
  EXPECT_TRUE(has("cuda-a"));
}

TEST_F(RecordFiles, WhatWasWrongBeforeFollowsFromItsLines) {
  begin("run");
  write(block("cuda-a", 8, 1, "run"), /*right=*/false);
  write(block("cuda-b", 8, 1, "run"));
  RecordFile file(path_, Existing::resume);
  const std::size_t before = file.lines();
  Measurement wrong = block("cuda-c", 8, 1);
  wrong.verdict.error = 1;
  file.append(wrong);
  const std::string old_one = key(block("cuda-a", 8, 1)), new_one = key(wrong);
  EXPECT_EQ(file.wrong_rows(before), (std::set<std::string>{old_one}));
  EXPECT_EQ(file.wrong_rows(), (std::set<std::string>{old_one, new_one}));
  EXPECT_TRUE(file.has(new_one, 2, 3)) << "it is not tried again";
}

}  // namespace
