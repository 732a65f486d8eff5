// SPDX-License-Identifier: BSD-3-Clause
#include "launch/study.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>

#include "launch/trial.hpp"
#include "runtime/device.hpp"
#include "runtime/stream.hpp"

namespace parity::launch {

#define PARITY_TABLE "launch/algorithms.def"
#include "harness/registry.inc"

namespace {

using harness::Better;
using harness::Choice;
using runtime::MemoryNeed;
using runtime::UsageError;

const harness::ParametersOf<Problem>& parameter_list() {
  static const auto list = [] {
    harness::Parameter quantity{"quantity", "Quantities to measure ('parity list launch' explains them)"};
    for (const Quantity& q : quantities())
      quantity.words.emplace_back(q.name), quantity.meanings.emplace_back(q.summary);
    quantity.option = "quantities";
    quantity.command_standard = {"null-overhead", "fusion-overhead", "total-overhead", "other-overhead",
                                 "dispatch",      "latency",         "node",           "barrier"};
    harness::Parameter argument{"argument_bytes", "Bytes of kernel arguments or of the functor", "B"};
    argument.allowed.assign(argument_sizes().begin(), argument_sizes().end());
    return harness::ParametersOf<Problem>()
        .add(&Problem::quantity, quantity)
        .add(&Problem::topology,
             harness::word_parameter("topology", "Graphs: line, or fork (to four nodes that join again)",
                                     {"line", "fork"}))
        .add(&Problem::unit,
             harness::word_parameter(
                 "unit", "Wait units: spin, or nanosleep (the original work's; compute capability 7.0)",
                 {"spin", "nanosleep"}))
        .add(&Problem::devices, {"devices", "GPUs of a multi-device launch", "GPUs", 1, 64})
        .add(&Problem::argument_bytes, argument)
        .add(&Problem::blocks, {"blocks", "Blocks of every launch", "blocks", 1, 1 << 20})
        .add(&Problem::threads, {"threads",
                                 "Threads of a block; on the host blocks x threads is the range, for "
                                 "barriers the team",
                                 "threads", 1, 1024})
        .add(&Problem::launches,
             {"launches", "Launches, nodes or passes of the longer run: the depth of the queue", "launches",
              1, 100000})
        .add(&Problem::units,
             {"units", "Wait units of an event, where the quantity has work", "units", 1, 100000})
        .add(&Problem::unit_ns, {"unit_ns", "Nanoseconds of a unit", "ns", 100, 1000000})
        .add(&Problem::bytes,
             {"bytes", "Bytes that an event of the quantity 'copy' reads, and writes; a multiple of 16", "B",
              16, double(std::int64_t(1) << 38)});
  }();
  return list;
}

const Entry& entry_of(const Choice& c) { return static_cast<const Entry&>(*c.entry); }

class LaunchTask : public harness::TaskOf<Problem> {
 public:
  explicit LaunchTask(const Problem& problem) : TaskOf("launch", parameter_list(), problem) {}
  std::string text() const override { return launch::describe(p); }
  bool applies_to(const Choice& c) const override { return has(entry_of(c), *find_quantity(p.quantity)); }

  MemoryNeed need(const Choice& c) const override {
    const Quantity& q = *find_quantity(p.quantity);
    if (q.kind == Kind::none) return {};
    const double bytes = 2.0 * double(p.bytes);
    return c.entry->on_device() ? MemoryNeed{bytes, bytes} : MemoryNeed{2 * bytes, 0};
  }
  double data_bytes() const override { return 0; }
  std::string memory_fix() const override { return "reduce --bytes, --blocks or --threads"; }

  harness::CostModel model(const Choice&) const override {
    const Quantity& q = *find_quantity(p.quantity);
    harness::CostModel m;
    m.launches = 1;
    if (q.kind == Kind::copy) m.bytes = 2.0 * double(p.bytes);
    return m;
  }
  double seconds(const Choice& c) const override {
    const Quantity& q = *find_quantity(p.quantity);
    const bool gpu = c.entry->on_device();
    const double a_launch = gpu ? 4e-6 : 1e-5;
    if (q.kind == Kind::copy) return p.launches * (a_launch + 2.0 * double(p.bytes) / (gpu ? 1e12 : 1e10));
    if (q.units) return 2.0 * p.launches * (a_launch + 1e-9 * p.units * double(p.unit_ns));
    return p.launches * a_launch;
  }
  std::vector<harness::Metric> metrics(const Choice&, const harness::Measurement& row) const override {
    return {{"time", 1e6 * row.host().value, "us", Better::lower}};
  }
  std::vector<std::unique_ptr<harness::Trial>> trials(const std::vector<Choice>& choices,
                                                      const harness::Note&) const override {
    const auto bench = std::make_shared<Bench>();
    std::vector<std::unique_ptr<harness::Trial>> all;
    for (const Choice& c : choices) all.push_back(launch_trial(p, entry_of(c), bench));
    return all;
  }

