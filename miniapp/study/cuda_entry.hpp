// SPDX-License-Identifier: BSD-3-Clause
// A registry's row for a CUDA variant, whatever the study. For the registries alone.
#pragma once
#include "study/entry.hpp"

namespace parity::study {

/// make: null in a build without CUDA. A reason that make gave stays where there is a device; elsewhere that
/// there is none says more.
template <class Entry>
Entry cuda_entry(Entry (*make)(), const char* name, const char* summary) {
  Entry entry = make ? make() : Entry();
  describe_cuda_entry(entry, name, summary);
  return entry;
}

}  // namespace parity::study
