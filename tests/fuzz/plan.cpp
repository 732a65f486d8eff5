// SPDX-License-Identifier: BSD-3-Clause
// Plans of two small studies that have every kind of parameter, with mechanisms and tunings.
#include "harness/plan.hpp"

#include "fuzz.hpp"

namespace parity::fuzz {
namespace {

using harness::Choice;
using harness::Entry;

struct Problem {
  runtime::Precision precision = runtime::Precision::f32;
  std::int64_t nx = 16, ny = 16, order = 4;
  double alpha = 0.1;
  std::string shape = "flat";
};

std::vector<Entry> variants() {
  const auto entry = [](const char* name, harness::Family family, std::vector<std::string> tunings) {
    Entry e;
    e.name = name;
    e.family = family;
    e.tunings = std::move(tunings);
    e.tuning_axes = "rows x columns";
    return e;
  };
  return {entry("kokkos-fused", harness::Family::kokkos, {"1x2", "4x32"}),
          entry("openmp-fused", harness::Family::openmp, {}),
          entry("reference-loop", harness::Family::reference, {})};
}

/// Nothing is measured: only what plans ask of a study is more than a stub.
class Study : public harness::StudyOf<Problem, Entry> {
 public:
  explicit Study(const char* name) : name_(name) {}
  std::string name() const override { return name_; }
  std::string summary() const override { return ""; }
  std::string command_help() const override { return ""; }
  std::string example_variants() const override { return ""; }
  std::vector<harness::Term> mechanisms() const override {
    if (name_ == "second") return {};
    return {{"stream", "plain"}, {"graph", "a graph"}};
  }
  bool knows(const Entry& e, std::size_t mechanism) const override {
    return mechanism == 0 || e.family == harness::Family::kokkos;
  }
  const std::vector<Entry>& registry() const override {
    static const std::vector<Entry> all = variants();
    return all;
  }
  const harness::ParametersOf<Problem>& list() const override {
    static const auto list = [] {
      harness::Parameter order{"order", "Order", "", 2, 8};
      order.allowed = {2, 4, 8};
      harness::Parameter alpha{"alpha", "Strength", "", 0, 1};
      alpha.above_least = true;
      return harness::ParametersOf<Problem>()
          .add(&Problem::precision, {"precision", "float or double", "", 0, 0, {"float", "double"}})
          .add(&Problem::nx, {"nx", "Points along x", "points", 1, 1 << 20})
          .add(&Problem::ny, {"ny", "Points along y", "points", 1, 1 << 20})
          .add(&Problem::order, order)
          .add(&Problem::alpha, alpha)
          .add(&Problem::shape, {"shape", "A word", "", 0, 0, {"flat", "round"}})
          .join("size", {"nx", "ny"});
    }();
    return list;
  }
  std::string describe(const Problem& p) const override { return p.shape; }
  runtime::MemoryNeed need(const Problem&, const Choice&) const override { return {}; }
  double data_bytes(const Problem&) const override { return 0; }
  std::string memory_fix() const override { return ""; }
  double seconds(const Problem&, const Choice&) const override { return 0; }
  harness::CostModel model(const Problem&, const Choice&) const override { return {}; }
  std::vector<harness::Metric> metrics(const Problem&, const Choice&,
                                       const harness::Measurement&) const override {
    return {};
  }
  std::vector<std::unique_ptr<harness::Trial>> trials(const Problem&, const std::vector<Choice>&,
                                                      const harness::Note&) const override {
    return {};
  }

 private:
  std::string name_;
};

}  // namespace
}  // namespace parity::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace parity;
  static const fuzz::Study first("first"), second("second");
  const harness::Studies studies = {&first, &second};
  const std::string input = fuzz::input_file("plan.toml", data, size);
  fuzz::taken([&] {
    const harness::Plan plan = harness::read_plan(studies, input);
    fuzz::require(!plan.cases.empty(), "a plan without problems is taken");
    for (const harness::Case& c : plan.cases) {
      fuzz::require(!c.choices.empty(), "a problem without variants is taken");
      fuzz::require(c.task->values().size() == first.parameters().size(), "a problem lacks parameters");
    }
  });
  fuzz::taken([&] { harness::read_tunings(studies, input); });
  return 0;
}
