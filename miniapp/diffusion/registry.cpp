// SPDX-License-Identifier: BSD-3-Clause
// The diffusion registry: one table, read from variants.def.
#include "cuda/device.hpp"
#include "diffusion/variant.hpp"
#include "kokkos_compat.hpp"

namespace parity::diffusion {

#define PARITY_VARIANT(function) Entry function();
#define PARITY_CUDA_VARIANT(function, name, summary) Entry function();
#include "diffusion/variants.def"
#undef PARITY_VARIANT
#undef PARITY_CUDA_VARIANT

namespace {

/// A CUDA row with the reason why it cannot run: no CUDA in the build, or no GPU on the machine.
[[maybe_unused]] Entry cuda_entry(Entry (*make)(), const char* name, const char* summary) {
  Entry entry;
  if (make) {
    entry = make();
  } else {
    entry.name = name;
    entry.summary = summary;
    entry.family = Family::cuda;
  }
  cuda::device(&entry.unavailable);
  return entry;
}

}  // namespace

bool Entry::on_device() const {
  return family == Family::cuda || (family == Family::kokkos && compat::exec_is_device());
}

const std::vector<Entry>& registry() {
#define PARITY_VARIANT(function) function(),
#ifdef PARITY_HAS_CUDA
#define PARITY_CUDA_VARIANT(function, name, summary) cuda_entry(function, name, summary),
#else
#define PARITY_CUDA_VARIANT(function, name, summary) cuda_entry(nullptr, name, summary),
#endif
  static const std::vector<Entry> table = {
#include "diffusion/variants.def"
  };
  return table;
}

}  // namespace parity::diffusion
