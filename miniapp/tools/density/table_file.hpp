// SPDX-License-Identifier: BSD-3-Clause
// (point, density) tables, written to an atomic file or a stream.
#pragma once
#include <functional>
#include <string>

#include "tools/density/column_file.hpp"

namespace parity::io {

struct TableTarget {
  std::string path;  ///< "-" is standard output
  Format format = Format::npy;
  std::string name() const { return path == "-" ? "standard output" : path; }
};

/// The target for an output's name: "-" keeps the input's format, other names end in .npy or .csv; 'asked'
/// (npy, csv or empty) overrides both. Throws runtime::UsageError if the name implies no format, and for .npy
/// on a terminal.
TableTarget table_target(const std::string& path, const std::string& asked, Format of_input);

/// Throws early if the target cannot be written, before anything is computed.
void require_writable(const TableTarget& target);

/// Writes m points and densities: .npy of shape (m, 2), float64, or CSV with the header "point,<name>" and
/// numbers that round-trip. All threads convert while the file is written. The calling thread calls reached
/// with the number of points done. Collective: the ranks' rows are written in rank order, and the file
/// appears after all ranks' rows are on the disk.
void write_table(const TableTarget& target, runtime::Values points, runtime::Values densities,
                 const std::string& name, const std::function<void(double)>& reached);

}  // namespace parity::io
