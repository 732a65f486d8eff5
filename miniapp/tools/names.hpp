// SPDX-License-Identifier: BSD-3-Clause
// Names in users' files.
#pragma once
#include <string>

namespace parity::tools {

/// In Unicode's composed form (NFC), in which names are compared: a letter and its mark may be one character
/// or two, as macOS writes them. What is no UTF-8 stays as it is.
std::string composed(const std::string& name);

}  // namespace parity::tools
