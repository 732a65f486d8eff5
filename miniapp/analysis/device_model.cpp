// SPDX-License-Identifier: BSD-3-Clause
// A row on a GPU: launches as the launch study measured them, and for each kernel what a profiler counted at
// the rates that the launch study measured.
#include "analysis/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>

#include "runtime/error.hpp"

namespace parity::analysis {
namespace {

constexpr const char* header =
    "kernel,tuning,precision,launches,grows_with,fields,side,planes,threads,blocks,instructions,l1_"
    "wavefronts,l2_bytes,memory_bytes,seconds,source";
constexpr std::size_t columns = 16;

[[noreturn]] void refuse(const std::string& path, int line, const std::string& why) {
  throw runtime::UsageError(
      fmt::format("{}: line {}: {}; see jobs/results/h200/kernels.csv", path, line, why));
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == ',' && cells.size() < columns)
      cells.emplace_back();
    else if (c != '\r')
      cells.back() += c;
  }
  return cells;
}

}  // namespace

KernelTable KernelTable::read(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw runtime::UsageError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  std::string line;
  std::getline(in, line);
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (line != header) refuse(path, 1, fmt::format("must be {}", header));
  const std::map<std::string, Extent> extents = {
      {"field", Extent::field}, {"edge", Extent::edge}, {"plane", Extent::plane}, {"pairs", Extent::pairs}};
  KernelTable table;
  for (int number = 2; std::getline(in, line); ++number) {
    if (line.empty()) continue;
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() != columns) refuse(path, number, fmt::format("has not {} cells", columns));
    const auto value = [&](std::size_t i, double least) {
      char* end = nullptr;
      const double v = std::strtod(cells[i].c_str(), &end);
      if (cells[i].empty() || *end != '\0' || !std::isfinite(v) || v < least)
        refuse(path, number, fmt::format("'{}' is no number from {:g}", cells[i], least));
      return v;
    };
    const auto extent = extents.find(cells[4]);
    if (extent == extents.end())
      refuse(path, number, fmt::format("'{}' is none of field, edge, plane, pairs", cells[4]));
    KernelWork w;
    w.launches = value(3, 1), w.extent = extent->second, w.fields = value(5, 1), w.side = value(6, 1);
    w.planes = value(7, 1), w.threads = value(8, 1), w.blocks = value(9, 1), w.instructions = value(10, 0);
    w.l1_wavefronts = value(11, 0), w.l2_bytes = value(12, 0), w.memory_bytes = value(13, 0);
    w.seconds = cells[14].empty() ? 0 : value(14, 0);
    w.source = cells[15];
    table.kernels_[{cells[0], cells[1], cells[2]}].push_back(w);
  }
  return table;
}

const std::vector<KernelWork>* KernelTable::find(const std::string& kernel, const std::string& tuning,
                                                 const std::string& precision) const {
  for (const std::string& of : {tuning, std::string()})
    if (const auto found = kernels_.find({kernel, of, precision}); found != kernels_.end())
      return &found->second;
  return nullptr;
}

double KernelTable::block_rate() const {
  const auto* fill = find("fill", "", "float");
  return fill && fill->front().seconds > 0 ? fill->front().blocks / fill->front().seconds : 0;
}

std::vector<std::string> KernelTable::sources() const {
  std::set<std::string> all;
  for (const auto& [of, kernels] : kernels_)
    for (const KernelWork& w : kernels) all.insert(w.source);
  return {all.begin(), all.end()};
}

namespace {

using harness::Measurement;

constexpr double lanes = 32;      // of a warp
constexpr double schedulers = 4;  // of a multiprocessor, which issue; L1 has one wavefront a clock

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
  r.issue = costs.issue_rate, r.l1 = r.issue / schedulers, r.exponentials = costs.exponential_rate;
  r.blocks = kernels.block_rate(), r.multiprocessors = costs.multiprocessors;
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
    const Terms overlap = overlapped(alone(k, shape, r, own, exponentials));
    for (std::size_t i = 0; i < term_count; ++i) m.work[i] += times * overlap[i];
    m.touch += times * touch;
    // Sums over all samples are long loops of independent terms, whose latencies hide each other.
    if (k.extent != Extent::pairs) {
      const double a_warp = k.instructions / (k.blocks * k.threads / lanes);
      m.alone += times * a_warp;
      m.chained += times * a_warp / shape.points_a_thread(k);
    }
    m.row.memory_bytes += times * own;
  }
  m.row.memory_rate = r.memory;
}

void add_launches(RowModel& m, const Measurement& row, const FamilyCosts& c) {
  const double launches = row.model.launches;
  if (row.mechanism == "stream") {
    m.once = std::max(0.0, c.latency.value - c.interval.value);
    m.host = launches * c.launch.value;
    m.gaps = launches * c.interval.value;
    return;
  }
  double submissions = row.model.submissions;
  if (launches > 0 && submissions <= 0)
    throw NoModel{"its record does not say how often graphs are launched"};
  if (row.mechanism == "graph-update") submissions /= 2;  // each is an update and a launch
  m.once = std::max(0.0, c.latency.value - c.node.value);
  const double nodes = launches / submissions;
  m.gaps = submissions * c.graph_repeat.at(nodes).value;
  m.row.clamped |= !c.graph_repeat.empty() && nodes > c.graph_repeat.points().rbegin()->first;
}

}  // namespace

RowModel device_model(const Measurement& row, const Costs& costs, const KernelTable& kernels) {
  const auto family = costs.family.find(harness::name(row.family));
  if (family == costs.family.end()) throw NoModel{"the launch study has no figures of how it is launched"};
  if (row.mechanism.rfind("graph-while", 0) == 0)
    throw NoModel{"what a pass of a graph's loop costs is no figure of the launch study"};
  RowModel m;
  add_launches(m, row, family->second);
  m.samples_wait = true;
  const std::string precision = row.word("precision");
  const double word = precision == "float" ? 4 : 8;
  Shape shape;
  double steps = 1, working_set = 0;
  std::vector<KernelWork> step;
  // A row that launches and does nothing needs no counters.
  if (!(row.model.bytes == 0 && row.model.flops == 0)) {
    const auto* found = kernels.find(row.kernel, row.tuning, precision);
    if (!found) throw NoModel{"its kernels were not counted (--kernels)"};
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
      if (!found) throw NoModel{"the kernel that copies back was not counted (--kernels)"};
      step.insert(step.end(), found->begin(), found->end());
    }
  }
  const Rates rates = rates_of(costs, kernels, working_set, m.row.clamped);
  // What a kernel takes that touches memory, beyond an empty one; the portable one has instructions too.
  const auto native = costs.family.find("cuda");
  const FamilyCosts& touching = native != costs.family.end() ? native->second : family->second;
  add_kernels(m, step, shape, rates, row, steps,
              std::max(0.0, touching.kernel_floor() - touching.node.value));
  return m;
}

}  // namespace parity::analysis
