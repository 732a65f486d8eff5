// SPDX-License-Identifier: BSD-3-Clause
// A program that launches on the GPU of simulated_cupti.cpp, which it is given, and is told how it ends:
//   simulated_cuda_program LIBRARY END SECONDS BY_DRIVER HOST_NS KERNEL_NS
// Prints the median seconds of a step of four launches, how often CUPTI has left, and its faults.
// The faults until the process has ended go to standard error.
// With SIMULATED_CLOCK time goes on by 20 ns each time that this thread asks for it, and no faster than the
// real one from one wait to the next: what else runs on the machine is not in it.
// With SIMULATED_UNTIL_LEFT=N it ends when CUPTI has left so often, and at the latest after 20 000 waits.
#include <dlfcn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

namespace {

std::atomic<std::int64_t> simulated{0};  ///< ns; 0: time is the real one
thread_local bool has_the_clock = false;

std::int64_t real_clock(clockid_t id, timespec& t) {
  if (syscall(SYS_clock_gettime, id, &t) != 0) std::abort();
  return t.tv_sec * 1'000'000'000ll + t.tv_nsec;
}

}  // namespace

/// The recorder's and the simulated CUPTI's, too.
extern "C" __attribute__((visibility("default"))) int clock_gettime(clockid_t id, timespec* t) noexcept {
  if (id != CLOCK_MONOTONIC || simulated == 0) {
    real_clock(id, *t);
    return 0;
  }
  const std::int64_t time = has_the_clock ? simulated += 20 : simulated.load();
  t->tv_sec = time / 1'000'000'000;
  t->tv_nsec = time % 1'000'000'000;
  return 0;
}

namespace {

void start_clock() {
  timespec t{};
  if (!std::getenv("SIMULATED_CLOCK")) return;
  simulated = real_clock(CLOCK_MONOTONIC, t);
  has_the_clock = true;
}
void rest() {
  timespec t{};
  do usleep(1000);
  while (simulated > real_clock(CLOCK_MONOTONIC, t));
}

int (*faults)() = nullptr;
/// The first exit handler of all is the last one.
void tell_faults() { std::fprintf(stderr, "faults: %d\n", faults()); }

template <class Function>
Function* find(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

double now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 7) return 2;
  void* const gpu = dlopen(arguments[1], RTLD_NOW);
  const std::string end = arguments[2];
  const double seconds = std::atof(arguments[3]);
  const int by_driver = std::atoi(arguments[4]);
  const std::int64_t host = std::atoll(arguments[5]), kernel = std::atoll(arguments[6]);
  if (!gpu) return 3;
  start_clock();
  auto* const launch = find<void(int, std::int64_t, std::int64_t)>(gpu, "simulated_launch");
  auto* const wait_for_device = find<void()>(gpu, "simulated_wait");
  faults = find<int()>(gpu, "simulated_faults");
  std::atexit(tell_faults);
  if (const char* const tool = std::getenv("CUDA_INJECTION64_PATH")) {
    void* const recorder = dlopen(tool, RTLD_NOW);
    if (!recorder || find<int()>(recorder, "InitializeInjection")() != 1) return 4;
  }
  // Its end takes as long as that of a driver, and comes after the recorder's.
  if (const char* const last = std::getenv("LAST_LIBRARY"); last && !dlopen(last, RTLD_NOW)) return 6;
  const double begin = now();
  std::vector<double> steps;
  const char* const until_left = std::getenv("SIMULATED_UNTIL_LEFT");
  const int wanted = until_left ? std::atoi(until_left) : 0;
  auto* const left = find<int()>(gpu, "simulated_left");
  const auto run = [&](bool timed) {
    for (int blocks = 0; wanted > 0 ? left() < wanted && blocks < 20'000 : now() < begin + seconds;
         ++blocks) {
      const double from = now();
      for (int k = 0; k < 100; ++k)
        for (int i = 0; i < 4; ++i) launch(by_driver, host, kernel);
      if (end != "queue") wait_for_device();
      if (timed) steps.push_back((now() - from) / 100);
      rest();
    }
  };
  std::vector<std::thread> others;
  if (end == "threads")
    for (int t = 0; t < 3; ++t) others.emplace_back([&] { run(false); });
  run(true);
  for (std::thread& t : others) t.join();
  if (end == "kill") std::raise(SIGKILL);
  if (end == "fork") {
    const pid_t child = fork();
    if (child == 0) {
      for (int k = 0; k < 1000; ++k) launch(by_driver, host, kernel);
      std::exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) return 5;
  }
  std::sort(steps.begin(), steps.end());
  std::printf("{\"step\": %.9g, \"left\": %d, \"faults\": %d}\n", steps[steps.size() / 2], left(),
              find<int()>(gpu, "simulated_faults")());
  return 0;
}
