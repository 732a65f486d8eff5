// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include "runtime/error.hpp"

namespace parity::analysis {
namespace {

double instructions_of(const Instructions& table, const std::string& kernel, const std::string& tuning,
                       const std::string& precision) {
  for (const std::string& key : {kernel + "/" + tuning + " " + precision, kernel + " " + precision})
    if (const auto found = table.find(key); found != table.end()) return found->second;
  return 0;
}

Explained explain_diffusion(const harness::Measurement& m, const Costs& costs, const FamilyCosts& c,
                            const Instructions& table) {
  const std::string precision = m.word("precision");
  const double word = precision == "float" ? 4 : 8, steps = m.number("steps");
  const double nx = m.number("nx"), ny = m.number("ny"), nz = m.number("nz"), halo = m.number("halo");
  const double points = nx * ny * nz, field = word * (nx + 2 * halo) * (ny + 2 * halo) * nz;
  const double launches = m.model.launches, submissions = m.model.submissions;
  Explained e;
  e.mechanism = m.mechanism;
  e.bytes = m.model.bytes / costs.bandwidth.at(field);
  const double instructions = instructions_of(table, m.kernel, m.tuning, precision);
  e.instructions_known = instructions > 0;
  e.instructions = instructions * points * steps / costs.issue_rate;
  const double work = e.bytes + e.instructions;
  e.plain_sum = launches * (c.launch_host > 0 ? c.launch_host : c.launch_device) + work;
  if (m.model.barriers) {
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
  e.problem = fmt::format("{}x{}x{} N={} {}", nx, ny, nz, m.integer("steps"), precision);
  return e;
}

Explained explain_kde(const harness::Measurement& m, const Costs& costs, const FamilyCosts& c) {
  const std::string precision = m.word("precision");
  const double word = precision == "float" ? 4 : 8, n = m.number("n"), lanes = costs.gpu ? 32 : 1;
  Explained e;
  e.mechanism = m.mechanism;
  e.launches = c.latency + std::max(0.0, m.model.launches - 1) * std::max(c.launch_host, c.launch_device);
  e.bytes = m.model.bytes / costs.bandwidth.at(n * word);
  // A multiply-add counts as two operations and is one instruction.
  const double issued = m.model.flops / 2 / lanes / costs.issue_rate;
  const double exponentials = costs.exponential_rate > 0 ? m.model.exponentials / costs.exponential_rate : 0;
  e.instructions = std::max(issued, exponentials) / m.model.active_lanes;
  e.instructions_known = true;
  e.plain_sum = e.modelled();
  e.problem = fmt::format("n={} h={:g} {}", m.integer("n"), m.number("bandwidth"), precision);
  return e;
}

}  // namespace

Instructions read_instructions(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw runtime::UsageError(fmt::format("{}: cannot be read", path));
  Instructions table;
  std::string line;
  std::getline(in, line);
  if (line != "kernel,tuning,precision,instructions_per_point")
    throw runtime::UsageError(
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
      throw runtime::UsageError(
          fmt::format("{}: line {} is not kernel,tuning,precision,number", path, number));
    table[kernel + (tuning.empty() ? "" : "/" + tuning) + " " + precision] = instructions;
  }
  return table;
}

std::optional<Explained> explain(const harness::Measurement& m, const Costs& costs,
                                 const Instructions& table) {
  if ((m.study != "diffusion" && m.study != "kde") || !m.comparable()) return std::nullopt;
  if (!m.method.empty()) return std::nullopt;  // the model is of the steps
  const auto family = costs.family.find(harness::name(m.family));
  if (family == costs.family.end()) return std::nullopt;
  // What a pass of a graph's loop costs is no cost of the model.
  if (m.mechanism.rfind("graph-while", 0) == 0) return std::nullopt;
  // Nodes of a graph are launches a submission.
  if (m.mechanism != "stream" && m.model.launches > 1 && m.model.submissions <= 0) return std::nullopt;
  Explained e = m.study == "kde" ? explain_kde(m, costs, family->second)
                                 : explain_diffusion(m, costs, family->second, table);
  e.study = m.study;
  e.precision = m.word("precision");
  e.name = m.name();
  e.measured = m.host().value;
  const bool has_terms = std::isfinite(e.modelled()) && e.modelled() > 0 && std::isfinite(e.plain_sum);
  return has_terms ? std::optional<Explained>(e) : std::nullopt;
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

}  // namespace parity::analysis
