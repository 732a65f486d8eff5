// SPDX-License-Identifier: BSD-3-Clause
// A record of the written values, to compare with the finished file: a library may store another type,
// another byte order or fewer digits.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/filter/field_file.hpp"

namespace parity::io {

/// The record of one field. A checksum over every bit of each plane detects a difference, and sampled values
/// measure it. Covers all blocks of the first 64 MiB, and an eighth of the later ones.
class ReadBack {
 public:
  /// A block's values as the file should hold them, with 'points' points per plane.
  template <class T>
  void wrote(const Block& block, const T* stored, std::int64_t points);

  struct Difference {
    double most = 0, largest = 0;  ///< of the compared values: largest difference, largest magnitude
    bool any = false;
    const Block* block = nullptr;  ///< block of 'most', or of the first plane whose checksum differs
    std::int64_t plane = 0, point = -1;
    double meant = 0, found = 0;
  };
  /// read: reads a block's values from the file, in the calling thread.
  template <class T>
  Difference compare(std::int64_t points, const std::function<void(const Block&, T*)>& read) const;
  void clear() { written_.clear(); }

 private:
  struct Written {
    Block block;
    std::vector<std::uint64_t> sums;  ///< one per plane
    std::vector<double> values;       ///< every stride-th point of each plane
    std::int64_t stride = 1;
  };
  std::vector<Written> written_;
  double bytes_ = 0, kept_bytes_ = 0;
  std::int64_t values_ = 0;
};

/// Throws runtime::Error (a check failed): 'field' holds other values than were written. why: the fix.
[[noreturn]] void fail_read_back(const Field& field, const ReadBack::Difference& d, const std::string& why);

}  // namespace parity::io
