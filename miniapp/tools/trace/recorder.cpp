// SPDX-License-Identifier: BSD-3-Clause
#include "tools/trace/recorder.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "tools/trace/process.hpp"

namespace parity::trace {
namespace {

constexpr std::size_t most_pending = 1 << 20;  ///< events in memory
constexpr int most_wait =
    3000;  ///< ms that a dying program waits: on a busy machine the thread may not run for a second
constexpr std::int64_t look_every = 50'000'000;  ///< ns: a killed program loses at most this much
// Length of the recording, unless the user gives one: enough launches for several steps.
constexpr std::uint64_t enough_launches = 20'000, few_launches = 2'000;
constexpr double long_enough = 10, longest = 120;        ///< seconds: with few launches, with fewer
constexpr double least_interval = 0.05, of_rest = 0.01;  ///< seconds between counts; relative to the rest
constexpr int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

enum class State : int { before, recording, rest };

/// Never destroyed.
struct Recorder {
  std::mutex writing;  ///< guards the file
  std::mutex adding;   ///< guards the data that is not yet written
  std::vector<Event> events;
  std::vector<std::string> said;
  std::atomic<bool> started{false}, gone{false}, failed{false};
  std::atomic<State> state{State::before};
  std::atomic<std::uint64_t> launches{0}, lost{0};
  std::atomic<int> open{0};
  std::atomic<int> signal{0}, signal_told{0};
  std::mutex switching;  ///< guards the device
  std::atomic<bool> has_device{false};
  Device device{};
  sem_t wake;
  double after = 0, length = 0;  ///< seconds that the user requests; 0: the recorder decides
  std::int64_t zero = 0, first_launch = 0, rest_since = 0, counted_at = 0;
  std::atomic<std::int64_t> recording_since{0};
  std::uint64_t written = 0;
  pid_t process = 0;
  std::string path, file, text;  ///< file: its identity
};
Recorder& recorder() noexcept {
  static Recorder* const one = new (std::nothrow) Recorder;
  if (!one) std::abort();
  return *one;
}

/// Blocks all signals, so that the program's handlers do not run in the recorder.
class Unsignalled {
 public:
  Unsignalled() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~Unsignalled() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  Unsignalled(const Unsignalled&) = delete;
  Unsignalled& operator=(const Unsignalled&) = delete;

