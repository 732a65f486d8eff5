// SPDX-License-Identifier: BSD-3-Clause
#include "study.hpp"

#include <fmt/format.h>

#include <cmath>

namespace parity::triad {

#define PARITY_TABLE "variants.def"
#include "harness/registry.inc"

namespace {

using harness::Better;
using harness::Choice;

double b_of(std::int64_t i) { return double(i % 1024) / 1024; }
double c_of(std::int64_t i) { return double(i % 31) - 15; }

template <class T>
struct Data {
  explicit Data(const Problem& p) : problem(p), a(std::size_t(p.n)), b(a.size()), c(a.size()) {
    for (std::int64_t i = 0; i < p.n; ++i) b[std::size_t(i)] = T(b_of(i)), c[std::size_t(i)] = T(c_of(i));
  }
  /// Against the same values in long double.
  harness::Verdict check() {
    harness::Verdict v{0, 4 * double(std::numeric_limits<T>::epsilon()), "long double"};
    for (std::int64_t i = 0; i < problem.n; ++i) {
      const long double exact = b_of(i) + (long double)(T(problem.scalar)) * c_of(i);
      const double error = double(std::fabs(a[std::size_t(i)] - exact)) / 16;
      if (!(error <= v.error)) v.error = std::isnan(error) ? INFINITY : error;
    }
    std::fill(a.begin(), a.end(), std::numeric_limits<T>::quiet_NaN());
    return v;
  }
  Problem problem;
  std::vector<T> a, b, c;
};

template <class T>
class TriadTrial : public harness::ExecutionTrial {
 public:
  TriadTrial(std::shared_ptr<Data<T>> data, const Choice& c) : data_(std::move(data)), choice_(c) {}

 private:
  harness::Execution& make() override {
    variant_ = static_cast<const Entry&>(*choice_.entry).make<T>(data_->problem, choice_.tuning);
    return *variant_;
  }
  void load() override { variant_->load(data_->b.data(), data_->c.data()); }
  void store() override { variant_->store(data_->a.data()); }
  harness::Verdict check() override { return data_->check(); }

  std::shared_ptr<Data<T>> data_;
  Choice choice_;
  std::unique_ptr<Variant<T>> variant_;
};

const harness::ParametersOf<Problem>& parameter_list() {
  static const auto list =
      harness::ParametersOf<Problem>()
          .add(&Problem::precision, {"precision", "float or double", "", 0, 0, {"float", "double"}})
          .add(&Problem::n, {"n", "Values of each array", "values", 1, 1e10})
          .add(&Problem::scalar, {"scalar", "The factor s", "", -1, 1});
  return list;
}

class TriadTask : public harness::TaskOf<Problem> {
 public:
  explicit TriadTask(const Problem& problem) : TaskOf("triad", parameter_list(), problem) {}
  std::string text() const override {
    return fmt::format("n={} s={} {}", p.n, p.scalar, runtime::name(p.precision));
  }
  runtime::MemoryNeed need(const Choice& c) const override {
    const double bytes = 3 * double(p.n) * double(bytes_of(p.precision));
    return c.entry->on_device() ? runtime::MemoryNeed{0, bytes} : runtime::MemoryNeed{bytes, 0};
  }
  double data_bytes() const override { return 3 * double(p.n) * double(bytes_of(p.precision)); }
  std::string memory_fix() const override { return "reduce n"; }
  double seconds(const Choice&) const override { return double(p.n) * 1e-9; }
  harness::CostModel model(const Choice&) const override {
    harness::CostModel m;
    m.launches = m.submissions = 1;
    m.bytes = 3 * double(p.n) * double(bytes_of(p.precision));
    m.flops = 2 * double(p.n);
    return m;
  }
  std::vector<harness::Metric> metrics(const Choice&, const harness::Measurement& row) const override {
    return {{"bandwidth", 1e-9 * row.model.bytes / row.host().value, "GB/s", Better::higher}};
  }
  std::vector<std::unique_ptr<harness::Trial>> trials(const std::vector<Choice>& choices,
                                                      const harness::Note&) const override {
    return harness::trials_over<Data, TriadTrial>(p, choices);
  }
};

}  // namespace

const harness::StudyOf<Problem, Entry>& study() {
  static const harness::StudyOf<Problem, Entry> study(
      {"triad", "a = b + s c over n values", "Compare variants of the triad a = b + s c (verified)",
       "'kokkos-*' openmp-triad"},
      parameter_list, registry,
      [](const Problem& p) -> std::unique_ptr<harness::Task> { return std::make_unique<TriadTask>(p); });
  return study;
}

}  // namespace parity::triad
