// SPDX-License-Identifier: BSD-3-Clause
// The header of NumPy's .npy format, versions 1 to 3 (numpy.lib.format).
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "io/input.hpp"

namespace parity::io {

struct NpyHeader {
  std::string descr;  ///< "<f4" and the like
  std::vector<std::int64_t> shape;
  std::int64_t data_offset = 0;  ///< bytes before the data
  bool swapped = false;          ///< true if its endianness differs from this machine's
  int item_bytes = 4;            ///< 4 or 8; for whole numbers also 1 and 2
  char kind = 'f';               ///< 'i' and 'u': whole numbers
};

constexpr std::int64_t longest_npy_header = 65536;

/// Bytes before the data, according to the first 12 bytes of the file.
std::int64_t npy_header_bytes(const std::string& start);

/// Parses and checks the header of a file of 'file_bytes' bytes that starts with 'start' (at most the first
/// 64 KiB); with unknown_size it does not check the length. Accepts 1-D to 3-D float32 and float64 in C
/// order, and whole numbers if requested. Throws runtime::UsageError naming the file and the fix.
NpyHeader parse_npy_header(const std::string& file, const std::string& start, std::int64_t file_bytes,
                           bool whole_numbers = false);

constexpr bool is_little_endian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

template <class T>
T swapped(T value) {
  unsigned char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof bytes);
  std::reverse(bytes, bytes + sizeof bytes);
  std::memcpy(&value, bytes, sizeof bytes);
  return value;
}

}  // namespace parity::io