 private:
  std::optional<std::string> refuse(const Choice& c) const override {
    return why_not_here(with_blocks(p), entry_of(c));
  }
  static std::optional<std::string> why_not_here(const Problem& p, const Entry& e) {
    const Quantity& q = *find_quantity(p.quantity);
    if (!has(e, q)) return fmt::format("it has no '{}'", p.quantity);
    if (q.updates && !e.updates) return "arguments in its graphs cannot be replaced";
    if (q.units && p.unit == Unit::nanosleep) {
      if (!e.on_device()) return "nanosleep is a GPU's; give --unit spin";
      if (runtime::device()->major < 7) return "nanosleep needs compute capability 7.0; give --unit spin";
    }
    if (q.several && p.launches < 2) return "the quantity is a difference; give --launches of at least 2";
    if (p.argument_bytes > e.most_argument_bytes)
      return fmt::format("it is built for arguments of at most {} bytes", e.most_argument_bytes);
    if (p.argument_bytes > 0 && q.kind == Kind::copy)
      return "events that copy have no other arguments; omit --argument-bytes";
    if (p.topology == Topology::fork && !e.forks) return "it does not fork; give --topology line";
    if (p.devices > 1 && !e.many_devices) return "it uses one GPU; give --devices 1";
    // A stream queues about a thousand launches before it blocks the host, for good if the stream is held.
    if (p.quantity == "device-interval")
      if (const auto why = runtime::why_no_cuda()) return why;
    if (p.quantity == "device-interval" && p.launches > 500)
      return "a held stream takes no more than 500 launches; reduce --launches";
    return e.refuse ? e.refuse(p) : std::nullopt;
  }
};

std::unique_ptr<harness::Task> make(const Problem& p) {
  if (find_quantity(p.quantity)->units && p.launches == p.units)
    throw UsageError("--launches and --units: must differ: the formula divides by their difference");
  if (p.bytes % 16 != 0) throw UsageError("--bytes: must be a multiple of 16");
  Problem q = launch::canonical(p);
  // A host's team has at most OpenMP's threads; the default is a GPU's block.
  if (p.quantity == "barrier" && p.threads == Problem().threads && !runtime::portable_on_device())
    q.threads = std::min(q.threads, omp_get_max_threads());
  return std::make_unique<LaunchTask>(q);
}

}  // namespace

const char* name(Unit unit) { return unit == Unit::spin ? "spin" : "nanosleep"; }

const std::vector<int>& argument_sizes() {
  static const std::vector<int> sizes = {0, 64, 256, 448, 512, 1024, 3968, 16384, 40960};
  return sizes;
}

std::string describe(const Problem& p) {
  const Quantity* const q = find_quantity(p.quantity);
  std::string text = fmt::format("{} {}x{}", p.quantity, p.blocks, p.threads);
  if (p.argument_bytes > 0) text += fmt::format(" {} B", p.argument_bytes);
  text += fmt::format(" x{}", p.launches);
  if (q && q->units) text += fmt::format(" {}x{} ns {}", p.units, p.unit_ns, name(p.unit));
  if (p.quantity == "copy") text += fmt::format(" {} B copied", p.bytes);
  if (p.topology == Topology::fork) text += " fork";
  if (p.devices > 1) text += fmt::format(" {} GPUs", p.devices);
  return text;
}

Problem canonical(const Problem& p) {
  const Quantity* const q = find_quantity(p.quantity);
  if (!q) return p;
  const Problem standard;
  Problem c = p;
  if (!q->units) {
    c.units = standard.units;
    c.unit_ns = standard.unit_ns;
    c.unit = standard.unit;
  }
  if (q->kind != Kind::copy) c.bytes = standard.bytes;
  if (q->kind != Kind::none) {
    c.argument_bytes = 0;
    c.topology = Topology::line;
  }
  if (std::find(q->roles.begin(), q->roles.end(), Role::graph) == q->roles.end()) c.topology = Topology::line;
  if (q->roles.size() == 1 && q->roles.front() == Role::graph) c.argument_bytes = 0;
  return c;
}

const LaunchStudy& study() {
  static const LaunchStudy study = [] {
    harness::Study::About about{
        "launch", "what one more launch, graph node or barrier costs",
        "What one more launch, graph node or barrier costs here: equations 1 to 3 of Zhang et al. and more, "
        "portable against native, each quantity checked with an injected delay",
        "'cuda-*' kokkos-kernel"};
    about.has_tunings = false;
    about.times_are_results = true;
    about.options.repeats = 100;
    about.options.time_cap = 20;
    return LaunchStudy(about, parameter_list, registry, make);
  }();
  return study;
}

}  // namespace parity::launch
