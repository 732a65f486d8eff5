// SPDX-License-Identifier: BSD-3-Clause
#include "io/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/limits.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>

#include "io/input.hpp"
#include "runtime/error.hpp"
#include "runtime/processes.hpp"
#include "runtime/program.hpp"
#include "runtime/signals.hpp"
#include "runtime/text.hpp"

namespace parity::io {
namespace {

using runtime::UsageError;

constexpr ssize_t early_write_bytes = 1 << 20;

struct Split {
  std::string folder, name;  ///< folder with its slash, or empty
};
Split split(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {"", path};
  return {path.substr(0, slash + 1), path.substr(slash + 1)};
}

/// The open descriptor that a name refers to, or -1.
int descriptor_of(const std::string& path) {
  if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const char* const folder : {"/dev/fd/", "/proc/self/fd/"}) {
    int number = 0;
    char rest = 0;
    if (path.rfind(folder, 0) == 0 &&
        std::sscanf(path.c_str() + std::strlen(folder), "%9d%c", &number, &rest) == 1)
      return number;
  }
  return -1;
}

/// Refuses a file that another user put into a folder where all may write.
void refuse_of_others(const std::string& path, const struct stat& it) {
  const std::string folder = split(path).folder;
  struct stat around {};
  if (stat(folder.empty() ? "." : folder.c_str(), &around) != 0) return;
  const bool shared = (around.st_mode & S_ISVTX) != 0 && (around.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  if (!shared || it.st_uid == geteuid() || it.st_uid == around.st_uid) return;
  throw UsageError(fmt::format(
      "{}: is {} of another user (number {}) in a folder where all may write; give another output name",
      runtime::shown(path, PATH_MAX), S_ISLNK(it.st_mode) ? "a link" : "a file", it.st_uid));
}

/// Resolves symbolic links, even if nothing exists there yet. Empty if they form a loop.
std::string followed(std::string path) {
  for (int links = 0; links < 40; ++links) {
    if (descriptor_of(path) >= 0) return path;
    // The descriptor makes it read the link that was checked: by name, somebody could exchange it in between.
    const int it = open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (it < 0) return path;  // nothing is there
    struct stat there {};
    const bool seen = fstat(it, &there) == 0;
    char to[PATH_MAX];
    const ssize_t size = readlinkat(it, "", to, sizeof to);
    close(it);
    if (seen) refuse_of_others(path, there);
    if (size < 0) return path;  // not a link
    const std::string link(to, std::size_t(size));
    path = link.rfind('/', 0) == 0 ? link : split(path).folder + link;
  }
  errno = ELOOP;
  return "";
}

/// File names may have 255 bytes: a longer one is cut between two characters.
std::string temporary_beside(const std::string& path) {
  Split s = split(path);
  const std::string end = ".partial-XXXXXX";
  if (s.name.size() + end.size() > NAME_MAX) {
    std::size_t size = NAME_MAX - end.size();
    while (size > 0 && (static_cast<unsigned char>(s.name[size]) & 0xc0) == 0x80) --size;
    s.name.resize(size);
  }
  return s.folder + s.name + end;
}

[[noreturn]] void refuse(const std::string& name) {
  throw UsageError(fmt::format(
      "{}: is no regular file, and several ranks need a part of it each: give a file, or start one process",
      name));
}

}  // namespace

void AtomicFile::fail(const std::string& why) const {
  throw UsageError(fmt::format("{}: cannot be written: {}",
                               target_ == "-" ? "standard output" : runtime::shown(target_, PATH_MAX), why));
}

AtomicFile::AtomicFile(const std::string& target) : target_(target) {
  if (target.empty()) throw UsageError("the output's name is empty; give a file name");
  resolved_ = followed(target);
  if (resolved_.empty()) fail("its symbolic links form a loop");
  if (const int open_file = descriptor_of(resolved_); open_file >= 0) {
    if (open_file == STDOUT_FILENO && runtime::standard_output_is_closed()) fail("it is closed");
    std::fflush(stdout);
    open_stream(fcntl(open_file, F_DUPFD_CLOEXEC, 3));
    // Keeps other output of the command out of the data.
    if (open_file == STDOUT_FILENO) dup2(STDERR_FILENO, STDOUT_FILENO);
    return;
  }
  struct stat there {};
  const bool exists = stat(resolved_.c_str(), &there) == 0;
  if (exists && (S_ISFIFO(there.st_mode) || S_ISCHR(there.st_mode)))
    open_stream(open(resolved_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  else if (exists && !S_ISREG(there.st_mode))
    throw UsageError(fmt::format("{}: is {}; give another output name", target,
                                 S_ISDIR(there.st_mode) ? "a folder" : "no regular file"));
  else
    open_beside(resolved_);
}

AtomicFile::AtomicFile(const std::string& target, const std::string& temporary)
    : target_(target), temporary_(temporary), file_(open(temporary.c_str(), O_WRONLY | O_CLOEXEC)) {
  if (file_ < 0) fail(std::strerror(errno));
  joined_ = true;
  runtime::adopt_temporary(temporary_);
}

void AtomicFile::open_stream(int file) {
  if (file < 0) fail(std::strerror(errno));
  file_ = file;
  stream_ = true;
}

void AtomicFile::open_beside(const std::string& path) {
  const Split s = split(path);
  if (s.name.empty()) fail("the name ends with '/'; give a file name");
  if (s.name.size() > NAME_MAX) fail(std::strerror(ENAMETOOLONG));
  struct stat there {};
  const bool exists = stat(path.c_str(), &there) == 0, own = exists && there.st_uid == geteuid();
  if (exists && access(path.c_str(), W_OK) != 0) fail(std::strerror(errno));
  temporary_ = temporary_beside(path);
  // No more rights than before, and if the old file was another user's, no more than any new file has.
  file_ =
      runtime::make_temporary(temporary_, exists ? (there.st_mode & (own ? 0777U : 0666U)) | 0600U : 0666U);
  if (file_ < 0) fail(why_not_made(path, errno));
  if (exists && !own)
    lost_.push_back(fmt::format("its owner (number {}), group, access list and attributes", there.st_uid));
  if (exists && there.st_nlink > 1) lost_.push_back("its other names, which have the old contents");
  if (own) keep_rights(path, there);
}

void AtomicFile::keep_rights(const std::string& path, const struct stat& there) {
  constexpr const char* acl = "system.posix_acl_access";
  struct stat made {};
  const bool same_group = fstat(file_, &made) == 0 &&
                          (made.st_gid == there.st_gid || fchown(file_, uid_t(-1), there.st_gid) == 0);
  if (!same_group) lost_.push_back(fmt::format("its group (number {})", there.st_gid));
  fremovexattr(file_, acl);  // removes the folder's default
  fchmod(file_, there.st_mode & (same_group ? 0777 : 0707));
  std::vector<char> names(XATTR_LIST_MAX), value(XATTR_SIZE_MAX);
  const ssize_t listed = listxattr(path.c_str(), names.data(), names.size());
  for (ssize_t at = 0; at < listed; at += ssize_t(std::strlen(names.data() + at)) + 1) {
    const char* const name = names.data() + at;
    const bool is_acl = std::strcmp(name, acl) == 0;
    if (!is_acl && std::strncmp(name, "user.", 5) != 0) continue;
    const ssize_t size = getxattr(path.c_str(), name, value.data(), value.size());
    if (size < 0 || (is_acl && !same_group) ||
        fsetxattr(file_, name, value.data(), std::size_t(size), 0) != 0)
      lost_.push_back(is_acl ? "its access list" : fmt::format("its attribute {}", runtime::shown(name)));
  }
}

AtomicFile::~AtomicFile() {
  if (file_ < 0) return;
  close(file_);
  if (!stream_) runtime::remove_temporary(temporary_);
}

const std::string& AtomicFile::path() const {
  if (stream_)
    throw UsageError(fmt::format(
        "{}: is a pipe or device, and this format is not written in one go; give a file name", target_));
  return temporary_;
}

void AtomicFile::write_at(const void* data, std::size_t bytes, std::int64_t offset) {
  if (stream_ && offset != written_)
    throw UsageError(fmt::format(
        "{}: is a pipe or device, and this format is not written in one go; give a file name", target_));
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = stream_ ? write(file_, from, bytes) : pwrite(file_, from, bytes, off_t(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const int why = n < 0 ? errno : ENOSPC;
      runtime::stop_if_interrupted();  // a closed pipe is reported by its signal
      fail(std::strerror(why));
    }
    // Starts writing large outputs to the disk now, so that commit waits for less.
    if (!stream_ && n >= early_write_bytes)
      sync_file_range(file_, off_t(offset), off_t(n), SYNC_FILE_RANGE_WRITE);
    from += n;
    offset += n;
    bytes -= std::size_t(n);
    if (stream_ && written_ == 0)
      runtime::say_when_stopped(
          fmt::format("what went to {} is not whole", target_ == "-" ? "standard output" : target_));
    if (stream_) written_ = offset;
  }
}

void AtomicFile::copy_from(const std::string& path,
                           std::vector<std::pair<std::int64_t, std::int64_t>> holes) {
  const InputFile in(path);
  if (ftruncate(file_, off_t(in.size())) != 0) fail(std::strerror(errno));
  holes.emplace_back(in.size(), in.size());
  std::sort(holes.begin(), holes.end());
  std::vector<char> buffer;
  std::int64_t at = 0;
  for (const auto& [begin, end] : holes) {
    while (at < begin) {
      runtime::stop_if_interrupted();
      const auto piece = std::size_t(std::min<std::int64_t>(begin - at, std::int64_t(1) << 26));
      ssize_t n = -1;
      // Copies within the kernel if the system can.
      off_t from = off_t(at), to = off_t(at);
      if (buffer.empty()) n = copy_file_range(in.descriptor(), &from, file_, &to, piece, 0);
      if (n <= 0) {
        buffer.resize(std::size_t(1) << 22);
        n = ssize_t(std::min(buffer.size(), piece));
        in.read(buffer.data(), std::size_t(n), at);
        write_at(buffer.data(), std::size_t(n), at);
      }
      at += n;
    }
    at = std::max(at, end);
  }
}

void AtomicFile::flush() {
  if (!stream_ && fsync(file_) != 0) fail(std::strerror(errno));
}

void AtomicFile::commit() {
  flush();
  if (joined_)
    runtime::leave_temporary(temporary_);
  else if (!stream_ && !runtime::keep_temporary(temporary_, resolved_))
    fail(std::strerror(errno));
  if (!lost_.empty())
    fmt::print(stderr, "{}: {}: replaces a file and does not keep {}\n", runtime::build_info().program,
               runtime::shown(target_, PATH_MAX), fmt::join(lost_, ", "));
  const int file = file_;
  file_ = -1;
  // Some file systems report a full disk only here.
  if (close(file) != 0 && errno != EINTR) fail(std::strerror(errno));
}

void require_trusted(const std::string& path) {
  struct stat it {};
  if (lstat(path.c_str(), &it) == 0) refuse_of_others(path, it);
}

std::string why_not_made(const std::string& path, int number) {
  const std::string folder = path.find('/') == std::string::npos ? "." : split(path).folder;
  if (number == ENOENT)  // a folder like /proc exists, but no file can be made in it
    return access(folder.c_str(), F_OK) == 0 ? fmt::format("no file can be made in {}", folder)
                                             : fmt::format("there is no folder {}", folder);
  if (number == EACCES || number == EROFS)
    return fmt::format("the folder {}: {}", folder, std::strerror(number));
  return std::strerror(number);
}

bool is_standard_output(const std::string& target) {
  const std::string path = followed(target);
  if (descriptor_of(path) == STDOUT_FILENO) return true;
  struct stat there {
  }, out{};
  return stat(path.c_str(), &there) == 0 && fstat(STDOUT_FILENO, &out) == 0 && there.st_dev == out.st_dev &&
         there.st_ino == out.st_ino && !S_ISREG(there.st_mode) && !S_ISCHR(there.st_mode);
}

bool is_stream(const std::string& target) {
  struct stat there {};
  return is_standard_output(target) || descriptor_of(followed(target)) >= 0 ||
         (stat(target.c_str(), &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode));
}

bool is_same_file(const std::string& input, const std::string& output) {
  struct stat in {
  }, out{};
  const int known = input == "-" ? fstat(STDIN_FILENO, &in) : stat(input.c_str(), &in);
  return known == 0 && stat(output.c_str(), &out) == 0 && S_ISREG(out.st_mode) && in.st_dev == out.st_dev &&
         in.st_ino == out.st_ino;
}

void require_shareable_input(const std::string& path) {
  if (path == "-") refuse("standard input");
  struct stat there {};
  // The code that opens the file reports a missing file or a folder.
  if (stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode)) refuse(path);
}

void require_shareable_output(const std::string& path) {
  if (is_stream(path)) refuse(path == "-" ? "standard output" : path);
}

}  // namespace parity::io
