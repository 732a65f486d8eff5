// SPDX-License-Identifier: BSD-3-Clause
// (point, density) tables: a file that appears whole or not at all, or a stream.
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

/// The target of an output's name: "-" keeps the input's format, other names end in .npy or .csv; 'asked'
/// (npy, csv or nothing) goes before both. Throws runtime::UsageError for a name that says neither, and for
/// .npy on a terminal.
TableTarget table_target(const std::string& path, const std::string& asked, Format of_input);

/// Refuses a target that cannot be written, so that nothing is computed in vain.
void require_writable(const TableTarget& target);

/// Writes m points and densities: .npy of shape (m, 2), float64, or CSV with the header "point,<name>" and
/// numbers that read back as the same. All threads convert while the file is written. reached: is told now
/// and then up to which point it is done, by the calling thread. All ranks call it together: their rows come
/// in the ranks' order, and the file appears when every rank's are on the disk.
void write_table(const TableTarget& target, runtime::Values points, runtime::Values densities,
                 const std::string& name, const std::function<void(double)>& reached);

}  // namespace parity::io
