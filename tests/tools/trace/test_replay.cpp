// SPDX-License-Identifier: BSD-3-Clause
// The replay of 'parity advise --try' from a trace: kernels, copies, order, streams, gaps, chains, and the
// plans that it runs. Needs no GPU.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tools/trace/try.hpp"

namespace {

using namespace parity;
using replay::Action;
using replay::Item;
using replay::Plan;
using replay::Skeleton;

/// A Chrome trace; times in microseconds.
class Made {
 public:
  void call(const char* name, double begin, double length) {
    add("cuda_runtime", name, begin, length, fmt::format(R"("correlation":{})", ++number_));
  }
  /// The device activity that the last call started.
  void device(const char* category, const std::string& name, double begin, double length, int stream,
              const std::string& more) {
    add(category, name, begin, length,
        fmt::format(R"("correlation":{},"device":0,"stream":{}{})", number_, stream, more));
  }
  void kernel(const std::string& name, double host, double begin, double length, int stream = 7) {
    call("cudaLaunchKernel", host, 2);
    device("kernel", name, begin, length, stream, R"(,"grid":[20,5,1],"block":[32,4,1])");
  }
  analysis::Trace read() const {
    std::string path = (std::filesystem::temp_directory_path() / "parity-made-XXXXXX").string();
    close(mkstemp(path.data()));
    std::ofstream(path) << R"({"deviceProperties":[{"id":0,"name":"GPU 1"}],"traceEvents":[)"
                        << fmt::format("{}", fmt::join(lines_, ",\n")) << "]}";
    analysis::Trace trace = analysis::read_traces(path).front();
    std::filesystem::remove(path);
    return trace;
  }

