// SPDX-License-Identifier: BSD-3-Clause
// The registry: one line a variant, in diffusion/algorithms.def.
#include "diffusion/variant.hpp"

namespace parity::diffusion {

#define PARITY_TABLE "diffusion/algorithms.def"
#include "harness/registry.inc"

}  // namespace parity::diffusion
