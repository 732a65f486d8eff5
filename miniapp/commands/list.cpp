// SPDX-License-Identifier: BSD-3-Clause
// parity list: studies, variants, tunings, devices, and what cannot run here with the reason.
#include <fmt/format.h>
#include <omp.h>

#include "commands/commands.hpp"
#include "cuda/device.hpp"
#include "diffusion/selection.hpp"
#include "kokkos_compat.hpp"
#include "study/memory.hpp"

namespace parity::commands {
namespace {

std::string mechanisms_of(const diffusion::Entry& e) {
  std::vector<std::string> known;
  for (const diffusion::Mechanism& m : diffusion::mechanisms())
    if (!diffusion::why_no_mechanism(e, m)) known.push_back(m.name);
  return fmt::format("{}", fmt::join(known, " "));
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
  for (const diffusion::Entry& e : diffusion::registry()) {
    fmt::print("  diffusion/{:<20} {}\n", e.name, e.summary);
    if (!e.twin.empty()) fmt::print("  {:<30}   twin: {}\n", "", e.twin);
    if (!e.tunings.empty())
      fmt::print("  {:<30}   tunings ({}): {}\n", "", e.tuning_axes, fmt::join(e.tunings, " "));
    if (e.stepped) fmt::print("  {:<30}   mechanisms: {}\n", "", mechanisms_of(e));
    if (!e.unavailable.empty()) fmt::print("  {:<30}   cannot run here: {}\n", "", e.unavailable);
  }
  fmt::print("\nlaunch mechanisms (write kernel+mechanism):\n");
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
