// SPDX-License-Identifier: BSD-3-Clause
#include "roofs/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace parity::roofs {

#define PARITY_TABLE "roofs/algorithms.def"
#include "harness/registry.inc"

namespace {

using harness::Better;
using harness::Choice;

struct Named {
  Kind kind;
  const char *word, *meaning;
};
constexpr Named kinds[] = {
    {Kind::read, "read", "one array is added up"},
    {Kind::copy, "copy", "b = a"},
    {Kind::triad, "triad", "c = a + t b"},
    {Kind::multiply_add, "multiply-add",
     "sixteen multiply-adds of each value, independent of its neighbours"},
    {Kind::exponential, "exponential", "the library's exp of each value"},
    {Kind::dependent, "dependent", "multiply-adds of one value, each waiting for the one before"},
};

bool moves(Kind kind) { return kind == Kind::read || kind == Kind::copy || kind == Kind::triad; }
double operations(const Problem& p) { return double(p.values()) * double(p.passes()); }

// Small whole numbers, so that every result but an exponential is exact.
double a_of(std::int64_t i) { return double(i % 4); }
double b_of(std::int64_t i) { return double(i % 8); }

template <class T>
struct Data {
  explicit Data(const Problem& p) : problem(p), a(std::size_t(p.values())), b(a.size()) {
    for (std::size_t i = 0; i < a.size(); ++i)
      a[i] = T(a_of(std::int64_t(i))), b[i] = T(b_of(std::int64_t(i)));
  }
  double expected(std::int64_t i) const {
    switch (problem.kind()) {
      case Kind::copy:
        return a_of(i);
      case Kind::triad:
        return a_of(i) + triad_factor * b_of(i);
      case Kind::multiply_add:
      case Kind::dependent:
        return a_of(i) + double(chain) * double(problem.passes());
      default:
        return 0.56714329040978387;  // where exp(-x) = x, after many
    }
  }
  harness::Verdict check() {
    const bool sums = problem.kind() == Kind::read, exact = problem.kind() != Kind::exponential;
    harness::Verdict v{0, exact ? 0 : 4 * double(std::numeric_limits<T>::epsilon()),
                       exact ? "exact sums of small numbers" : "where exp(-x) is x"};
    const auto note = [&v](double error) {
      if (!(error <= v.error)) v.error = std::isnan(error) ? INFINITY : error;
    };
    if (sums) {
      double sum = 0, exact_sum = 0;
      for (const T part : result) sum += double(part);
      for (const T value : a) exact_sum += double(value);
      note(std::abs(sum - exact_sum));
    } else {
      if (std::int64_t(result.size()) != problem.values()) note(INFINITY);
      for (std::size_t i = 0; i < result.size(); ++i)
        note(std::abs(double(result[i]) - expected(std::int64_t(i))));
    }
    std::fill(result.begin(), result.end(), std::numeric_limits<T>::quiet_NaN());
    return v;
  }
  Problem problem;
  std::vector<T> a, b, result;
};

template <class T>
class RoofTrial : public harness::ExecutionTrial {
 public:
  RoofTrial(std::shared_ptr<Data<T>> data, const Choice& c) : data_(std::move(data)), choice_(c) {}

 private:
  harness::Execution& make() override {
    variant_ = static_cast<const Entry&>(*choice_.entry).make<T>(data_->problem, choice_.tuning);
    return *variant_;
  }
  void load() override { variant_->load(data_->a.data(), data_->b.data()); }
  void store() override { data_->result = variant_->store(); }
  harness::Verdict check() override { return data_->check(); }

