// SPDX-License-Identifier: BSD-3-Clause
// --energy of 'measure' and of the studies' commands.
#pragma once
#include <memory>

#include "harness/energy.hpp"
#include "harness/study.hpp"

namespace parity::commands {

constexpr const char* energy_help =
    "Count joules of each row too, where the device counts them: some seconds more a row and start, after "
    "idle power";

/// What counts joules in this start; null where none are wanted. Throws where the study has no rows with
/// joules, under mpirun, and where nothing counts here: before anything is measured or written.
std::unique_ptr<harness::EnergyProbe> energy_probe(bool wanted, const harness::Study& study);

/// What it takes of each row and start, at least.
inline double energy_seconds() {
  const harness::EnergyOptions o;
  return o.lead_seconds + o.window_seconds;
}

}  // namespace parity::commands
