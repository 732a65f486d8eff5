// SPDX-License-Identifier: BSD-3-Clause
// The registry: one line a variant, in kde/algorithms.def.
#include "kde/variant.hpp"

namespace parity::kde {

#define PARITY_TABLE "kde/algorithms.def"
#include "harness/registry.inc"

}  // namespace parity::kde
