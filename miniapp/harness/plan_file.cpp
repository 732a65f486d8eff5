// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cstring>

#include "harness/plan.hpp"
#include "io/input.hpp"
#include "runtime/error.hpp"
#include "runtime/messages.hpp"
#include "runtime/text.hpp"

namespace parity::harness {
namespace {

using runtime::UsageError;
using Axes = std::map<std::string, std::vector<Value>>;

/// A TOML table read key by key, with errors that name the file, the key and its range. It remembers the keys
/// that were read.
class Table {
 public:
  Table(std::string path, std::string name, const toml::table* table)
      : path_(std::move(path)), name_(std::move(name)), table_(table) {}

  /// "plan.toml: axes.steps", for messages.
  std::string where(const std::string& key) const {
    return fmt::format("{}: {}{}", path_, name_.empty() ? "" : name_ + ".", runtime::shown(key));
  }
  [[noreturn]] void fail(const std::string& key, const std::string& what) const {
    throw UsageError(where(key) + ": " + what);
  }
  const toml::node* find(const std::string& key) {
    known_.push_back(key);
    return table_ ? table_->get(key) : nullptr;
  }
  Table table(const std::string& key) {
    const toml::node* n = find(key);
    if (n && !n->is_table()) fail(key, "must be a table");
    return Table(path_, key, n ? n->as_table() : nullptr);
  }
  /// One table [key], or several [[key]].
  std::vector<Table> tables(const std::string& key) {
    const toml::node* n = find(key);
    if (!n || !n->is_array()) {
      known_.pop_back();
      return {table(key)};
    }
    std::vector<Table> all;
    for (const toml::node& item : *n->as_array()) {
      if (!item.is_table()) fail(key, "must be a table");
      all.push_back(Table(path_, key, item.as_table()));
    }
    if (all.empty()) fail(key, "is empty; give at least one table");
    return all;
  }
  template <class V>
  V value(const std::string& key, V fallback, V least = V(), V most = V()) {
    const toml::node* n = find(key);
    return n ? checked<V>(key, any(key, *n), least, most) : fallback;
  }
  /// A list of words; a single one counts as a list of one.
  std::vector<std::string> words(const std::string& key, std::vector<std::string> fallback) {
    const std::vector<Value> found = anys(key);
    if (!found.empty()) fallback.clear();
    for (const Value& v : found) fallback.push_back(checked<std::string>(key, v, "", ""));
    return fallback;
  }
  Value any(const std::string& key, const toml::node& n) const {
    if (const auto text = n.value_exact<std::string>()) return *text;
    if (const auto whole = n.value_exact<std::int64_t>()) return *whole;
    if (const auto number = n.value_exact<double>()) return *number;
    fail(key, "must be a number or a string");
  }
  /// A list of any values; a single value counts as a list of one. Empty if the key is missing.
  std::vector<Value> anys(const std::string& key) {
    const toml::node* n = find(key);
    if (!n) return {};
    std::vector<Value> all;
    if (const toml::array* list = n->as_array())
      for (const toml::node& item : *list) all.push_back(any(key, item));
    else
      all.push_back(any(key, *n));
    if (all.empty()) fail(key, "is empty; give at least one value");
    return all;
  }
  std::string word(const std::string& key, const toml::node& n) const {
    return checked<std::string>(key, any(key, n), "", "");
  }
  void no_others() const {
    if (!table_) return;
    for (const auto& [key, node] : *table_)
      if (const std::string name(key.str()); std::find(known_.begin(), known_.end(), name) == known_.end())
        fail(name, "is no key of a plan" + runtime::did_you_mean(name, known_));
  }
  const toml::table* raw() const { return table_; }

 private:
  template <class V>
  V checked(const std::string& key, const Value& value, V least, V most) const {
    Parameter p;
    p.standard = V();
    if constexpr (!std::is_same_v<V, std::string>) p.least = double(least), p.most = double(most);
    return std::get<V>(p.checked(where(key), value));
  }

  std::string path_, name_;
  const toml::table* table_;
  std::vector<std::string> known_;
};

/// The TOML library recurses once per part of a key; its stack holds some ten thousand.
void require_short_keys(const std::string& path, const std::string& text) {
  std::size_t parts = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '#') at = std::min(text.find('\n', at), text.size() - 1);
    if (std::strchr("\n,=[]{}", text[at])) parts = 0;
    if (text[at] == '.' && ++parts > 100)
      throw UsageError(fmt::format("{}: a key has more than 100 parts", path));
  }
}

/// Rank 0 reads the file for all.
toml::table parse(const std::string& path) {
  std::string text, wrong;
  if (runtime::rank_info().rank == 0) try {
      text = io::text_of(path == "-" ? "./-" : path);
      require_short_keys(path, text);
    } catch (const UsageError& e) {
      wrong = e.what();
    }
  if (wrong = runtime::broadcast(wrong); !wrong.empty()) throw UsageError(wrong);
  text = runtime::broadcast(text);
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& e) {
    const auto line = e.source().begin.line;
    const std::string what = runtime::shown(e.description(), 200);
    throw UsageError(line > 0 ? fmt::format("{}: line {} is no TOML: {}", path, line, what)
                              : fmt::format("{}: {}", path, what));
  }
}