  std::shared_ptr<Data<T>> data_;
  Choice choice_;
  std::unique_ptr<Variant<T>> variant_;
};

const harness::ParametersOf<Problem>& parameter_list() {
  static const auto list = [] {
    harness::Parameter quantity{"quantity", "Quantities to measure ('parity list' explains them)", ""};
    for (const Named& k : kinds) {
      quantity.words.emplace_back(k.word), quantity.meanings.emplace_back(k.meaning);
      quantity.command_standard.emplace_back(k.word);
    }
    quantity.option = "quantities";
    return harness::ParametersOf<Problem>()
        .add(&Problem::precision, {"precision", "float or double", "", 0, 0, {"float", "double"}})
        .add(&Problem::quantity, quantity)
        .add(&Problem::bytes, {"bytes", "Bytes of all arrays together: the working set", "B", 4096,
                               double(std::int64_t(1) << 38)});
  }();
  return list;
}

class RoofTask : public harness::TaskOf<Problem> {
 public:
  explicit RoofTask(const Problem& problem) : TaskOf("roofs", parameter_list(), problem) {}
  std::string text() const override {
    return fmt::format("{} {:.0f} KiB {}", p.quantity, double(p.bytes) / 1024, runtime::name(p.precision));
  }
  runtime::MemoryNeed need(const Choice& c) const override {
    return c.entry->on_device() ? runtime::MemoryNeed{0, double(p.bytes)}
                                : runtime::MemoryNeed{double(p.bytes), 0};
  }
  double data_bytes() const override {
    return 3 * double(p.values()) * double(harness::bytes_of(p.precision));
  }
  std::string memory_fix() const override { return "reduce bytes"; }
  double seconds(const Choice&) const override { return operations(p) * (moves(p.kind()) ? 1e-9 : 3e-9); }
  harness::CostModel model(const Choice&) const override {
    harness::CostModel m;
    m.launches = m.submissions = 1;
    const double count = operations(p), word = double(harness::bytes_of(p.precision));
    switch (p.kind()) {
      case Kind::multiply_add:
      case Kind::dependent:
        m.flops = 2.0 * chain * count;
        break;
      case Kind::exponential:
        m.exponentials = count;
        break;
      default:
        m.bytes = arrays_of(p.kind()) * word * count;
        m.flops = p.kind() == Kind::triad ? 2 * count : 0;
    }
    return m;
  }
  std::vector<harness::Metric> metrics(const Choice&, const harness::Measurement& row) const override {
    const double seconds = row.host().value;
    if (moves(p.kind())) return {{"bandwidth", 1e-9 * row.model.bytes / seconds, "GB/s", Better::higher}};
    if (p.kind() == Kind::dependent)
      return {{"latency", 1e9 * seconds / (chain * operations(p)), "ns", Better::lower}};
    const double count = p.kind() == Kind::exponential ? row.model.exponentials : row.model.flops / 2;
    return {{"rate", 1e-9 * count / seconds, "G/s", Better::higher}};
  }
  std::vector<std::unique_ptr<harness::Trial>> trials(const std::vector<Choice>& choices,
                                                      const harness::Note&) const override {
    return harness::trials_over<Data, RoofTrial>(p, choices);
  }
};

std::unique_ptr<harness::Task> make(const Problem& p) {
  Problem q = p;
  if (p.kind() == Kind::dependent) q.bytes = Problem().bytes;  // one value alone has no working set
  return std::make_unique<RoofTask>(q);
}

}  // namespace

Kind Problem::kind() const {
  for (const Named& k : kinds)
    if (quantity == k.word) return k.kind;
  throw runtime::UsageError(fmt::format("'{}' is no quantity of the roofs study", quantity));
}

std::int64_t Problem::values() const {
  if (kind() == Kind::dependent) return 1;
  return std::max<std::int64_t>(1, bytes / (arrays_of(kind()) * std::int64_t(harness::bytes_of(precision))));
}

std::int64_t Problem::passes() const {
  switch (kind()) {
    case Kind::dependent:
      return 1 << 17;
    case Kind::multiply_add:
      return std::max<std::int64_t>(1, (std::int64_t(1) << 27) / values());
    case Kind::exponential:  // enough of them, however few values there are
      return std::max<std::int64_t>(64, (std::int64_t(1) << 24) / values());
    default:
      return std::max<std::int64_t>(1, (std::int64_t(1) << 29) / bytes);
  }
}

const harness::StudyOf<Problem, Entry>& study() {
  static const harness::StudyOf<Problem, Entry> study(
      {"roofs",
       "how fast memory, caches and arithmetic are here, by working set: what 'parity explain' measures "
       "against",
       "Measure bandwidth by working set, multiply-adds, exponentials and dependent latency (verified)",
       "openmp-roofs 'kokkos-*'"},
      parameter_list, registry, make);
  return study;
}

}  // namespace parity::roofs
