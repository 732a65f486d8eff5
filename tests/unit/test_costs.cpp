// SPDX-License-Identifier: BSD-3-Clause
// What launches cost, and which way of launching pays, from records with round numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/explain.hpp"
#include "measurements.hpp"
#include "runtime/error.hpp"

namespace {

using namespace parity;
using namespace parity::analysis;

harness::Environment environment(const char* gpu) {
  return harness::environment_of(
      {{"type", "environment"}, {"kokkos_default", "Cuda"}, {"gpu", {{"name", gpu}}}}, gpu);
}

/// Kokkos takes twice as long as CUDA.
harness::Records device_records() {
  harness::Records r;
  r.environments = {environment("GPU A")};
  const auto add = [&r](const std::string& variant, const char* quantity, double us,
                        std::int64_t launches = 100, std::int64_t bytes = 1048576) {
    const double seconds = (variant[0] == 'k' ? 2e-6 : 1e-6) * us;
    r.measurements.push_back(test::row("launch", variant,
                                       {{"quantity", quantity},
                                        {"blocks", std::int64_t(1)},
                                        {"threads", std::int64_t(128)},
                                        {"argument_bytes", std::int64_t(0)},
                                        {"launches", launches},
                                        {"topology", "line"},
                                        {"bytes", bytes}},
                                       {seconds}));
  };
  for (const std::string family : {"cuda", "kokkos"}) {
    const std::string kernel = family + "-kernel", graph = family + "-graph";
    add(kernel, "null-overhead", 2), add(kernel, "device-interval", 1), add(kernel, "latency", 8);
    add(graph, "node", 0.5);
    for (const int nodes : {1, 101}) {
      add(graph, "graph-repeat", 3 + 0.5 * nodes, nodes);
      for (const char* stage : {"graph-create", "graph-instantiate", "graph-upload"})
        add(graph, stage, 10 * nodes, nodes);
    }
    // A terabyte a second, beyond what the smallest copy takes.
    for (const std::int64_t bytes : {4096, 1048576, 1073741824}) {
      add(graph, "copy", 1 + 2e-6 * double(bytes - 4096), 100, bytes);
      add(kernel, "copy", 3 + 2e-6 * double(bytes - 4096), 100, bytes);
    }
  }
  add("cuda-kernel", "multiply-add", 1000);
  r.measurements.back().model.flops = 64e9;
  return r;
}

TEST(LaunchCosts, AreReadFromRecords) {
  harness::Records r = device_records();
  const Costs costs = costs_of(r);
  const FamilyCosts& cuda = costs.family.at("cuda");
  const std::vector<double> us = {cuda.launch.value,
                                  cuda.interval.value,
                                  cuda.latency.value,
                                  cuda.node.value,
                                  cuda.kernel_floor(),
                                  costs.family.at("kokkos").launch.value,
                                  cuda.graph_repeat.at(51).value,
                                  cuda.graph_repeat.at(201).value,
                                  cuda.graph_setup.at(51).value};
  const std::vector<double> expected = {2, 1, 8, 0.5, 1, 4, 28.5, 103.5, 1530};
  for (std::size_t k = 0; k < us.size(); ++k) EXPECT_NEAR(1e6 * us[k], expected[k], 1e-9) << k;
  EXPECT_NEAR(costs.bandwidth.at(1e8), 1e12, 1);
  EXPECT_NEAR(costs.issue_rate, 1e12, 1) << "of warps: 32 lanes, two operations each";
  r.environments.push_back(environment("GPU B"));
  EXPECT_THROW(costs_of(r), runtime::UsageError) << "of two devices";
  r = device_records();
  r.measurements.erase(r.measurements.begin());
  EXPECT_THROW(costs_of(r), runtime::UsageError) << "a quantity is missing";
}

TEST(LaunchCosts, SeparateLaunchesFromBytes) {
  const FamilyCosts cuda = costs_of(device_records()).family.at("cuda");
  const double floor = 8192e-12;  // the bytes of the smallest copy
  for (const bool graph : {false, true}) {
    const Factorial f = factorial_of(cuda, 256, graph);
    EXPECT_NEAR(f.by_launches(), 15 * ((graph ? 1e-6 : 3e-6) - floor), 1e-12);
    EXPECT_NEAR(f.by_bytes(), 31 * 4 * 256.0 * 256 * 64 / 1e12, 1e-12);
  }
}

TEST(LaunchCosts, SayWhichWayPays) {
  const Costs costs = costs_of(device_records());
  const FamilyCosts& cuda = costs.family.at("cuda");
  const Advice small = advice_for(costs, cuda, 0.1e-6, 101);
  EXPECT_NEAR(small.stream, 202e-6, 1e-12) << "the host is slower";
  EXPECT_NEAR(small.graph, 53.5e-6 + 10.1e-6, 1e-12);
  EXPECT_NEAR(small.fused, 11.1e-6, 1e-12);
  EXPECT_NEAR(small.break_even, 3030e-6 / (202e-6 - 63.6e-6), 1e-6);
  EXPECT_TRUE(small.pays(small.graph) && !small.pays(small.dependent))
      << "dependent launches were not measured";
  const Advice one = advice_for(costs, cuda, 50e-6, 1);
  EXPECT_NEAR(one.stream, 51e-6, 1e-12);
  EXPECT_TRUE(std::isinf(one.break_even)) << "a graph of one long kernel never pays";
}

}  // namespace
