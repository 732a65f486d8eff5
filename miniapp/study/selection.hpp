// SPDX-License-Identifier: BSD-3-Clause
// Resolves a user's words kernel[+mechanism][/tuning] against a registry, whatever the study.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "study/entry.hpp"

namespace parity::study {

/// Default tunings that replace the first of an entry's list, by "study/variant".
using Tunings = std::map<std::string, std::string>;

/// Places in the registry and in the list of mechanisms, with the tuning.
struct Choice {
  std::size_t entry = 0, mechanism = 0;
  Tuning tuning;
};

/// What words can select from.
struct Selectable {
  std::string study;
  std::vector<const EntryBase*> entries;
  std::vector<std::string> mechanisms;  ///< the first is meant where none is named; empty: the study has none
  std::function<bool(std::size_t entry, std::size_t mechanism)> knows;
};

template <class Entry>
std::vector<const EntryBase*> bases_of(const std::vector<Entry>& registry) {
  std::vector<const EntryBase*> bases;
  for (const Entry& e : registry) bases.push_back(&e);
  return bases;
}

/// In the registry's order, each row once. Throws UsageError with the nearest names for a word that selects
/// nothing.
std::vector<Choice> select(const Selectable& from, const std::vector<std::string>& words,
                           const Tunings& tunings);

/// Checks those of a table of tunings that are this study's; throws UsageError.
void check_tunings(const std::string& study, const std::vector<const EntryBase*>& entries,
                   const Tunings& tunings);

}  // namespace parity::study
