// SPDX-License-Identifier: BSD-3-Clause
// A TOML table read key by key, with errors that name the file, the key and what it takes. Not for files that
// nvcc compiles: it cannot read toml++.
#pragma once
#include <fmt/format.h>

#include <toml++/toml.h>

#include <string>
#include <vector>

#include "study/error.hpp"
#include "study/suggest.hpp"
#include "study/variant.hpp"

namespace parity::study {

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
  /// The axis 'precision': "float", "double" or both.
  std::vector<Precision> precisions() {
    std::vector<Precision> all;
    for (const std::string& text : values<std::string>("precision", {"float"})) {
      if (text != "float" && text != "double") fail("precision", "must be \"float\" or \"double\"");
      all.push_back(text == "double" ? Precision::f64 : Precision::f32);
    }
    return all;
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

}  // namespace parity::study
