// SPDX-License-Identifier: BSD-3-Clause
// Files of which several processes read or write a part each: a pipe has no parts.
#pragma once
#include <string>

namespace parity::io {

/// Throws runtime::UsageError for standard input and for what is no regular file, without opening it: that
/// would wait for a pipe's other end.
void require_shareable_input(const std::string& path);
/// The same for standard output and for what can only be appended to.
void require_shareable_output(const std::string& path);

}  // namespace parity::io
