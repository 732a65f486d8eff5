// SPDX-License-Identifier: BSD-3-Clause
// A row on a GPU: launches as the launch study measured them, and for each kernel what a profiler counted at
// the rates that the launch study measured.
#include <algorithm>
#include <cmath>

#include "analysis/row_model.hpp"

namespace parity::analysis {
namespace {

using harness::Measurement;

constexpr double lanes = 32;      // of a warp
constexpr double schedulers = 4;  // of a multiprocessor, which issue; L1 has one wavefront a clock
constexpr double bytes_of_wavefront = 128;

/// How much of a kernel's counted work this problem has.
struct Shape {
  double nx = 0, ny = 0, nz = 1, n = 0;
  double scale(const KernelWork& k) const {
    switch (k.extent) {
      case Extent::field:
        return nx * ny * nz / (k.side * k.side * k.planes);
      case Extent::edge:
        return (nx + ny) / (2 * k.side) * nz / k.planes;
      case Extent::plane:
        return nx * ny / (k.side * k.side);
      case Extent::pairs:
        return n * n / (k.side * k.side);
    }
    return 0;
  }
  double launches(const KernelWork& k) const {
    return k.extent == Extent::plane ? k.launches * nz : k.launches;
  }
  /// A kernel of edges has a block for each plane at least, one of pairs one for so many samples.
  double blocks(const KernelWork& k) const {
    if (k.extent == Extent::pairs) return std::max(1.0, k.blocks * n / k.side);
    return std::max(k.extent == Extent::edge ? nz : 1.0, k.blocks * scale(k));
  }
  /// Points that a thread computes one beside the other: their instructions do not wait for each other.
  double points_a_thread(const KernelWork& k) const {
    if (k.extent != Extent::field) return 1;
    return std::max(1.0, k.side * k.side * k.planes / (k.blocks * k.threads));
  }
};

double bytes_counted(const std::vector<KernelWork>& kernels, const Shape& shape) {
  double bytes = 0;
  for (const KernelWork& k : kernels)
    if (k.extent != Extent::edge) bytes += shape.launches(k) * shape.scale(k) * k.memory_bytes;
  return bytes;
}

/// The device as the model of one row needs it.
struct Rates {
  double memory = 0, l2 = 0;  ///< bytes a second, far beyond L2 and within it
  double missed = 1;          ///< share of a variant's bytes that L2 does not hold
  double issue = 0, l1 = 0;   ///< instructions and wavefronts a second
  double exponentials = 0, blocks = 0, multiprocessors = 0;
};

Rates rates_of(const Costs& costs, const KernelTable& kernels, double working_set, bool& clamped) {
  Rates r;
  double far = 0;
  for (const auto& [bytes, rate] : costs.bandwidth.points()) {
    r.l2 = std::max(r.l2, rate);
    if (bytes < 1e15) far = bytes, r.memory = rate;
  }
  // The curve is of copies, which touch two fields.
  const double field = working_set / 2, near = costs.bandwidth.points().begin()->first;
  clamped |= field > far;
  const double rate = costs.bandwidth.at(std::clamp(field, near, far));
  if (r.l2 > r.memory) r.missed = std::clamp((1 / rate - 1 / r.l2) / (1 / r.memory - 1 / r.l2), 0.0, 1.0);
  r.issue = costs.issue_rate;
  r.l1 = r.issue / schedulers;
  r.exponentials = costs.exponential_rate;
  r.blocks = kernels.block_rate();
  r.multiprocessors = costs.multiprocessors;
  return r;
}

/// Of one launch of a kernel, with so many bytes of its own and exponentials.
Terms alone(const KernelWork& k, const Shape& shape, const Rates& r, double bytes, double exponentials) {
  const double s = shape.scale(k), blocks = shape.blocks(k);
  // Fewer blocks than multiprocessors leave some of them idle.
  const double busy = r.multiprocessors > 0 ? std::min(1.0, blocks / r.multiprocessors) : 1;
  Terms t{};
  t[std::size_t(Term::memory)] = r.missed * bytes / r.memory;
  t[std::size_t(Term::l2)] = k.l2_bytes * s / r.l2;
  t[std::size_t(Term::l1)] = k.l1_wavefronts * s / r.l1 / busy;
  t[std::size_t(Term::instructions)] = std::max(k.instructions * s / r.issue, exponentials) / busy;
  t[std::size_t(Term::blocks)] = r.blocks > 0 ? blocks / r.blocks : 0;
  return t;
}

void add_kernels(RowModel& m, const std::vector<KernelWork>& kernels, const Shape& shape, const Rates& r,
                 const Measurement& row, double steps, double touch) {
  const double bytes = row.model.bytes / steps, counted = bytes_counted(kernels, shape);
  double launches = 0;
  for (const KernelWork& k : kernels) launches += shape.launches(k);
  for (const KernelWork& k : kernels) {
    const double s = shape.scale(k), times = steps * shape.launches(k);
    // The model's bytes, shared out as counted: the profiler emptied the caches before each kernel.
    const double own = k.extent == Extent::edge ? k.memory_bytes * s
                       : counted > 0            ? bytes * k.memory_bytes * s / counted
                                                : bytes / launches;
    const double exponentials = r.exponentials > 0 ? row.model.exponentials / launches / r.exponentials : 0;
    const Overlapped o = overlapped(alone(k, shape, r, own, exponentials));
    for (std::size_t i = 0; i < term_count; ++i) m.work[i] += times * o.terms[i];
    m.touch += times * touch;
    // Sums over all samples are long loops of independent terms, whose latencies hide each other.
    if (k.extent != Extent::pairs) {
      const double a_warp = k.instructions / (k.blocks * k.threads / lanes);
      m.alone += times * a_warp;
      m.chained += times * a_warp / shape.points_a_thread(k);
    }
    Traffic& t = m.row.traffic;
    t.memory_bytes += times * own, t.l2_bytes += times * k.l2_bytes * s;
    t.l1_bytes += times * k.l1_wavefronts * s * bytes_of_wavefront;
    t.instructions += times * k.instructions * s;
  }
  m.row.traffic.memory_rate = r.memory, m.row.traffic.l2_rate = r.l2;
  m.row.traffic.l1_rate = r.l1 * bytes_of_wavefront, m.row.traffic.instruction_rate = r.issue;
}

/// Launching, and what waits for it; false with a reason where that is not known.
bool add_launches(RowModel& m, const Measurement& row, const FamilyCosts& c, std::string& why) {
  const double launches = row.model.launches;
  if (row.mechanism == "stream") {
    m.once = std::max(0.0, c.latency - c.launch_device);
    m.host = launches * c.launch_host;
    m.gaps = launches * c.launch_device;
    return true;
  }
  double submissions = row.model.submissions;
  if (launches > 0 && submissions <= 0) {
    why = "its record does not say how often graphs are launched";
    return false;
  }
  if (row.mechanism == "graph-update") submissions /= 2;  // each is an update and a launch
  m.once = std::max(0.0, c.latency - c.node);
  const double nodes = launches / submissions;
  m.gaps = submissions * c.graph_repeat.at(nodes);
  m.row.clamped |= !c.graph_repeat.empty() && nodes > c.graph_repeat.points().rbegin()->first;
  return true;
}

}  // namespace

std::optional<RowModel> device_model(const Measurement& row, const Costs& costs, const KernelTable& kernels,
                                     std::string& why) {
  const auto family = costs.family.find(harness::name(row.family));
  if (family == costs.family.end()) {
    why = "the launch study has no figures of how it is launched";
    return std::nullopt;
  }
  if (row.mechanism.rfind("graph-while", 0) == 0) {
    why = "what a pass of a graph's loop costs is no figure of the launch study";
    return std::nullopt;
  }
  RowModel m;
  if (!add_launches(m, row, family->second, why)) return std::nullopt;
  m.samples_wait = true;
  const std::string precision = row.word("precision");
  const double word = precision == "float" ? 4 : 8;
  Shape shape;
  double steps = 1, working_set = 0;
  std::vector<KernelWork> step;
  // A row that launches and does nothing needs no counters.
  if (!(row.model.bytes == 0 && row.model.flops == 0)) {
    const auto* found = kernels.find(row.kernel, row.tuning, precision);
    if (!found) {
      why = "its kernels were not counted (--kernels)";
      return std::nullopt;
    }
    step = *found;
  }
  if (row.study == "kde") {
    shape.n = row.number("n");
    working_set = 2 * word * shape.n;
  } else {
    shape.nx = row.number("nx"), shape.ny = row.number("ny"), shape.nz = row.number("nz");
    steps = row.number("steps");
    const double halo = row.number("halo");
    const double field = word * (shape.nx + 2 * halo) * (shape.ny + 2 * halo) * shape.nz;
    working_set = (step.empty() ? 2 : step.front().fields) * field;
    // These mechanisms copy the result back in each step.
    if (row.mechanism == "graph-copy" || row.mechanism == "kokkos-graph-copy") {
      const char* copy = row.mechanism == "graph-copy" ? "cuda-copy" : "kokkos-copy";
      const auto* found = kernels.find(copy, "", precision);
      if (!found) {
        why = "the kernel that copies back was not counted (--kernels)";
        return std::nullopt;
      }
      step.insert(step.end(), found->begin(), found->end());
    }
  }
  const Rates rates = rates_of(costs, kernels, working_set, m.row.clamped);
  // What a kernel that touches memory takes beyond one that does nothing; the portable one has instructions
  // too.
  const auto native = costs.family.find("cuda");
  const FamilyCosts& touching = native != costs.family.end() ? native->second : family->second;
  add_kernels(m, step, shape, rates, row, steps, std::max(0.0, touching.kernel_floor() - touching.node));
  m.row.traffic.flops = row.model.flops;
  return m;
}

}  // namespace parity::analysis
