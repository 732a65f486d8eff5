// SPDX-License-Identifier: BSD-3-Clause
// Standard streams that the caller has closed.
#pragma once

namespace parity::runtime {

/// A closed standard stream would be the number of the next file that is opened, and messages would go into
/// it: such a stream is opened to nothing. Called once, before any file is opened.
void open_standard_streams();

/// Whether nobody would get what is written to standard output, since the caller had closed it.
bool standard_output_is_closed();

}  // namespace parity::runtime
