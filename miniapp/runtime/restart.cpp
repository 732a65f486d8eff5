// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/restart.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "runtime/signals.hpp"

namespace parity::runtime {
namespace {

constexpr const char* variable = "PARITY_LAST_START";

/// The processors that this program was given; room for 8192.
struct Processors {
  cpu_set_t sets[8];
  bool known;
};
Processors given;

/// Before any constructor: OpenMP's own binds the first thread to one place, and a new start would be given
/// only that one.
void remember_processors() { given.known = sched_getaffinity(0, sizeof given.sets, given.sets) == 0; }
__attribute__((section(".preinit_array"), used)) void (*const first_of_all)() = remember_processors;

/// A driver's device that stayed open would keep the memory of this start.
void close_devices_at_exec() {
  DIR* const folder = opendir("/proc/self/fd");
  if (!folder) return;
  while (const dirent* const entry = readdir(folder)) {
    char target[64];
    const ssize_t length = readlinkat(dirfd(folder), entry->d_name, target, sizeof target);
    if (length > 11 && std::strncmp(target, "/dev/nvidia", 11) == 0)
      fcntl(std::atoi(entry->d_name), F_SETFD, FD_CLOEXEC);
  }
  closedir(folder);
}

}  // namespace

const std::string& told_by_last_start() {
  static const std::string told = [] {
    const char* const text = std::getenv(variable);
    const std::string copy = text ? text : "";
    unsetenv(variable);
    return copy;
  }();
  return told;
}

std::string start_again(char** arguments, const std::string& state) {
  if (setenv(variable, state.c_str(), 1) != 0) return std::strerror(errno);
  close_devices_at_exec();
  if (given.known) sched_setaffinity(0, sizeof given.sets, given.sets);
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  int why = EINTR;  // the signal was for this start
  if (!signal_received()) {
    execv("/proc/self/exe", arguments);
    why = errno;
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
  unsetenv(variable);
  return std::strerror(why);
}

std::string start_other(char** arguments) {
  close_devices_at_exec();
  if (given.known) sched_setaffinity(0, sizeof given.sets, given.sets);
  // catch_signals() ignores it; of the others exec takes the handlers away.
  std::signal(SIGXFSZ, SIG_DFL);
  execvp(arguments[0], arguments);
  const int why = errno;
  std::signal(SIGXFSZ, SIG_IGN);
  return std::strerror(why);
}

}  // namespace parity::runtime
