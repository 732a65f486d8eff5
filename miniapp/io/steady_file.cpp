// SPDX-License-Identifier: BSD-3-Clause
#include "io/steady_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "runtime/error.hpp"

namespace parity::io {

SteadyFile::SteadyFile(int file, std::string name)
    : file_(fcntl(file, F_DUPFD_CLOEXEC, 3)), name_(std::move(name)) {
  if (file_ < 0) throw runtime::UsageError(fmt::format("{}: {}", name_, std::strerror(errno)));
  before_ = state();
}

SteadyFile::~SteadyFile() { close(file_); }

SteadyFile::State SteadyFile::state() const {
  struct stat status {};
  if (fstat(file_, &status) != 0) return {};
  return {S_ISREG(status.st_mode), status.st_size, status.st_mtim};
}

void SteadyFile::require_unchanged() const {
  if (!before_.regular) return;
  const State now = state();
  if (now.size == before_.size && now.written.tv_sec == before_.written.tv_sec &&
      now.written.tv_nsec == before_.written.tv_nsec)
    return;
  throw runtime::UsageError(
      fmt::format("{}: was written to while it was read; run again when nothing writes to it", name_));
}

}  // namespace parity::io
