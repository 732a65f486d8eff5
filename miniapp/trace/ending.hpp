// SPDX-License-Identifier: BSD-3-Clause
// A signal that ends the traced program, such as SIGSEGV: which one, and in which library, goes into the
// trace and on standard error. The program then ends as it would have.
#pragma once
#include <sys/stat.h>

namespace parity::trace {

/// For signals that neither the program nor its parent handles. The strings must live on.
/// say: on standard error, too.
void tell_ends(const char* path, int file, const struct stat& there, bool say) noexcept;

}  // namespace parity::trace
