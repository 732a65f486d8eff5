// SPDX-License-Identifier: BSD-3-Clause
// What 'parity findings' and 'parity export' do with records in place of their own output. Each returns an
// exit code.
#pragma once
#include <string>
#include <vector>

#include "commands/sheet.hpp"

namespace parity::commands {

using Paths = std::vector<std::string>;

/// findings --merit: figures of merit, one a line.
int print_merit(const Paths& records, const SheetOptions& sheets);
/// findings --scaling: measured weak and strong efficiencies.
int print_scaling(const Paths& records, const SheetOptions& sheets);
/// findings --tunings: the best tuning of each variant on each problem of a sweep.
int write_tunings(const Paths& records, const std::string& output);
/// export --records: the records of a plan's slices in one file.
int merge_records(const Paths& parts, const std::string& output);

}  // namespace parity::commands
