// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/processes.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "runtime/error.hpp"
#include "runtime/program.hpp"
#include "runtime/signals.hpp"

namespace parity::runtime {
namespace {

Repeats alone;
Repeats* shared = &alone;

/// The processors that this program was given; room for 8192.
struct Processors {
  cpu_set_t sets[8];
  bool known;
};
Processors given;

/// Before any constructor: OpenMP's own binds the first thread to one place.
void remember_processors() { given.known = sched_getaffinity(0, sizeof given.sets, given.sets) == 0; }
__attribute__((section(".preinit_array"), used)) void (*const first_of_all)() = remember_processors;

constexpr const char* variable = "PARITY_PROCESS";  ///< names the descriptor of what processes share

/// Null where the descriptor is none of a parent's.
Repeats* mapped(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || status.st_size != off_t(sizeof(Repeats))) return nullptr;
  void* const at = mmap(nullptr, sizeof(Repeats), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return at == MAP_FAILED ? nullptr : static_cast<Repeats*>(at);
}

int cannot_start(const char* what) {
  fmt::print(stderr, "{}: another process cannot be started: {}: {}\n", build_info().program, what,
             std::strerror(errno));
  return exit_cannot_run;
}

/// What the parent passes on: all that was not ignored, as nohup does with a hang-up.
sigset_t signals_to_pass_on() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGCHLD, SIGCONT}) sigaddset(&signals, number);
  for (const int number : {SIGHUP, SIGTSTP, SIGXCPU}) {
    struct sigaction present {};
    if (sigaction(number, nullptr, &present) == 0 && present.sa_handler != SIG_IGN)
      sigaddset(&signals, number);
  }
  return signals;
}

/// The child's exit code. Meanwhile 'signals', which are blocked, are passed on to it.
int wait_for(pid_t child, const sigset_t& signals) {
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    int number = 0;
    if (sigwait(&signals, &number) != 0 || number == SIGCHLD) continue;
    kill(child, number == SIGTSTP ? SIGSTOP : number);
    if (number == SIGTSTP) raise(SIGSTOP);  // both stop until a SIGCONT, which is passed on
  }
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  fmt::print(stderr, "{}: the measuring process was ended by signal {} ({})\n", build_info().program,
             WTERMSIG(status), strsignal(WTERMSIG(status)));
  return 128 + WTERMSIG(status);
}

}  // namespace

Repeats& repeats() { return *shared; }

const std::string& memory_file() {
  static const std::string name = [] {
    if (shared->records < 0) shared->records = memfd_create("parity-records", MFD_CLOEXEC);
    if (shared->records < 0) throw CannotRunError(fmt::format("no file in memory: {}", std::strerror(errno)));
    return fmt::format("/proc/self/fd/{}", shared->records);
  }();
  return name;
}

int repeat_in_processes(char** arguments) {
  const int records = memfd_create("parity-records", 0), state = memfd_create("parity-processes", 0);
  if (records < 0 || state < 0 || ftruncate(state, sizeof(Repeats)) != 0 || !(shared = mapped(state))) {
    shared = &alone;
    return cannot_start("memory to share");
  }
  new (shared) Repeats;
  shared->possible = true;
  shared->records = records;
  const sigset_t signals = signals_to_pass_on();
  std::signal(SIGCHLD, SIG_DFL);
  sigprocmask(SIG_BLOCK, &signals, &shared->mask);
  show_hidden_variable();
  setenv(variable, std::to_string(state).c_str(), 1);
  const pid_t parent = getpid();
  for (int code = exit_ok;; ++shared->number) {
    shared->again = false;
    const pid_t child = fork();
    if (child < 0) return cannot_start("fork");
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(exit_cannot_run);
      if (given.known) sched_setaffinity(0, sizeof given.sets, given.sets);
      execv("/proc/self/exe", arguments);  // signals wait until resume_as_child
      _exit(cannot_start("exec"));
    }
    if ((code = wait_for(child, signals)) != exit_ok || !shared->again) return code;
  }
}

bool resume_as_child() {
  const char* const text = std::getenv(variable);
  if (!text) return false;
  Repeats* const told = mapped(std::atoi(text));
  unsetenv(variable);
  if (!told) return false;
  shared = told;
  if (*shared->what_stays) say_when_stopped(shared->what_stays);
  catch_signals();
  sigprocmask(SIG_SETMASK, &shared->mask, nullptr);
  return true;
}

std::string become(char** arguments) {
  if (given.known) sched_setaffinity(0, sizeof given.sets, given.sets);
  // catch_signals() ignores it; of the others exec takes the handlers away.
  std::signal(SIGXFSZ, SIG_DFL);
  execvp(arguments[0], arguments);
  const int why = errno;
  std::signal(SIGXFSZ, SIG_IGN);
  return std::strerror(why);
}

}  // namespace parity::runtime
