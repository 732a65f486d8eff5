// SPDX-License-Identifier: BSD-3-Clause
#include "kde/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "harness/statistics.hpp"
#include "kde/reference.hpp"
#include "kde/shared_samples.hpp"
#include "runtime/clock.hpp"
#include "runtime/device.hpp"
#include "runtime/messages.hpp"

namespace parity::kde {

#define PARITY_TABLE "kde/algorithms.def"
#include "harness/registry.inc"

namespace {

using harness::Better;
using harness::Choice;
using runtime::MemoryNeed;

const harness::ParametersOf<Problem>& parameter_list() {
  static const auto list =
      harness::ParametersOf<Problem>()
          .add(&Problem::precision,
               harness::word_parameter("precision", "float or double", {"float", "double"}))
          .add(&Problem::distribution,
               harness::word_parameter("distribution", "Where samples come from", distribution_names()))
          .add(&Problem::bandwidth, {"bandwidth", "Bandwidth h, in units of the samples", "", 1e-12, 1e12})
          .add(&Problem::n, {"n", "Samples, which are the queries too", "samples", 1, 1e9})
          .add(&Problem::tolerance,
               {"tolerance", "What approximate variants may be wrong by, relative to the largest density", "",
                1e-12, 0.1})
          .add(&Problem::seed, {"seed", "Seed of the samples"})
          .add(&Problem::ranks,
               harness::omit_if_default({"ranks", "Ranks that share the samples", "ranks", 1, 1 << 20}));
  return list;
}

/// Pairs per second that the GPU's special-function units allow, 16 per clock and multiprocessor; 0 without a
/// GPU.
double exponential_ceiling() {
  const auto d = runtime::device();
  return d ? 16.0 * d->multiprocessors * d->clock_khz * 1e3 : 0;
}

/// Shared by a problem's trials. Every rank creates all samples; expected and density are its own.
template <class T>
struct Data {
  explicit Data(const Problem& p)
      : problem(p),
        own(own_samples(p)),
        samples(random_samples<T>(p)),
        expected(reference_density(p, samples, own)),
        density(expected.size()) {}
  Problem problem;
  runtime::Share own;
  std::vector<T> samples;
  std::vector<double> expected;
  std::vector<T> density;
};

/// The reason why the present ranks cannot share the samples in this way.
std::optional<std::string> why_no_sharing(const Problem& p, const Entry& e) {
  const int ranks = runtime::rank_info().ranks;
  if (p.ranks != ranks)
    return ranks == 1 ? fmt::format("{} ranks share it: start it with mpirun -n {}", p.ranks, p.ranks)
                      : fmt::format("it is for {} rank{} and there are {}: give --ranks {}", p.ranks,
                                    p.ranks == 1 ? "" : "s", ranks, ranks);
  if (ranks > 1 && e.ranks == Ranks::one)
    return "its samples are one rank's: take a variant that shares them ('*-ring', 'kokkos-transform-ranks')";
  return std::nullopt;
}

/// For a variant with a preparation, the time includes all work for a new data set; a metric gives the time
/// with the preparation reused.
template <class T>
class DensityTrial : public harness::ExecutionTrial {
 public:
  DensityTrial(std::shared_ptr<Data<T>> data, const Choice& c)
      : ExecutionTrial(entry_of(c).ranks == Ranks::several),
        data_(std::move(data)),
        entry_(entry_of(c)),
        tuning_(c.tuning),
        prepares_(c.mechanism > 0) {}
  void warm_up() override {
    if (reuses()) runtime::abort_all_on_error([this] { run_prepared(); });
    ExecutionTrial::warm_up();
  }
  harness::Sample sample() override {
    // First, so that finish checks the whole of the last sample.
    if (reuses()) {
      double seconds = 0;
      runtime::abort_all_on_error([&] { seconds = run_prepared(); });
      prepared_seconds_.push_back(runtime::largest(seconds));
    }
    return ExecutionTrial::sample();
  }
  harness::Verdict finish(harness::Measurement& row) override {
    const harness::Verdict whole = ExecutionTrial::finish(row);
    if (!reuses() || !whole.passed()) return whole;
    harness::Verdict prepared;
    runtime::abort_all_on_error([&] {
      run_prepared();
      store();
      prepared = check();
    });
    if (!prepared.passed()) return prepared;
    row.metrics.push_back(
        {prepared_time, 1e6 * harness::summarise(prepared_seconds_).median, "us", Better::lower});
    return whole;
  }

 private:
  harness::Execution& make() override {
    variant_ = entry_.make<T>(data_->problem, tuning_);
    return *variant_;
  }
  void load() override { variant_->load(data_->samples.data() + data_->own.first); }
  bool prepares() const override { return prepares_; }
  void prepare() override { variant_->prepare(); }
  void store() override { variant_->store(data_->density.data()); }
  harness::Verdict check() override {
    const harness::Verdict v = verify(data_->problem, entry_, data_->expected, data_->density);
    std::fill(data_->density.begin(), data_->density.end(), std::numeric_limits<T>::quiet_NaN());
    return v;
  }
  bool reuses() const { return !entry_.preparation.empty(); }
  /// Poisons the densities again and keeps the preparation.
  double run_prepared() {
    load();
    variant_->synchronise();
    const double begin = runtime::host_seconds();
    variant_->advance_prepared();
    variant_->synchronise();
    return runtime::host_seconds_since(begin);
  }

