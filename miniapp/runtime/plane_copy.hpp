// SPDX-License-Identifier: BSD-3-Clause
// Copies of planes between layouts with different margins, on or to or from a GPU; without CUDA on the host.
#pragma once
#include <cstdint>

namespace parity::runtime {

/// Where planes lie: the first value, bytes from row to row, rows from plane to plane.
struct Planes {
  void* first;
  std::int64_t pitch_bytes, plane_rows;
};

/// 'planes' x 'rows' x 'row_bytes' bytes; in order with 'stream', complete later where the host's memory is
/// page-locked. Throws where CUDA does.
void copy_planes(const Planes& from, const Planes& to, std::int64_t row_bytes, std::int64_t rows,
                 std::int64_t planes, void* stream);

}  // namespace parity::runtime
