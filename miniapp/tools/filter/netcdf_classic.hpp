// SPDX-License-Identifier: BSD-3-Clause
// How long a NetCDF file of a classic format (CDF-1, CDF-2, CDF-5) must be, and where its variables' data
// are. The NetCDF library reads a file that was cut short as if it were whole.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace parity::io {

struct ClassicVariable {
  std::string name;
  std::int64_t begin = 0, bytes = 0;  ///< of one record where 'records' is set
  bool records = false;
};

struct ClassicLayout {
  std::int64_t file_bytes = 0;  ///< at least; padding behind the last value may be missing
  std::vector<ClassicVariable> variables;
};

/// The layout that the file's header promises; nullopt for a file of another format. Throws
/// runtime::UsageError for a header that is cut short or damaged.
std::optional<ClassicLayout> classic_layout(const std::string& path);

}  // namespace parity::io
