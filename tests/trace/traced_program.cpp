// SPDX-License-Identifier: BSD-3-Clause
// A Kokkos program that knows nothing of Parity, and the ways in which a program may end.
//   traced_program END [STEPS]
#include <dlfcn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
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
  void load() {
    const char* const path = std::getenv("KOKKOS_PROFILE_LIBRARY");
    void* const library = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : nullptr;
    if (!library) return;
    push = reinterpret_cast<decltype(push)>(dlsym(library, "kokkosp_push_profile_region"));
    pop = reinterpret_cast<decltype(pop)>(dlsym(library, "kokkosp_pop_profile_region"));
  }
  void region(const char* name) const {
    if (!push) return;
    push(name);
    pop();
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

void* volatile nowhere = nullptr;

struct sigaction before {};
void (*old_handler)(int) = nullptr;

/// A handler that came after the recorder's, and hands on what is not its own.
void hand_on(int number, siginfo_t* info, void* context) {
  static int again = 0;
  if (again++ > 10) _exit(6);
  if (before.sa_flags & SA_SIGINFO) before.sa_sigaction(number, info, context);
}
void handle(int number, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction own {};
  own.sa_sigaction = handler;
  own.sa_flags = SA_SIGINFO;
  sigaction(number, &own, &before);
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
             end == "chained" || end == "chained_short" || end == "term") {
    steps_until_written();
    end_by_signal(end);
    if (end == "abort") std::abort();
    if (end == "sent") kill(getpid(), SIGBUS);
    if (end == "term") kill(getpid(), SIGTERM);
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
