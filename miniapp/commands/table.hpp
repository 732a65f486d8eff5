// SPDX-License-Identifier: BSD-3-Clause
// The readable form of measured rows, shared by the commands that print them.
#pragma once
#include <string>
#include <vector>

#include "study/records.hpp"

namespace parity::commands {

/// One line a row, with the ratio to the baseline row (baseline time / row time: above 1 is faster) and its
/// interval. An empty baseline means the fastest native row (openmp or cuda), or the fastest of all.
void print_table(const std::vector<study::Row>& rows, const std::string& baseline);

/// Portable/native ratio of every pair that was measured, with interval (native time / portable time).
void print_pairs(const std::vector<study::Row>& rows);

/// The same table as CSV with a header line.
std::string to_csv(const std::vector<study::Row>& rows, const std::string& baseline);

/// The row that ratios refer to; null when no row has a time. Throws UsageError for a name that was not
/// measured.
const study::Row* find_baseline(const std::vector<study::Row>& rows, const std::string& name);

}  // namespace parity::commands