Tunings tunings_of(const Studies& studies, const std::string& path, Table&& t) {
  Tunings tunings;
  if (!t.raw()) return tunings;
  for (const auto& [key, node] : *t.raw()) {
    std::string name(key.str());
    const std::string text = t.word(name, node);
    // Plans from before there were several studies name the variant alone.
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
  const Study* study = nullptr;
  std::vector<std::string> variants;
  Axes single;
  std::vector<std::pair<JointAxis, std::vector<std::vector<Value>>>> joint;
};

AxesOfPlan axes_of(const Study& study, Table& table) {
  AxesOfPlan axes{&study, {}, {}, {}};
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
        table.fail(p.name, "is given by '" + j.name + "' already; omit one of them");
    for (const Value& v : values) axes.single[p.name].push_back(p.checked(table.where(p.name), v));
  }
  table.no_others();
  return axes;
}

/// Expands the joint axes' tuples into every combination, as axes of one value each.
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

std::vector<std::string> axis_names(const Study& study) {
  std::vector<std::string> names;
  for (const JointAxis& j : study.joint_axes()) names.push_back(j.name);
  for (const Parameter& p : study.parameters()) names.push_back(p.name);
  return names;
}

/// Parses a plan's list without its brackets; words need no quotes.
toml::array list_of(const std::string& text) {
  try {
    return *toml::parse("list = [" + text + "]")["list"].as_array();
  } catch (const toml::parse_error&) {
    toml::array words;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      words.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return words;
  }
}

const Study& study_of(const Studies& studies, Table& table, const std::string& standard) {
  const std::string name = table.value<std::string>("study", standard);
  const auto at =
      std::find_if(studies.begin(), studies.end(), [&name](const Study* s) { return s->name() == name; });
  if (at != studies.end()) return **at;
  std::vector<std::string> names;
  for (const Study* s : studies) names.push_back(s->name());
  table.fail("study", fmt::format("is '{}'{}; the studies of this build are: {}", runtime::shown(name),
                                  runtime::did_you_mean(name, names), fmt::join(names, " ")));
}

/// Replaces the list of an axis in every [axes] whose study has it: "precision=float,double".
void set_axis(toml::table& file, const Studies& studies, const Study& standard, const std::string& word) {
  const std::size_t equal = word.find('=');
  const std::string axis = word.substr(0, equal);
  if (equal == std::string::npos || equal + 1 == word.size())
    throw UsageError(
        fmt::format("--set is '{}'; give AXIS=VALUES, such as precision=float,double", runtime::shown(word)));
  bool found = false;
  const Study* last = &standard;
  std::vector<std::string> known = axis_names(standard);
  const auto set = [&](toml::table& axes) {
    Table table("--set", "axes", &axes);
    const Study& study = study_of(studies, table, standard.name());
    last = &study;
    known = axis_names(study);
    if (std::find(known.begin(), known.end(), axis) == known.end()) return;
    found = true;
    for (const JointAxis& j : study.joint_axes()) {
      const bool is_part = std::find(j.parts.begin(), j.parts.end(), axis) != j.parts.end();
      if (is_part && axes.contains(j.name))
        throw UsageError(fmt::format("--set {}: the plan has {} = [{}]; set that", axis, j.name,
                                     fmt::join(j.parts, ", ")));
      if (j.name == axis)
        for (const std::string& part : j.parts) axes.erase(part);
    }
    axes.insert_or_assign(axis, list_of(word.substr(equal + 1)));
  };
  toml::node* const axes = file.get("axes");
  if (toml::table* const one = axes ? axes->as_table() : nullptr) set(*one);
  if (toml::array* const several = axes ? axes->as_array() : nullptr)
    for (toml::node& one : *several)
      if (one.as_table()) set(*one.as_table());
  if (!found && std::find(known.begin(), known.end(), axis) == known.end())
    throw UsageError(fmt::format("--set: '{}' is no axis of the {} study{}; its axes are {}",
                                 runtime::shown(axis), last->name(), runtime::did_you_mean(axis, known),
                                 fmt::join(known, ", ")));
}

bool is_same(const Choice& a, const Choice& b) {
  return a.entry == b.entry && a.mechanism == b.mechanism && a.tuning.values == b.tuning.values;
}

using Places = std::map<std::pair<const Study*, Values>, std::size_t>;

/// --variants: a word is for the studies that know it, or for all if none does; others are not measured.
void narrow(std::vector<AxesOfPlan>& products, const std::vector<std::string>& words) {
  for (AxesOfPlan& axes : products) axes.variants.clear();
  for (const std::string& word : words) {
    const auto is_meant = [&word](const AxesOfPlan& axes) { return is_of(*axes.study, word); };
    const bool is_known = std::any_of(products.begin(), products.end(), is_meant);
    for (AxesOfPlan& axes : products)
      if (!is_known || is_meant(axes)) axes.variants.push_back(word);
  }
}

