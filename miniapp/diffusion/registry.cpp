// SPDX-License-Identifier: BSD-3-Clause
// The diffusion registry: one table, read from variants.def.
#include "diffusion/variant.hpp"
#include "study/cuda_entry.hpp"

namespace parity::diffusion {

#define PARITY_VARIANT(function) Entry function();
#define PARITY_CUDA_VARIANT(function, name, summary) Entry function();
#define PARITY_CUPY_VARIANT(name, summary)
#include "diffusion/variants.def"
#undef PARITY_VARIANT
#undef PARITY_CUDA_VARIANT
#undef PARITY_CUPY_VARIANT

namespace {

/// A row of the first study's own language: listed and accepted in plans, measured by its own script.
Entry cupy_entry(const char* name, const char* summary) {
  Entry entry;
  entry.name = name;
  entry.summary = summary;
  entry.family = Family::cupy;
  entry.stepped = true;
  entry.unavailable = "measured by variants/cupy/diffusion.py, which takes the same plan and file of records";
  return entry;
}

}  // namespace

const std::vector<Entry>& registry() {
#define PARITY_VARIANT(function) function(),
#ifdef PARITY_HAS_CUDA
#define PARITY_CUDA_VARIANT(function, name, summary) study::cuda_entry<Entry>(function, name, summary),
#else
#define PARITY_CUDA_VARIANT(function, name, summary) study::cuda_entry<Entry>(nullptr, name, summary),
#endif
#define PARITY_CUPY_VARIANT(name, summary) cupy_entry(name, summary),
  static const std::vector<Entry> table = {
#include "diffusion/variants.def"
  };
  return table;
}

}  // namespace parity::diffusion
