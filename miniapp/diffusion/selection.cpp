// SPDX-License-Identifier: BSD-3-Clause
#include "diffusion/selection.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "study/error.hpp"
#include "study/suggest.hpp"

namespace parity::diffusion {
namespace {

std::vector<std::string> names(const std::vector<Entry>& registry) {
  std::vector<std::string> all;
  for (const Entry& e : registry) all.push_back(e.name);
  return all;
}

std::vector<std::string> mechanism_names() {
  std::vector<std::string> all;
  for (const Mechanism& m : mechanisms()) all.push_back(m.name);
  return all;
}

Tuning tuning_from(const Entry& e, const std::string& text) {
  const auto tuning = study::parse_tuning(text);
  if (e.tunings.empty())
    throw study::UsageError(fmt::format("{} has no tuning; leave '/{}' away", e.name, text));
  if (!tuning || tuning->values.size() != study::parse_tuning(e.tunings.front())->values.size())
    throw study::UsageError(fmt::format("'{}' is no tuning of {}: give {} as in {}/{}", text, e.name,
                                        e.tuning_axes, e.name, e.tunings.front()));
  return *tuning;
}

}  // namespace

std::vector<Selected> select(const std::vector<Entry>& registry, const std::vector<std::string>& words,
                             const Tunings& tunings) {
  std::vector<Selected> chosen;
  const auto add = [&chosen](const Entry& e, const Mechanism& m, const Tuning& t) {
    for (const Selected& s : chosen)
      if (s.entry == &e && s.mechanism == &m && s.tuning.values == t.values) return;
    chosen.push_back({&e, &m, t});
  };
  for (std::string word : words) {
    if (word.rfind("diffusion/", 0) == 0) word = word.substr(10);
    const std::size_t slash = word.find('/');
    const std::string variant = word.substr(0, slash),
                      tuning = slash == std::string::npos ? "" : word.substr(slash + 1);
    const std::size_t plus = variant.find('+');
    const std::string pattern = variant.substr(0, plus), mechanism = plus == std::string::npos
                                                                         ? mechanisms().front().name
                                                                         : variant.substr(plus + 1);
    const bool any_mechanism = mechanism.find_first_of("*?[") != std::string::npos;
    bool found = false, known = false;
    for (const Entry& e : registry) {
      if (fnmatch(pattern.c_str(), e.name.c_str(), 0) != 0) continue;
      found = true;
      for (const Mechanism& m : mechanisms()) {
        if (fnmatch(mechanism.c_str(), m.name.c_str(), 0) != 0) continue;
        known = true;
        // A pattern means what is there; a name is taken at its word and refused with the reason later.
        if (any_mechanism && why_no_mechanism(e, m)) continue;
        if (tuning == "*" && !e.tunings.empty())
          for (const std::string& t : e.tunings) add(e, m, tuning_from(e, t));
        else if (!tuning.empty() && tuning != "*")
          add(e, m, tuning_from(e, tuning));
        else if (e.tunings.empty())
          add(e, m, {});
        else
          add(e, m, tuning_from(e, tunings.count(e.name) ? tunings.at(e.name) : e.tunings.front()));
      }
    }
    if (!found)
      throw study::UsageError(fmt::format("no diffusion variant is called '{}'{} ('parity list' shows all)",
                                          word, study::did_you_mean(pattern, names(registry))));
    if (!known)
      throw study::UsageError(fmt::format("no launch mechanism is called '{}'{} ('parity list' shows all)",
                                          mechanism, study::did_you_mean(mechanism, mechanism_names())));
  }
  std::stable_sort(chosen.begin(), chosen.end(), [](const Selected& a, const Selected& b) {
    return a.entry != b.entry ? a.entry < b.entry : a.mechanism < b.mechanism;
  });
  return chosen;
}

std::optional<std::string> why_no_mechanism(const Entry& e, const Mechanism& m) {
  if (m.plain()) return std::nullopt;
  if (!e.stepped) return "its steps are no kernels of their own, so there is nothing to record";
  if (m.recorder == Recorder::kokkos_graph && e.family != Family::kokkos)
    return "Kokkos graphs hold Kokkos kernels only";
  if (m.recorder == Recorder::capture && !e.on_device()) return "only a GPU's stream can be captured";
  return std::nullopt;
}

std::optional<std::string> why_not(const Selected& s, const Problem& p) {
  if (!s.entry->unavailable.empty()) return s.entry->unavailable;
  if (const auto reason = why_no_mechanism(*s.entry, *s.mechanism)) return reason;
  // A recording of so many kernels takes gigabytes, and a host graph recurses through them.
  const double nodes = s.mechanism->schedule == Schedule::whole ? s.entry->model(p).launches : 0;
  const double most = s.entry->on_device() ? 200000 : 5000;
  if (nodes > most)
    return fmt::format("all steps in one graph would be {:.0f} kernels, more than {:.0f}", nodes, most);
  return s.entry->refuse ? s.entry->refuse(p, s.tuning) : std::nullopt;
}

void check_tunings(const std::vector<Entry>& registry, const Tunings& tunings) {
  for (const auto& [name, text] : tunings) {
    const std::string& wanted = name;  // a structured binding cannot be captured in C++17
    const auto e = std::find_if(registry.begin(), registry.end(),
                                [&wanted](const Entry& x) { return x.name == wanted; });
    if (e == registry.end())
      throw study::UsageError(fmt::format("[tunings]: no diffusion variant is called '{}'{}", name,
                                          study::did_you_mean(name, names(registry))));
    // Without its backend a row has no tunings to compare with; the table may come from another machine.
    if (!e->tunings.empty()) tuning_from(*e, text);
  }
}

}  // namespace parity::diffusion
