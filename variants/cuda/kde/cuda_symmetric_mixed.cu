// SPDX-License-Identifier: BSD-3-Clause
// kde/cuda-symmetric-mixed: each unordered pair once, exponentials from both kinds of unit, bitwise
// repeatable.
#include "symmetric.cuh"

namespace parity::kde {

Entry cuda_symmetric_mixed() { return cuda::symmetric_entry<MixedTerm<2>>({"4x16", "8x4", "4x4"}); }

}  // namespace parity::kde
