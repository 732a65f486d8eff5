// SPDX-License-Identifier: BSD-3-Clause
#include "commands/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "analysis/kde_findings.hpp"
#include "analysis/origins.hpp"

namespace parity::commands {
namespace {

using harness::Measurement;
using Json = nlohmann::json;

/// A parameter that rows are drawn over.
struct Axis {
  std::string name, label, title, unit;
  std::vector<std::string> left_out;  ///< of the title: the parameter and those that follow it
};

std::vector<Axis> axes_of(const Measurement& m) {
  if (m.study == "diffusion")
    return {{"nx", "nx = ny", "over the grid size", "\u00b5s a grid point", {"nx", "ny"}},
            {"steps", "steps", "over the number of steps", "\u00b5s a step", {"steps"}}};
  if (m.study == "kde") return {{"n", "samples", "over the number of samples", "\u00b5s a density", {"n"}}};
  std::vector<Axis> axes;
  for (const auto& [name, value] : m.problem)
    if (const auto* number = std::get_if<std::int64_t>(&value); number && *number > 0)
      axes.push_back({name, name, "over " + name, "\u00b5s", {name}});
  return axes;
}

/// What a row's time is divided by.
double share_of(const Axis& axis, const Measurement& m) {
  if (m.study != "diffusion") return 1;
  return axis.name == "nx" ? m.number("nx") * m.number("ny") * m.number("nz") : m.number("steps");
}

/// [x, value, low, high], both ends null without an interval.
Json point(double x, const harness::Estimate& e, double factor = 1e6, double more = 0) {
  const auto scaled = [&](double value) { return factor * (value + more); };
  return {x, scaled(e.value), e.interval ? Json(scaled(e.interval->low)) : Json(),
          e.interval ? Json(scaled(e.interval->high)) : Json()};
}

Json panel(const std::string& title, const std::string& x, const std::string& y, Json lines) {
  return {{"title", title}, {"x", x}, {"y", y}, {"lines", std::move(lines)}};
}

/// Rows of problems that differ in one parameter alone.
struct Swept {
  Axis axis;
  std::string title;
  std::map<std::int64_t, std::vector<const Measurement*>> rows;  ///< by the parameter
};

Json figure_of(const Swept& swept) {
  std::map<std::pair<std::string, std::string>, std::pair<Json, Json>> lines;  // by family and variant
  bool captured = false;
  for (const auto& [x, rows] : swept.rows)
    for (const Measurement* m : rows) {
      auto& [plain, whole] = lines[{harness::name(m->family), m->variant}];
      const double factor = 1e6 / share_of(swept.axis, *m);
      plain.push_back(point(double(x), m->host(), factor));
      whole.push_back(point(double(x), m->host(), factor, m->capture_seconds));
      captured = captured || m->capture_seconds > 0;
    }
  Json plain = Json::array(), whole = Json::array();
  for (auto& [name, points] : lines) {
    Json line = {{"label", name.second},
                 {"family", name.first},
                 {"dashed", name.second.find('+') != std::string::npos}};
    line["points"] = std::move(points.first);
    plain.push_back(line);
    line["points"] = std::move(points.second);
    whole.push_back(std::move(line));
  }
  Json panels = {panel("kernels", swept.axis.label, swept.axis.unit, std::move(plain))};
  if (captured) panels.push_back(panel("kernels and capture", swept.axis.label, "", std::move(whole)));
  return {{"title", swept.title}, {"panels", std::move(panels)}};
}

/// Figures over a parameter of which at least three values were measured.
void add_sweeps(Json& figures, const std::vector<Measurement>& rows) {
  const auto what = [](const Measurement& m) {
    return m.comparable() && m.study != "launch" ? m.study + "/" + m.variant + " " + m.problem_text()
                                                 : std::string();
  };
  std::vector<Swept> found;
  std::map<std::string, std::size_t> places;
  for (const Measurement* m : analysis::fastest_of_latest_runs(rows, what))
    for (const Axis& axis : axes_of(*m)) {
      if (axis.name == "nx" && m->study == "diffusion" && m->integer("nx") != m->integer("ny")) continue;
      harness::Values others = m->problem;
      for (const std::string& name : axis.left_out) others.erase(name);
      const auto [at, is_new] = places.emplace(m->study + axis.name + harness::text_of(others), found.size());
      if (is_new)
        found.push_back(
            {axis,
             fmt::format("{} {}, {}", title_of(m->study), axis.title, problem_words(*m, axis.left_out)),
             {}});
      found[at->second].rows[m->integer(axis.name)].push_back(m);
    }
  for (const Swept& swept : found)
    if (swept.rows.size() > 2) figures.push_back(figure_of(swept));
}

/// DeRosa's Figures 1 to 3.
void add_widths(Json& figures, const std::vector<Measurement>& rows) {
  for (const analysis::WidthTable& t : analysis::width_tables(rows)) {
    if (t.widths.size() < 5) continue;
    std::map<int, Json> times;
    std::map<std::int64_t, std::pair<Json, Json>> others;
    for (const std::int64_t n : t.sizes)
      for (const int width : t.widths) {
        const auto cell = t.at(n, width), speed_up = t.speed_up(n, width),
                   efficiency = t.efficiency(n, width);
        if (!cell || cell->extrapolated) continue;
        times[width].push_back({n, cell->seconds, nullptr, nullptr});
        if (!speed_up || speed_up->extrapolated) continue;
        others[n].first.push_back({width, speed_up->seconds, nullptr, nullptr});
        others[n].second.push_back({width, efficiency->seconds, nullptr, nullptr});
      }
    Json lines[3] = {Json::array(), Json::array(), Json::array()};
    for (auto& [width, points] : times)
      lines[0].push_back({{"label", fmt::format("width {}", width)}, {"points", std::move(points)}});
    for (auto& [n, points] : others) {
      lines[1].push_back({{"label", fmt::format("n = {}", n)}, {"points", std::move(points.first)}});
      lines[2].push_back({{"label", fmt::format("n = {}", n)}, {"points", std::move(points.second)}});
    }
    figures.push_back({{"title", t.variant + " by block width"},
                       {"panels",
                        {panel("time", "samples", "seconds", std::move(lines[0])),
                         panel("speed-up", "block width", "over the narrowest", std::move(lines[1])),
                         panel("efficiency", "block width", "speed-up / width", std::move(lines[2]))}}});
  }
}

/// Figures 2 to 4 of Zhang, Wahib and Matsuoka: rows of launch functions.
void add_functions(Json& figures, const analysis::LaunchFindings& found) {
  const std::pair<const char*, std::vector<std::string>> drawn[] = {
      {"Figure 2: null kernels", {"null-overhead", "dispatch"}},
      {"Figure 3: wait units", {"fusion-overhead", "dispatch"}},
      {"Figure 4: parts of one launch", {"dispatch", "fusion-overhead", "other-overhead", "total-overhead"}}};
  Json panels = Json::array();
  for (const auto& [title, quantities] : drawn) {
    Json rows = Json::array();
    for (const analysis::LaunchFunction& f : found.functions) {
      if (f.unit != "spin" || !f.rows.count("fusion-overhead")) continue;
      Json marks = Json::array();
      for (const std::string& quantity : quantities)
        if (const auto row = f.rows.find(quantity); row != f.rows.end())
          marks.push_back({{"label", quantity}, {"point", point(0, row->second->host())}});
      rows.push_back({{"name", f.variant}, {"marks", std::move(marks)}});
    }
    if (!rows.empty()) panels.push_back({{"title", title}, {"x", "\u00b5s"}, {"rows", std::move(rows)}});
  }
  if (!panels.empty())
    figures.push_back(
        {{"title", "Figures 2 to 4 of Zhang, Wahib and Matsuoka"}, {"panels", std::move(panels)}});
}

/// A panel a quantity; a line where there are at least three values.
void add_launch_sweeps(Json& figures, const analysis::LaunchFindings& found) {
  for (const analysis::SweepsOver& over : found.sweeps) {
    std::map<std::string, Json> panels;
    for (const analysis::Sweep& s : over.sweeps) {
      std::map<std::string, std::pair<const Measurement*, Json>> columns;
      for (const auto& [x, rows] : s.rows)
        for (const auto& [column, row] : rows) {
          auto& [first, points] = columns[column];
          if (!first) first = row;
          points.push_back(point(double(std::max<std::int64_t>(x, 1)), row->host()));
        }
      for (auto& [column, line] : columns) {
        if (line.second.size() < 3) continue;
        const std::string quantity = line.first->word("quantity");
        std::string label = s.variant;
        if (s.title != "line" && !s.title.empty()) label += " " + s.title;
        if (column != quantity)
          label += fmt::format(" {} threads",
                               column.substr(std::min(column.find_first_not_of(' '), column.size())));
        panels[quantity].push_back({{"label", label},
                                    {"family", harness::name(line.first->family)},
                                    {"dashed", s.title == "fork"},
                                    {"points", std::move(line.second)}});
      }
    }
    Json drawn = Json::array();
    for (auto& [quantity, lines] : panels)
      drawn.push_back(panel(quantity, over.axis, "\u00b5s", std::move(lines)));
    if (!drawn.empty()) figures.push_back({{"title", over.title}, {"panels", std::move(drawn)}});
  }
}

}  // namespace

std::string title_of(const std::string& study) {
  if (study == "diffusion") return "Diffusion filter";
  if (study == "kde") return "Density";
  std::string title = study;
  if (!title.empty() && title[0] >= 'a' && title[0] <= 'z') title[0] = char(title[0] - 'a' + 'A');
  return title;
}

std::string unit_of(const std::string& study) {
  return study == "diffusion" ? "\u00b5s a step" : study == "kde" ? "\u00b5s a density" : "\u00b5s";
}

std::string problem_words(const Measurement& row, const std::vector<std::string>& without) {
  harness::Values left = row.problem;
  for (const std::string& name : without) left.erase(name);
  std::vector<std::string> words;
  const auto take = [&left](const std::string& name) {
    const auto at = left.find(name);
    if (at == left.end()) return std::string();
    const std::string text = harness::to_string(at->second);
    left.erase(at);
    return text;
  };
  const auto add = [&](const std::string& name, const std::string& before, const std::string& after = "") {
    if (const std::string text = take(name); !text.empty()) words.push_back(before + text + after);
  };
  if (row.study == "diffusion") {
    std::string grid;
    for (const char* extent : {"nx", "ny", "nz"})
      if (const std::string text = take(extent); !text.empty())
        grid += grid.empty() ? (extent == std::string("nz") ? "nz = " : "") + text : " x " + text;
    words.push_back(grid);
    add("steps", "N = ");
    add("precision", "");
    for (const char* standard : {"alpha", "halo", "seed"}) left.erase(standard);
  } else if (row.study == "kde") {
    add("n", "n = ");
    add("bandwidth", "h = ");
    add("distribution", "");
    add("precision", "");
    for (const char* standard : {"seed", "tolerance"}) left.erase(standard);
  } else if (row.study == "launch") {
    const std::string quantity = take("quantity"), shape = take("blocks") + "x" + take("threads");
    words.push_back(quantity + " " + shape);
    add("launches", "x");
    if (take("topology") == "fork") words.emplace_back("fork");
    const auto is = [&left](const char* name, std::int64_t value) {
      const auto at = left.find(name);
      return at != left.end() && at->second == harness::Value(value);
    };
    if (!is("argument_bytes", 0)) add("argument_bytes", "", " B");
    if (!is("devices", 1)) add("devices", "", " GPUs");
    if (quantity == "copy") add("bytes", "", " B copied");
    if (quantity == "fusion-overhead" || quantity == "total-overhead" || quantity == "other-overhead")
      words.push_back(fmt::format("{} x {} ns {}", take("units"), take("unit_ns"), take("unit")));
    left.clear();
  }
  for (const auto& [name, value] : left) words.push_back(name + " = " + harness::to_string(value));
  return fmt::format("{}", fmt::join(words, ", "));
}

Json figures_of(const std::vector<Measurement>& rows, const analysis::LaunchFindings& launches) {
  Json figures = Json::array();
  add_sweeps(figures, rows);
  add_widths(figures, rows);
  add_functions(figures, launches);
  add_launch_sweeps(figures, launches);
  return figures;
}

}  // namespace parity::commands
