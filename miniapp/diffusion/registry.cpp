// SPDX-License-Identifier: BSD-3-Clause
// The registry: one line a variant, in diffusion/variants.def.
#include "diffusion/variant.hpp"

namespace parity::diffusion {

#define PARITY_TABLE "diffusion/variants.def"
#include "harness/registry.inc"

}  // namespace parity::diffusion