  std::shared_ptr<Data<T>> data_;
  const Entry& entry_;
  Tuning tuning_;
  bool prepares_;
  std::vector<double> prepared_seconds_;
  std::unique_ptr<Variant<T>> variant_;
};

/// Mechanisms are in the study's order.
bool knows_mechanism(const Entry& e, std::size_t mechanism) {
  return mechanism == 0 || (e.captured && (mechanism == 2) == (e.family == harness::Family::kokkos));
}

class KdeTask : public harness::TaskOf<Problem> {
 public:
  explicit KdeTask(const Problem& problem) : TaskOf("kde", parameter_list(), problem) {}
  std::string text() const override { return kde::describe(p); }
  bool applies_to(const Choice& c) const override {
    return (entry_of(c).ranks == Ranks::several) == (p.ranks > 1);
  }

  MemoryNeed need(const Choice& c) const override {
    const Entry& e = entry_of(c);
    // Samples and densities, with a tile of padding.
    const double bytes = 2.0 * (double(samples_of(p, 0).size) + 4096) * double(bytes_of(p.precision)) +
                         (e.extra_bytes ? e.extra_bytes(p) : 0);
    return e.on_device() ? MemoryNeed{0, bytes} : MemoryNeed{bytes, 0};
  }
  harness::Portion portion() const override { return {"density", 1}; }
  /// Samples, expected and computed densities, and the reference's sorted copies.
  double data_bytes() const override { return double(p.n) * (2.0 * double(bytes_of(p.precision)) + 64.0); }
  std::string memory_fix() const override { return "reduce n"; }

  harness::CostModel model(const Choice& c) const override {
    const Entry& e = entry_of(c);
    // The share of one rank.
    const double share = 1 / double(p.ranks);
    CostModel m;
    m.launches = m.submissions = e.launches * (e.direct ? double(p.ranks) : 1.0);
    m.bytes = 2 * double(p.n) * double(bytes_of(p.precision)) * (e.direct ? 1.0 : share);
    const double by_polynomial = e.polynomial_pairs(c.tuning) / 16.0 * e.exponentials;
    m.flops = (e.operations + 15 * by_polynomial) * share * (e.direct ? p.pairs() : double(p.n));
    if (c.mechanism > 0) m.submissions = 1;
    return m;
  }
  double seconds(const Choice& c) const override {
    // Orders of magnitude, for the reader of a plan.
    const Entry& e = entry_of(c);
    const bool gpu = e.on_device(), single = p.precision == Precision::f32;
    if (!e.direct) return double(p.n) * (gpu ? 2e-10 : 3e-8) / double(p.ranks);
    const double share = c.tuning.empty() || !e.has_block_width() ? 1.0 : std::min(1.0, c.tuning[0] / 64.0);
    return p.pairs() / double(p.ranks) / ((gpu ? 1e12 : 1e9) * (single ? 1.0 : 0.3) * share);
  }
  std::vector<harness::Metric> metrics(const Choice& c, const harness::Measurement& row) const override {
    const double rate = p.pairs() / row.host().value;
    std::vector<harness::Metric> all = {{"throughput", 1e-9 * rate, "Gpair/s", Better::higher}};
    const double ceiling = has_ceiling(entry_of(c)) ? double(p.ranks) * exponential_ceiling() : 0;
    if (ceiling > 0) all.push_back({"ceiling_share", rate / ceiling, "1", Better::higher});
    return all;
  }
  std::vector<std::unique_ptr<harness::Trial>> trials(const std::vector<Choice>& choices,
                                                      const harness::Note& note) const override {
    if (note) note("random samples and reference");
    return harness::trials_over<Data, DensityTrial>(p, choices);
  }

 private:
  bool knows_ranks() const override { return true; }
  std::optional<std::string> refuse(const Choice& c) const override {
    const Entry& e = entry_of(c);
    if (const auto reason = why_no_sharing(p, e)) return reason;
    if (!knows_mechanism(e, c.mechanism)) return "it has no " + c.mechanism_name;
    // A GPU needs one second for 1e12 pairs, two cores of a host more than a minute.
    const double most = (e.on_device() ? 5e12 : 5e11) * double(p.ranks);
    if (e.direct && p.pairs() > most)
      return fmt::format("a direct sum of {:.1e} pairs takes too long here; the transform does not",
                         p.pairs());
    // The original work's sweep waited 22 minutes for its largest cell.
    if (e.has_block_width() && !c.tuning.empty() && c.tuning[0] < 32 && p.n > 1024000)
      return "blocks below 32 threads are measured to n = 1024000 only, the original work's largest";
    return e.refuse(p, c.tuning);
  }
  bool has_ceiling(const Entry& e) const {
    return e.on_device() && p.precision == Precision::f32 && e.direct;
  }
};

}  // namespace

const KdeStudy& study() {
  static const KdeStudy study = [] {
    harness::Study::About about{
        "kde", "f(x_i) = 1/(n h sqrt(2 pi)) sum_j exp(-(x_i - x_j)^2 / (2 h^2)) at all n samples",
        "Compare variants of Gaussian kernel-density estimation at all samples (verified)",
        "'kokkos-*' cuda-register-tile/8 'cuda-split-*/*'"};
    about.notes =
        "throughput: n^2 / time, whatever a variant computes\n"
        "ceiling_share: share of one exponential a pair at the special-function units' rate (float, GPU)\n"
        "prepared_time: of a run that reuses what it made of the samples; time has all that a new data set "
        "needs";
    about.mechanisms = {{"stream", "every kernel launched on its own"},
                        {"graph", "captured graph of all kernels"},
                        {"kokkos-graph", "Kokkos graph of all kernels"}};
    about.knows = [](const harness::Entry& e, std::size_t mechanism) {
      return knows_mechanism(static_cast<const Entry&>(e), mechanism);
    };
    return KdeStudy(about, parameter_list, registry, [](const Problem& p) -> std::unique_ptr<harness::Task> {
      return std::make_unique<KdeTask>(p);
    });
  }();
  return study;
}

const Entry& entry_of(const Choice& c) { return static_cast<const Entry&>(*c.entry); }

}  // namespace parity::kde
