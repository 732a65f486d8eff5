// SPDX-License-Identifier: BSD-3-Clause
// The variant that filters a user's field when the user names none.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "diffusion/study.hpp"

namespace parity::filter {

enum class DeviceClass { cpu, gpu, gpu_9 };  ///< gpu_9: compute capability 9 or later
DeviceClass device_class_here();

/// Names of variants for such planes, best first; choose() skips those that cannot run. threads: of the host.
std::vector<std::string> preferred(DeviceClass on, const diffusion::Problem& p, int threads);

struct Chosen {
  harness::Choice choice;
  std::string why;  ///< one line
};
/// The first preferred variant that can run; nullopt if none can.
std::optional<Chosen> choose(DeviceClass on, const diffusion::Problem& p, int threads);

}  // namespace parity::filter
