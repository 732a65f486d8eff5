// SPDX-License-Identifier: BSD-3-Clause
// The registry: one line a variant, in launch/variants.def.
#include "launch/variant.hpp"

namespace parity::launch {

#define PARITY_TABLE "launch/variants.def"
#include "harness/registry.inc"

}  // namespace parity::launch
