// SPDX-License-Identifier: BSD-3-Clause
#include "io/input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/error.hpp"
#include "runtime/host_memory.hpp"
#include "runtime/parallel.hpp"
#include "runtime/text.hpp"

namespace parity::io {
namespace {

using runtime::UsageError;

constexpr std::int64_t block_bytes = std::int64_t(16) << 20, piece_bytes = std::int64_t(1) << 20;

}  // namespace

InputFile::InputFile(const std::string& path)
    : name_(path == "-" ? "standard input" : path),
      file_(path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                        : open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  std::string why;
  if (file_ < 0 || fstat(file_, &before_) != 0)
    why = path.empty() ? "the name of an input is empty; give a file name"
                       : fmt::format("{}: {}", name_, std::strerror(errno));
  else if (S_ISDIR(before_.st_mode))
    why = fmt::format("{}: is a folder; give a file", name_);
  if (!why.empty()) {
    if (file_ >= 0) close(file_);
    throw UsageError(why);
  }
  // A redirected file may have been read in part.
  seekable_ = S_ISREG(before_.st_mode) && lseek(file_, 0, SEEK_CUR) == 0;
}

InputFile::~InputFile() { close(file_); }

bool InputFile::is_terminal() const { return isatty(file_); }

std::size_t InputFile::read_some(void* to, std::size_t bytes, std::int64_t offset) const {
  char* const at = static_cast<char*>(to);
  std::size_t done = 0;
  while (done < bytes) {
    const std::size_t piece = std::min(bytes - done, std::size_t(1) << 26);
    if (!seekable_) {
      // Polls, to notice a signal while no data comes.
      pollfd ready{file_, POLLIN, 0};
      poll(&ready, 1, 100);
      runtime::stop_if_interrupted();
      if (ready.revents == 0) continue;
    }
    const ssize_t n = seekable_ ? pread(file_, at + done, piece, off_t(offset + std::int64_t(done)))
                                : ::read(file_, at + done, piece);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n < 0) throw UsageError(fmt::format("{}: {}", name_, std::strerror(errno)));
    if (n == 0) break;
    done += std::size_t(n);
  }
  return done;
}

std::string InputFile::text() const {
  constexpr std::size_t piece = std::size_t(1) << 20;
  std::string text;
  for (std::size_t size = piece; size == piece;) {
    const std::size_t before = text.size();
    // The caller makes as much of it again.
    if (runtime::available_host_memory() / 2 < std::int64_t(before))
      throw UsageError(fmt::format("{}: more than {} were read, and memory is full; give less", name_,
                                   runtime::bytes_text(double(before))));
    text.resize(before + piece);
    size = read_some(text.data() + before, piece, std::int64_t(before));
    text.resize(before + size);
  }
  return text;
}

void InputFile::read(void* to, std::size_t bytes, std::int64_t offset) const {
  if (read_some(to, bytes, offset) < bytes)
    throw UsageError(
        fmt::format("{}: ended while it was read; it is truncated: copy or save it again", name_));
}

void InputFile::require_unchanged() const {
  struct stat now {};
  if (!S_ISREG(before_.st_mode) ||
      (fstat(file_, &now) == 0 && now.st_size == before_.st_size &&
       now.st_mtim.tv_sec == before_.st_mtim.tv_sec && now.st_mtim.tv_nsec == before_.st_mtim.tv_nsec))
    return;
  throw UsageError(
      fmt::format("{}: was written to while it was read; run again when nothing writes to it", name_));
}

std::string text_of(const std::string& path, bool of_folder) {
  struct stat there {};
  const bool exists = (of_folder ? lstat : stat)(path.c_str(), &there) == 0;
  const bool device = S_ISCHR(there.st_mode) || S_ISBLK(there.st_mode);
  const bool is_open =
      path.rfind("/dev/std", 0) == 0 || path.rfind("/dev/fd/", 0) == 0 || path.rfind("/proc/", 0) == 0;
  if (exists && (of_folder ? !S_ISREG(there.st_mode) : device && !is_open))
    throw UsageError(fmt::format("{}: is {}; give a file", runtime::shown(path, 4096),
                                 S_ISLNK(there.st_mode) ? "a link"
                                 : device               ? "a device"
                                                        : "no regular file"));
  return InputFile(path).text();
}

Input::Input(const std::string& path) : file_(path) {
  if (file_.is_terminal()) fmt::print(stderr, "reading samples from the terminal; Ctrl-D ends them\n");
  if (file_.seekable()) size_ = file_.size();
  for (std::size_t n = block_bytes; !file_.seekable() && n == block_bytes; size_ += std::int64_t(n)) {
    // The caller needs all of it once more, as one text or as numbers.
    if (runtime::available_host_memory() < size_ + 2 * block_bytes)
      throw UsageError(fmt::format("{}: more than {} were read, and memory is full; give less", name(),
                                   runtime::bytes_text(double(size_))));
    blocks_.emplace_back(std::size_t(block_bytes));
    n = file_.read_some(blocks_.back().data(), std::size_t(block_bytes), 0);
  }
  if (size_ == 0) throw UsageError(fmt::format("{}: is empty; give a .npy or CSV file", name()));
}

void Input::read(void* to, std::size_t bytes, std::int64_t offset) const {
  if (file_.seekable()) return file_.read(to, bytes, offset);
  char* at = static_cast<char*>(to);
  while (bytes > 0) {
    const std::int64_t in_block = offset % block_bytes;
    const auto n = std::min({std::int64_t(bytes), block_bytes - in_block, size_ - offset});
    if (n <= 0) throw UsageError(fmt::format("{}: ended while it was read", name()));
    std::memcpy(at, blocks_[std::size_t(offset / block_bytes)].data() + in_block, std::size_t(n));
    at += n;
    offset += n;
    bytes -= std::size_t(n);
  }
}

Bytes Input::take() {
  if (blocks_.size() == 1) {
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
