// SPDX-License-Identifier: BSD-3-Clause
#include "launch/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include "kde/variant.hpp"
#include "study/error.hpp"

namespace parity::launch {
namespace {

/// What is known to be missing from the model where it is far off; the counters are in variants/README.md.
const char* note_of(const std::string& kernel, const std::string& mechanism, const nlohmann::json& p) {
  if (kernel == "kokkos-team-plane" || kernel == "openmp-plane")
    return "a plane stays on chip through all steps: barriers and shared memory bound it";
  if (kernel == "kokkos-spmv") return "one product a plane, each too small to fill the device";
  if (p.value("nz", 64) * p.value("nx", 0) * p.value("ny", 0) < 300000)
    return "a grid too small to fill the device: latencies of a kernel's own loads";
  if (p.value("steps", 1000) < 10) return "few steps: a sample begins with cold caches";
  if (mechanism.find("graph-copy") != std::string::npos)
    return "the copy back is slower than the copy that bandwidth is taken from";
  if (kernel == "kokkos-baseline" || kernel == "kokkos-blas")
    return "flat kernels in blocks of 128 threads: 40 % of the warps active, less than the bandwidth";
  return "no reason known";
}

double instructions_of(const Instructions& table, const std::string& kernel, const std::string& tuning,
                       const std::string& precision) {
  for (const std::string& key : {kernel + "/" + tuning + " " + precision, kernel + " " + precision})
    if (const auto found = table.find(key); found != table.end()) return found->second;
  return 0;
}

Explained explain_diffusion(const nlohmann::json& r, const Costs& costs, const FamilyCosts& c,
                            const Instructions& table) {
  const auto& p = r["problem"];
  const std::string precision = p["precision"], kernel = r.value("kernel", r.value("variant", ""));
  const double word = precision == "float" ? 4 : 8, steps = p["steps"];
  const double points = p["nx"].get<double>() * p["ny"].get<double>() * p["nz"].get<double>();
  const double field = word * (p["nx"].get<double>() + 2 * p["halo"].get<double>()) *
                       (p["ny"].get<double>() + 2 * p["halo"].get<double>()) * p["nz"].get<double>();
  const double launches = r["model"]["launches"], submissions = r["model"]["submissions"];
  Explained e;
  e.mechanism = r.value("mechanism", "stream");
  e.bytes = r["model"]["bytes"].get<double>() / costs.bandwidth.at(field);
  e.instructions =
      instructions_of(table, kernel, r.value("tuning", ""), precision) * points * steps / costs.issue_rate;
  const double work = e.bytes + e.instructions;
  e.plain_sum = launches * (c.launch_host > 0 ? c.launch_host : c.launch_device) + work;
  if (kernel == "cuda-cooperative") {
    e.launches = c.latency + steps * costs.grid_barrier;
  } else if (launches <= 1) {
    e.launches = c.latency;
  } else if (e.mechanism == "stream") {
    // The host launches while the device works; what takes longer counts, kernel by kernel.
    const double floor = c.launch_device + c.kernel_floor() - c.node;
    const double a_kernel = std::max(c.launch_host, floor + work / launches);
    e.launches = std::max(0.0, c.latency - floor) + launches * a_kernel - work;
  } else {
    const double nodes = launches / submissions;
    const double own = nodes * (c.kernel_floor() - c.node) + c.graph_repeat.at(nodes);
    e.launches = std::max(0.0, c.latency - c.node) + submissions * own;
  }
  e.problem = fmt::format("{}x{}x{} N={} {}", p["nx"].get<int>(), p["ny"].get<int>(), p["nz"].get<int>(),
                          p["steps"].get<std::int64_t>(), precision);
  e.note = note_of(kernel, e.mechanism, p);
  return e;
}

Explained explain_kde(const nlohmann::json& r, const Costs& costs, const FamilyCosts& c) {
  const auto& p = r["problem"];
  const std::string kernel = r.value("kernel", r.value("variant", "")), precision = p["precision"];
  const double word = precision == "float" ? 4 : 8, n = p["n"], lanes = costs.gpu ? 32 : 1;
  Explained e;
  e.mechanism = r.value("mechanism", "stream");
  const double launches = r["model"]["launches"];
  e.launches = c.latency + std::max(0.0, launches - 1) * std::max(c.launch_host, c.launch_device);
  e.bytes = r["model"]["bytes"].get<double>() / costs.bandwidth.at(n * word);
  // A multiply-add counts as two operations and is one instruction.
  const double issued = r["model"]["flops"].get<double>() / 2 / lanes / costs.issue_rate;
  double exponentials = 0;
  const auto& registry = kde::registry();
  const auto entry =
      std::find_if(registry.begin(), registry.end(), [&](const kde::Entry& x) { return x.name == kernel; });
  if (entry != registry.end() && entry->direct && precision == "float" && costs.exponential_rate > 0) {
    const double a_pair = entry->exponentials == kde::Exponentials::one_a_pair    ? 1
                          : entry->exponentials == kde::Exponentials::one_for_two ? 0.5
                                                                                  : 0;
    exponentials = a_pair * r.value("pairs", 0.0) / costs.exponential_rate;
  }
  // A block narrower than a warp leaves the other lanes idle.
  double lanes_at_work = 1;
  const auto width = study::parse_tuning(r.value("tuning", ""));
  if (entry != registry.end() && entry->block_width && costs.gpu && width)
    lanes_at_work = std::min(1.0, width->values.front() / 32.0);
  e.instructions = std::max(issued, exponentials) / lanes_at_work;
  e.plain_sum = e.modelled();
  e.problem =
      fmt::format("n={} h={:g} {}", p["n"].get<std::int64_t>(), p["bandwidth"].get<double>(), precision);
  if (entry == registry.end() || !entry->direct)
    e.note = "sorting and gathering, which no term stands for";
  else if (entry->block_width || kernel == "kokkos-range" || kernel == "kokkos-team-scratch")
    e.note = "one query a thread: too few warps to hide the latency of each thread's own sum";
  else if (precision == "double")
    e.note = "exponentials in double are software: many instructions that the operation count leaves out";
  else
    e.note = "operations that are no multiply-adds, and units that wait for each other";
  return e;
}

}  // namespace

Instructions read_instructions(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw study::UsageError(fmt::format("{}: cannot be read", path));
  Instructions table;
  std::string line;
  std::getline(in, line);
  if (line != "kernel,tuning,precision,instructions_per_point")
    throw study::UsageError(
        fmt::format("{}: must begin with the line kernel,tuning,precision,instructions_per_point", path));
  for (int number = 2; std::getline(in, line); ++number) {
    std::istringstream fields(line);
    std::string kernel, tuning, precision, value;
    std::getline(fields, kernel, ',');
    std::getline(fields, tuning, ',');
    std::getline(fields, precision, ',');
    std::getline(fields, value);
    char* end = nullptr;
    const double instructions = std::strtod(value.c_str(), &end);
    if (kernel.empty() || value.empty() || *end != '\0' || !(instructions >= 0))
      throw study::UsageError(fmt::format("{}: line {} is not kernel,tuning,precision,number", path, number));
    table[kernel + (tuning.empty() ? "" : "/" + tuning) + " " + precision] = instructions;
  }
  return table;
}

std::optional<Explained> explain(const nlohmann::json& r, const Costs& costs, const Instructions& table) {
  const std::string study = r.value("study", "");
  if (r.value("type", "") != "measurement" || (study != "diffusion" && study != "kde") ||
      !r.value("/verification/passed"_json_pointer, false))
    return std::nullopt;
  const auto family = costs.family.find(r.value("family", ""));
  const double measured = r.value("/host_seconds/median"_json_pointer, 0.0);
  if (family == costs.family.end() || measured <= 0) return std::nullopt;
  Explained e = study == "kde" ? explain_kde(r, costs, family->second)
                               : explain_diffusion(r, costs, family->second, table);
  e.study = study;
  e.precision = r["problem"].value("precision", "");
  e.name = r.value("variant", "") + (r.value("tuning", "").empty() ? "" : "/" + r.value("tuning", ""));
  e.measured = measured;
  return e;
}

Factorial factorial_of(const FamilyCosts& c, std::int64_t n, bool graph) {
  const double points = double(n) * double(n) * 64, many = 33 * 4 * points, few = 2 * 4 * points;
  // A kernel that copies b bytes moves 2 b.
  const Curve& curve = graph ? c.copy : c.copy_stream;
  const auto step = [&](double launches, double bytes) { return launches * curve.at(bytes / launches / 2); };
  return {n, graph, step(16, many), step(16, few), step(1, many), step(1, few)};
}

Advice advice_for(const Costs& costs, const FamilyCosts& c, double kernel, int kernels) {
  Advice a;
  a.kernel = kernel;
  a.kernels = kernels;
  a.stream = kernels * std::max(c.launch_host, c.launch_device + kernel);
  a.graph = c.graph_repeat.at(kernels) + kernels * kernel;
  if (c.dependent > 0) a.dependent = kernels * std::max(c.dependent, c.dependent_device + kernel);
  if (costs.grid_barrier > 0) a.barrier = kernels * (costs.grid_barrier + kernel);
  a.fused = std::max(c.launch_host, c.launch_device + kernels * kernel);
  const double saved = a.stream - a.graph;
  a.break_even = saved > 0 ? c.graph_setup.at(kernels) / saved : std::numeric_limits<double>::infinity();
  return a;
}

}  // namespace parity::launch