 private:
  sigset_t before_;
};

/// Removes the signal if it is pending for this thread.
void forget_signal(int number) {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, number);
  const timespec at_once{};
  sigtimedwait(&one, nullptr, &at_once);
}

double seconds_between(std::int64_t from, std::int64_t to) { return 1e-9 * double(to - from); }

/// Microseconds since the trace's zero, as in Chrome traces.
void add_time(std::string& text, const char* key, std::int64_t ns) {
  char number[64];
  std::snprintf(number, sizeof number, ",\"%s\":%lld.%03d", key, static_cast<long long>(ns / 1000),
                int(ns % 1000));
  text += number;
}

std::string line_of(const Recorder& r, const Event& e) {
  std::string t = std::string("{\"ph\":\"X\",\"cat\":\"") + e.category + "\",\"name\":" + json_text(e.name);
  // An event without times has no time fields, so that readers notice.
  if (e.begin >= r.zero && e.end >= e.begin) {
    add_time(t, "ts", e.begin - r.zero);
    add_time(t, "dur", e.end - e.begin);
  }
  const auto field = [&t](const char* key, std::uint64_t n) {
    t += std::string(",\"") + key + "\":" + std::to_string(n);
  };
  field("pid", std::uint64_t(e.device < 0 ? r.process : e.device));
  field("tid", e.track);
  t += ",\"args\":{\"correlation\":" + std::to_string(e.correlation);
  if (e.device >= 0) {
    field("device", std::uint64_t(e.device));
    field("stream", e.track);
  }
  if (e.bytes > 0) field("bytes", e.bytes);
  if (e.grid[0] > 0)
    for (const auto& [key, n] : {std::pair("grid", e.grid), std::pair("block", e.block)})
      t += std::string(",\"") + key + "\":[" + std::to_string(n[0]) + ',' + std::to_string(n[1]) + ',' +
           std::to_string(n[2]) + ']';
  return t + "}}";
}

/// Writes whole lines. If a write fails, the rest is lost and the trace ends after its last whole line. The
/// file is open only during this call, since a program may close descriptors that it does not own; another
/// file that has taken its name is not written to. Signals are blocked.
void write_text(Recorder& r) {
  const Unsignalled quiet;
  struct stat there {};
  constexpr int flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  const int file = r.failed ? -1 : open(r.path.c_str(), flags);
  const bool can_cut = file >= 0 && fstat(file, &there) == 0 && identity(there) == r.file;
  r.failed = !can_cut;
  std::size_t done = 0;
  while (done < r.text.size() && !r.failed) {
    const ssize_t n = write(file, r.text.data() + done, r.text.size() - done);
    if (n > 0) done += std::size_t(n);
    r.failed = n == 0 || (n < 0 && errno != EINTR);
  }
  if (r.failed && can_cut) {
    forget_signal(SIGXFSZ);  // raised by a write beyond the file-size limit; would kill the program
    done = done == 0 ? 0 : r.text.rfind('\n', done - 1) + 1;
    [[maybe_unused]] const int cut = ftruncate(file, there.st_size + off_t(done));
  }
  if (file >= 0) close(file);
  const auto end_of_done = r.text.begin() + std::ptrdiff_t(done);
  r.written += std::uint64_t(std::count(r.text.begin(), end_of_done, '\n'));
  r.lost += std::uint64_t(std::count(end_of_done, r.text.end(), '\n'));
  r.text.clear();
}

/// Requires 'writing' to be held.
void drain(Recorder& r) noexcept try {
  if (getpid() != r.process) return;
  const Unsignalled quiet;
  std::vector<Event> events;
  std::vector<std::string> said;
  {
    const std::lock_guard<std::mutex> lock(r.adding);
    events.swap(r.events);
    said.swap(r.said);
  }
  for (const std::string& line : said) r.text += line + ",\n";
  for (const Event& e : events) r.text += line_of(r, e) + ",\n";
  if (!r.text.empty()) write_text(r);
} catch (...) {
  r.text.clear();
  r.lost += 1;
}

/// The recorder's thread switches the state (before, recording, rest) each time it wakes.
void advance(Recorder& r) {
  const std::int64_t time = now();
  const std::uint64_t launches = r.launches;
  switch (r.state.load()) {
    case State::before:
      if (seconds_between(r.zero, time) < r.after) break;
      r.recording_since = time;
      r.state = State::recording;
      break;
    case State::recording: {
      if (launches > 0 && r.first_launch == 0) r.first_launch = time;
      const double length = r.first_launch > 0 ? seconds_between(r.first_launch, time) : 0;
      const bool enough = r.length > 0 ? seconds_between(r.recording_since, time) >= r.length
                                       : launches >= enough_launches || length >= longest ||
                                             (length >= long_enough && launches >= few_launches);
      if (!enough) break;
      const std::lock_guard<std::mutex> lock(r.switching);
      if (r.has_device && !r.gone) r.device.rest();
      r.state = State::rest;
      r.rest_since = r.counted_at = now();
      break;
    }
    case State::rest: {
      // The interval grows: a run of days has only a few hundred counts more than one of minutes.
      const double since = seconds_between(r.counted_at, time);
      if (since < least_interval || since < of_rest * seconds_between(r.rest_since, time)) break;
      r.counted_at = time;
      const std::lock_guard<std::mutex> lock(r.switching);
      if (r.has_device && !r.gone)
        r.device.count();
      else if (!r.device.count && launches > 0)
        say_count(time, launches);
      break;
    }
  }
}

extern "C" void* write_until_gone(void*) {
  Recorder& r = recorder();
  while (!r.gone) {
    timespec until{};
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += look_every;
    until.tv_sec += until.tv_nsec / 1'000'000'000;
    until.tv_nsec %= 1'000'000'000;
    sem_timedwait(&r.wake, &until);
    if (r.gone) break;
    const int signal = r.signal;
    if (signal == 0) advance(r);
    if (r.state == State::recording) {
      const std::unique_lock<std::mutex> lock(r.switching, std::try_to_lock);
      if (lock && r.has_device && !r.gone) r.device.flush(signal != 0);
    }
    if (signal != 0 && r.signal_told == 0) say(fact("signal", {{"signal", signal}}));
    {
      const std::lock_guard<std::mutex> lock(r.writing);
      if (!r.gone) drain(r);
    }
    if (signal != 0) r.signal_told = 1;
  }
  // The thread lives as long as the process: at its exit, libraries such as CUPTI would destroy its thread
  // data while another thread unloads the libraries.
  while (true) pause();
}

/// Ends the program as the signal would have, once the trace is written or after three seconds.
extern "C" void on_signal(int number, siginfo_t*, void*) {
  const int before = errno;
  Recorder& r = recorder();
  int none = 0;
  if (getpid() == r.process && r.signal.compare_exchange_strong(none, number)) {
    sem_post(&r.wake);
    const timespec moment{0, 1'000'000};
    for (int k = 0; k < most_wait && r.signal_told == 0; ++k) nanosleep(&moment, nullptr);
  }
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  sigaction(number, &usual, nullptr);
  raise(number);
  errno = before;
}

/// Handles the signals for which the program has no handler.
void catch_signals() noexcept {
  for (const int number : signals) {
    struct sigaction now {
    }, own{};
    if (sigaction(number, nullptr, &now) != 0 || (now.sa_flags & SA_SIGINFO) || now.sa_handler != SIG_DFL)
      continue;
    own.sa_sigaction = on_signal;
    own.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(number, &own, nullptr);
  }
}

/// Requires 'writing' to be held.
void open_file(Recorder& r) noexcept try {
  r.process = getpid();
  r.zero = now();
  const int file = open_trace(r.process, r.path);
  struct stat there {};
  r.failed = file < 0 || fstat(file, &there) != 0;
  r.file = identity(there);
  if (file >= 0) close(file);
  char host[256] = "unknown";
  gethostname(host, sizeof host - 1);
  r.text = json_text({{"parity_trace", 2},
                      {"arguments", arguments()},
                      {"process", r.process},
                      {"parent", getppid()},
                      {"rank", rank()},
                      {"host", host},
                      {"processor", processor()},
                      {"displayTimeUnit", "ns"}});
  r.text.replace(r.text.size() - 1, 1, ",\"traceEvents\":[\n");
  write_text(r);
  r.written = r.lost = 0;
  if (r.failed && !is_set("PARITY_TRACE_QUIET") && has_standard_error())
    std::fprintf(stderr, "parity trace: no trace: %s cannot be written\n", r.path.c_str());
} catch (...) {
  r.failed = true;
}

void before_fork() noexcept {
  Recorder& r = recorder();
  r.writing.lock();
  r.adding.lock();
}
void after_fork_in_parent() noexcept {
  recorder().adding.unlock();
  recorder().writing.unlock();
}
/// The child has neither the thread nor CUDA: it starts again at its next event. The parent writes the
/// parent's pending data.
void after_fork_in_child() noexcept {
  Recorder& r = recorder();
  r.events.clear();
  r.said.clear();
  r.text.clear();
  r.launches = r.lost = 0;
  r.open = 0;
  r.has_device = r.failed = r.started = false;
  r.device = {};
  r.first_launch = 0;
  r.state = State::before;
  new (&r.switching) std::mutex;  // the thread that may have held it does not exist here
  r.adding.unlock();
  r.writing.unlock();
}

/// Writes the summary to the file and one line for the user.
void finish() noexcept try {
  Recorder& r = recorder();
  if (!r.started || getpid() != r.process) return;
  const std::lock_guard<std::mutex> lock(r.writing);
  if (r.gone.exchange(true)) return;
  drain(r);
  const double seconds = seconds_between(r.zero, now());
  const std::uint64_t written = r.written;
  r.text = fact(
      "end", {{"events", written}, {"lost", r.lost.load()}, {"open", r.open.load()}, {"seconds", seconds}});
  r.text += "\n]}\n";
  write_text(r);
  if (is_set("PARITY_TRACE_QUIET") || !has_standard_error()) return;
  char line[256];
  std::snprintf(line, sizeof line, "parity trace: %llu events in %.3g s, %llu lost%s: ",
                static_cast<unsigned long long>(written), seconds,
                static_cast<unsigned long long>(r.lost.load()),
                r.failed ? "; the file could not be written to its end" : "");
  const std::string whole = line + r.path + "\n";
  [[maybe_unused]] const ssize_t n = write(STDERR_FILENO, whole.data(), whole.size());
} catch (...) {
}

/// Runs after the program's own exit handlers.
__attribute__((destructor)) void finish_at_exit() { finish(); }

}  // namespace

