// SPDX-License-Identifier: BSD-3-Clause
#include "study/selection.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "study/error.hpp"
#include "study/suggest.hpp"

namespace parity::study {
namespace {

std::vector<std::string> names(const std::vector<const EntryBase*>& entries) {
  std::vector<std::string> all;
  for (const EntryBase* e : entries) all.push_back(e->name);
  return all;
}

Tuning tuning_from(const EntryBase& e, const std::string& text) {
  const auto tuning = parse_tuning(text);
  if (e.tunings.empty()) throw UsageError(fmt::format("{} has no tuning; leave '/{}' away", e.name, text));
  if (!tuning || tuning->values.size() != parse_tuning(e.tunings.front())->values.size())
    throw UsageError(fmt::format("'{}' is no tuning of {}: give {} as in {}/{}", text, e.name, e.tuning_axes,
                                 e.name, e.tunings.front()));
  return *tuning;
}

/// A word's parts.
struct Word {
  std::string kernel, mechanism, tuning;
};
Word split(const Selectable& from, std::string word) {
  if (word.rfind(from.study + "/", 0) == 0) word = word.substr(from.study.size() + 1);
  const std::size_t slash = word.find('/');
  const std::string variant = word.substr(0, slash);
  const std::size_t plus = variant.find('+');
  Word parts{variant.substr(0, plus), from.mechanisms.empty() ? "" : from.mechanisms.front(),
             slash == std::string::npos ? "" : word.substr(slash + 1)};
  if (plus != std::string::npos) {
    parts.mechanism = variant.substr(plus + 1);
    if (from.mechanisms.empty())
      throw UsageError(fmt::format("'{}': the {} study has no launch mechanisms; leave '+{}' away", word,
                                   from.study, parts.mechanism));
  }
  return parts;
}

bool matches(const std::string& pattern, const std::string& name) {
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

}  // namespace

std::vector<Choice> select(const Selectable& from, const std::vector<std::string>& words,
                           const Tunings& tunings) {
  std::vector<Choice> chosen;
  const std::size_t mechanisms = std::max<std::size_t>(1, from.mechanisms.size());
  for (const std::string& word : words) {
    const Word w = split(from, word);
    const bool any_mechanism = w.mechanism.find_first_of("*?[") != std::string::npos;
    bool found = false, known = false;
    for (std::size_t e = 0; e < from.entries.size(); ++e) {
      const EntryBase& entry = *from.entries[e];
      if (!matches(w.kernel, entry.name)) continue;
      found = true;
      for (std::size_t m = 0; m < mechanisms; ++m) {
        if (!from.mechanisms.empty() && !matches(w.mechanism, from.mechanisms[m])) continue;
        known = true;
        // A pattern means what is there; a name is taken at its word and refused with the reason later.
        if (any_mechanism && !from.knows(e, m)) continue;
        const auto add = [&](const Tuning& t) {
          for (const Choice& c : chosen)
            if (c.entry == e && c.mechanism == m && c.tuning.values == t.values) return;
          chosen.push_back({e, m, t});
        };
        const auto standard = tunings.find(from.study + "/" + entry.name);
        if (w.tuning == "*" && !entry.tunings.empty())
          for (const std::string& t : entry.tunings) add(tuning_from(entry, t));
        else if (!w.tuning.empty() && w.tuning != "*")
          add(tuning_from(entry, w.tuning));
        else if (entry.tunings.empty())
          add({});
        else
          add(tuning_from(entry, standard != tunings.end() ? standard->second : entry.tunings.front()));
      }
    }
    if (!found)
      throw UsageError(fmt::format("no {} variant is called '{}'{} ('parity list' shows all)", from.study,
                                   word, did_you_mean(w.kernel, names(from.entries))));
    if (!known)
      throw UsageError(fmt::format("no launch mechanism is called '{}'{} ('parity list' shows all)",
                                   w.mechanism, did_you_mean(w.mechanism, from.mechanisms)));
  }
  std::stable_sort(chosen.begin(), chosen.end(), [](const Choice& a, const Choice& b) {
    return a.entry != b.entry ? a.entry < b.entry : a.mechanism < b.mechanism;
  });
  return chosen;
}

void check_tunings(const std::string& study, const std::vector<const EntryBase*>& entries,
                   const Tunings& tunings) {
  for (const auto& [key, text] : tunings) {
    if (key.rfind(study + "/", 0) != 0) continue;
    const std::string name = key.substr(study.size() + 1);
    const auto e =
        std::find_if(entries.begin(), entries.end(), [&name](const EntryBase* x) { return x->name == name; });
    if (e == entries.end())
      throw UsageError(fmt::format("[tunings]: no {} variant is called '{}'{}", study, name,
                                   did_you_mean(name, names(entries))));
    // Without its backend a row has no tunings to compare with; the table may come from another machine.
    if (!(*e)->tunings.empty()) tuning_from(**e, text);
  }
}

}  // namespace parity::study
