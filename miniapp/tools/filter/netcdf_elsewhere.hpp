// SPDX-License-Identifier: BSD-3-Clause
// HDF5 files whose contents lie in other files.
#pragma once
#include <string>

namespace parity::io {

/// Goes through all groups and datasets of an HDF5 file before the NetCDF library does. Throws
/// runtime::UsageError for a dataset whose values lie in other files (external storage, virtual datasets),
/// for a link to another file or to nothing, and for groups without end: the output begins as a copy, which
/// would write to those files. False if nothing could be looked at. From the library's thread; shown: for
/// messages.
bool require_self_contained(const std::string& path, const std::string& shown);

}  // namespace parity::io
