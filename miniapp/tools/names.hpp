// SPDX-License-Identifier: BSD-3-Clause
// Names in users' files.
#pragma once
#include <string>

namespace parity::tools {

/// Composes a name to Unicode's NFC, in which names are compared: a letter and its mark may be one character
/// or, as macOS writes them, two. Returns invalid UTF-8 unchanged.
std::string composed(const std::string& name);

}  // namespace parity::tools