 private:
  void add(const char* category, const std::string& name, double begin, double length,
           const std::string& more) {
    lines_.push_back(
        fmt::format(R"({{"ph":"X","cat":"{}","name":"{}","ts":{},"dur":{},"pid":1,"tid":5,"args":{{{}}}}})",
                    category, name, begin, length, more));
  }
  std::vector<std::string> lines_;
  int number_ = 0;
};

/// Three kernels: the second overlaps a copy on another stream, and the third waits for that copy; gaps of 1,
/// 3 and 0.5 us, and 5 us before the step. The second kernel of the first step may be on another stream.
analysis::Trace two_streams(int first_stream = 7) {
  Made made;
  for (int k = 0; k < 20; ++k) {
    const double t = 100.0 * k;
    made.kernel("a", t, t + 5, 10);
    made.call("cudaMemcpyAsync", t + 3, 2);
    made.device("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", t + 16, 30, 8, R"(,"bytes":4096)");
    made.kernel("b", t + 8, t + 20, 20, k == 0 ? first_stream : 7);
    made.kernel("c", t + 10.5, t + 50, 8);
    made.call("cudaStreamSynchronize", t + 13, 82);
  }
  return made.read();
}

Skeleton skeleton(const analysis::Trace& trace, const std::vector<std::string>& apart = {}) {
  const std::vector<analysis::Step> steps = analysis::steps_of(trace);
  EXPECT_EQ(1u, steps.size());
  EXPECT_EQ(std::nullopt, replay::why_not(trace, steps.front()));
  return replay::skeleton_of(steps.front(), apart);
}

const Plan& plan(const std::vector<Plan>& plans, const std::string& name) {
  return *std::find_if(plans.begin(), plans.end(), [&](const Plan& p) { return p.name == name; });
}

TEST(Replay, HasKernelsCopiesStreamsAndGaps) {
  const Skeleton items = skeleton(two_streams());
  ASSERT_EQ(5u, items.size());
  const Action actions[] = {Action::kernel, Action::copy, Action::kernel, Action::kernel, Action::wait};
  const double gaps[] = {5, 1, 3, 0.5, 0.5}, seconds[] = {10, 0, 20, 8, 0};
  const std::vector<std::size_t> after[] = {{1}, {0}, {}, {1}, {}};  // b overlaps the copy
  for (std::size_t k = 0; k < items.size(); ++k) {
    EXPECT_EQ(actions[k], items[k].action) << k;
    EXPECT_NEAR(1e-6 * gaps[k], items[k].gap, 1e-9) << k;
    EXPECT_NEAR(1e-6 * std::max(0.0, seconds[k] - 0.9), items[k].seconds, 1e-9) << k;
    EXPECT_EQ(after[k], items[k].after) << k;
    EXPECT_EQ(k == 1 ? 1 : 0, items[k].stream) << k;
    EXPECT_EQ(k == 3, items[k].fuses) << k;  // between a and b there is no kernel
    EXPECT_EQ(k == 4, items[k].waits) << k;
  }
  EXPECT_EQ(100u, items[0].blocks);
  EXPECT_EQ(128u, items[0].threads);
  EXPECT_EQ(4096, items[1].bytes);
  EXPECT_EQ(replay::Direction::to_device, items[1].direction);
  EXPECT_TRUE(items[1].pageable);
}

TEST(Replay, AnOrderThatWasSeenOnceIsNone) {
  const Skeleton usual = skeleton(two_streams()), odd = skeleton(two_streams(9));
  for (std::size_t k = 0; k < usual.size(); ++k) EXPECT_EQ(usual[k].after, odd[k].after) << k;
}

TEST(Replay, PlansAreWhatTheStepAllows) {
  const std::vector<Plan> plans = replay::plans_of(skeleton(two_streams()));
  std::vector<std::string> names;
  for (const Plan& p : plans) names.push_back(p.name);
  // With a wait in each step, several steps cannot be one graph.
  EXPECT_EQ(
      (std::vector<std::string>{"as recorded", "graph", "dependent launches", "fused", "fused on chip"}),
      names);
  const Skeleton& graph = plan(plans, "graph").skeleton;
  const double gaps[] = {2, 0, 0, 0, 0.5};  // the first launch exceeds the usual 3 us; the wait keeps its gap
  for (std::size_t k = 0; k < graph.size(); ++k) EXPECT_NEAR(1e-6 * gaps[k], graph[k].gap, 1e-9) << k;
  const Skeleton &one = plan(plans, "fused").skeleton, &chip = plan(plans, "fused on chip").skeleton;
  ASSERT_EQ(4u, one.size());
  EXPECT_NEAR(26.2e-6, one[2].seconds, 1e-9);
  EXPECT_NEAR(19.1e-6, chip[2].seconds, 1e-9);
  EXPECT_EQ(std::vector<std::size_t>{1}, one[2].after);  // like c, which is part of it
}

TEST(Replay, WhoWaitsForAPartOfAChainWaitsForAllOfIt) {
  Skeleton items(4);
  items[1].fuses = true;
  items[2].action = Action::copy;
  items[2].stream = 1;
  items[2].after = {1};
  items[3].after = {2};
  const std::vector<Plan> plans = replay::plans_of(items);
  const Skeleton& one = plan(plans, "fused").skeleton;
  ASSERT_EQ(3u, one.size());
  EXPECT_EQ(std::vector<std::size_t>{0}, one[1].after);
  EXPECT_EQ(std::vector<std::size_t>{1}, one[2].after);
}

TEST(Replay, KernelsWithAWordStayApart) {
  Made made;
  for (int k = 0; k < 30; ++k)
    for (int n = 0; n < 4; ++n)
      made.kernel(n < 2 ? fmt::format("halo {}", n) : "work", 20 * k + 5 * n, 20 * k + 5 * n + 3, 2);
  const auto fused = [&](const std::vector<std::string>& apart) {
    return plan(replay::plans_of(skeleton(made.read(), apart)), "fused").skeleton.size();
  };
  EXPECT_EQ(1u, fused({}));
  EXPECT_LE(2u, fused({"halo"}));
  const std::vector<Plan> plans = replay::plans_of(skeleton(made.read()));
  const Plan& unrolled = plan(plans, "unrolled graph");
  EXPECT_EQ(16, unrolled.steps);
  for (const Item& item : unrolled.skeleton) EXPECT_EQ(0, item.gap);
}

TEST(Replay, ARecordedReplayCorrectsKernelsAndGaps) {
  const auto run = [](const char* name, double longer, double later) {
    Made made;
    made.kernel("measure_clock", 0, 1, 5);
    for (int k = 1; k < 40; ++k) {
      const double t = 50 * k;
      made.kernel(name, t, t + 4, 10 + longer);
      made.kernel(fmt::format("{} 2", name), t + 6 + later, t + 30, 6);
    }
    return made.read();
  };
  const analysis::Trace recorded = run("a", 0, 0);
  const std::vector<analysis::Step> steps = analysis::steps_of(recorded);
  Skeleton items = replay::skeleton_of(steps.front(), {});
  const std::vector<double> before = {items[0].seconds, items[0].gap, items[1].seconds, items[1].gap};
  const std::optional<double> wall = replay::adjust(items, steps.front(), run(replay::kernel_name, 1.5, -1));
  ASSERT_TRUE(wall);
  EXPECT_NEAR(50e-6, *wall, 1e-9);
  EXPECT_NEAR(before[0] - 1.5e-6, items[0].seconds, 1e-9);
  EXPECT_NEAR(before[2], items[1].seconds, 1e-9);
  EXPECT_NEAR(before[1] - 1e-6, items[0].gap, 1e-9);  // less time before it means more time after it
  EXPECT_NEAR(before[3] + 1e-6, items[1].gap, 1e-9);
  EXPECT_EQ(std::nullopt, replay::adjust(items, steps.front(), recorded));  // no kernel of a replay
}

TEST(Replay, AStepThatTheDeviceBoundsTakesAsLongAsTheDevice) {
  const auto run = [](const char* name) {
    Made made;
    made.kernel("measure_clock", 0, 1, 5);
    for (int k = 1; k < 40; ++k) made.kernel(name, 10 * k, 100 * k, 95);
    return made.read();
  };
  const analysis::Trace recorded = run("a");
  const std::vector<analysis::Step> steps = analysis::steps_of(recorded);
  Skeleton items = replay::skeleton_of(steps.front(), {});
  const std::optional<double> wall = replay::adjust(items, steps.front(), run(replay::kernel_name));
  ASSERT_TRUE(wall);
  EXPECT_NEAR(100e-6, *wall, 1e-9);
}

TEST(Replay, WhatRecordingAddedIsTakenFromAllGapsAlike) {
  Skeleton items(2);
  items[0].gap = 3e-6;
  items[1].gap = 1e-6;
  EXPECT_EQ(0, replay::shorten_gaps(items, -1e-6));  // recording never shortens gaps
  EXPECT_NEAR(0.25, replay::shorten_gaps(items, 1e-6), 1e-12);
  EXPECT_NEAR(2.25e-6, items[0].gap, 1e-12);
  EXPECT_EQ(1, replay::shorten_gaps(items, 1));
  EXPECT_EQ(0, items[1].gap);
}

TEST(Replay, RefusesWhatIsNoStepOfOneGpu) {
  const auto why = [](const Made& made) {
    const analysis::Trace trace = made.read();
    return replay::why_not(trace, analysis::steps_of(trace).front()).value_or("");
  };
  Made slow, large, graphs;
  for (int k = 0; k < 8; ++k) {
    slow.kernel("a", 1e5 * k, 1e5 * k + 5, 9e4);
    large.kernel("a", 100 * k, 100 * k + 5, 9);
    large.call("cudaMemcpyAsync", 100 * k + 50, 1);
    large.device("gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", 100 * k + 60, 30, 7,
                 R"(,"bytes":3000000000)");
    graphs.kernel("a", 100 * k, 100 * k + 5, 9);
    graphs.call("cudaGraphLaunch", 100 * k + 50, 1);
    graphs.device("cuda_graph", "graph", 100 * k + 60, 30, 7, "");
  }
  EXPECT_NE(std::string::npos, why(slow).find("a step takes 0.1 s"));
  EXPECT_NE(std::string::npos, why(large).find("256 MiB is the most"));
  EXPECT_NE(std::string::npos, why(graphs).find("in graphs already"));
}

}  // namespace
