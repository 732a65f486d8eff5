// SPDX-License-Identifier: BSD-3-Clause
// A Kokkos program that knows nothing of Parity, and the ways in which a program may end.
//   traced_program END [STEPS]
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

using Values = Kokkos::View<double*>;

double step(const Values& a, const Values& b, int number) {
  Kokkos::Profiling::pushRegion("step");
  Kokkos::parallel_for(
      "smooth", a.extent(0), KOKKOS_LAMBDA(int i) { b(i) = 0.5 * (a(i) + 1); });
  Kokkos::parallel_for(
      "add", a.extent(0), KOKKOS_LAMBDA(int i) { a(i) += b(i); });
  double sum = 0;
  Kokkos::parallel_reduce(
      "sum", a.extent(0), KOKKOS_LAMBDA(int i, double& s) { s += a(i); }, sum);
  if (number % 10 == 9) Kokkos::deep_copy(b, a);
  Kokkos::fence();
  Kokkos::Profiling::popRegion();
  return sum;
}

double steps(int count) {
  const Values a("a", 1000), b("b", 1000);
  double sum = 0;
  for (int k = 0; k < count; ++k) sum += step(a, b, k);
  return sum;
}

/// The tool's functions, as Kokkos has them: they are called where Kokkos itself has ended, too.
struct Tool {
  void (*push)(const char*) = nullptr;
  void (*pop)() = nullptr;
  void (*begin_fence)(const char*, std::uint32_t, std::uint64_t*) = nullptr;
  void (*end_fence)(std::uint64_t) = nullptr;
  void load() {
    const char* const path = std::getenv("KOKKOS_PROFILE_LIBRARY");
    void* const library = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : nullptr;
    if (!library) return;
    push = reinterpret_cast<decltype(push)>(dlsym(library, "kokkosp_push_profile_region"));
    pop = reinterpret_cast<decltype(pop)>(dlsym(library, "kokkosp_pop_profile_region"));
    begin_fence = reinterpret_cast<decltype(begin_fence)>(dlsym(library, "kokkosp_begin_fence"));
    end_fence = reinterpret_cast<decltype(end_fence)>(dlsym(library, "kokkosp_end_fence"));
  }
  void region(const char* name) const {
    if (!push) return;
    push(name);
    pop();
  }
  void fence(const char* name) const {
    if (!begin_fence) return;
    std::uint64_t number = 0;
    begin_fence(name, 0, &number);
    end_fence(number);
  }
} tool;

/// Its last words come when the others of its thread, or of the program, are gone.
struct AtTheEnd {
  const char* words = nullptr;
  ~AtTheEnd() {
    if (words) tool.region(words);
  }
} at_the_end;
thread_local AtTheEnd at_the_threads_end;

int last_file() { return int(sysconf(_SC_OPEN_MAX) < 2048 ? sysconf(_SC_OPEN_MAX) : 2048); }
void close_all() {
  for (int file = 3; file < last_file(); ++file) close(file);
}

/// MiB of memory that this process has in use.
long resident() {
  std::ifstream in("/proc/self/statm");
  long size = 0, pages = 0;
  in >> size >> pages;
  return pages * sysconf(_SC_PAGESIZE) / 1048576;
}

void* volatile nowhere = nullptr;

struct sigaction before {};
void (*old_handler)(int) = nullptr;

/// A handler that came after the recorder's, and hands on what is not its own.
void hand_on(int number, siginfo_t* info, void* context) {
  static int again = 0;
  if (again++ > 10) _exit(6);
  if (before.sa_flags & SA_SIGINFO) before.sa_sigaction(number, info, context);
}
/// The same, and what comes after it must be of the same sender.
void hand_on_and_look(int number, siginfo_t* info, void* context) {
  hand_on(number, info, context);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, number);
  siginfo_t next{};
  const timespec at_once{};
  if (sigtimedwait(&one, &next, &at_once) != number || next.si_code != SI_USER ||
      next.si_pid != info->si_pid || next.si_pid == getpid())
    _exit(8);
  std::raise(number);
}
void handle(int number, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction own {};
  own.sa_sigaction = handler;
  own.sa_flags = SA_SIGINFO;
  sigaction(number, &own, &before);
}

