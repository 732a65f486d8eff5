// SPDX-License-Identifier: BSD-3-Clause
// Required length of a NetCDF file of a classic format (CDF-1, CDF-2, CDF-5), and the positions of its
// variables' data. The NetCDF library reads a truncated file as if it were complete.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace parity::io {

struct ClassicVariable {
  std::string name;
  std::int64_t begin = 0, bytes = 0;  ///< of one record if 'records' is true
  bool records = false;
};

struct ClassicLayout {
  std::int64_t file_bytes = 0;  ///< minimum; padding after the last value may be missing
  std::vector<ClassicVariable> variables;
};

/// The layout according to the file's header; nullopt for a file of another format. Throws
/// runtime::UsageError for a truncated or damaged header.
std::optional<ClassicLayout> classic_layout(const std::string& path);

}  // namespace parity::io
