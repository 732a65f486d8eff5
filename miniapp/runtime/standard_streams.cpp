// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

namespace parity::runtime {
namespace {
bool closed_output = false;
}

void open_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    closed_output = closed_output || stream == STDOUT_FILENO;
    // Closed again for the program that takes this one's place, which finds out for itself.
    (void)!open("/dev/null", O_RDWR | O_CLOEXEC);
  }
}

bool standard_output_is_closed() { return closed_output; }

}  // namespace parity::runtime
