// SPDX-License-Identifier: BSD-3-Clause
// Bandwidth of a plain copy on the host: the floor that unblocked host variants are held against.
#pragma once
#include <cstdint>

namespace parity::runtime {

/// Bytes a second (read plus written) of all threads copying 'bytes' bytes; fields that fit a cache copy at
/// its speed.
double host_copy_bandwidth(std::int64_t bytes);

}  // namespace parity::runtime
