// SPDX-License-Identifier: BSD-3-Clause
// A TOML table read key by key, with errors that name the file, the key and what it takes. Not for files that
// nvcc compiles: it cannot read toml++.
#pragma once
#include <fmt/format.h>

#include <toml++/toml.h>

#include <string>
#include <vector>

#include "harness/parameters.hpp"
#include "runtime/error.hpp"
#include "runtime/suggest.hpp"
#include "runtime/text.hpp"

namespace parity::harness {

/// A TOML table whose keys are ticked off as they are read.
class Table {
 public:
  Table(std::string path, std::string name, const toml::table* table)
      : path_(std::move(path)), name_(std::move(name)), table_(table) {}

  /// "plan.toml: axes.steps", for messages.
  std::string where(const std::string& key) const {
    return fmt::format("{}: {}{}", path_, name_.empty() ? "" : name_ + ".", runtime::shown(key));
  }
  [[noreturn]] void fail(const std::string& key, const std::string& what) const {
    throw runtime::UsageError(where(key) + ": " + what);
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
  /// One value of type V within [least, most].
  template <class V>
  V value(const std::string& key, V fallback, V least = V(), V most = V()) {
    const toml::node* n = find(key);
    return n ? checked<V>(key, any(key, *n), least, most) : fallback;
  }
  /// A list of V; a single value counts as a list of one.
  template <class V>
  std::vector<V> values(const std::string& key, std::vector<V> fallback) {
    const std::vector<Value> found = anys(key);
    if (found.empty()) return fallback;
    std::vector<V> all;
    for (const Value& v : found) all.push_back(checked<V>(key, v, V(), V()));
    return all;
  }
  /// Whatever value there is.
  Value any(const std::string& key, const toml::node& n) const {
    if (const auto text = n.value_exact<std::string>()) return *text;
    if (const auto whole = n.value_exact<std::int64_t>()) return *whole;
    if (const auto number = n.value_exact<double>()) return *number;
    fail(key, "must be a number or a string");
  }
  /// A list of whatever values there are, one value being a list of one; empty where the key is missing.
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
  /// Refuses keys that nobody asked for.
  void no_others() const {
    if (!table_) return;
    for (const auto& [key, node] : *table_) {
      const std::string name(key.str());
      bool known = false;
      for (const std::string& k : known_) known = known || k == name;
      if (!known) fail(name, "is no key of a plan" + runtime::did_you_mean(name, known_));
    }
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

}  // namespace parity::harness
