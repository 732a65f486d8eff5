// SPDX-License-Identifier: BSD-3-Clause
// What took processors away from this machine.
#pragma once
#include <optional>

namespace parity::runtime {

/// Processor seconds that a hypervisor gave to others since this machine was started, in steps of some
/// milliseconds; nothing where the system does not say.
std::optional<double> stolen_seconds();

}  // namespace parity::runtime
