// SPDX-License-Identifier: BSD-3-Clause
#include "harness/plan.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <set>

#include "runtime/error.hpp"
#include "runtime/text.hpp"

namespace parity::harness {
namespace {

using runtime::UsageError;

/// Names to suggest. Lower bounds, which compute nothing, come last: users rarely mean them.
std::vector<std::string> names(const std::vector<const Entry*>& entries) {
  std::vector<std::string> all;
  for (const bool floor : {false, true})
    for (const Entry* e : entries)
      if (e->floor == floor) all.push_back(e->name);
  return all;
}

Tuning tuning_from(const Entry& e, const std::string& text) {
  const auto tuning = parse_tuning(text);
  // A plan for a GPU can be checked on a machine without one, but its variants list no tunings there.
  if (e.tunings.empty() && tuning && !e.why_unavailable().empty()) return *tuning;
  if (e.tunings.empty())
    throw UsageError(fmt::format("{} has no tuning; omit '/{}'", e.name, runtime::shown(text)));
  const auto like = [&](const std::string& known) {
    return tuning->values.size() == parse_tuning(known)->values.size();
  };
  if (!tuning || std::none_of(e.tunings.begin(), e.tunings.end(), like))
    throw UsageError(fmt::format("'{}' is no tuning of {}: give {} as in {}/{}", runtime::shown(text), e.name,
                                 e.tuning_axes, e.name, e.tunings.front()));
  return *tuning;
}

struct Word {
  std::string kernel, mechanism, tuning;
};
Word split(const std::string& study, const std::vector<std::string>& mechanisms, std::string word) {
  if (word.rfind(study + "/", 0) == 0) word = word.substr(study.size() + 1);
  const std::size_t slash = word.find('/');
  const std::string variant = word.substr(0, slash);
  const std::size_t plus = variant.find('+');
  Word parts{runtime::with_dashes(variant.substr(0, plus)), mechanisms.front(),
             slash == std::string::npos ? "" : word.substr(slash + 1)};
  if (plus != std::string::npos) {
    parts.mechanism = variant.substr(plus + 1);
    if (mechanisms.size() == 1)
      throw UsageError(fmt::format("'{}': the {} study has no launch mechanisms; omit '+{}'",
                                   runtime::shown(word), study, runtime::shown(parts.mechanism)));
  }
  return parts;
}

bool matches(const std::string& pattern, const std::string& name) {
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}
/// An algorithm's name selects all of its variants.
bool matches(const std::string& pattern, const Entry& entry) {
  return (!pattern.empty() && pattern == entry.algorithm) || matches(pattern, entry.name);
}

}  // namespace

bool is_of(const Study& study, const std::string& word) {
  const std::string kernel = split(study.name(), {"", ""}, word).kernel;
  const auto entries = study.entries();
  return std::any_of(entries.begin(), entries.end(), [&](const Entry* e) { return matches(kernel, *e); });
}

std::vector<Choice> select(const Study& study, const std::vector<std::string>& words,
                           const Tunings& tunings) {
  const std::vector<const Entry*> entries = study.entries();
  std::vector<std::string> mechanisms;
  for (const Term& m : study.about().mechanisms) mechanisms.push_back(m.word);
  if (mechanisms.empty()) mechanisms.push_back("stream");
  std::vector<Choice> chosen;
  for (const std::string& word : words) {
    const Word w = split(study.name(), mechanisms, word);
    const bool any_mechanism = w.mechanism.find_first_of("*?[") != std::string::npos;
    bool found = false, known = false;
    for (const Entry* const entry : entries) {
      if (!matches(w.kernel, *entry)) continue;
      found = true;
      for (std::size_t m = 0; m < mechanisms.size(); ++m) {
        if (!matches(w.mechanism, mechanisms[m])) continue;
        known = true;
        // A pattern selects only what exists; an explicit name is kept and refused with the reason later.
        if (any_mechanism && !study.about().knows(*entry, m)) continue;
        const auto add = [&](const Tuning& t, bool is_standard = false) {
          for (Choice& c : chosen)
            if (c.entry == entry && c.mechanism == m && c.tuning.values == t.values) {
              c.named = c.named || w.kernel == entry->name;
              return;
            }
          chosen.push_back({entry, m, mechanisms[m], t, w.kernel == entry->name, is_standard});
        };
        const auto standard = tunings.find(study.name() + "/" + entry->name);
        if (w.tuning == "*" && !entry->tunings.empty())
          for (const std::string& t : entry->tunings) add(tuning_from(*entry, t));
        else if (!w.tuning.empty() && w.tuning != "*")
          add(tuning_from(*entry, w.tuning));
        else if (entry->tunings.empty())
          add({});
        else
          add(tuning_from(*entry, standard != tunings.end() ? standard->second : entry->tunings.front()),
              true);
      }
    }
    if (!found) {
      std::vector<std::string> close = names(entries);
      for (const Entry* e : entries) close.push_back(e->algorithm);
      throw UsageError(fmt::format("no {} variant is called '{}'{} ('parity list' shows all)", study.name(),
                                   runtime::shown(word), runtime::did_you_mean(w.kernel, close)));
    }
    if (!known)
      throw UsageError(fmt::format("no launch mechanism is called '{}'{} ('parity list' shows all)",
                                   runtime::shown(w.mechanism),
                                   runtime::did_you_mean(w.mechanism, mechanisms)));
  }
  std::stable_sort(chosen.begin(), chosen.end(), [&entries](const Choice& a, const Choice& b) {
    const auto place = [&entries](const Choice& c) {
      return std::find(entries.begin(), entries.end(), c.entry);
    };
    return a.entry != b.entry ? place(a) < place(b) : a.mechanism < b.mechanism;
  });
  return chosen;
}

void use_tunings(const Study& study, const Tunings& tunings, std::vector<Choice>& choices) {
  for (Choice& c : choices) {
    if (!c.standard_tuning) continue;
    for (const std::string& name : {c.variant(), c.entry->name})
      if (const auto at = tunings.find(study.name() + "/" + name); at != tunings.end()) {
        c.tuning = tuning_from(*c.entry, at->second);
        break;
      }
  }
}

Choice choice_of(const Study& study, const std::string& name) { return select(study, {name}).front(); }

void check_tunings(const Studies& studies, const Tunings& tunings) {
  std::vector<std::string> tunable;
  for (const Study* s : studies)
    if (s->about().has_tunings) tunable.push_back(s->name());
  for (const auto& [key, text] : tunings) {
    const std::string of = key.substr(0, key.find('/'));
    const auto study =
        std::find_if(studies.begin(), studies.end(), [&of](const Study* s) { return s->name() == of; });
    if (study == studies.end() || std::find(tunable.begin(), tunable.end(), of) == tunable.end())
      throw UsageError(fmt::format("tunings.{}: is no study with tunings; give {}/...", runtime::shown(key),
                                   fmt::join(tunable, "/... or ")));
    const std::string name = key.substr(of.size() + 1);
    const std::vector<const Entry*> entries = (*study)->entries();
    const auto e = std::find_if(entries.begin(), entries.end(), [&name](const Entry* x) {
      return x->name == name.substr(0, name.find('+'));
    });
    if (e == entries.end())
      throw UsageError(fmt::format("[tunings]: no {} variant is called '{}'{}", of, runtime::shown(name),
                                   runtime::did_you_mean(name, names(entries))));
    // Without its backend a variant lists no tunings to compare with; the table may be another machine's.
    if (!(*e)->tunings.empty()) tuning_from(**e, text);
  }
}

void check_count(const std::string& where, double problems) {
  constexpr std::size_t most_problems = 100000;
  if (problems > double(most_problems))
    throw UsageError(fmt::format("{}the lists make {:.3g} problems; {} is the most, so give shorter lists",
                                 where, problems, most_problems));
}

std::vector<Case> product(const Study& study, const std::map<std::string, std::vector<Value>>& axes,
                          const std::vector<Choice>& choices, const std::string& where) {
  double problems = 1;
  for (const auto& [name, values] : axes) problems *= double(values.size());
  check_count(where, problems);
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
  std::set<Values> known;
  for (const Values& values : all) {
    Case c{&study, {}, {}};
    try {
      c.task = study.task(values);
    } catch (const UsageError& e) {
      throw UsageError(where + e.what());
    }
    for (const Choice& choice : choices)
      if (choice.named || c.task->applies_to(choice)) c.choices.push_back(choice);
    if (!c.choices.empty() && known.insert(c.task->values()).second) cases.push_back(std::move(c));
  }
  return cases;
}

void use_tunings(const TuningFile& tunings, std::vector<Case>& cases) {
  for (Case& c : cases) {
    use_tunings(*c.study, tunings.everywhere, c.choices);
    const auto here = tunings.of_problem.find(text_of(c.task->values()));
    if (here != tunings.of_problem.end()) use_tunings(*c.study, here->second, c.choices);
  }
}

Studies Plan::studies() const {
  Studies all;
  for (const Case& c : cases)
    if (std::find(all.begin(), all.end(), c.study) == all.end()) all.push_back(c.study);
  return all;
}

}  // namespace parity::harness
