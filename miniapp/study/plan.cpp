// SPDX-License-Identifier: BSD-3-Clause
#include "study/plan.hpp"

#include <fmt/format.h>

#include <toml++/toml.h>

#include "study/error.hpp"
#include "study/suggest.hpp"

namespace parity::study {
namespace {

/// A TOML table whose keys are ticked off as they are read.
class Table {
 public:
  Table(std::string path, std::string name, const toml::table* table)
      : path_(std::move(path)), name_(std::move(name)), table_(table) {}

  [[noreturn]] void fail(const std::string& key, const std::string& what) const {
    throw UsageError(fmt::format("{}: {}{}: {}", path_, name_.empty() ? "" : name_ + ".", key, what));
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
  template <class V>
  V value(const std::string& key, V fallback, V least, V most) {
    const toml::node* n = find(key);
    return n ? checked<V>(key, *n, least, most) : fallback;
  }
  /// A list of V; a single value counts as a list of one.
  template <class V>
  std::vector<V> values(const std::string& key, std::vector<V> fallback, V least = V(), V most = V()) {
    const toml::node* n = find(key);
    if (!n) return fallback;
    std::vector<V> all;
    if (const toml::array* list = n->as_array())
      for (const toml::node& item : *list) all.push_back(checked<V>(key, item, least, most));
    else
      all.push_back(checked<V>(key, *n, least, most));
    if (all.empty()) fail(key, "is empty; give at least one value");
    return all;
  }
  template <class V>
  V checked(const std::string& key, const toml::node& n, V least, V most) const {
    if constexpr (std::is_same_v<V, std::string>) {
      if (const auto text = n.value_exact<std::string>()) return *text;
      fail(key, "must be a string");
    } else if constexpr (std::is_same_v<V, std::int64_t>) {
      const auto number = n.value_exact<std::int64_t>();
      if (!number) fail(key, "must be a whole number");
      if (*number < least || *number > most)
        fail(key, fmt::format("is {}; give {} to {}", *number, least, most));
      return *number;
    } else {
      const auto number = n.is_number() ? n.value<double>() : std::nullopt;
      if (!number) fail(key, "must be a number");
      if (!(*number >= least && *number <= most))
        fail(key, fmt::format("is {}; give {} to {}", *number, least, most));
      return *number;
    }
  }
  /// Refuses keys that nobody asked for.
  void no_others() const {
    if (!table_) return;
    for (const auto& [key, node] : *table_) {
      const std::string name(key.str());
      bool known = false;
      for (const std::string& k : known_) known = known || k == name;
      if (!known) fail(name, "is no key of a plan" + did_you_mean(name, known_));
    }
  }
  const toml::table* raw() const { return table_; }

 private:
  std::string path_, name_;
  const toml::table* table_;
  std::vector<std::string> known_;
};

toml::table parse(const std::string& path) {
  try {
    return toml::parse_file(path);
  } catch (const toml::parse_error& e) {
    const auto line = e.source().begin.line;
    throw UsageError(line > 0 ? fmt::format("{}: line {}: {}", path, line, e.description())
                              : fmt::format("{}: {}", path, e.description()));
  }
}

diffusion::Tunings tunings_of(Table&& t) {
  diffusion::Tunings tunings;
  if (!t.raw()) return tunings;
  for (const auto& [key, node] : *t.raw()) {
    std::string name(key.str());
    const std::string text = t.checked<std::string>(name, node, "", "");
    if (name.rfind("diffusion/", 0) == 0) name = name.substr(10);
    tunings[name] = text;
  }
  diffusion::check_tunings(diffusion::registry(), tunings);
  return tunings;
}

std::vector<std::array<std::int64_t, 3>> sizes_of(Table& axes) {
  const toml::node* n = axes.find("size");
  if (!n) return {{128, 128, 64}};
  const toml::array* list = n->as_array();
  if (!list) axes.fail("size", "must be a list of [nx, ny, nz]");
  if (list->empty()) axes.fail("size", "is empty; give at least one [nx, ny, nz]");
  std::vector<std::array<std::int64_t, 3>> sizes;
  for (const toml::node& item : *list) {
    const toml::array* size = item.as_array();
    if (!size || size->size() != 3) axes.fail("size", "must be a list of [nx, ny, nz]");
    std::array<std::int64_t, 3> s{};
    for (std::size_t d = 0; d < 3; ++d) s[d] = axes.checked<std::int64_t>("size", *size->get(d), 1, 1 << 30);
    sizes.push_back(s);
  }
  return sizes;
}

}  // namespace

Plan read_plan(const std::string& path) {
  const toml::table file = parse(path);
  Table top(path, "", &file);
  Plan plan;
  if (const std::string study = top.values<std::string>("study", {"diffusion"}).front(); study != "diffusion")
    top.fail("study", fmt::format("is '{}'; the studies of this build are: diffusion", study));
  plan.variants = top.values<std::string>("variants", {"*"});

  Table axes = top.table("axes");
  const auto sizes = sizes_of(axes);
  const auto steps = axes.values<std::int64_t>("steps", {1024}, 1, 1000000000);
  const auto alphas =
      axes.values<double>("alpha", {diffusion::stability_limit}, 0, diffusion::stability_limit);
  const auto halos = axes.values<std::int64_t>("halo", {2}, 2, 1024);
  const auto precisions = axes.values<std::string>("precision", {"float"});
  const auto seeds = axes.values<std::int64_t>("seed", {1}, 0, std::numeric_limits<std::int64_t>::max());
  axes.no_others();

  Table measure = top.table("measure");
  RunOptions& o = plan.options;
  o.repeats = int(measure.value<std::int64_t>("repeats", o.repeats, 1, 100000));
  o.enough = int(measure.value<std::int64_t>("enough", o.enough, 1, 100000));
  o.warmup = int(measure.value<std::int64_t>("warmup", o.warmup, 1, 1000));
  o.tight = measure.value<double>("tight", o.tight, 0, 1);
  o.time_cap = measure.value<double>("time_cap", o.time_cap, 0, 1e6);
  measure.no_others();

  plan.tunings = tunings_of(top.table("tunings"));
  top.no_others();

  for (const std::string& precision : precisions) {
    if (precision != "float" && precision != "double")
      axes.fail("precision", "must be \"float\" or \"double\"");
    for (const auto& s : sizes)
      for (const std::int64_t n : steps)
        for (const double alpha : alphas)
          for (const std::int64_t halo : halos)
            for (const std::int64_t seed : seeds) {
              diffusion::Problem p{s[0], s[1], s[2], n, alpha, halo, Precision::f32, std::uint64_t(seed)};
              if (precision == "double") p.precision = Precision::f64;
              try {
                diffusion::validate(p);
              } catch (const UsageError& e) {
                throw UsageError(fmt::format("{}: {}: {}", path, diffusion::describe(p), e.what()));
              }
              plan.problems.push_back(p);
            }
  }
  diffusion::select(diffusion::registry(), plan.variants, plan.tunings);
  return plan;
}

diffusion::Tunings read_tunings(const std::string& path) {
  const toml::table file = parse(path);
  Table top(path, "", &file);
  return tunings_of(top.table("tunings"));
}

}  // namespace parity::study