/// A problem that occurs in two [[axes]] gets the variants of both.
void add_case(std::vector<Case>& cases, Places& places, Case&& more) {
  const auto [at, is_new] = places.try_emplace({more.study, more.task->values()}, cases.size());
  if (is_new) return cases.push_back(std::move(more));
  std::vector<Choice>& choices = cases[at->second].choices;
  for (const Choice& c : more.choices)
    if (std::none_of(choices.begin(), choices.end(), [&c](const Choice& x) { return is_same(x, c); }))
      choices.push_back(c);
}

}  // namespace

Plan read_plan(const Studies& studies, const std::string& path, const Overrides& overrides) {
  toml::table file = parse(path);
  Table top(path, "", &file);
  Plan plan;
  const Study& study = study_of(studies, top, studies.front()->name());
  for (const std::string& word : overrides.axes) set_axis(file, studies, study, word);
  const auto words = top.words("variants", {"*"});
  std::vector<AxesOfPlan> products;
  bool has_variants = true;
  for (Table& axes : top.tables("axes")) {
    const Study& own = study_of(studies, axes, study.name());
    auto chosen = axes.words("variants", words);
    has_variants =
        has_variants && (file.contains("variants") || (axes.raw() && axes.raw()->contains("variants")));
    products.push_back(axes_of(own, axes));
    products.back().variants = std::move(chosen);
  }
  if (!overrides.variants.empty()) narrow(products, overrides.variants);

  Table measure = top.table("measure");
  RunOptions& o = plan.options;
  o.repeats = int(measure.value<std::int64_t>("repeats", o.repeats, 1, 100000));
  o.processes = int(measure.value<std::int64_t>("starts", o.processes, 1, 1000));
  o.warmup = int(measure.value<std::int64_t>("warmup", o.warmup, 1, 1000));
  o.time_cap = measure.value<double>("time_cap", o.time_cap, 0, 1e6);
  measure.no_others();
  o.repeats = overrides.repeats.value_or(o.repeats);
  o.processes = overrides.processes.value_or(o.processes);
  o.time_cap = overrides.time_cap.value_or(o.time_cap);

  const Tunings tunings = tunings_of(studies, path, top.table("tunings"));
  top.no_others();
  Places places;
  for (const AxesOfPlan& axes : products) {
    if (axes.variants.empty()) continue;
    const std::vector<Choice> choices = select(*axes.study, axes.variants, tunings);
    double problems = 1;
    for (const auto& [joint, tuples] : axes.joint) problems *= double(tuples.size());
    for (const auto& [parameter, values] : axes.single) problems *= double(values.size());
    check_count(path + ": axes: ", problems);
    for (const Axes& one : unjoined(axes))
      for (Case& c : product(*axes.study, one, choices, path + ": axes."))
        add_case(plan.cases, places, std::move(c));
  }
  if (!overrides.tunings.empty()) use_tunings(read_tunings(studies, overrides.tunings), plan.cases);
  if (plan.cases.empty()) top.fail("variants", "none of them is meant for any of the problems");
  // Without axes a plan would measure everything there is, for half an hour.
  if (!file.contains("axes"))
    top.fail("axes", fmt::format("is missing; say which problems to measure: a table [axes] with lists of {}",
                                 fmt::join(axis_names(study), ", ")));
  for (const AxesOfPlan& axes : products)
    if (axes.single.empty() && axes.joint.empty())
      top.fail("axes", fmt::format("holds no list; give at least one of {}",
                                   fmt::join(axis_names(*axes.study), ", ")));
  if (!has_variants && overrides.variants.empty())
    top.fail("variants", "is missing; say which to measure, such as [\"kokkos-*\"], or [\"*\"] for all");
  return plan;
}

TuningFile read_tunings(const Studies& studies, const std::string& path) {
  const toml::table file = parse(path);
  Table top(path, "", &file);
  TuningFile tunings;
  tunings.everywhere = tunings_of(studies, path, top.table("tunings"));
  const bool by_problem = top.find("tuned") != nullptr;
  if (!by_problem && tunings.everywhere.empty())
    throw UsageError(fmt::format(
        "{}: holds no [tunings] and no [[tuned]]; 'parity findings --tunings' and --tune write such files",
        path));
  if (!by_problem) return tunings;
  for (Table& one : top.tables("tuned")) {
    const auto problem = one.value<std::string>("problem", "");
    if (problem.empty()) one.fail("problem", "is missing; 'parity findings --tunings' writes it");
    tunings.of_problem[problem] = tunings_of(studies, path, one.table("tunings"));
    one.no_others();
  }
  return tunings;
}

}  // namespace parity::harness
