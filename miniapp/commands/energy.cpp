// SPDX-License-Identifier: BSD-3-Clause
#include "commands/energy.hpp"

#include <fmt/format.h>

#include "runtime/error.hpp"
#include "runtime/messages.hpp"

namespace parity::commands {

std::unique_ptr<harness::EnergyProbe> energy_probe(bool wanted, const harness::Study& study) {
  if (!wanted) return nullptr;
  if (study.times_are_results())
    throw runtime::UsageError(fmt::format(
        "--energy: {} measures calls, which have no joules of their own; leave it away", study.name()));
  if (runtime::several_ranks())
    throw runtime::UsageError(
        "--energy counts one process's joules: start it without mpirun or srun, or leave it away");
  return std::make_unique<harness::EnergyProbe>(runtime::energy_meters());
}

}  // namespace parity::commands
