// SPDX-License-Identifier: BSD-3-Clause
#include "study.hpp"

#include <fmt/format.h>

#include <cmath>

#include "harness/shared_data.hpp"

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
std::unique_ptr<harness::Trial> trial(const std::shared_ptr<Data<T>>& data, const Choice& c) {
  harness::StepsOf<Variant<T>> steps;
  steps.make = [data, c] { return static_cast<const Entry&>(*c.entry).make<T>(data->problem, c.tuning); };
  steps.load = [data](Variant<T>& v) { v.load(data->b.data(), data->c.data()); };
  steps.store = [data](Variant<T>& v) { v.store(data->a.data()); };
  steps.check = [data] { return data->check(); };
  return harness::execution_trial(std::move(steps));
}

class Study : public harness::StudyOf<Problem, Entry> {
 public:
  std::string name() const override { return "triad"; }
  std::string summary() const override { return "a = b + s c over n values"; }
  std::string command_help() const override { return "Compare variants of the triad a = b + s c (verified)"; }
  std::string example_variants() const override { return "'kokkos-*' openmp-triad"; }
  const std::vector<Entry>& registry() const override { return triad::registry(); }
  const harness::ParametersOf<Problem>& list() const override {
    static const auto list =
        harness::ParametersOf<Problem>()
            .add(&Problem::precision, {"precision", "float or double", "", 0, 0, {"float", "double"}})
            .add(&Problem::n, {"n", "Values of each array", "values", 1, 1e10})
            .add(&Problem::scalar, {"scalar", "The factor s", "", -1, 1});
    return list;
  }
  std::string describe(const Problem& p) const override {
    return fmt::format("n={} s={} {}", p.n, p.scalar, name_of(p));
  }
  runtime::MemoryNeed need(const Problem& p, const Choice& c) const override {
    const double bytes = 3 * double(p.n) * double(bytes_of(p.precision));
    return c.entry->on_device() ? runtime::MemoryNeed{0, bytes} : runtime::MemoryNeed{bytes, 0};
  }
  double data_bytes(const Problem& p) const override {
    return 3 * double(p.n) * double(bytes_of(p.precision));
  }
  std::string memory_fix() const override { return "reduce n"; }
  double seconds(const Problem& p, const Choice&) const override { return double(p.n) * 1e-9; }
  harness::CostModel model(const Problem& p, const Choice&) const override {
    harness::CostModel m;
    m.launches = m.submissions = 1;
    m.bytes = 3 * double(p.n) * double(bytes_of(p.precision));
    m.flops = 2 * double(p.n);
    return m;
  }
  std::vector<harness::Metric> metrics(const Problem&, const Choice&,
                                       const harness::Measurement& row) const override {
    return {{"bandwidth", 1e-9 * row.model.bytes / row.host().value, "GB/s", Better::higher}};
  }
  std::vector<std::unique_ptr<harness::Trial>> trials(const Problem& p, const std::vector<Choice>& choices,
                                                      const harness::Note&) const override {
    return harness::trials_over<Data>(p, choices,
                                      [](const auto& data, const Choice& c) { return trial(data, c); });
  }

 private:
  static const char* name_of(const Problem& p) { return runtime::name(p.precision); }
};

}  // namespace

const harness::StudyOf<Problem, Entry>& study() {
  static const Study study;
  return study;
}

}  // namespace parity::triad
