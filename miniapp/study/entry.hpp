// SPDX-License-Identifier: BSD-3-Clause
// What every row of a registry says about its variant, whatever the study.
#pragma once
#include <string>
#include <vector>

#include "study/variant.hpp"

namespace parity::study {

struct EntryBase {
  std::string name;  ///< family-variant, as in "kokkos-fused"
  Family family = Family::reference;
  std::string summary;  ///< one line for 'parity list'
  std::string twin;     ///< the native twin of a portable variant: same index space, algorithm and arithmetic
  std::vector<std::string> tunings;  ///< the first is the default; empty where there is nothing to tune
  std::string tuning_axes;           ///< what the numbers mean, e.g. "rows x columns of a tile"
  std::string unavailable = {};      ///< why no problem at all can run in this build or on this machine

  bool on_device() const;  ///< whether its memory is a GPU's
};

/// Fills in a CUDA row, with the reason where it cannot run: no CUDA in the build, or no GPU on the machine.
void describe_cuda_entry(EntryBase& entry, const char* name, const char* summary);

}  // namespace parity::study
