// SPDX-License-Identifier: BSD-3-Clause
// Detects HDF5 files whose contents lie in other files.
#pragma once
#include <string>

namespace parity::io {

/// Walks all groups and datasets of an HDF5 file before the NetCDF library opens it. Throws
/// runtime::UsageError for a dataset whose values lie in other files (external storage, virtual datasets),
/// for a link to another file or to nothing, and for endless groups: the output begins as a copy and would
/// write to those files. Returns false if it could not inspect the file. Call it from the library's thread.
/// shown: name for messages.
bool require_self_contained(const std::string& path, const std::string& shown);

}  // namespace parity::io