std::int64_t now() noexcept {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return std::int64_t(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

std::uint32_t this_thread() noexcept {
  thread_local const auto number = std::uint32_t(syscall(SYS_gettid));
  return number;
}

void start() noexcept try {
  Recorder& r = recorder();
  if (r.started || r.gone) return;
  const std::lock_guard<std::mutex> lock(r.writing);
  if (r.started || r.gone) return;
  static bool forks_are_seen = false;
  if (!forks_are_seen)
    forks_are_seen = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) == 0;
  sem_init(&r.wake, 0, 0);
  r.after = number_in("PARITY_TRACE_AFTER");
  r.length = number_in("PARITY_TRACE_FOR");
  open_file(r);
  if (!r.failed) {
    catch_signals();
    const Unsignalled quiet;  // the thread inherits the mask
    pthread_t thread;
    if (pthread_create(&thread, nullptr, write_until_gone, nullptr) == 0) pthread_detach(thread);
  }
  r.recording_since = r.after > 0 ? std::numeric_limits<std::int64_t>::max() : r.zero;
  if (r.after <= 0) r.state = State::recording;
  r.started = true;
} catch (...) {
  recorder().failed = true;
}

void record(Event event) noexcept try {
  Recorder& r = recorder();
  start();
  if (event.begin > 0 && event.begin < r.recording_since) return;  // before --after
  const std::lock_guard<std::mutex> lock(r.adding);
  if (r.events.size() < most_pending && !r.gone)
    r.events.push_back(std::move(event));
  else
    r.lost += 1;
} catch (...) {
  recorder().lost += 1;
}

void say(std::string json) noexcept try {
  Recorder& r = recorder();
  start();
  const std::lock_guard<std::mutex> lock(r.adding);
  r.said.push_back(std::move(json));
} catch (...) {
}

void say_count(std::int64_t time, std::uint64_t count) noexcept try {
  std::string line = "{\"ph\":\"C\",\"name\":\"count\",\"pid\":" + std::to_string(recorder().process);
  add_time(line, "ts", time - recorder().zero);
  say(line + ",\"args\":{\"count\":" + std::to_string(count) + "}}");
} catch (...) {
}

void count_lost(std::uint64_t events) noexcept { recorder().lost += events; }
void count_open(int events) noexcept { recorder().open += events; }
void count_launches(std::uint64_t launches, bool of_device) noexcept {
  Recorder& r = recorder();
  if (r.state.load(std::memory_order_relaxed) != State::before &&
      (of_device || !r.has_device.load(std::memory_order_relaxed)))
    r.launches.fetch_add(launches, std::memory_order_relaxed);
}
bool is_recording() noexcept { return recorder().state.load(std::memory_order_relaxed) == State::recording; }

void attach(const Device& device) noexcept {
  Recorder& r = recorder();
  start();
  const std::lock_guard<std::mutex> lock(r.switching);
  r.device = device;
  r.launches = 0;
  r.has_device = true;
}

void finish_device() noexcept {
  Recorder& r = recorder();
  if (!r.started || getpid() != r.process) return;
  {
    const std::lock_guard<std::mutex> lock(r.switching);
    if (r.has_device.exchange(false) && is_recording()) r.device.flush(true);
  }
  write_now();
}

void write_now() noexcept {
  Recorder& r = recorder();
  if (!r.started || r.gone) return;
  const std::lock_guard<std::mutex> lock(r.writing);
  drain(r);
}

}  // namespace parity::trace