char* alternate_stack(std::size_t size) {
  constexpr std::size_t guard = 65536;
  void* const memory =
      mmap(nullptr, guard + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stack_t stack{};
  stack.ss_sp = static_cast<char*>(memory) + guard;
  stack.ss_size = size;
  if (memory == MAP_FAILED || mprotect(memory, guard, PROT_NONE) != 0 || sigaltstack(&stack, nullptr) != 0)
    _exit(9);
  return static_cast<char*>(memory) + guard + size;
}
const char* lowest = nullptr;

/// One that holds a signal's frame, which is as large as the processor's registers, and 4 KiB. Nothing is
/// below.
void take_small_stack() {
  struct sigaction look {
  }, none{};
  look.sa_sigaction = [](int, siginfo_t* info, void* context) {
    const char *const i = reinterpret_cast<char*>(info), *const c = static_cast<char*>(context);
    lowest = i < c ? i : c;
  };
  look.sa_flags = SA_SIGINFO | SA_ONSTACK;
  const char* const top = alternate_stack(1 << 20);
  sigaction(SIGUSR1, &look, nullptr);
  std::raise(SIGUSR1);
  sigaction(SIGUSR1, &none, nullptr);
  if (!lowest) _exit(9);
  alternate_stack(std::size_t(top - lowest) + 4096);
}

/// The ways to end by a signal that have to do with its handlers.
void end_by_signal(const std::string& end) {
  if (end == "chained") handle(SIGSEGV, hand_on);
  if (end == "chained_short") {
    // The old way tells nobody that the handler before has three arguments: these are what is in the
    // registers.
    old_handler = std::signal(SIGILL, [](int number) {
      reinterpret_cast<void (*)(int, long, long)>(reinterpret_cast<void*>(old_handler))(number, 8, 8);
    });
    std::raise(SIGILL);
    _exit(6);
  }
  if (end == "memory") {
    // As of memory that went bad, and that nobody needs yet: no instruction meets it.
    siginfo_t info{};
    info.si_signo = SIGBUS;
    info.si_code = BUS_MCEERR_AO;
    if (syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), SIGBUS, &info) != 0) _exit(9);
    _exit(6);
  }
  if (end == "sender") {
    handle(SIGBUS, hand_on_and_look);
    const pid_t parent = getpid();
    if (fork() == 0) {
      kill(parent, SIGBUS);
      _exit(0);
    }
    for (int k = 0; k < 100; ++k) usleep(100000);
    _exit(6);
  }
  if (end == "small_stack") take_small_stack();
}

/// Goes on until the trace holds something, so that no time is assumed.
void steps_until_written() {
  struct stat file {};
  const char* const path = std::getenv("PARITY_TRACE_FILE");
  for (int k = 0; k < 1000000; ++k) {
    steps(10);
    if (path && stat(path, &file) == 0 && file.st_size > 20000) return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string end = argc > 1 ? argv[1] : "return";
  const int count = argc > 2 ? std::atoi(argv[2]) : 40;
  Kokkos::initialize(argc, argv);
  tool.load();
  if (end == "fork") {
    steps(count);
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      Kokkos::Profiling::pushRegion("child");
      Kokkos::Profiling::popRegion();
      std::exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) return 9;
  } else if (end == "labels") {
    Kokkos::Profiling::pushRegion(
        "quote \" backslash \\ newline \n byte \xff latin \xe9 snowman \xe2\x98\x83");
    Kokkos::Profiling::popRegion();
  } else if (end == "fences") {
    tool.fence("named");
    tool.fence(nullptr);
    if (tool.end_fence) tool.end_fence(12345);  // of nobody
  } else if (end == "deep") {
    for (int k = 0; k < count; ++k) tool.push(("region " + std::to_string(k)).c_str());
    for (int k = 0; k < count; ++k) tool.pop();
  } else if (end == "relay") {
    const long before = resident();
    for (int k = 0; k < count; ++k) std::thread([] { tool.region("of a thread"); }).join();
    tool.fence(("{\"resident\": " + std::to_string(resident() - before) + "}").c_str());
  } else if (end == "reopened" || end == "closed") {
    // Every number from 3 on is closed; with 'reopened' those that are free become a file of the program's.
    close_all();
    const int own = open("own", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (write(own, "own", 3) != 3) return 9;
    if (end == "reopened")
      for (int file = own + 1; file < last_file(); ++file) dup2(own, file);
    steps(count);
  } else if (end == "cut") {
    steps_until_written();
    close_all();  // from here on the recorder writes nothing
    const int file = open(std::getenv("PARITY_TRACE_FILE"), O_WRONLY | O_APPEND);
    if (write(file, "{\"e\":\"fo", 9) != 9) return 9;
    char again[] = "return";
    char* arguments[] = {argv[0], again, nullptr};
    execv(argv[0], arguments);
    return 9;
  } else if (end == "open") {
    Kokkos::Profiling::pushRegion("never ended");
    Kokkos::Profiling::pushRegion("nor this one");
  } else if (end == "threads") {
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([count] {
        at_the_threads_end.words = "end of a thread";
        for (int k = 0; k < count; ++k) tool.region("of a thread");
      });
    for (std::thread& t : threads) t.join();
  } else if (end == "abort" || end == "kill" || end == "fault" || end == "sent" || end == "handled" ||
             end == "chained" || end == "chained_short" || end == "memory" || end == "sender" ||
             end == "small_stack") {
    steps_until_written();
    end_by_signal(end);
    if (end == "abort") std::abort();
    if (end == "sent") kill(getpid(), SIGBUS);
    if (end == "handled") std::signal(SIGSEGV, [](int) { _exit(5); });
    if (end != "kill") *static_cast<volatile int*>(nowhere) = 1;
    std::raise(SIGKILL);
  } else {
    std::printf("%.6g\n", steps(count));
    std::fflush(stdout);
  }
  if (end == "exec") {
    char again[] = "return";
    char* arguments[] = {argv[0], again, nullptr};
    execv(argv[0], arguments);
    return 9;
  }
  if (end == "exit") std::exit(7);
  if (end == "late") at_the_end.words = "after main";
  Kokkos::finalize();
  return 0;
}
