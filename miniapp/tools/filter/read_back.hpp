// SPDX-License-Identifier: BSD-3-Clause
// What was written, to hold the finished file against: a library may store another type, byte order or fewer
// digits than it was given.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/filter/field_file.hpp"

namespace parity::io {

/// Of one field. A sum over every bit of each plane shows whether it came back, and some values by how much
/// it did not. All blocks of the first 64 MiB are kept in mind, and an eighth of those that follow.
class ReadBack {
 public:
  /// Values of a block as the file is to hold them, with 'points' a plane.
  template <class T>
  void wrote(const Block& block, const T* stored, std::int64_t points);

  struct Difference {
    double most = 0, largest = 0;  ///< of the values compared: by how much they differ, their size
    bool any = false;
    const Block* block = nullptr;  ///< where 'most' is, or the first plane whose sum differs
    std::int64_t plane = 0, point = -1;
    double meant = 0, found = 0;
  };
  /// read: gets the values of a block from the file, by the calling thread.
  template <class T>
  Difference compare(std::int64_t points, const std::function<void(const Block&, T*)>& read) const;
  void clear() { written_.clear(); }

 private:
  struct Written {
    Block block;
    std::vector<std::uint64_t> sums;  ///< one a plane
    std::vector<double> values;       ///< every so many points of each plane
    std::int64_t stride = 1;
  };
  std::vector<Written> written_;
  double bytes_ = 0, kept_bytes_ = 0;
  std::int64_t values_ = 0;
};

/// Throws runtime::Error (a check failed): 'field' holds something else than it was given. why: what to do.
[[noreturn]] void fail_read_back(const Field& field, const ReadBack::Difference& d, const std::string& why);

}  // namespace parity::io
