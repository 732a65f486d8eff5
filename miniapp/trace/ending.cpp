// SPDX-License-Identifier: BSD-3-Clause
#include "trace/ending.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>

namespace parity::trace {
namespace {

struct Signal {
  int number;
  const char* name;
};
constexpr Signal signals[] = {
    {SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"}, {SIGILL, "SIGILL"}, {SIGFPE, "SIGFPE"}, {SIGABRT, "SIGABRT"}};

const char* path_of_trace = nullptr;
int file_of_trace = -1;
bool on_standard_error = false;
pid_t process = 0;
dev_t device = 0;
ino_t number_of_file = 0;
std::atomic<bool> told{false};

// What is large is static: a handler may be on a small alternate stack, and one thread alone tells.
/// What a signal's handler may use: no memory, no locks.
struct Text {
  char text[1024];
  std::size_t size = 0;
  void add(const char* words) {
    while (*words && size < sizeof text) text[size++] = *words++;
  }
  void add_hex(std::uintptr_t n) {
    add("0x");
    int shift = 60;
    while (shift > 0 && (n >> shift & 15) == 0) shift -= 4;
    for (; shift >= 0 && size < sizeof text; shift -= 4) text[size++] = "0123456789abcdef"[n >> shift & 15];
  }
  void write_to(int file) const { [[maybe_unused]] const ssize_t n = write(file, text, size); }
};

std::uintptr_t place_of(const void* context) {
#if defined(__x86_64__)
  return std::uintptr_t(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return std::uintptr_t(static_cast<const ucontext_t*>(context)->uc_mcontext.pc);
#else
  (void)context;
  return 0;
#endif
}

std::uintptr_t hex_at(const char*& at) {
  std::uintptr_t n = 0;
  for (;; ++at) {
    const char c = *at;
    if (c >= '0' && c <= '9')
      n = n << 4 | std::uintptr_t(c - '0');
    else if (c >= 'a' && c <= 'f')
      n = n << 4 | std::uintptr_t(c - 'a' + 10);
    else
      return n;
  }
}

/// A line of /proc/self/maps: whether it holds the place. Its file, without folders, and where in that.
bool is_in(const char* line, std::uintptr_t place, char (&name)[128], std::uintptr_t& offset) {
  const std::uintptr_t begin = hex_at(line);
  if (*line++ != '-' || place < begin || place >= hex_at(line)) return false;
  line = std::strchr(line + 1, ' ');  // rights
  if (!line) return false;
  ++line;
  offset = place - begin + hex_at(line);
  const char* const path = std::strchr(line, '/');
  const char* const file = path ? std::strrchr(path, '/') + 1 : "";
  std::size_t size = 0;
  // Nothing that JSON would write in another way.
  for (; file[size] && size + 1 < sizeof name; ++size)
    name[size] =
        file[size] < ' ' || file[size] > '~' || file[size] == '"' || file[size] == '\\' ? '?' : file[size];
  name[size] = '\0';
  return size > 0;
}

bool find_library(std::uintptr_t place, char (&name)[128], std::uintptr_t& offset) {
  const int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (maps < 0) return false;
  static char line[512], part[4096];
  std::size_t size = 0;
  bool found = false;
  for (ssize_t n; !found && (n = read(maps, part, sizeof part)) > 0;)
    for (ssize_t k = 0; k < n && !found; ++k) {
      if (part[k] != '\n') {
        if (size + 1 < sizeof line) line[size++] = part[k];
        continue;
      }
      line[size] = '\0';
      size = 0;
      found = is_in(line, place, name, offset);
    }
  close(maps);
  return found;
}

void tell(const char* signal, bool has_place, const void* context) {
  static char name[128];
  static Text line, said;
  std::uintptr_t offset = 0;
  const bool found = has_place && find_library(place_of(context), name, offset);
  line.add("{\"signal\":\"");
  line.add(signal);
  said.add("parity trace: ");
  said.add(signal);
  said.add(" ended the program");
  if (found) {
    line.add("\",\"in\":\"");
    line.add(name);
    line.add("\",\"at\":\"");
    line.add_hex(offset);
    said.add(", in ");
    said.add(name);
    said.add(" at ");
    said.add_hex(offset);
  }
  line.add("\"}\n");
  said.add("; its trace until then is kept: ");
  said.add(path_of_trace);
  said.add("\n");
  struct stat there {};
  if (fstat(file_of_trace, &there) == 0 && there.st_dev == device && there.st_ino == number_of_file)
    line.write_to(file_of_trace);
  if (on_standard_error) said.write_to(STDERR_FILENO);
}

/// Whether there are so many bytes. A handler that came later and hands a signal on may hand on no more than
/// its number.
bool is_there(const void* at, void* bytes, std::size_t size) {
  const iovec own{bytes, size}, there{const_cast<void*>(at), size};
  return process_vm_readv(getpid(), &own, 1, &there, 1, 0) == ssize_t(size);
}

/// The same signal once more for this thread, with who sent it and why. It comes when all handlers have
/// returned, before the next instruction.
void queue_again(int number, siginfo_t* info) {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, number);
  pthread_sigmask(SIG_BLOCK, &one, nullptr);
  if (!info || syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), number, info) != 0)
    raise(number);
}

/// It is the default's turn once this returns: the instruction faults again, or the signal comes again where
/// no instruction would. So the exit code and what a debugger sees are the program's own.
extern "C" void on_signal(int number, siginfo_t* info, void* context) {
  const int before = errno;
  // The kernel has set the default when it calls this. A handler that the program installed later is still
  // there: it would be called for ever.
  struct sigaction now {
  }, usual{};
  const bool chained =
      sigaction(number, nullptr, &now) != 0 || (now.sa_flags & SA_SIGINFO) || now.sa_handler != SIG_DFL;
  usual.sa_handler = SIG_DFL;
  sigaction(number, &usual, nullptr);
  siginfo_t given{};
  if (chained && !(is_there(info, &given, sizeof given) && given.si_signo == number)) info = nullptr;
  const bool faults = info && info->si_code > 0 && !(number == SIGBUS && info->si_code == BUS_MCEERR_AO);
  static ucontext_t of_place;
  if (getpid() == process && !told.exchange(true)) {
    const bool has_place = faults && (!chained || is_there(context, &of_place, sizeof of_place));
    for (const Signal& s : signals)
      if (s.number == number) tell(s.name, has_place, context);
  }
  if (chained || !faults) queue_again(number, info);
  errno = before;
}

}  // namespace

void tell_ends(const char* path, int file, const struct stat& there, bool say) noexcept {
  path_of_trace = path;
  file_of_trace = file;
  device = there.st_dev;
  number_of_file = there.st_ino;
  on_standard_error = say;
  process = getpid();
  for (const Signal& s : signals) {
    struct sigaction now {
    }, own{};
    if (sigaction(s.number, nullptr, &now) != 0 || (now.sa_flags & SA_SIGINFO) || now.sa_handler != SIG_DFL)
      continue;
    own.sa_sigaction = on_signal;
    own.sa_flags = SA_SIGINFO | SA_RESETHAND | SA_ONSTACK;
    sigaction(s.number, &own, nullptr);
  }
}

}  // namespace parity::trace
