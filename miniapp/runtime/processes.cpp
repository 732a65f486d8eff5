// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/processes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/error.hpp"
#include "runtime/program.hpp"
#include "runtime/signals.hpp"

namespace parity::runtime {
namespace {

/// The arguments and processors (at most 8192) that this program was started with.
struct Given {
  char** arguments;
  cpu_set_t processors[8];
  bool processors_known;
};
Given given;

/// Runs before any constructor, because OpenMP's constructor binds the first thread to one place.
void remember_given(int, char** arguments, char**) {
  given.arguments = arguments;
  given.processors_known = sched_getaffinity(0, sizeof given.processors, given.processors) == 0;
}
[[gnu::section(".preinit_array"), gnu::used]] void (*const first_of_all)(int, char**,
                                                                         char**) = remember_given;

void take_given_processors() {
  if (given.processors_known) sched_setaffinity(0, sizeof given.processors, given.processors);
}

constexpr const char* variable = "PARITY_PROCESS";  ///< "socket:number" for a child

[[noreturn]] void cannot_start(const char* what) {
  throw CannotRunError(fmt::format("another process cannot be started: {}: {}", what, std::strerror(errno)));
}

void send_line(int socket, const std::string& text) {
  const std::string line = text + "\n";
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t n = send(socket, line.data() + done, line.size() - done, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return;  // the next read reports the closed socket
    done += std::size_t(n);
  }
}

/// The next complete line; nullopt at the end.
std::optional<std::string> line_of(std::FILE* file) {
  char* text = nullptr;
  std::size_t room = 0;
  ssize_t size = 0;
  while ((size = getline(&text, &room, file)) < 0 && errno == EINTR && !std::feof(file)) std::clearerr(file);
  std::optional<std::string> line;
  if (size > 0 && text[size - 1] == '\n') line.emplace(text, std::size_t(size - 1));
  std::free(text);
  return line;
}

struct Child {
  int socket = -1, number = 0;
};
/// The socket and number from the parent; a default Child if no parent set the variable.
Child told_by_parent() {
  const char* const text = std::getenv(variable);
  Child child;
  struct stat status {};
  if (!text || std::sscanf(text, "%d:%d", &child.socket, &child.number) != 2 ||
      fstat(child.socket, &status) != 0 || !S_ISSOCK(status.st_mode))
    return {};
  unsetenv(variable);
  fcntl(child.socket, F_SETFD, FD_CLOEXEC);
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
  return child;
}
const Child& this_child() {
  static const Child child = told_by_parent();
  return child;
}

}  // namespace

ChildProcess::ChildProcess(int number) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) cannot_start("socket");
  std::signal(SIGCHLD, SIG_DFL);
  show_hidden_variable();
  setenv(variable, fmt::format("{}:{}", ends[1], number).c_str(), 1);
  const pid_t parent = getpid();
  // Blocks all signals until the child has its own handlers.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  process_ = fork();
  if (process_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(exit_cannot_run);
    fcntl(ends[1], F_SETFD, 0);
    take_given_processors();
    execv("/proc/self/exe", given.arguments);
    dprintf(2, "%s: /proc/self/exe cannot be started: %s\n", build_info().program, std::strerror(errno));
    _exit(exit_cannot_run);
  }
  const int why = errno;
  pass_signals_on(process_);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  close(ends[1]);
  unsetenv(variable);
  questions_ = fdopen(ends[0], "r");
  errno = why;
  if (process_ < 0) cannot_start("fork");
}

ChildProcess::~ChildProcess() {
  if (process_ > 0) kill(process_, SIGKILL);
  exit_code();
  std::fclose(questions_);
}

std::optional<std::string> ChildProcess::question() { return line_of(questions_); }

void ChildProcess::answer(const std::string& line) const { send_line(fileno(questions_), line); }

int ChildProcess::exit_code() {
  if (process_ == 0) return exit_ok;
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  pass_signals_on(process_ = 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int child_number() { return this_child().number; }

std::string ask_parent(const std::string& line) {
  static std::FILE* const answers = fdopen(this_child().socket, "r");
  send_line(this_child().socket, line);
  if (auto answer = line_of(answers)) return *answer;
  _exit(exit_cannot_run);
}

std::string become(char** arguments) {
  take_given_processors();
  // catch_signals() ignores SIGXFSZ, which exec would keep; exec resets the handlers of the other signals.
  std::signal(SIGXFSZ, SIG_DFL);
  execvp(arguments[0], arguments);
  const int why = errno;
  std::signal(SIGXFSZ, SIG_IGN);
  return std::strerror(why);
}

}  // namespace parity::runtime
