// SPDX-License-Identifier: BSD-3-Clause
// Which rows may be compared with each other: those of one commit on one kind of device.
#pragma once
#include <string>
#include <vector>

#include "harness/measurement.hpp"

namespace parity::analysis {

struct Origin {
  std::string text;  ///< "commit c0ffee on NVIDIA H200"
  std::vector<harness::Measurement> rows;
};

/// In the order of their first rows.
std::vector<Origin> by_origin(std::vector<harness::Measurement> rows);

}  // namespace parity::analysis
