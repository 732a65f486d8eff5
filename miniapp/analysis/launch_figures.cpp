// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/launch_figures.hpp"

#include <algorithm>
#include <cctype>

#include "runtime/error.hpp"

namespace parity::analysis {
namespace {

using harness::Measurement;

/// Of several starts the interval of the next one; of one start that of its median, which is all it has.
Figure figure_of(const Measurement& m) {
  const harness::Estimate e = m.host();
  if (e.interval) return {e.value, std::max(0.0, e.interval->low), e.interval->high};
  std::vector<double> samples;
  for (const auto& block : m.host_seconds) samples.insert(samples.end(), block.begin(), block.end());
  const harness::Summary s = harness::summarise(samples);
  return {e.value, std::min(e.value, s.low), std::max(e.value, s.high)};
}

struct Rows {
  std::vector<const Measurement*> all;

  /// Of the smallest launch.
  Figure smallest(const std::string& variant, const std::string& quantity, double least_blocks = 0) const {
    const Measurement* least = nullptr;
    const auto size = [](const Measurement& m) {
      return m.number("blocks") * m.number("threads") + m.number("argument_bytes");
    };
    for (const Measurement* m : all)
      if (m->variant == variant && m->word("quantity") == quantity && m->number("blocks") >= least_blocks &&
          (!least || size(*m) < size(*least)))
        least = m;
    return least ? figure_of(*least) : Figure();
  }
  FigureBy by_nodes(const std::string& variant, const std::string& quantity) const {
    FigureBy curve;
    for (const Measurement* m : all)
      if (m->variant == variant && m->word("quantity") == quantity && m->word("topology") == "line")
        curve[m->number("launches")] = figure_of(*m);
    return curve;
  }
};

FigureBy sum(const std::vector<FigureBy>& parts) {
  FigureBy all;
  for (const auto& [x, y] : parts.front()) {
    Figure s;
    for (const FigureBy& part : parts) {
      if (part.empty()) return {};
      const Figure f = at(part, x);
      s = {s.value + f.value, s.low + f.low, s.high + f.high};
    }
    all[x] = s;
  }
  return all;
}

FamilyFigures family_of(const Rows& rows, const std::string& launcher, const std::string& graph) {
  FamilyFigures f;
  f.launch = rows.smallest(launcher, "null-overhead");
  f.interval = rows.smallest(launcher, "device-interval");
  f.latency = rows.smallest(launcher, "latency");
  f.graph_repeat = rows.by_nodes(graph, "graph-repeat");
  f.graph_setup = sum({rows.by_nodes(graph, "graph-create"), rows.by_nodes(graph, "graph-instantiate"),
                       rows.by_nodes(graph, "graph-upload")});
  return f;
}

}  // namespace

Figure at(const FigureBy& curve, double x) {
  if (curve.empty()) return {};
  const auto above = curve.lower_bound(x);
  if (above == curve.begin() || curve.size() == 1) return curve.begin()->second;
  auto b = above, a = std::prev(above);
  if (above == curve.end()) b = a--;
  const double part = (x - a->first) / (b->first - a->first);
  const auto between = [part](double from, double to) { return from + part * (to - from); };
  return {between(a->second.value, b->second.value), between(a->second.low, b->second.low),
          between(a->second.high, b->second.high)};
}

std::vector<LaunchFigures> launch_figures(const harness::Records& records) {
  std::vector<LaunchFigures> all;
  std::map<std::string, Rows> by_device;
  for (const Measurement& m : records.measurements)
    if (m.study == "launch" && m.comparable()) by_device[m.run.device].all.push_back(&m);
  for (const auto& [device, rows] : by_device) {
    LaunchFigures f;
    f.device = device;
    f.family["cuda"] = family_of(rows, "cuda-kernel", "cuda-graph");
    f.family["cuda"].dependent = rows.smallest("cuda-dependent", "null-overhead");
    f.family["cuda"].dependent_interval = rows.smallest("cuda-dependent", "device-interval");
    f.family["cuda"].barrier = rows.smallest("cuda-barrier-grid", "barrier", 100);
    f.family["kokkos"] = family_of(rows, "kokkos-kernel", "kokkos-graph");
    f.family["openmp"] = family_of(rows, "openmp-kernel", "");
    f.gpu = f.family["cuda"].launch.known();
    all.push_back(f);
  }
  if (all.empty())
    throw runtime::UsageError(
        "the files hold no quantities of launches: measure jobs/plans/launch_model.toml on that machine and "
        "give "
        "its records");
  return all;
}

std::string plain_device_name(const std::string& name) {
  std::string word, plain;
  for (const char c : name + " ") {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      word += char(std::tolower(static_cast<unsigned char>(c)));
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
