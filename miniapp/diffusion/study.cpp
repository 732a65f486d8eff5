// SPDX-License-Identifier: BSD-3-Clause
#include "diffusion/study.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "diffusion/distributed_check.hpp"
#include "diffusion/reference.hpp"
#include "diffusion/stencil.hpp"
#include "diffusion/variant.hpp"
#include "runtime/device.hpp"
#include "runtime/graph.hpp"
#include "runtime/host_array.hpp"
#include "runtime/messages.hpp"
#include "runtime/stream.hpp"

namespace parity::diffusion {

#define PARITY_TABLE "diffusion/algorithms.def"
#include "harness/registry.inc"

namespace {

using harness::Better;
using harness::Choice;
using runtime::MemoryNeed;
using runtime::UsageError;

harness::Parameter alpha() {
  harness::Parameter p{"alpha", "Diffusion coefficient", "", 0, stability_limit};
  p.above_least = true;
  p.range_words = "a number above 0 and at most 0.03125 (1/32), where the filter is stable";
  return p;
}

harness::Parameter ranks(const char* name, const char* help) {
  return harness::omit_if_default({name, help, "ranks", 1, 1 << 20});
}

const harness::ParametersOf<Problem>& parameter_list() {
  constexpr double most = 1 << 30;  // keeps every index of a row or column in 32 bits, halo included
  static const auto list =
      harness::ParametersOf<Problem>()
          .add(&Problem::precision,
               harness::word_parameter("precision", "float or double", {"float", "double"}))
          .add(&Problem::nx, {"nx", "Points in x, the fastest axis", "points", 1, most})
          .add(&Problem::ny, {"ny", "Points in y", "points", 1, most})
          .add(&Problem::nz, {"nz", "Planes", "planes", 1, most})
          .add(&Problem::steps, {"steps", "Filter steps", "steps", 1, 1e9})
          .add(&Problem::alpha, alpha())
          .add(&Problem::halo, {"halo", "Halo width in x and y; the 13-point stencil reads two points away",
                                "points", 2, 1024})
          .add(&Problem::seed, {"seed", "Seed of the random field"})
          .add(&Problem::ranks_x, ranks("ranks_x", "Ranks that share x, which exchange halos"))
          .add(&Problem::ranks_y, ranks("ranks_y", "Ranks that share y, which exchange halos"))
          .add(&Problem::ranks_z,
               ranks("ranks_z", "Ranks that share the planes, which need nothing of each other"))
          .add(&Problem::messages, harness::omit_if_default(harness::word_parameter(
                                       "messages", runtime::transport_help, runtime::transport_words())))
          .join("size", {"nx", "ny", "nz"});
  return list;
}

/// Data of all trials of one problem: the input, the exact solution, its error bound, memory for a result.
/// With several ranks, this rank's part of them.
template <class T>
struct Data {
  explicit Data(const Problem& p)
      : problem(p), bound(p), parts(p, runtime::rank_info().rank), padded(parts.own.local.padded_points()) {}
  Problem problem;
  ErrorBound bound;
  DistributedCheck<T> parts;
  runtime::HostArray<T> padded;
};

/// The largest part of the problem (rank 0's), as a problem of one rank.
Problem of_a_rank(const Problem& p) { return part_of(p, 0).local; }

template <class T>
class FilterTrial : public harness::ExecutionTrial {
 public:
  FilterTrial(std::shared_ptr<Data<T>> data, const Choice& c)
      : ExecutionTrial(entry_of(c).exchanges),
        data_(std::move(data)),
        choice_(c),
        gate_(gate_of(data_->problem, data_->bound, entry_of(c))) {}

 private:
  harness::Execution& make() override {
    const Entry& e = entry_of(choice_);
    variant_ = e.make<T>(e.exchanges ? data_->problem : data_->parts.own.local, choice_.tuning);
    return *variant_;
  }
  void load() override { variant_->load(data_->parts.field.data()); }
  bool prepares() const override { return !mechanism_of(choice_).plain(); }
  void prepare() override { variant_->prepare(mechanism_of(choice_)); }
  void store() override { variant_->store(data_->padded.data()); }
  harness::Verdict check() override {
    const harness::Verdict v = data_->parts.verdict(data_->padded.data(), choice_.entry->floor, gate_);
    data_->padded.fill(poison<T>);
    return v;
  }

