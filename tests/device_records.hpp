// SPDX-License-Identifier: BSD-3-Clause
// What a device's launch study would say, with round numbers.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "harness/records.hpp"
#include "launch/study.hpp"
#include "measurements.hpp"

namespace parity::test {

inline harness::Measurement quantity_row(const char* variant, const char* quantity, double seconds,
                                         const harness::Values& shape = {}, double flops = 0) {
  launch::Problem p;
  p.quantity = quantity;
  harness::Values problem = launch::study().list().values(p);
  for (const auto& [name, value] : shape) problem[name] = value;
  harness::Measurement m = row("launch", variant, problem, {seconds});
  m.model.flops = flops;
  return m;
}

inline harness::Values launches(int n) { return {{"launches", std::int64_t(n)}}; }

inline harness::Environment device_environment(const std::string& gpu) {
  return harness::environment_of(
      {{"type", "environment"}, {"kokkos_default", "Cuda"}, {"gpu", {{"name", gpu}}}}, gpu);
}

inline harness::Records device_records() {
  harness::Records r;
  r.environments = {device_environment("GPU A")};
  auto& m = r.measurements;
  for (const auto& [launcher, graph] : std::initializer_list<std::pair<const char*, const char*>>{
           {"cuda-kernel", "cuda-graph"}, {"kokkos-kernel", "kokkos-graph"}}) {
    m.push_back(quantity_row(launcher, "null-overhead", 2e-6));
    m.push_back(quantity_row(launcher, "device-interval", 1e-6));
    m.push_back(quantity_row(launcher, "latency", 8e-6));
    m.push_back(quantity_row(graph, "node", 0.5e-6));
    for (const int nodes : {1, 101}) {
      m.push_back(quantity_row(graph, "graph-repeat", 3e-6 + nodes * 0.5e-6, launches(nodes)));
      for (const char* stage : {"graph-create", "graph-instantiate", "graph-upload"})
        m.push_back(quantity_row(graph, stage, 10e-6 * nodes, launches(nodes)));
    }
    // One microsecond for a copying kernel, and one terabyte a second.
    for (const std::int64_t bytes : {4096, 1048576, 1073741824})
      for (const char* v : {launcher, graph})
        m.push_back(quantity_row(v, "copy", 1e-6 + (2 * double(bytes) - 8192) / 1e12, {{"bytes", bytes}}));
  }
  m.push_back(
      quantity_row("cuda-kernel", "multiply-add", 1e-3, {}, 64e9));  // 1e12 warp instructions a second
  return r;
}

}  // namespace parity::test
