// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/published.hpp"
#include "runtime/text.hpp"

namespace parity::analysis {

std::string origin_text(const harness::RunIdentity& run) {
  return fmt::format("commit {}{} on {}", run.commit.empty() ? "unknown" : "", run.commit_text(),
                     run.device.empty() ? "unknown" : run.device);
}

std::vector<Origin> by_origin(std::vector<Measurement> rows) {
  std::set<std::string> versions;
  for (const Measurement& m : rows)
    if (!m.run.kokkos.empty()) versions.insert(m.run.kokkos);
  std::vector<Origin> origins;
  for (std::size_t place = 0; place < rows.size(); ++place) {
    Measurement& m = rows[place];
    const bool says = versions.size() > 1 && !m.run.kokkos.empty();
    const std::string text = origin_text(m.run) + (says ? ", Kokkos " + m.run.kokkos : "");
    auto at =
        std::find_if(origins.begin(), origins.end(), [&text](const Origin& o) { return o.text == text; });
    if (at == origins.end()) at = origins.insert(origins.end(), {text, {}, {}});
    at->rows.push_back(std::move(m));
    at->places.push_back(place);
  }
  return origins;
}

std::vector<const Measurement*> of_latest_runs(const std::vector<Measurement>& rows,
                                               const std::function<std::string(const Measurement&)>& what) {
  std::map<std::string, std::string> latest;  // a run's name begins with its time
  std::vector<std::pair<std::string, const Measurement*>> named;
  for (const Measurement& m : rows) {
    const std::string name = what(m);
    if (name.empty()) continue;
    named.emplace_back(name, &m);
    std::string& run = latest[name];
    run = std::max(run, m.run.id);
  }
  std::vector<const Measurement*> found;
  for (const auto& [name, m] : named)
    if (m->run.id == latest.at(name)) found.push_back(m);
  return found;
}

std::vector<const Measurement*> fastest_of_latest_runs(
    const std::vector<Measurement>& rows, const std::function<std::string(const Measurement&)>& what) {
  std::map<std::string, const Measurement*> fastest;
  for (const Measurement* m : of_latest_runs(rows, what)) {
    const Measurement*& kept = fastest.emplace(what(*m), m).first->second;
    if (m->host().value < kept->host().value) kept = m;
  }
  std::vector<const Measurement*> found;
  for (const auto& [name, m] : fastest) found.push_back(m);
  return found;
}

namespace {

struct Timed {
  std::string family, kernel, mechanism, precision;
  std::int64_t nx = 0, ny = 0, nz = 0, steps = 0;
  double seconds = 0;
  const Measurement* row = nullptr;

