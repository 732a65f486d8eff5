// SPDX-License-Identifier: BSD-3-Clause
#include "io/whole_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "runtime/error.hpp"

namespace parity::io {

WholeFile::WholeFile(const std::string& target) : target_(target) {
  struct stat there {};
  if (stat(target.c_str(), &there) == 0 && !S_ISREG(there.st_mode))
    throw runtime::UsageError(fmt::format("{}: is no regular file; give another output name", target));
  const std::string pattern = target + ".partial-XXXXXX";
  std::vector<char> name(pattern.begin(), pattern.end());
  name.push_back('\0');
  file_ = mkstemp(name.data());
  if (file_ < 0)
    throw runtime::UsageError(fmt::format("{}: cannot be written: {}", target, std::strerror(errno)));
  temporary_ = name.data();
  const mode_t mask = umask(0);
  umask(mask);
  fchmod(file_, 0666 & ~mask);
}

WholeFile::~WholeFile() {
  if (file_ < 0) return;
  close(file_);
  unlink(temporary_.c_str());
}

void WholeFile::write_at(const void* data, std::size_t bytes, std::int64_t offset) {
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = pwrite(file_, from, bytes, off_t(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      throw runtime::UsageError(
          fmt::format("{}: cannot be written: {}", target_, n < 0 ? std::strerror(errno) : "no space"));
    from += n;
    offset += n;
    bytes -= std::size_t(n);
  }
}

void WholeFile::commit() {
  if (fsync(file_) != 0 || rename(temporary_.c_str(), target_.c_str()) != 0)
    throw runtime::UsageError(fmt::format("{}: cannot be written: {}", target_, std::strerror(errno)));
  close(file_);
  file_ = -1;
}

}  // namespace parity::io
