// SPDX-License-Identifier: BSD-3-Clause
#include "io/input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/error.hpp"
#include "runtime/host_memory.hpp"
#include "runtime/parallel.hpp"

namespace parity::io {
namespace {

using runtime::UsageError;

constexpr std::int64_t block_bytes = std::int64_t(64) << 20, piece_bytes = std::int64_t(1) << 20;

}  // namespace

Input::Input(const std::string& path)
    : name_(path == "-" ? "standard input" : path),
      file_(path == "-" ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  struct stat status {};
  if (file_ < 0 || fstat(file_, &status) != 0) {
    const int reason = errno;
    if (file_ >= 0) close(file_);
    throw UsageError(path.empty() ? "the name of an input is empty; give a file name"
                                  : fmt::format("{}: {}", name_, std::strerror(reason)));
  }
  try {
    if (S_ISDIR(status.st_mode)) throw UsageError(fmt::format("{}: is a folder; give a file", name_));
    steady_.emplace(file_, name_);
    // A redirected file may have been read in part.
    stream_ = !S_ISREG(status.st_mode) || (path == "-" && lseek(file_, 0, SEEK_CUR) != 0);
    size_ = status.st_size;
    if (stream_) read_stream();
    if (size_ == 0) throw UsageError(fmt::format("{}: is empty; give a .npy or CSV file", name_));
  } catch (...) {
    close(file_);
    throw;
  }
}

Input::~Input() { close(file_); }

void Input::read_stream() {
  if (isatty(file_)) fmt::print(stderr, "reading samples from the terminal; Ctrl-D ends them\n");
  size_ = 0;
  for (std::int64_t in_block = block_bytes;;) {
    if (in_block == block_bytes) {
      if (runtime::available_host_memory() < 4 * block_bytes)
        throw UsageError(fmt::format("{}: more than {} were read, and memory is full; give less", name_,
                                     runtime::bytes_text(double(size_))));
      blocks_.emplace_back(std::size_t(block_bytes));
      in_block = 0;
    }
    // A signal must be seen while nothing comes.
    pollfd ready{file_, POLLIN, 0};
    poll(&ready, 1, 100);
    runtime::stop_if_interrupted();
    if (ready.revents == 0) continue;
    const ssize_t n = ::read(file_, blocks_.back().data() + in_block, std::size_t(block_bytes - in_block));
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n < 0) throw UsageError(fmt::format("{}: {}", name_, std::strerror(errno)));
    if (n == 0) break;
    in_block += n;
    size_ += n;
  }
}

void Input::read(void* to, std::size_t bytes, std::int64_t offset) const {
  char* at = static_cast<char*>(to);
  while (bytes > 0) {
    std::int64_t n = 0;
    if (stream_) {
      const std::int64_t in_block = offset % block_bytes;
      n = std::min({std::int64_t(bytes), block_bytes - in_block, size_ - offset});
      if (n > 0)
        std::memcpy(at, blocks_[std::size_t(offset / block_bytes)].data() + in_block, std::size_t(n));
    } else {
      n = pread(file_, at, bytes, off_t(offset));
      if (n < 0 && errno == EINTR) continue;
    }
    if (n <= 0)
      throw UsageError(
          fmt::format("{}: {}", name_, n < 0 ? std::strerror(errno) : "ended while it was read"));
    at += n;
    offset += n;
    bytes -= std::size_t(n);
  }
}

Bytes Input::take() {
  if (stream_ && blocks_.size() == 1) {
    blocks_.front().resize(std::size_t(size_));
    return std::move(blocks_.front());
  }
  Bytes all(static_cast<std::size_t>(size_));
  runtime::for_ranges(size_, piece_bytes, [&](std::int64_t begin, std::int64_t end) {
    read(all.data() + begin, std::size_t(end - begin), begin);
  });
  blocks_.clear();
  return all;
}

}  // namespace parity::io
