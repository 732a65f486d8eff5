// SPDX-License-Identifier: BSD-3-Clause
// The registry: one line a variant, in launch/algorithms.def.
#include "launch/variant.hpp"

namespace parity::launch {

#define PARITY_TABLE "launch/algorithms.def"
#include "harness/registry.inc"

}  // namespace parity::launch
