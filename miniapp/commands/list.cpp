// SPDX-License-Identifier: BSD-3-Clause
// parity list: studies, variants, tunings, devices, and what cannot run here with the reason.
#include <fmt/format.h>
#include <omp.h>

#include "commands/commands.hpp"
#include "cuda/device.hpp"
#include "diffusion/selection.hpp"
#include "kde/variant.hpp"
#include "kokkos_compat.hpp"
#include "launch/quantity.hpp"
#include "study/memory.hpp"

namespace parity::commands {
namespace {

std::string mechanisms_of(const diffusion::Entry& e) {
  std::vector<std::string> known;
  for (const diffusion::Mechanism& m : diffusion::mechanisms())
    if (!diffusion::why_no_mechanism(e, m)) known.push_back(m.name);
  return fmt::format("{}", fmt::join(known, " "));
}

void print_entry(const char* study, const study::EntryBase& e, const std::string& mechanisms) {
  fmt::print("  {:<30} {}\n", std::string(study) + "/" + e.name, e.summary);
  if (!e.twin.empty()) fmt::print("  {:<30}   twin: {}\n", "", e.twin);
  if (!e.tunings.empty())
    fmt::print("  {:<30}   tunings ({}): {}\n", "", e.tuning_axes, fmt::join(e.tunings, " "));
  if (!mechanisms.empty()) fmt::print("  {:<30}   mechanisms: {}\n", "", mechanisms);
  if (!e.unavailable.empty()) fmt::print("  {:<30}   cannot run here: {}\n", "", e.unavailable);
}

int list() {
  fmt::print("devices\n  host    {} OpenMP threads, {} free\n", omp_get_max_threads(),
             study::bytes_text(double(study::available_host_memory())));
  std::string why;
  if (const auto d = cuda::device(&why))
    fmt::print("  gpu     {}, compute capability {}.{}, {} multiprocessors, {}\n", d->name, d->major,
               d->minor, d->multiprocessors, study::bytes_text(double(d->memory_bytes)));
  else
    fmt::print("  gpu     none: {}\n", why);
  fmt::print("  kokkos  {} on {}\n", compat::kokkos_version(), compat::Exec::name());

  fmt::print("\nstudy diffusion: phi' = phi - alpha Lap(Lap phi) on every xy-plane, periodic, N steps\n");
  for (const diffusion::Entry& e : diffusion::registry())
    print_entry("diffusion", e, e.stepped ? mechanisms_of(e) : "");
  fmt::print(
      "\nstudy kde: f(x_i) = 1/(n h sqrt(2 pi)) sum_j exp(-(x_i - x_j)^2 / (2 h^2)) at all n samples\n");
  for (const kde::Entry& e : kde::registry()) print_entry("kde", e, "");
  fmt::print("\nstudy launch: what one more launch, graph node or barrier costs\n");
  for (const launch::Entry& e : launch::registry()) print_entry("launch", e, "");
  fmt::print("\nfigures of the launch study (parity launch --quantities ...):\n");
  for (const launch::Quantity& q : launch::quantities()) fmt::print("  {:<32} {}\n", q.name, q.summary);
  fmt::print("\nlaunch mechanisms of the diffusion study (write kernel+mechanism):\n");
  for (const diffusion::Mechanism& m : diffusion::mechanisms())
    fmt::print("  {:<32} {}\n", m.name, m.summary);
  return 0;
}

}  // namespace

Action add_list(CLI::App& app) {
  app.add_subcommand("list", "Studies, variants, tunings and devices; what cannot run here, and why");
  return list;
}

}  // namespace parity::commands
