// SPDX-License-Identifier: BSD-3-Clause
// parity list: studies, variants, tunings, devices, and what cannot run here with the reason.
#include <fmt/format.h>
#include <omp.h>

#include "commands/commands.hpp"
#include "runtime/device.hpp"
#include "runtime/host_memory.hpp"
#include "runtime/portable.hpp"
#include "studies.hpp"

namespace parity::commands {
namespace {

void print_entry(const harness::Study& study, const harness::Entry& e) {
  fmt::print("  {:<36} {}\n", study.name() + "/" + e.name, e.summary);
  if (!e.twin.empty()) fmt::print("  {:<36}   twin: {}\n", "", e.twin);
  if (!e.tunings.empty())
    fmt::print("  {:<36}   tunings ({}): {}\n", "", e.tuning_axes, fmt::join(e.tunings, " "));
  std::vector<std::string> known;
  const auto mechanisms = study.mechanisms();
  for (std::size_t m = 0; m < mechanisms.size(); ++m)
    if (study.knows(e, m)) known.push_back(mechanisms[m].word);
  if (known.size() > 1) fmt::print("  {:<36}   mechanisms: {}\n", "", fmt::join(known, " "));
  if (!e.unavailable.empty()) fmt::print("  {:<36}   cannot run here: {}\n", "", e.unavailable);
}

void print_words(const std::string& title, const std::vector<harness::Term>& words) {
  if (words.empty()) return;
  fmt::print("\n{}\n", title);
  for (const harness::Term& w : words) fmt::print("  {:<32} {}\n", w.word, w.meaning);
}

int list() {
  fmt::print("devices\n  host    {} OpenMP threads, {} free\n", omp_get_max_threads(),
             runtime::bytes_text(double(runtime::available_host_memory())));
  std::string why;
  if (const auto d = runtime::device(&why))
    fmt::print("  gpu     {}, compute capability {}.{}, {} multiprocessors, {}\n", d->name, d->major,
               d->minor, d->multiprocessors, runtime::bytes_text(double(d->memory_bytes)));
  else
    fmt::print("  gpu     none: {}\n", why);
  fmt::print("  kokkos  {} on {}\n", runtime::kokkos_version(), runtime::portable_backend());
  for (const harness::Study* study : studies()) {
    fmt::print("\nstudy {}: {}\n", study->name(), study->summary());
    for (const harness::Entry* e : study->entries()) print_entry(*study, *e);
    print_words(fmt::format("launch mechanisms of the {} study (write kernel+mechanism):", study->name()),
                study->mechanisms());
    for (const harness::Parameter& p : study->parameters())
      print_words(fmt::format("what {} of the {} study may be (parity {} {} ...):", p.name, study->name(),
                              study->name(), p.option_name()),
                  study->words_of(p));
  }
  return 0;
}

}  // namespace

Action add_list(CLI::App& app) {
  app.add_subcommand("list", "Studies, variants, tunings and devices; what cannot run here, and why");
  return list;
}

}  // namespace parity::commands
