// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/costs.hpp"

#include <algorithm>
#include <cctype>

#include "runtime/text.hpp"

namespace parity::analysis {
namespace {

using harness::Measurement;

/// The interval for the next process if there are several; for one process, that of its median.
Figure figure_of(const Measurement& m) {
  const harness::Estimate e = m.host();
  if (e.interval) return {e.value, std::max(0.0, e.interval->low), e.interval->high};
  std::vector<double> samples;
  for (const auto& block : m.host_seconds) samples.insert(samples.end(), block.begin(), block.end());
  const harness::Summary s = harness::summarise(samples);
  return {e.value, std::min(e.value, s.low), std::max(e.value, s.high)};
}

class Quantities {
 public:
  void add(const Measurement& m) { rows_.push_back(&m); }
  Figure smallest(const std::string& variant, const std::string& quantity, double least_blocks = 0) {
    const auto size = [](const Measurement& m) {
      return m.number("blocks") * m.number("threads") + m.number("argument_bytes");
    };
    const Measurement* found = nullptr;
    for (const Measurement* m : rows_)
      if (matches(*m, variant, quantity) && m->number("blocks") >= least_blocks &&
          (!found || size(*m) < size(*found)))
        found = m;
    return found ? figure_of(*found) : Figure();
  }
  FigureCurve curve(const std::string& variant, const std::string& quantity, const char* axis) {
    FigureCurve c;
    for (const Measurement* m : rows_)
      if (matches(*m, variant, quantity) && m->word("topology") == "line")
        c.add(m->number(axis), figure_of(*m));
    return c;
  }

 private:
  static bool matches(const Measurement& m, const std::string& variant, const std::string& quantity) {
    return m.variant == variant && m.word("quantity") == quantity;
  }
  std::vector<const Measurement*> rows_;
};

FigureCurve sum(const std::vector<FigureCurve>& parts) {
  FigureCurve all;
  for (const auto& [x, y] : parts.front().points()) {
    Figure s;
    for (const FigureCurve& part : parts) {
      if (part.empty()) return {};
      const Figure f = part.at(x);
      s = {s.value + f.value, s.low + f.low, s.high + f.high};
    }
    all.add(x, s);
  }
  return all;
}

FamilyCosts family_of(Quantities& q, const std::string& launcher, const std::string& graph) {
  FamilyCosts c;
  c.launch = q.smallest(launcher, "null-overhead");
  c.interval = q.smallest(launcher, "device-interval");
  c.node = q.smallest(graph, "node");
  c.graph_repeat = q.curve(graph, "graph-repeat", "launches");
  c.graph_setup =
      sum({q.curve(graph, "graph-create", "launches"), q.curve(graph, "graph-instantiate", "launches"),
           q.curve(graph, "graph-upload", "launches")});
  return c;
}

std::map<std::string, FamilyCosts> gpu_families(Quantities& q) {
  std::map<std::string, FamilyCosts> family;
  FamilyCosts& cuda = family["cuda"] = family_of(q, "cuda-kernel", "cuda-graph");
  family["kokkos"] = family_of(q, "kokkos-kernel", "kokkos-graph");
  cuda.dependent = q.smallest("cuda-dependent", "null-overhead");
  cuda.dependent_interval = q.smallest("cuda-dependent", "device-interval");
  return family;
}

}  // namespace

std::vector<LaunchFigures> launch_figures(const std::vector<Measurement>& rows) {
  std::map<std::string, Quantities> by_device;
  for (const Measurement& m : rows)
    if (m.study == "launch" && m.comparable()) by_device[m.run.device].add(m);
  std::vector<LaunchFigures> all;
  for (auto& [device, q] : by_device) {
    all.push_back({device, gpu_families(q)});
    all.back().family["cuda"].barrier = q.smallest("cuda-barrier-grid", "barrier", 100);
    all.back().family["openmp"] = family_of(q, "openmp-kernel", "");
  }
  return all;
}

std::string plain_device_name(const std::string& name) {
  std::string word, plain;
  for (const char c : runtime::lowered(name) + " ") {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      word += c;
      continue;
    }
    const bool mark = word == "nvidia" || word == "tesla" || word == "r" || word == "tm" || word == "amd" ||
                      word == "intel" || word == "cpu" || word == "processor";
    if (!word.empty() && !mark) plain += (plain.empty() ? "" : " ") + word;
    word.clear();
  }
  return plain;
}

}  // namespace parity::analysis
