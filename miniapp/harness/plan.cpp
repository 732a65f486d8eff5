// SPDX-License-Identifier: BSD-3-Clause
#include "harness/plan.hpp"

#include <algorithm>

#include "harness/toml_table.hpp"

namespace parity::harness {
namespace {

using runtime::UsageError;
using Axes = std::map<std::string, std::vector<Value>>;

toml::table parse(const std::string& path) {
  try {
    return toml::parse_file(path);
  } catch (const toml::parse_error& e) {
    const auto line = e.source().begin.line;
    throw UsageError(line > 0 ? fmt::format("{}: line {}: {}", path, line, e.description())
                              : fmt::format("{}: {}", path, e.description()));
  }
}

Tunings tunings_of(const Studies& studies, const std::string& path, Table&& t) {
  Tunings tunings;
  if (!t.raw()) return tunings;
  for (const auto& [key, node] : *t.raw()) {
    std::string name(key.str());
    const std::string text = t.word(name, node);
    // Plans of before there were several studies name the variant alone.
    if (name.find('/') == std::string::npos) name = studies.front()->name() + "/" + name;
    tunings[name] = text;
  }
  try {
    check_tunings(studies, tunings);
  } catch (const UsageError& e) {
    throw UsageError(fmt::format("{}: {}", path, e.what()));
  }
  return tunings;
}

/// The values of a [axes] table. A joint axis becomes one list of tuples of its parts.
struct AxesOfPlan {
  Axes single;
  std::vector<std::pair<JointAxis, std::vector<std::vector<Value>>>> joint;
};

AxesOfPlan axes_of(const Study& study, Table& table) {
  AxesOfPlan axes;
  const auto parameter = [&study](const std::string& name) {
    return *std::find_if(study.parameters().begin(), study.parameters().end(),
                         [&name](const Parameter& p) { return p.name == name; });
  };
  for (const JointAxis& j : study.joint_axes()) {
    const toml::node* const node = table.find(j.name);
    if (!node) continue;
    const std::string shape = fmt::format("[{}]", fmt::join(j.parts, ", "));
    const toml::array* const list = node->as_array();
    if (!list) table.fail(j.name, "must be a list of " + shape);
    if (list->empty()) table.fail(j.name, "is empty; give at least one " + shape);
    std::vector<std::vector<Value>> tuples;
    for (const toml::node& item : *list) {
      const toml::array* const tuple = item.as_array();
      if (!tuple || tuple->size() != j.parts.size()) table.fail(j.name, "must be a list of " + shape);
      tuples.emplace_back();
      for (std::size_t k = 0; k < j.parts.size(); ++k)
        tuples.back().push_back(
            parameter(j.parts[k]).checked(table.where(j.name), table.any(j.name, *tuple->get(k))));
    }
    axes.joint.emplace_back(j, std::move(tuples));
  }
  for (const Parameter& p : study.parameters()) {
    const auto values = table.anys(p.name);
    if (values.empty()) continue;
    for (const auto& [j, tuples] : axes.joint)
      if (std::find(j.parts.begin(), j.parts.end(), p.name) != j.parts.end())
        table.fail(p.name, "is given by '" + j.name + "' already; leave one of them away");
    for (const Value& v : values) axes.single[p.name].push_back(p.checked(table.where(p.name), v));
  }
  table.no_others();
  return axes;
}

/// Every combination of the joint axes' tuples as axes of one value each.
std::vector<Axes> unjoined(const AxesOfPlan& axes) {
  std::vector<Axes> all = {axes.single};
  for (const auto& [joint, tuples] : axes.joint) {
    std::vector<Axes> more;
    for (const Axes& base : all)
      for (const auto& tuple : tuples) {
        more.push_back(base);
        for (std::size_t k = 0; k < tuple.size(); ++k) more.back()[joint.parts[k]] = {tuple[k]};
      }
    all = std::move(more);
  }
  return all;
}

void append_distinct(std::vector<Case>& cases, std::vector<Case> more) {
  for (Case& c : more) {
    const Values values = c.task->values();
    if (std::none_of(cases.begin(), cases.end(),
                     [&values](const Case& x) { return x.task->values() == values; }))
      cases.push_back(std::move(c));
  }
}

}  // namespace

std::vector<Case> product(const Study& study, const Axes& axes, const std::vector<Choice>& choices,
                          const std::string& where) {
  std::vector<Values> all(1);
  for (const Parameter& p : study.parameters()) {
    const auto given = axes.find(p.name);
    const std::vector<Value> values = given == axes.end() ? std::vector<Value>{p.standard} : given->second;
    std::vector<Values> more;
    for (const Values& base : all)
      for (const Value& v : values) {
        more.push_back(base);
        more.back()[p.name] = v;
      }
    all = std::move(more);
  }
  std::vector<Case> cases;
  for (const Values& values : all) {
    Case c;
    try {
      c.task = study.task(values);
    } catch (const UsageError& e) {
      throw UsageError(where + e.what());
    }
    for (const Choice& choice : choices)
      if (c.task->meant(choice)) c.choices.push_back(choice);
    std::vector<Case> one;
    if (!c.choices.empty()) one.push_back(std::move(c));
    append_distinct(cases, std::move(one));
  }
  return cases;
}

Plan read_plan(const Studies& studies, const std::string& path) {
  const toml::table file = parse(path);
  Table top(path, "", &file);
  Plan plan;
  const std::string name = top.value<std::string>("study", studies.front()->name());
  const auto at =
      std::find_if(studies.begin(), studies.end(), [&name](const Study* s) { return s->name() == name; });
  if (at == studies.end()) {
    std::vector<std::string> names;
    for (const Study* s : studies) names.push_back(s->name());
    top.fail("study", fmt::format("is '{}'{}; the studies of this build are: {}", name,
                                  runtime::did_you_mean(name, names), fmt::join(names, " ")));
  }
  const Study& study = **at;
  const auto words = top.values<std::string>("variants", {"*"});
  std::vector<AxesOfPlan> products;
  for (Table& axes : top.tables("axes")) products.push_back(axes_of(study, axes));

  Table measure = top.table("measure");
  RunOptions& o = plan.options;
  o.repeats = int(measure.value<std::int64_t>("repeats", o.repeats, 1, 100000));
  o.enough = int(measure.value<std::int64_t>("enough", o.enough, 1, 100000));
  o.warmup = int(measure.value<std::int64_t>("warmup", o.warmup, 1, 1000));
  o.tight = measure.value<double>("tight", o.tight, 0, 1);
  o.time_cap = measure.value<double>("time_cap", o.time_cap, 0, 1e6);
  measure.no_others();

  const Tunings tunings = tunings_of(studies, path, top.table("tunings"));
  top.no_others();
  const std::vector<Choice> choices = select(study, words, tunings);
  for (const AxesOfPlan& axes : products)
    for (const Axes& one : unjoined(axes))
      append_distinct(plan.cases, product(study, one, choices, path + ": axes."));
  if (plan.cases.empty()) top.fail("variants", "none of them is meant for any of the problems");
  return plan;
}

Tunings read_tunings(const Studies& studies, const std::string& path) {
  const toml::table file = parse(path);
  Table top(path, "", &file);
  return tunings_of(studies, path, top.table("tunings"));
}

}  // namespace parity::harness
