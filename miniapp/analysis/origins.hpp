// SPDX-License-Identifier: BSD-3-Clause
// Which rows may be compared with each other: those of one commit on one kind of device.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "harness/measurement.hpp"

namespace parity::analysis {

/// "commit c0ffee on NVIDIA H200".
std::string origin_text(const harness::RunIdentity& run);

struct Origin {
  std::string text;  ///< origin_text of its rows
  std::vector<harness::Measurement> rows;
  std::vector<std::size_t> places;  ///< of each row among all
};

/// In the order of their first rows.
std::vector<Origin> by_origin(std::vector<harness::Measurement> rows);

/// Of several runs of one thing the latest: the rows for which 'what' says the same, of the run whose time is
/// the last. In their order; rows for which 'what' says nothing are left out. Valid as long as 'rows' is.
std::vector<const harness::Measurement*> of_latest_runs(
    const std::vector<harness::Measurement>& rows,
    const std::function<std::string(const harness::Measurement&)>& what);

/// And of those the fastest of each thing, of several tunings; in the order of what 'what' says.
std::vector<const harness::Measurement*> fastest_of_latest_runs(
    const std::vector<harness::Measurement>& rows,
    const std::function<std::string(const harness::Measurement&)>& what);

}  // namespace parity::analysis