  std::string variant() const { return kernel + (plain() ? "" : "+" + mechanism); }
  std::string grid() const { return fmt::format("{}x{}x{}", nx, ny, nz); }
  std::string problem() const { return fmt::format("{} N={} {}", grid(), steps, precision); }
  bool plain() const { return mechanism == "stream"; }
  bool baseline() const { return kernel == family + "-baseline"; }
};

Timed timed(const Measurement& m) {
  return {harness::name(m.family), m.kernel,        m.mechanism,        m.word("precision"), m.integer("nx"),
          m.integer("ny"),         m.integer("nz"), m.integer("steps"), m.host().value,      &m};
}

/// One entry per variant and problem: the fastest tuning of the latest run.
std::vector<Timed> timed(const std::vector<Measurement>& rows) {
  const auto name = [](const Timed& t) { return t.variant() + " " + t.problem(); };
  const auto what = [&name](const Measurement& m) {
    return m.study != "diffusion" || m.floor || !m.comparable() ? "" : name(timed(m));
  };
  std::vector<Timed> all;
  for (const Measurement* m : fastest_of_latest_runs(rows, what)) all.push_back(timed(*m));
  return all;
}

/// Time of a over time of b: process by process if both ran in the same processes, otherwise with the widest
/// interval that theirs allow.
Estimate factor_of(const Timed& a, const Timed& b) {
  const Estimate together = harness::time_ratio(*a.row, *b.row);
  if (together.processes > 0) return together;
  const Estimate x = a.row->host(), y = b.row->host();
  Estimate e;
  e.value = x.value / y.value;
  e.processes = std::min(x.processes, y.processes);
  e.samples = std::min(x.samples, y.samples);
  if (x.interval && y.interval && x.interval->low > 0 && y.interval->low > 0)
    e.interval = harness::Interval{x.interval->low / y.interval->high, x.interval->high / y.interval->low};
  return e;
}

bool is_above(const Estimate& e, double value) { return e.interval && e.interval->low > value; }

/// The original work's Table 4, by the kernel's name without its family.
std::string published_threshold(const Timed& t) {
  const auto* const v =
      published::of_filter(t.kernel.size() > t.family.size() ? t.kernel.substr(t.family.size() + 1) : "");
  return v ? fmt::format("{:g}", v->value) : "";
}

/// Family or variant, precision, planes and steps.
using GridSweep = std::tuple<std::string, std::string, std::int64_t, std::int64_t>;

std::vector<Threshold> thresholds(const std::vector<Timed>& all) {
  // The graph versions and each kernel, by size.
  std::map<GridSweep, std::map<std::int64_t, std::vector<Timed>>> graphs;
  std::map<GridSweep, std::map<std::string, std::map<std::int64_t, Timed>>> kernels;
  for (const Timed& t : all) {
    if (t.nx != t.ny) continue;
    const GridSweep sweep{t.family, t.precision, t.nz, t.steps};
    if (t.baseline() &&
        (runtime::ends_with(t.mechanism, "graph-two") || runtime::ends_with(t.mechanism, "graph-unrolled")))
      graphs[sweep][t.nx].push_back(t);
    else if (!t.baseline() && t.plain())
      kernels[sweep][t.kernel].emplace(t.nx, t);
  }
  std::vector<Threshold> found;
  for (const auto& [sweep, by_size] : graphs) {
    if (by_size.size() < 2) continue;  // one size is no sweep
    for (const auto& [kernel, times] : kernels[sweep]) {
      Threshold row;
      row.kernel = kernel;
      std::tie(std::ignore, row.precision, row.nz, row.steps) = sweep;
      bool faster = true, certainly = true;
      for (auto at = by_size.rbegin(); at != by_size.rend(); ++at) {
        const auto t = times.find(at->first);
        if (t == times.end()) continue;
        row.published = published_threshold(t->second);
        row.largest = std::max(row.largest, at->first);
        for (const Timed& graph : at->second) {
          const Estimate factor = factor_of(graph, t->second);
          faster = faster && factor.value > 1;
          certainly = certainly && is_above(factor, 1);
          row.has_intervals = row.has_intervals && factor.interval;
        }
        if (faster) row.from = at->first;
        if (certainly) row.certain_from = at->first;
      }
      if (row.largest > 0) found.push_back(row);
    }
  }
  return found;
}

/// For every kernel that was measured on several square grids, with and without a graph.
std::vector<GraphReach> graph_reaches(const std::vector<Timed>& all) {
  std::map<GridSweep, std::map<std::int64_t, const Timed*>> plain, captured;
  for (const Timed& t : all)
    if (t.nx == t.ny)
      (t.plain() ? plain : captured)[{t.plain() ? t.kernel : t.variant(), t.precision, t.nz, t.steps}][t.nx] =
          &t;
  std::vector<GraphReach> found;
  for (const auto& [sweep, by_size] : captured) {
    if (by_size.size() < 2) continue;  // one size is no sweep
    GraphReach row;
    std::tie(row.variant, row.precision, row.nz, row.steps) = sweep;
    const auto& streams = plain[{by_size.begin()->second->kernel, row.precision, row.nz, row.steps}];
    bool faster = true, certainly = true;
    for (const auto& [n, graph] : by_size) {
      const auto stream = streams.find(n);
      if (stream == streams.end()) continue;
      const Estimate factor = factor_of(*stream->second, *graph);
      faster = faster && factor.value > 1;
      certainly = certainly && is_above(factor, 1);
      row.has_intervals = row.has_intervals || factor.interval;
      row.largest = n;
      if (faster) row.to = n;
      if (certainly) row.certain_to = n;
    }
    if (row.largest > 0) found.push_back(row);
  }
  return found;
}

/// The baseline and its graph versions on the largest of several square grids.
std::vector<Plateau> plateaus(const std::vector<Timed>& all) {
  std::map<GridSweep, std::set<std::int64_t>> sizes;
  const auto sweep_of = [](const Timed& t) { return GridSweep{t.family, t.precision, t.nz, t.steps}; };
  for (const Timed& t : all)
    if (t.nx == t.ny && t.baseline()) sizes[sweep_of(t)].insert(t.nx);
  std::vector<Plateau> found;
  for (const Timed& t : all)
    if (t.nx == t.ny && t.baseline() && sizes[sweep_of(t)].size() > 1 && t.nx == *sizes[sweep_of(t)].rbegin())
      found.push_back({t.variant(), t.precision, t.grid(), t.steps, t.seconds / double(t.nx * t.ny * t.nz),
                       !runtime::ends_with(t.mechanism, "graph-copy")});
  return found;
}

std::vector<BreakEven> break_evens(const std::vector<Timed>& all) {
  std::map<std::string, std::map<std::int64_t, Timed>> plain, captured;
  for (const Timed& t : all)
    (t.plain() ? plain[t.kernel + " " + t.grid() + " " + t.precision]
               : captured[t.variant() + " " + t.grid() + " " + t.precision])[t.steps] = t;
  std::vector<BreakEven> found;
  for (const auto& [key, by_steps] : captured) {
    const Timed& any = by_steps.begin()->second;
    const auto& streams = plain[any.kernel + " " + any.grid() + " " + any.precision];
    BreakEven row;
    row.variant = any.variant();
    row.precision = any.precision;
    row.grid = any.grid();
    std::vector<double> capturing;
    int common = 0;
    bool stays = true, certainly = true;
    for (auto at = by_steps.rbegin(); at != by_steps.rend(); ++at) {
      const auto stream = streams.find(at->first);
      if (stream == streams.end()) continue;
      const Timed& graph = at->second;
      const double capture = graph.row->capture_seconds;
      capturing.push_back(capture);
      if (++common == 1) row.saved_per_step = (stream->second.seconds - graph.seconds) / double(at->first);
      stays = stays && graph.seconds + capture < stream->second.seconds;
      const Estimate saved = harness::time_difference(*stream->second.row, *graph.row);
      certainly = certainly && is_above(saved, capture);
      row.has_intervals = row.has_intervals && saved.interval;
      if (stays) row.measured_at = at->first;
      if (certainly) row.certain_at = at->first;
    }
    if (common < 2) continue;  // one number of steps is no sweep
    row.capture_seconds = harness::median_of(capturing);
    // A whole-run graph's capture grows with the steps: no single number of steps pays for it.
    if (row.saved_per_step > 0 && !runtime::ends_with(any.mechanism, "graph-whole"))
      row.steps = row.capture_seconds / row.saved_per_step;
    found.push_back(row);
  }
  return found;
}

/// Sort key: the value alone would choose the luckiest of those with wide intervals.
std::pair<bool, double> certain(const Estimate& factor) {
  return {factor.interval.has_value(), factor.interval ? factor.interval->low : factor.value};
}

std::vector<SpeedUp> speed_ups(const std::vector<Timed>& all) {
  std::map<std::string, std::vector<const Timed*>> baselines;
  for (const Timed& t : all)
    if (t.baseline() && t.plain()) baselines[t.problem()].push_back(&t);
  std::map<std::string, SpeedUp> best;
  for (const Timed& t : all)
    for (const Timed* base : baselines[t.problem()]) {
      // Each family over its own baseline, and over the original work's, in CuPy.
      if (base->family != t.family && base->family != "cupy") continue;
      SpeedUp& s = best[t.family + " over " + base->kernel + " " + t.precision];
      const Estimate factor = factor_of(*base, t);
      if (certain(factor) > certain(s.factor)) s = {t.variant(), base->kernel, t.problem(), factor};
    }
  std::vector<SpeedUp> found;
  for (auto& [key, s] : best) found.push_back(std::move(s));
  return found;
}

}  // namespace

DiffusionFindings diffusion_findings(const std::vector<Measurement>& rows) {
  const std::vector<Timed> all = timed(rows);
  return {thresholds(all), break_evens(all), speed_ups(all), graph_reaches(all), plateaus(all)};
}

namespace {

/// Extrapolates larger sizes of a width that were not measured from its largest one.
void extrapolate(WidthTable& t) {
  for (const int width : t.widths) {
    std::int64_t largest = 0;
    for (const std::int64_t n : t.sizes)
      if (t.cells.count({n, width})) largest = n;
    for (const std::int64_t n : t.sizes) {
      if (n <= largest || largest == 0) continue;
      const double factor = double(n) / double(largest);
      t.cells[{n, width}] = {t.cells.at({largest, width}).seconds * factor * factor, true};
    }
  }
}

}  // namespace

std::optional<Cell> WidthTable::at(std::int64_t n, int width) const {
  const auto cell = cells.find({n, width});
  return cell == cells.end() ? std::nullopt : std::optional<Cell>(cell->second);
}

std::optional<Cell> WidthTable::speed_up(std::int64_t n, int width) const {
  const auto narrow = at(n, widths.front()), cell = at(n, width);
  if (!narrow || !cell) return std::nullopt;
  return Cell{narrow->seconds / cell->seconds, narrow->extrapolated || cell->extrapolated};
}

std::optional<Cell> WidthTable::efficiency(std::int64_t n, int width) const {
  auto cell = speed_up(n, width);
  if (cell) cell->seconds /= width;
  return cell;
}

WidthTable published_widths() {
  WidthTable t;
  t.widths.assign(std::begin(published::widths), std::end(published::widths));
  for (const auto& row : published::density_seconds) {
    const std::int64_t n = std::int64_t(4000) << t.sizes.size();
    t.sizes.push_back(n);
    for (std::size_t w = 0; w < t.widths.size(); ++w) t.cells[{n, t.widths[w]}] = {row[w], false};
  }
  return t;
}

std::vector<WidthTable> width_tables(const std::vector<Measurement>& rows) {
  std::map<std::pair<std::string, std::string>, WidthTable> tables;
  const auto what = [](const Measurement& m) {
    const bool is_cell = m.study == "kde" && m.tuning_axes == "block width" && m.comparable();
    return is_cell ? key(m) : std::string();
  };
  for (const Measurement* const row : of_latest_runs(rows, what)) {
    const Measurement& m = *row;
    const auto width = harness::parse_tuning(m.tuning);
    if (!width) continue;
    const std::string problem =
        fmt::format("{} h={} {}", m.word("precision"), m.number("bandwidth"), m.word("distribution"));
    WidthTable& t = tables[{m.variant, problem}];
    t.variant = m.variant;
    t.problem = problem;
    // Uses the device's clock if there is one: the original work timed the kernel.
    const Estimate time = m.device_seconds.empty() ? m.host() : m.device();
    t.cells[{m.integer("n"), width->values.front()}] = {time.value, false};
    t.occupancy[width->values.front()] = m.metric("occupancy");
  }
  std::vector<WidthTable> found;
  for (auto& [key, t] : tables) {
    std::set<std::int64_t> sizes;
    std::set<int> widths;
    for (const auto& [at, cell] : t.cells) {
      sizes.insert(at.first);
      widths.insert(at.second);
    }
    if (widths.size() < 2) continue;
    t.sizes.assign(sizes.begin(), sizes.end());
    t.widths.assign(widths.begin(), widths.end());
    extrapolate(t);
    found.push_back(std::move(t));
  }
  return found;
}

}  // namespace parity::analysis