  std::shared_ptr<Data<T>> data_;
  Choice choice_;
  double gate_;
  std::unique_ptr<Variant<T>> variant_;
};

/// Bytes of a rank's part of the field, for measuring copy bandwidth.
std::int64_t copied_bytes(const Problem& p) {
  return of_a_rank(p).points() * std::int64_t(bytes_of(p.precision));
}

class DiffusionTask : public harness::TaskOf<Problem> {
 public:
  explicit DiffusionTask(const Problem& problem) : TaskOf("diffusion", parameter_list(), problem) {}
  std::string text() const override { return diffusion::describe(p); }
  bool applies_to(const Choice& c) const override { return entry_of(c).exchanges == p.divides_planes(); }

  MemoryNeed need(const Choice& c) const override {
    const Entry& e = entry_of(c);
    const Problem part = of_a_rank(p);
    const double field = e.exchanges ? exchanged_field_bytes(p, c) : part.field_bytes();
    const double bytes = double(e.fields) * field + (e.extra_bytes ? e.extra_bytes(part) : 0) +
                         (e.exchanges ? message_bytes(p, c) : 0);
    return e.on_device() ? MemoryNeed{0, bytes} : MemoryNeed{bytes, 0};
  }
  harness::Portion portion() const override { return {"step", double(p.steps)}; }
  /// Bytes of field, expected result, and the larger of padded result and work space of the exact solution.
  double data_bytes() const override {
    const Problem part = of_a_rank(p);
    const double word = double(bytes_of(p.precision));
    Problem checked = p;  // the whole planes that one rank checks
    checked.nz = (p.nz + p.ranks() - 1) / p.ranks();
    const double own =
        double(part.points()) * (8.0 + word) + std::max(part.field_bytes(), fourier_solution_bytes(checked));
    if (p.ranks_x * p.ranks_y == 1) return own;
    // Input, pieces, interior, result and expected values of those planes.
    return own + double(checked.points()) * (8.0 + 4 * word);
  }
  std::string memory_fix() const override { return "reduce nx, ny or nz"; }

  harness::CostModel model(const Choice& c) const override {
    const Problem part = of_a_rank(p);
    const Entry& e = entry_of(c);
    return e.model ? with_mechanism(e.cost(part, c.tuning), mechanism_of(c), part) : CostModel();
  }
  double seconds(const Choice& c) const override {
    const CostModel m = model(c);
    const bool gpu = c.entry->on_device();
    const double bandwidth = runtime::copy_bandwidth(gpu, std::int64_t(gpu ? 256 : 64) << 20);
    // Operations limit only variants that keep planes on chip; a launch takes 4 us.
    return std::max(m.bytes / bandwidth, m.flops / (gpu ? 1e13 : 1e10)) + 4e-6 * m.submissions;
  }
  std::vector<harness::Metric> metrics(const Choice& c, const harness::Measurement& row) const override {
    const double seconds = row.host().value;
    const bool gpu = c.entry->on_device();
    const double copy = double(p.ranks()) * runtime::copy_bandwidth(gpu, copied_bytes(p));
    std::vector<harness::Metric> all = {
        {"throughput", p.point_steps() / seconds * 1e-9, "Gpt/s", Better::higher},
        {"step_time", 1e6 * seconds / double(p.steps), "us", Better::lower},
        {"floor_share", copy > 0 ? p.floor_bytes() / copy / seconds : 0, "1", Better::higher},
        {"copy_bandwidth", copy, "B/s", Better::neither},
        {"working_set", double(entry_of(c).fields) * of_a_rank(p).field_bytes(), "B", Better::neither}};
    if (p.ranks() > 1) add_metrics_of_ranks(p, c, all);
    return all;
  }
  std::vector<std::unique_ptr<harness::Trial>> trials(const std::vector<Choice>& choices,
                                                      const harness::Note& note) const override {
    if (note) note("random field and exact solution");
    // Measures the copies before the rounds, so that nothing else runs between samples.
    for (const Choice& c : choices) runtime::copy_bandwidth(c.entry->on_device(), copied_bytes(p));
    return harness::trials_over<Data, FilterTrial>(p, choices);
  }

