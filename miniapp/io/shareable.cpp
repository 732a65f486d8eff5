// SPDX-License-Identifier: BSD-3-Clause
#include "io/shareable.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include "io/whole_file.hpp"
#include "runtime/error.hpp"

namespace parity::io {
namespace {

[[noreturn]] void refuse(const std::string& name) {
  throw runtime::UsageError(fmt::format(
      "{}: is no regular file, and several ranks need a part of it each: give a file, or start one process",
      name));
}

}  // namespace

void require_shareable_input(const std::string& path) {
  if (path == "-") refuse("standard input");
  struct stat there {};
  // What is not there, or a folder, is said by who opens it.
  if (stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode)) refuse(path);
}

void require_shareable_output(const std::string& path) {
  if (is_stream(path)) refuse(path == "-" ? "standard output" : path);
}

}  // namespace parity::io
