// SPDX-License-Identifier: BSD-3-Clause
// Why no file could be made under a name.
#pragma once
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace parity::io {

/// number: errno of the attempt. A folder that is missing or closed is named.
inline std::string why_not_made(const std::string& path, int number) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (number == ENOENT)  // in a folder like /proc nothing can be made, though it is there
    return access(folder.c_str(), F_OK) == 0 ? fmt::format("no file can be made in {}", folder)
                                             : fmt::format("there is no folder {}", folder);
  if (number == EACCES || number == EROFS)
    return fmt::format("the folder {}: {}", folder, std::strerror(number));
  return std::strerror(number);
}

}  // namespace parity::io