 private:
  bool knows_ranks() const override { return true; }
  std::optional<std::string> refuse(const Choice& c) const override {
    const Entry& e = entry_of(c);
    if (const auto reason = why_no_decomposition(p, e)) return reason;
    if (const auto reason = why_no_mechanism(e, mechanism_of(c))) return reason;
    if (!mechanism_of(c).plain() && p.divides_planes() && !runtime::in_stream_order(p.messages))
      return "MPI's messages are in no stream's order, so no graph holds them: give --messages peer or nccl";
    if (mechanism_of(c).graph_by == GraphBy::capture)
      if (const auto reason = runtime::why_no_cuda()) return reason;
    if (mechanism_of(c).schedule == Schedule::loop)
      if (const auto reason = runtime::why_no_loops()) return reason;
    if (mechanism_of(c).graph_by == GraphBy::kokkos && e.family == Family::cuda)
      if (const auto reason = runtime::why_no_capture_nodes()) return reason;
    // A graph of more kernels takes gigabytes, and a host graph recurses through them.
    const double nodes =
        mechanism_of(c).schedule == Schedule::whole ? e.cost(of_a_rank(p), c.tuning).launches : 0;
    const double most = e.on_device() ? 200000 : 5000;
    if (nodes > most)
      return fmt::format("all steps in one graph would be {:.0f} kernels, more than {:.0f}", nodes, most);
    if (e.exchanges) return e.refuse(p, c.tuning);
    // Parts have at most two sizes per axis; here only z is divided.
    if (const auto reason = e.refuse(part_of(p, int(p.ranks()) - 1).local, c.tuning)) return reason;
    return e.refuse(of_a_rank(p), c.tuning);
  }
};

std::unique_ptr<harness::Task> make(const Problem& p) {
  const std::int64_t points[] = {p.nx, p.ny, p.nz}, shares[] = {p.ranks_x, p.ranks_y, p.ranks_z};
  for (int axis = 0; axis < 3; ++axis)
    if (shares[axis] > points[axis])
      throw UsageError(fmt::format("{} ranks in {} are more than its {} points: reduce --ranks-{}",
                                   shares[axis], "xyz"[axis], points[axis], "xyz"[axis]));
  if (p.nx < p.halo || p.ny < p.halo)
    throw UsageError(
        fmt::format("a plane of {} x {} points (nx x ny) is smaller than its halo of {}: nx and ny must be "
                    "at least {}",
                    p.nx, p.ny, p.halo, p.halo));
  const double padded = double(p.pitch()) * double(p.rows()) * double(p.nz);
  if (padded > 1e15)
    throw UsageError(
        fmt::format("a field of {:.2g} points does not fit any memory: reduce nx, ny or nz", padded));
  Problem q = p;
  if (!p.divides_planes())
    q.messages = Transport::automatic;
  else
    q.messages = runtime::resolved(p.messages);
  return std::make_unique<DiffusionTask>(q);
}

}  // namespace

const DiffusionStudy& study() {
  static const DiffusionStudy study = [] {
    harness::Study::About about{
        "diffusion", "phi' = phi - alpha Lap(Lap phi) on every xy-plane, periodic, N steps",
        "Compare variants of the fourth-order diffusion filter (random field, verified)",
        "kokkos-fused 'openmp-*' cuda-fused/8x32 'kokkos-fused-tuned/*' cuda-fused+graph-two "
        "'kokkos-fused+*'",
        "floor_share: share of one read and one write a point and step at the speed of a copy of the same "
        "fields, measured here; above 100 % planes stay on chip over the steps"};
    for (const Mechanism& m : mechanisms()) about.mechanisms.push_back({m.name, m.summary});
    about.knows = [](const harness::Entry& e, std::size_t mechanism) {
      return !why_no_mechanism(static_cast<const Entry&>(e), mechanisms()[mechanism]);
    };
    return DiffusionStudy(about, parameter_list, registry, make);
  }();
  return study;
}

double gate_of(const Problem& p, const ErrorBound& bound, const Entry& e) {
  // No tuning changes the number of roundings in a step.
  return bound.of(e.model ? e.cost(p, harness::standard_tuning(e)).flops / p.point_steps() : direct_flops);
}

void validate(const Problem& p) { study().task_of(p); }

std::optional<std::string> why_no_mechanism(const Entry& e, const Mechanism& m) {
  if (m.plain()) return std::nullopt;
  const bool whole = e.exchanges && m.schedule == Schedule::whole && m.graph_by == GraphBy::capture;
  if (!e.stepped && !whole) return "its steps are no kernels of their own, so there is nothing to capture";
  if (m.graph_by == GraphBy::kokkos && e.family != Family::kokkos && e.family != Family::cuda)
    return "Kokkos graphs hold Kokkos kernels and captured CUDA kernels only";
  if (m.graph_by == GraphBy::capture && !e.on_device()) return "only a GPU's stream can be captured";
  if (m.forks && !e.forks) return "it has no launches that are put side by side";
  return std::nullopt;
}

}  // namespace parity::diffusion
