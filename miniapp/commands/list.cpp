// SPDX-License-Identifier: BSD-3-Clause
// parity list: one screen of studies, algorithms, devices, and what cannot run here with the reason. With a
// word it prints everything about what the word names.
#include <fmt/format.h>
#include <fnmatch.h>
#include <omp.h>

#include <algorithm>
#include <set>

#include "commands/commands.hpp"
#include "runtime/device.hpp"
#include "runtime/error.hpp"
#include "runtime/host_memory.hpp"
#include "runtime/program.hpp"
#include "runtime/text.hpp"

namespace parity::commands {
namespace {

using harness::Entry;
using harness::Study;

struct Options {
  const harness::Studies* studies = nullptr;
  std::string word;
  bool available = false, json = false;
};

using Selected = std::vector<std::pair<const Study*, std::vector<const Entry*>>>;

bool means(const std::string& word, const Study& study, const Entry& e) {
  const std::string pattern = runtime::with_dashes(
      word.rfind(study.name() + "/", 0) == 0 ? word.substr(study.name().size() + 1) : word);
  return word.empty() || word == study.name() || (!pattern.empty() && pattern == e.algorithm) ||
         fnmatch(pattern.c_str(), e.name.c_str(), 0) == 0;
}

Selected select(const Options& o) {
  Selected selected;
  std::vector<std::string> known;
  bool any = false;
  for (const Study* study : *o.studies) {
    known.push_back(study->name());
    std::vector<const Entry*> entries;
    for (const Entry* e : study->entries()) {
      known.push_back(e->name);
      known.push_back(e->algorithm);
      if (!means(o.word, *study, *e)) continue;
      any = true;
      if (e->why_unavailable().empty() || !o.available) entries.push_back(e);
    }
    if (!entries.empty()) selected.emplace_back(study, entries);
  }
  if (!any)
    throw runtime::UsageError(
        fmt::format("'{}' is no study, algorithm or variant{} ('parity list' shows them)",
                    runtime::shown(o.word), runtime::did_you_mean(o.word, known)));
  return selected;
}

std::vector<std::string> mechanisms_of(const Study& study, const Entry& e) {
  std::vector<std::string> known;
  const auto mechanisms = study.about().mechanisms;
  for (std::size_t m = 0; m < mechanisms.size(); ++m)
    if (study.about().knows(e, m)) known.push_back(mechanisms[m].word);
  return known;
}

/// Prints a name and its description, in lines of a hundred characters.
void print_term(const std::string& name, const std::string& said, int width = 32) {
  fmt::print("{}\n", wrapped(fmt::format("  {:<{}} {}", name, width, said), 100, 6));
}

void print_entry(const Study& study, const Entry& e) {
  print_term(study.name() + "/" + e.name, e.summary, 36);
  const auto more = [](const std::string& said) { fmt::print("{}\n", wrapped("      " + said, 100, 8)); };
  if (!e.twin.empty()) more(fmt::format("{}; twin: {}", name(e.tier), e.twin));
  if (!e.tunings.empty()) more(fmt::format("tunings ({}): {}", e.tuning_axes, fmt::join(e.tunings, " ")));
  const auto known = mechanisms_of(study, e);
  if (known.size() > 1) more(fmt::format("mechanisms: {}", fmt::join(known, " ")));
  if (const std::string why = e.why_unavailable(); !why.empty()) more("cannot run here: " + why);
}

void print_words(const std::string& title, const std::vector<harness::Term>& words) {
  if (words.empty()) return;
  fmt::print("\n{}\n", title);
  for (const harness::Term& w : words) print_term(w.word, w.meaning);
}

/// A family's versions of an algorithm: "first tuned +2" (two further ones); in brackets if none of them can
/// run here.
std::string versions(const std::vector<const Entry*>& entries, const std::string& algorithm,
                     harness::Family family) {
  std::string words;
  int further = 0;
  bool can = false;
  for (const Entry* e : entries) {
    if (e->algorithm != algorithm || e->family != family) continue;
    can = can || e->why_unavailable().empty();
    if (e->tier == harness::Tier::further)
      ++further;
    else
      words += (words.empty() ? "" : " ") + std::string(name(e->tier));
  }
  if (further > 0) words += fmt::format("{}+{}", words.empty() ? "" : " ", further);
  return can || words.empty() ? words : "(" + words + ")";
}

/// Prints one line per algorithm: the versions of each family.
void print_versions(const std::vector<const Entry*>& entries) {
  constexpr harness::Family families[] = {harness::Family::kokkos, harness::Family::cuda,
                                          harness::Family::openmp};
  std::vector<std::vector<std::string>> lines;
  std::set<std::string> done;
  for (const Entry* e : entries) {
    if (e->algorithm.empty() || !done.insert(e->algorithm).second) continue;
    lines.push_back({e->algorithm});
    for (const harness::Family f : families) lines.back().push_back(versions(entries, e->algorithm, f));
  }
  std::vector<std::string> heads = {"algorithm"};
  for (const harness::Family f : families) heads.emplace_back(harness::name(f));
  print_columns(heads, lines);
}

void print_details(const Study& study, const std::vector<const Entry*>& entries, bool whole) {
  fmt::print("study {}: {}\n", study.name(), study.about().summary);
  if (whole) print_versions(entries);
  for (const Entry* e : entries) print_entry(study, *e);
  if (!whole) return;
  print_words(fmt::format("launch mechanisms of the {} study (write kernel+mechanism):", study.name()),
              study.about().mechanisms);
  for (const harness::Parameter& p : study.parameters()) {
    std::vector<harness::Term> words;
    for (std::size_t w = 0; w < p.meanings.size(); ++w) words.push_back({p.words[w], p.meanings[w]});
    print_words(fmt::format("what {} of the {} study may be (parity {} {} ...):", p.name, study.name(),
                            study.name(), p.option_name()),
                words);
  }
}

/// Prints words in lines of a hundred characters, aligned behind a title.
void print_wrapped(const std::string& title, const std::vector<std::string>& words) {
  fmt::print("{}\n", wrapped(fmt::format("  {:<11} {}", title, fmt::join(words, " ")), 100, 14));
}

void print_summary(const Study& study, const std::vector<const Entry*>& entries) {
  const auto can =
      std::count_if(entries.begin(), entries.end(), [](auto* e) { return e->why_unavailable().empty(); });
  fmt::print("{}\n", wrapped(fmt::format("\nstudy {}: {}; {} of {} variants can run here", study.name(),
                                         study.about().summary, can, study.entries().size()),
                             100, 2));
  std::vector<std::string> algorithms, others;
  std::set<std::string> done;
  std::map<std::string, int> missing;
  for (const Entry* e : entries) {
    if (std::string why = e->why_unavailable(); !why.empty()) ++missing[std::move(why)];
    if (!done.insert(e->algorithm.empty() ? e->name : e->algorithm).second) continue;
    const bool runs = std::any_of(entries.begin(), entries.end(), [e](const Entry* other) {
      return other->why_unavailable().empty() && other->algorithm == e->algorithm &&
             (!e->algorithm.empty() || other == e);
    });
    const std::string name = e->algorithm.empty() ? e->name : e->algorithm;
    (e->algorithm.empty() ? others : algorithms).push_back(runs ? name : "(" + name + ")");
  }
  print_wrapped("algorithms", algorithms);
  if (!others.empty()) print_wrapped("others", others);
  std::vector<std::string> words;
  const auto mechanisms = study.about().mechanisms;
  for (std::size_t m = 0; m < mechanisms.size(); ++m)
    if (std::any_of(entries.begin(), entries.end(), [&](const Entry* e) {
          return e->why_unavailable().empty() && study.about().knows(*e, m);
        }))
      words.push_back("+" + mechanisms[m].word);
  if (!words.empty()) print_wrapped("mechanisms", words);
  if (missing.empty()) return;
  const auto most = std::max_element(missing.begin(), missing.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  const auto others_missing = std::ptrdiff_t(entries.size()) - can - most->second;
  fmt::print("{}\n",
             wrapped(fmt::format("  {} cannot run here: {}{}", most->second, most->first,
                                 others_missing > 0 ? fmt::format("; {} for other reasons", others_missing)
                                                    : std::string()),
                     100, 14));
}

void print_devices() {
  fmt::print("devices\n  host    {} OpenMP threads, {} free\n", omp_get_max_threads(),
             runtime::bytes_text(double(runtime::available_host_memory())));
  std::string why;
  if (const auto d = runtime::device(&why))
    fmt::print("  gpu     {}: {}, compute capability {}.{}, {} multiprocessors, {}\n", d->index, d->name,
               d->major, d->minor, d->multiprocessors, runtime::bytes_text(double(d->memory_bytes)));
  else
    fmt::print("  gpu     none: {}\n", why);
  fmt::print("  kokkos  {} on {}\n", runtime::kokkos_version(), runtime::portable_backend());
}

void print_json(const Selected& selected) {
  std::string why;
  const auto d = runtime::device(&why);
  TableExport devices{"devices", {"threads", "gpu", "no_gpu_because", "kokkos", "kokkos_on"}, {}};
  devices.rows.push_back({std::int64_t(omp_get_max_threads()), d ? Cell(d->name) : Cell(),
                          d ? Cell() : Cell(why), runtime::kokkos_version(),
                          std::string(runtime::portable_backend())});
  TableExport variants{"variants",
                       {"study", "name", "algorithm", "family", "summary", "twin", "tunings", "tunings_of",
                        "mechanisms", "floor", "tier", "available", "cannot_run_because"},
                       {}};
  for (const auto& [study, entries] : selected)
    for (const Entry* e : entries)
      variants.rows.push_back({study->name(), e->name, e->algorithm, std::string(harness::name(e->family)),
                               e->summary, e->twin, e->tunings, e->tuning_axes, mechanisms_of(*study, *e),
                               e->floor, std::string(name(e->tier)), e->why_unavailable().empty(),
                               e->why_unavailable()});
  ExportOptions to_standard_output;
  to_standard_output.json = "-";
  OutputFiles(to_standard_output).write({devices, variants});
}

int list(const Options& o) {
  const Selected selected = select(o);
  if (o.json) {
    print_json(selected);
    return runtime::exit_ok;
  }
  if (!o.word.empty()) {
    for (std::size_t k = 0; k < selected.size(); ++k) {
      if (k > 0) fmt::print("\n");
      print_details(*selected[k].first, selected[k].second, o.word == selected[k].first->name());
    }
    if (selected.empty()) fmt::print("none of what '{}' means can run here\n", runtime::shown(o.word));
    return runtime::exit_ok;
  }
  print_devices();
  for (const auto& [study, entries] : selected) print_summary(*study, entries);
  if (selected.empty()) return runtime::exit_ok;
  const std::string study = selected.front().first->name();
  fmt::print(
      "\n{}\n",
      wrapped(runtime::in_words_of_program(fmt::format(
                  "A variant is BACKEND-ALGORITHM or BACKEND-ALGORITHM-tuned, such as {}. In brackets: "
                  "nothing of it runs here. 'parity list {}' says which versions there are, what each "
                  "does and why it cannot run; 'parity show ALGORITHM' prints the kernels of a pair.",
                  selected.front().second.back()->name, study)),
              100, 0));
  return runtime::exit_ok;
}

}  // namespace

Action add_list(CLI::App& app, const harness::Studies& studies) {
  auto o = std::make_shared<Options>();
  o->studies = &studies;
  CLI::App* c =
      app.add_subcommand("list", "Studies, variants, tunings and devices; what cannot run here, and why");
  c->add_option("what", o->word, "A study, a variant or a glob such as 'cuda-*': everything about those");
  c->add_flag("--available", o->available, "Only what can run here");
  c->add_flag("--json", o->json, "As JSON");
  return [o] { return list(*o); };
}

}  // namespace parity::commands
