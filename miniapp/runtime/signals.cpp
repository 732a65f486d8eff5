// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/signals.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "runtime/error.hpp"
#include "runtime/program.hpp"

namespace parity::runtime {
namespace {

constexpr int patience_ms = 500;  ///< time for the command to end by itself
constexpr int same_signal_ms = 100;
constexpr std::chrono::milliseconds undisturbed_at_most(300);

std::atomic<int> received{0};
std::atomic<int> wake{-1};  ///< pipe to which the handler writes, to wake the watcher
std::atomic<int> child_too{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler must not wait for a lock");

/// State that the main thread and the watcher share for the end of the process.
struct Ending {
  std::timed_mutex mutex;
  std::string stays = "nothing was written";
  std::vector<std::string> temporaries, written;
  bool told = false;
  const std::atomic<int>* another = nullptr;  ///< *another != 0: another process has printed the reason
};
/// Never destroyed: the watcher may outlive main.
Ending& ending() {
  static Ending* const one = new Ending;
  return *one;
}

extern "C" void remember(int number) {
  const int before = errno, child = child_too;
  const bool stops = number == SIGTSTP, lasts = stops || number == SIGCONT;
  if (child > 0 && number != SIGPIPE) kill(child, stops ? SIGSTOP : number);
  if (stops) raise(SIGSTOP);
  int none = 0;
  const char byte = 0;
  if (!lasts) received.compare_exchange_strong(none, number);
  [[maybe_unused]] const ssize_t n = lasts ? 0 : write(wake.load(), &byte, 1);
  errno = before;
}

const char* word_for(int number) {
  return number == SIGINT    ? " (interrupt)"
         : number == SIGTERM ? " (terminate)"
         : number == SIGHUP  ? " (hang-up)"
         : number == SIGQUIT ? " (quit)"
         : number == SIGXCPU ? " (limit of processor time, ulimit -t)"
                             : "";
}

/// Call it with the lock held. Avoids stdio, which the other thread may have locked.
void tell(Ending& e, int number) {
  if (e.told || (e.another && e.another->load() != 0)) return;
  e.told = true;
  if (number == SIGPIPE) return;  // the reader has gone, as with head: no message
  std::string line = isatty(STDERR_FILENO) ? "\r\x1b[K" : "";
  line += std::string(build_info().program) + ": stopped by signal ";
  line += std::to_string(number);
  line += word_for(number);
  line += "; ";
  line += e.written.empty() ? e.stays : e.written.back() + " is written";
  line += "\n";
  [[maybe_unused]] const ssize_t n = write(STDERR_FILENO, line.data(), line.size());
}

/// Sleeps until a signal comes; ends the process if the command does not do so itself, or at a second signal.
void watch(int pipe_end) {
  char byte = 0;
  while (read(pipe_end, &byte, 1) < 0 && errno == EINTR) {
  }
  // A signal to the process group comes twice to a child: its parent passes it on.
  pollfd second{pipe_end, POLLIN, 0};
  std::this_thread::sleep_for(std::chrono::milliseconds(same_signal_ms));
  while (poll(&second, 1, 0) > 0 && read(pipe_end, &byte, 1) > 0) {
  }
  poll(&second, 1, patience_ms - same_signal_ms);
  Ending& e = ending();
  const bool locked = e.mutex.try_lock_for(undisturbed_at_most);
  for (const std::string& path : e.temporaries) unlink(path.c_str());
  tell(e, received);
  if (locked) e.mutex.unlock();
  _exit(128 + received);
}

void forget(const std::string& temporary) {
  auto& all = ending().temporaries;
  all.erase(std::remove(all.begin(), all.end(), temporary), all.end());
}

}  // namespace

void catch_signals() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;  // signals then have their default effect
  fcntl(ends[1], F_SETFL, O_NONBLOCK);
  wake = ends[1];
  ending();
  // The watcher itself is never interrupted.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread(watch, ends[0]).detach();
  } catch (const std::system_error&) {  // no more threads: signals have their default effect
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return;
  }
  struct sigaction action {};
  action.sa_handler = remember;
  action.sa_flags = SA_RESTART;
  sigfillset(&action.sa_mask);
  sigset_t goes_on;  // not handled here; all other signals end a process
  sigemptyset(&goes_on);
  for (const int number : {SIGCHLD, SIGCONT, SIGURG, SIGWINCH, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGKILL,
                           SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGXFSZ})
    sigaddset(&goes_on, number);
  for (int number = 1; number <= SIGRTMAX; ++number) {
    struct sigaction present {};
    if (sigismember(&goes_on, number) != 0 || sigaction(number, nullptr, &present) != 0) continue;
    const bool always = number == SIGINT || number == SIGTERM || number == SIGXCPU;
    if (always || present.sa_handler == SIG_DFL) sigaction(number, &action, nullptr);
  }
  // A file beyond its limit (ulimit -f) then makes write() fail, which Parity reports and cleans up after.
  std::signal(SIGXFSZ, SIG_IGN);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void pass_signals_on(int child) {
  child_too = child;
  struct sigaction action {};
  action.sa_handler = remember;
  action.sa_flags = SA_RESTART;
  struct sigaction present {};
  if (sigaction(SIGTSTP, nullptr, &present) != 0 || present.sa_handler == SIG_IGN) return;
  for (const int number : {SIGTSTP, SIGCONT}) sigaction(number, &action, nullptr);
}

int signal_received() { return received; }

void stop_if_interrupted() {
  if (const int number = received; number != 0) throw Interrupted(number);
}

void say_when_stopped(const std::string& what_stays) {
  const SignalBlocker now;
  ending().stays = what_stays;
}

void say_nothing_when_stopped() {
  const SignalBlocker now;
  ending().told = true;
}

void say_nothing_when_stopped_by(const std::atomic<int>* another) {
  const SignalBlocker now;
  ending().another = another;
}

std::string what_stays() {
  const SignalBlocker now;
  return ending().stays;
}

int end_after_signal(int number) {
  const SignalBlocker now;
  tell(ending(), number);
  return 128 + number;
}

void adopt_temporary(const std::string& temporary) {
  const SignalBlocker now;
  ending().temporaries.push_back(temporary);
}

int make_temporary(std::string& pattern, unsigned mode) {
  const SignalBlocker now;
  for (int tries = 0; tries < 100; ++tries) {
    unsigned char bytes[6];
    if (getrandom(bytes, sizeof bytes, 0) != ssize_t(sizeof bytes)) return -1;
    for (std::size_t k = 0; k < sizeof bytes; ++k)
      pattern[pattern.size() - sizeof bytes + k] = "0123456789abcdefghijklmnopqrstuv"[bytes[k] % 32];
    const int file = open(pattern.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (file < 0 && errno == EEXIST) continue;
    if (file >= 0) ending().temporaries.push_back(pattern);
    return file;
  }
  return -1;
}

bool keep_temporary(const std::string& temporary, const std::string& target) {
  const SignalBlocker now;
  if (std::rename(temporary.c_str(), target.c_str()) != 0) return false;
  forget(temporary);
  ending().written.push_back(target);
  return true;
}

void remove_temporary(const std::string& temporary) {
  const SignalBlocker now;
  unlink(temporary.c_str());
  forget(temporary);
}

void leave_temporary(const std::string& temporary) {
  const SignalBlocker now;
  forget(temporary);
}

void remove_temporaries() {
  const SignalBlocker now;
  for (const std::string& path : ending().temporaries) unlink(path.c_str());
  ending().temporaries.clear();
}

SignalBlocker::SignalBlocker() { ending().mutex.lock(); }
SignalBlocker::~SignalBlocker() { ending().mutex.unlock(); }

}  // namespace parity::runtime
