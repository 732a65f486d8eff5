// SPDX-License-Identifier: BSD-3-Clause
// One column of numbers from a .npy or CSV file, and (point, density) tables written whole or not at all.
#pragma once
#include <string>
#include <vector>

namespace parity::io {

/// A 1-D .npy array (float32 or float64) or one column of a CSV file (io/csv.hpp; with or without a header
/// line). column: a header's name or a number from 1; needed where a CSV file has
/// several. what: "samples" and the like, for messages. Throws runtime::UsageError naming file, line and fix
/// for everything that is not a finite number.
std::vector<double> read_column(const std::string& path, const std::string& column, const std::string& what);

/// Refuses an output name that is neither .npy nor .csv.
void check_table_name(const std::string& path);

/// Writes m points and densities: .npy of shape (m, 2), float64, or .csv with the header "point,<name>".
void write_table(const std::string& path, const std::vector<double>& points,
                 const std::vector<double>& densities, const std::string& name);

}  // namespace parity::io
