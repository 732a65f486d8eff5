// SPDX-License-Identifier: BSD-3-Clause
// The launch registry: one table, read from variants.def.
#include "launch/variant.hpp"

namespace parity::launch {

#define PARITY_VARIANT(function) Entry function();
#define PARITY_CUDA_VARIANT(function, name, summary) Entry function();
#include "launch/variants.def"
#undef PARITY_VARIANT
#undef PARITY_CUDA_VARIANT

namespace {

[[maybe_unused]] Entry cuda_entry(Entry (*make)(), const char* name, const char* summary) {
  Entry entry = make ? make() : Entry();
  const std::string reason = entry.unavailable;
  study::describe_cuda_entry(entry, name, summary);
  // What this toolkit or device lacks matters only where there is a device.
  if (entry.unavailable.empty()) entry.unavailable = reason;
  return entry;
}

}  // namespace

const std::vector<Entry>& registry() {
#define PARITY_VARIANT(function) function(),
#ifdef PARITY_HAS_CUDA
#define PARITY_CUDA_VARIANT(function, name, summary) cuda_entry(function, name, summary),
#else
#define PARITY_CUDA_VARIANT(function, name, summary) cuda_entry(nullptr, name, summary),
#endif
  static const std::vector<Entry> table = {
#include "launch/variants.def"
  };
  return table;
}

}  // namespace parity::launch
