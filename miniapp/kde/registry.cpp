// SPDX-License-Identifier: BSD-3-Clause
// The KDE registry: one table, read from variants.def.
#include "kde/variant.hpp"
#include "study/cuda_entry.hpp"

namespace parity::kde {

#define PARITY_VARIANT(function) Entry function();
#define PARITY_CUDA_VARIANT(function, name, summary) Entry function();
#include "kde/variants.def"
#undef PARITY_VARIANT
#undef PARITY_CUDA_VARIANT

const std::vector<Entry>& registry() {
#define PARITY_VARIANT(function) function(),
#ifdef PARITY_HAS_CUDA
#define PARITY_CUDA_VARIANT(function, name, summary) study::cuda_entry<Entry>(function, name, summary),
#else
#define PARITY_CUDA_VARIANT(function, name, summary) study::cuda_entry<Entry>(nullptr, name, summary),
#endif
  static const std::vector<Entry> table = {
#include "kde/variants.def"
  };
  return table;
}

}  // namespace parity::kde
