// SPDX-License-Identifier: BSD-3-Clause
// The header of NumPy's .npy format, versions 1 to 3 (numpy.lib.format).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace parity::io {

struct NpyHeader {
  std::string descr;  ///< "<f4" and the like
  std::vector<std::int64_t> shape;
  std::int64_t data_offset = 0;  ///< bytes before the data
  bool swapped = false;          ///< the other endianness than this machine's
  int item_bytes = 4;            ///< 4 or 8
};

constexpr std::int64_t unknown_size = -1;  ///< of a pipe

/// Bytes before the data, as the first 12 bytes of the file say.
std::int64_t npy_header_bytes(const std::string& start);

/// Parses and checks the header of a file of 'file_bytes' bytes that starts with 'start' (at most the first
/// 64 KiB); unknown_size: nothing is said about its length. Accepts 1-D to 3-D float32 and float64 in C
/// order. Throws runtime::UsageError that names the file and the fix.
NpyHeader parse_npy_header(const std::string& file, const std::string& start, std::int64_t file_bytes);

}  // namespace parity::io
