// SPDX-License-Identifier: BSD-3-Clause
#include "trace/recorder.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <mutex>
#include <new>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/ending.hpp"
#include "trace/json_text.hpp"

namespace parity::trace {
namespace {

constexpr std::uint64_t room = 1 << 14;                 ///< events of a ring
constexpr int deepest = 64;                             ///< things of a thread that lie in each other
constexpr std::int64_t look_every = 20'000'000;         ///< ns: what a killed program may lose
constexpr std::size_t least_write = 1 << 16;            ///< bytes
constexpr int sizes_of_samples = 4 * 24;                ///< up to 2^24 ns
constexpr unsigned sample_from = 31, sample_span = 61;  ///< one event of 31 to 91 is timed
constexpr std::size_t known_names = 512;
constexpr const char* no_name = "(no name)";
constexpr std::uint64_t tally_every = 32;  ///< launches
// Where only a share of the time is recorded; ns.
constexpr std::int64_t recorded_window = 30'000'000, counted_window = 80'000'000;
constexpr std::uint64_t enough_launches = 2000;  ///< of a window, or it lasts longer:
constexpr int most_windows = 3;                  ///< times as long
constexpr double first_cycle = 0.4;              ///< the second cycle begins so early in its time

/// What began and is not over.
struct Open {
  std::int64_t begin;
  std::uint64_t number, bytes;
  std::uint32_t name, correlation;
  Kind kind;
  std::uint8_t depth;
};

/// One thread's. Never freed: its thread may end before it is read, and record after its other objects went.
struct Ring {
  std::atomic<std::uint64_t> head{0}, tail{0}, lost{0}, unmatched{0};
  std::atomic<int> open{0};
  std::atomic<bool> free{false};  ///< its thread has ended: another one may have it
  int thread = 0;
  Ring* next = nullptr;
  std::uint64_t begun = 0;
  std::atomic<int> too_deep{0};  ///< things that are open beyond the deepest
  // How long some calls kept their thread, in quarters of powers of two; read while it writes.
  std::uint32_t random = 0x9e3779b9u, until_sample = sample_from;
  std::atomic<std::uint32_t> nearest{~0u}, farthest{0};  ///< samples lie so far apart
  std::atomic<std::uint64_t> calls{0};
  std::atomic<std::uint32_t> samples[sizes_of_samples];
  Open things[deepest];
  std::atomic<std::uint64_t> launches{0};  ///< recorded and counted
  std::uint32_t tally_window = 0;          ///< that the next ones are of
  std::uint64_t tallied = 0, last_wait = 0;
  bool after_wait = false;
  // Of the regions and copies that are open, a bit each: whether it is recorded. The innermost is the last.
  std::uint64_t regions = 0, copies = 0;
  int in_copies = 0;
  // Names that this thread used, by their hash.
  struct Known {
    std::uint64_t hash;
    std::uint32_t name;
  } known[known_names] = {};
  Event* events = nullptr;  ///< uninitialised: memory that no event needs is never touched

  Ring() {
    for (auto& count : samples) count = 0;
  }
};

/// Never destroyed.
struct Recorder {
  std::mutex writing;  ///< the file, and who reads the rings
  std::mutex naming;
  std::atomic<bool> started{false}, gone{false}, failed{false};
  std::atomic<Ring*> rings{nullptr};
  std::atomic<int> threads{0};
  std::atomic<std::uint64_t> lost{0};
  std::atomic<void (*)()> each_look{nullptr};
  std::atomic<Mode> mode{Mode::all};
  std::atomic<std::uint32_t> tally_window{0};
  std::atomic<double> share{1};  ///< of the time that is recorded
  std::atomic<Change (*)(Mode)> change{nullptr};
  std::atomic<bool> schedule_anew{false};
  sem_t wake;
  pthread_key_t at_threads_end;
  bool has_writer = false;
  int file = -1;
  pid_t process = 0;
  std::int64_t zero = 0;
  std::string path, text;
  dev_t on_device = 0;  ///< which file it is: a program may close what is not its own
  ino_t number = 0;
  std::uint64_t written = 0, lost_in_file = 0, lost_said = 0;
  double calibrated = 0;  ///< seconds an event
  std::unordered_map<std::string, std::uint32_t> numbers{{no_name, 0}};
  std::vector<std::string> names{no_name};
  std::size_t names_written = 0;
  std::vector<std::string> said;
};
Recorder& recorder() noexcept {
  static Recorder* const one = new (std::nothrow) Recorder;
  if (!one) std::abort();
  return *one;
}

thread_local Ring* own_ring = nullptr;  // no destructor: there at every exit handler

/// All signals wait: neither may the program's handlers run on the writer, nor a limit of files end it.
class Unsignalled {
 public:
  Unsignalled() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~Unsignalled() {
    // A write beyond the limit of files has left its signal, which was not the program's.
    if (!sigismember(&before_, SIGXFSZ) && beyond_limit_) {
      sigset_t one;
      sigemptyset(&one);
      sigaddset(&one, SIGXFSZ);
      const timespec none{};
      sigtimedwait(&one, nullptr, &none);
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  Unsignalled(const Unsignalled&) = delete;
  Unsignalled& operator=(const Unsignalled&) = delete;
  void beyond_limit() { beyond_limit_ = true; }

 private:
  sigset_t before_;
  bool beyond_limit_ = false;
};

bool is_event(const char* line) { return std::strncmp(line, "{\"e\":", 5) == 0; }

/// Whole lines. What cannot be written is lost, and ends the trace behind its last whole line.
void write_lines(Recorder& r, Unsignalled& quiet) {
  struct stat there {};
  if (!r.failed && (fstat(r.file, &there) != 0 || there.st_dev != r.on_device || there.st_ino != r.number)) {
    r.failed = true;  // the number is another file's by now
    r.file = -1;
  }
  std::size_t done = 0;
  while (done < r.text.size() && !r.failed) {
    const ssize_t n = write(r.file, r.text.data() + done, r.text.size() - done);
    if (n > 0) {
      done += std::size_t(n);
    } else if (n == 0 || errno != EINTR) {
      if (n < 0 && errno == EFBIG) quiet.beyond_limit();
      r.failed = true;
      const std::size_t whole = done == 0 ? 0 : r.text.rfind('\n', done - 1) + 1;
      if (done > whole &&
          (fstat(r.file, &there) != 0 || ftruncate(r.file, there.st_size - off_t(done - whole)) != 0)) {
        [[maybe_unused]] const ssize_t ended = write(r.file, "\n", 1);
      }
      done = whole;
    }
  }
  for (std::size_t at = 0; at < r.text.size(); at = r.text.find('\n', at) + 1)
    if (is_event(r.text.c_str() + at)) ++(at < done ? r.written : r.lost_in_file);
  r.text.clear();
}

void add_number(std::string& text, std::int64_t n) {
  char digits[24];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, n).ptr);
}
void add_field(std::string& text, const char* key, std::int64_t n) {
  text += ",\"";
  text += key;
  text += "\":";
  add_number(text, n);
}

void add_line(Recorder& r, const Event& e) {
  std::string& t = r.text;
  if (e.kind == Kind::inner) {
    t += "{\"e\":\"inner\"";
    add_field(t, "c", e.correlation);
    add_field(t, "of", std::int64_t(e.bytes));
    t += "}\n";
    return;
  }
  if (e.kind == Kind::tally) {
    t += "{\"e\":\"tally\"";
    add_field(t, "t", e.begin - r.zero);
    add_field(t, "th", e.device);
    add_field(t, "w", std::int64_t(e.correlation));
    add_field(t, "k", std::int64_t(e.bytes));
    if (e.depth) t += ",\"wait\":1";
    t += "}\n";
    return;
  }
  t += "{\"e\":\"";
  t += words_of_kinds[int(e.kind)];
  t += "\",\"n\":";
  add_number(t, e.name);
  // A record without times is a record; whoever reads it sees that they are missing.
  if (e.begin > 0 && e.end >= e.begin) {
    add_field(t, "t", e.begin - r.zero);
    add_field(t, "d", e.end - e.begin);
  } else {
    t += ",\"t\":null,\"d\":null";
  }
  if (e.kind < Kind::kernel) {
    add_field(t, "th", e.device);
    if (e.depth) add_field(t, "in", e.depth);
  } else {
    add_field(t, "g", e.device);
    add_field(t, "s", e.stream);
  }
  if (e.correlation) add_field(t, "c", e.correlation);
  if (e.bytes) add_field(t, "b", std::int64_t(e.bytes));
  t += "}\n";
}

std::uint64_t lost_so_far(const Recorder& r) {
  std::uint64_t lost = r.lost + r.lost_in_file;
  for (const Ring* ring = r.rings; ring; ring = ring->next) lost += ring->lost;
  return lost;
}

/// With 'writing' held: everything that was recorded before goes into the file.
void drain(Recorder& r) noexcept try {
  if (getpid() != r.process) return;
  Unsignalled quiet;
  struct Part {
    Ring* ring;
    std::uint64_t head;
  };
  std::vector<Part> parts;
  for (Ring* ring = r.rings; ring; ring = ring->next) parts.push_back({ring, ring->head});
  {
    // Their names were known before they were.
    const std::lock_guard<std::mutex> lock(r.naming);
    for (const std::string& line : r.said) (r.text += line) += '\n';
    r.said.clear();
    for (; r.names_written < r.names.size(); ++r.names_written) {
      r.text += "{\"n\":";
      add_number(r.text, std::int64_t(r.names_written));
      r.text += ",\"name\":" + json_text(r.names[r.names_written]) + "}\n";
    }
  }
  for (const Part& p : parts) {
    std::uint64_t tail = p.ring->tail;
    while (tail != p.head) {
      add_line(r, p.ring->events[tail % room]);
      p.ring->tail.store(++tail, std::memory_order_release);
      if (r.text.size() >= least_write) write_lines(r, quiet);
    }
  }
  if (const std::uint64_t lost = lost_so_far(r); lost != r.lost_said) {
    r.lost_said = lost;
    r.text += "{\"lost\":";
    add_number(r.text, std::int64_t(lost));
    r.text += "}\n";
  }
  write_lines(r, quiet);
} catch (...) {
  r.text.clear();
  r.lost += 1;
}

std::uint64_t launches_so_far(const Recorder& r) {
  std::uint64_t all = 0;
  for (const Ring* ring = r.rings; ring; ring = ring->next)
    all += ring->launches.load(std::memory_order_relaxed);
  return all;
}

/// What is recorded when, where it is not everything: all, then counts, then nothing; and, so many times that
/// the share is kept, counts, then all, then nothing. The writing thread's own.
class Schedule {
 public:
  void look(Recorder& r) {
    if (r.schedule_anew.exchange(false)) {
      *this = Schedule();
      start(r, Mode::all);
      r.mode = Mode::all;
    }
    if (r.share >= 1 || over_) return;
    if (wanted_ != r.mode) {
      Change (*const change)(Mode) = r.change;
      const Change done = change ? change(wanted_) : Change::done;
      over_ = done == Change::failed;
      if (done == Change::done) start(r, wanted_);
      if (done == Change::resting && r.mode != Mode::none) {
        const Mode wanted = wanted_;
        start(r, Mode::none);
        wanted_ = wanted;
      }
      return;
    }
    const std::int64_t time = now() - since_;
    const std::uint64_t launches = launches_so_far(r) - launches_;
    if (origin_ == 0) {  // the program has not launched anything
      if (launches > 0) origin_ = since_ = now();
      return;
    }
    const auto enough = [&](std::int64_t window) {
      return time >= window && (launches >= enough_launches || time >= most_windows * window);
    };
    const double cycle = double(recorded_window) / r.share;
    switch (r.mode) {
      case Mode::all:
        if (enough(recorded_window)) wanted_ = cycle_ == 0 ? Mode::counts : Mode::none;
        break;
      case Mode::counts:
        if (enough(counted_window)) wanted_ = cycle_ == 0 ? Mode::none : Mode::all;
        break;
      case Mode::none:
        if (double(now() - origin_) < (cycle_ + first_cycle) * cycle) break;
        while (double(now() - origin_) >= (cycle_ + first_cycle) * cycle) ++cycle_;
        wanted_ = Mode::counts;
        break;
    }
    if (wanted_ != r.mode) look(r);
  }

 private:
  void start(Recorder& r, Mode mode) {
    since_ = now();
    launches_ = launches_so_far(r);
    wanted_ = mode;
    if (mode == Mode::counts) ++r.tally_window;
    r.mode = mode;
    constexpr const char* words[] = {"all", "counts", "none"};
    char line[96];
    std::snprintf(line, sizeof line, "{\"window\":\"%s\",\"t\":%lld,\"share\":%g}", words[int(mode)],
                  static_cast<long long>(since_ - r.zero), r.share.load());
    say(line);
  }

  Mode wanted_ = Mode::all;
  std::int64_t since_ = 0, origin_ = 0;  ///< the window began; the first launch
  std::uint64_t launches_ = 0;           ///< before the window
  double cycle_ = 0;
  bool over_ = false;
};

extern "C" void* write_until_gone(void*) {
  Recorder& r = recorder();
  Schedule schedule;
  while (!r.gone) {
    timespec until{};
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += look_every;
    until.tv_sec += until.tv_nsec / 1'000'000'000;
    until.tv_nsec %= 1'000'000'000;
    sem_timedwait(&r.wake, &until);
    if (r.gone) break;
    schedule.look(r);
    if (void (*const flush)() = r.each_look) flush();
    const std::lock_guard<std::mutex> lock(r.writing);
    if (!r.gone) drain(r);
  }
  // It ends with the process. What libraries keep of a thread that called them, such as CUPTI, would be taken
  // down by this one while another thread takes the libraries down.
  while (true) pause();
}

/// The writer starts with all signals blocked, which it inherits.
bool start_writer() noexcept {
  const Unsignalled quiet;
  pthread_t thread;
  if (pthread_create(&thread, nullptr, write_until_gone, nullptr) != 0) return false;
  pthread_detach(thread);
  return true;
}

std::string command_line() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::string text, list;
  for (std::string word; std::getline(in, word, '\0');) {
    if (!list.empty()) list += ',';
    list += json_text(word);
    if (list.size() > 4096) break;
  }
  return '[' + list + ']';
}

std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.rfind("model name", 0) == 0 && line.find(':') + 2 < line.size())
      return line.substr(line.find(':') + 2);
  return "unknown";
}

bool is_set(const char* variable) noexcept {
  const char* const value = std::getenv(variable);
  return value && *value;
}

/// The process that 'parity trace' became has the file; any other, such as its child that inherited the
/// variables, one with its number behind it, and a further number where that is there from before.
std::string path_of(pid_t process) {
  const std::string own = std::to_string(process);
  const char* const whose = std::getenv("PARITY_TRACE_PROCESS");
  if (!is_set("PARITY_TRACE_FILE")) return "parity_trace." + own + ".jsonl";
  const std::string path = std::getenv("PARITY_TRACE_FILE");
  if (whose && own == whose) return path;
  std::string mine = path + '.' + own;
  for (int k = 2; access(mine.c_str(), F_OK) == 0 && k < 1000; ++k)
    mine = path + '.' + own + '-' + std::to_string(k);
  return mine;
}

void push(Recorder& r, Ring& ring, const Event& e) noexcept {
  const std::uint64_t head = ring.head.load(std::memory_order_relaxed);
  const std::uint64_t used = head - ring.tail.load(std::memory_order_acquire);
  if (used >= room) {
    ring.lost.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  ring.events[head % room] = e;
  ring.head.store(head + 1, std::memory_order_release);
  if (used + 1 != room / 4 && used + 1 != room / 2) return;
  if (r.has_writer) {
    sem_post(&r.wake);
  } else if (r.started) {
    const std::lock_guard<std::mutex> lock(r.writing);
    drain(r);
  }
}

void push_tally(Recorder& r, Ring& ring, bool wait) noexcept {
  Event e;
  e.kind = Kind::tally;
  e.begin = e.end = now();
  e.bytes = ring.tallied;
  e.correlation = ring.tally_window;
  e.device = std::uint16_t(ring.thread);
  e.depth = wait;
  push(r, ring, e);
}
void add_launch(Ring& ring) noexcept {
  ring.launches.store(ring.launches.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

/// Some events are timed, at distances drawn by chance so that they keep in step with no loop of the program.
bool is_sample(Ring& ring) noexcept {
  ring.calls.store(ring.calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (--ring.until_sample > 0) return false;
  ring.random ^= ring.random << 13;
  ring.random ^= ring.random >> 17;
  ring.random ^= ring.random << 5;
  ring.until_sample = sample_from + ring.random % sample_span;
  ring.nearest.store(std::min(ring.nearest.load(std::memory_order_relaxed), ring.until_sample));
  ring.farthest.store(std::max(ring.farthest.load(std::memory_order_relaxed), ring.until_sample));
  return true;
}
void add_sample(Ring& ring, std::int64_t nanoseconds) noexcept {
  const auto ns = std::uint64_t(std::max<std::int64_t>(4, nanoseconds));
  const int power = 63 - __builtin_clzll(ns);
  const int size = std::min(4 * power + int(ns >> (power - 2) & 3), sizes_of_samples - 1);
  ring.samples[size].fetch_add(1, std::memory_order_relaxed);
}
/// Middle of the samples that are counted there.
double seconds_of_size(int size) { return 1e-9 * std::ldexp(4.5 + size % 4, size / 4 - 2); }

std::uint32_t number_of(Recorder& r, const char* name) {
  const std::lock_guard<std::mutex> lock(r.naming);
  const auto [at, is_new] = r.numbers.emplace(name, std::uint32_t(r.names.size()));
  if (is_new) r.names.push_back(at->first);
  return at->second;
}

std::uint32_t name_in(Recorder& r, Ring* ring, const char* name) noexcept try {
  if (!name) return 0;
  if (!ring) return number_of(r, name);
  std::uint64_t hash = 1469598103934665603u;
  for (const char* c = name; *c; ++c) hash = (hash ^ static_cast<unsigned char>(*c)) * 1099511628211u;
  hash |= 1;  // 0 is an empty place
  Ring::Known& place = ring->known[hash % known_names];
  if (place.hash != hash) place = {hash, number_of(r, name)};
  return place.name;
} catch (...) {
  r.lost += 1;
  return 0;
}

void open_thing(Recorder& r, Ring& ring, Kind kind, const char* name, std::uint64_t bytes,
                std::uint32_t correlation) noexcept {
  const int open = ring.open.load(std::memory_order_relaxed);
  ++ring.begun;
  if (open < deepest) {
    std::uint8_t depth = 0;
    for (int k = 0; k < open; ++k) depth = std::uint8_t(depth + (ring.things[k].kind != Kind::region));
    ring.things[open] = {0, ring.begun, bytes, name_in(r, &ring, name), correlation, kind, depth};
    ring.open.store(open + 1, std::memory_order_relaxed);
    ring.things[open].begin = now();  // the last thing before the program goes on
  } else {
    ++ring.too_deep;
    ring.lost.fetch_add(1, std::memory_order_relaxed);
  }
}
void close_thing(Recorder& r, Ring& ring, int k, std::int64_t end) noexcept {
  // What lies in it and was never ended is over, too, but nobody knows when.
  const int above = ring.open.load(std::memory_order_relaxed) - k - 1;
  if (above > 0) ring.unmatched.fetch_add(std::uint64_t(above), std::memory_order_relaxed);
  const Open& o = ring.things[k];
  Event e;
  e.begin = o.begin;
  e.end = end;
  e.bytes = o.bytes;
  e.name = o.name;
  e.correlation = o.correlation;
  e.kind = o.kind;
  e.depth = o.depth;
  e.device = std::uint16_t(ring.thread);
  ring.open.store(k, std::memory_order_relaxed);
  push(r, ring, e);
}

Ring* new_ring() noexcept {
  Ring* const ring = new (std::nothrow) Ring;
  if (!ring) return nullptr;
  ring->events = static_cast<Event*>(std::malloc(room * sizeof(Event)));
  if (ring->events) return ring;
  delete ring;
  return nullptr;
}

/// Seconds that an event keeps its thread: of pairs that are thrown away, the median of some batches; below
/// zero where that could not be measured.
double calibrate(Recorder& r) noexcept {
  Ring* const ring = new_ring();
  if (!ring) return -1;
  constexpr int batches = 9, pairs = 128;
  std::int64_t spent[batches];
  for (std::int64_t& s : spent) {
    const std::int64_t start = now();
    for (int k = 0; k < pairs; ++k) {
      open_thing(r, *ring, Kind::loop, nullptr, 0, 0);
      close_thing(r, *ring, 0, now());
      ring->tail.store(ring->head);
    }
    s = now() - start;
  }
  std::free(ring->events);
  delete ring;
  std::sort(spent, spent + batches);
  const double seconds = 1e-9 * double(spent[batches / 2]) / pairs;
  return seconds > 0 && seconds < 1e-3 ? seconds : -1;
}

/// Away from the numbers that a program closes and opens by itself.
int open_apart(const char* path) noexcept {
  const int file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return file;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const int apart = fcntl(file, F_DUPFD_CLOEXEC, int(std::min<rlim_t>(512, limit.rlim_cur / 2)));
  if (apart < 0) return file;
  close(file);
  return apart;
}

/// Such as this process left when it became this program.
void cut_unfinished_line(int file, off_t size) noexcept {
  char byte = '\n';
  off_t end = size;
  while (end > 0 && pread(file, &byte, 1, end - 1) == 1 && byte != '\n') --end;
  if (end < size) {
    [[maybe_unused]] const int cut = ftruncate(file, end);
  }
}

/// With 'writing' held.
void open_file(Recorder& r) noexcept try {
  r.process = getpid();
  r.zero = now();
  r.path = path_of(r.process);
  r.file = open_apart(r.path.c_str());
  struct stat there {};
  if (r.file >= 0 && fstat(r.file, &there) == 0) {
    r.on_device = there.st_dev;
    r.number = there.st_ino;
    cut_unfinished_line(r.file, there.st_size);
  }
  if (r.file < 0) {
    r.failed = true;
    if (!is_set("PARITY_TRACE_QUIET"))
      std::fprintf(stderr, "parity trace: no trace: %s cannot be written: %s\n", r.path.c_str(),
                   std::strerror(errno));
    return;
  }
  // Once a process: in a child it is what its parent measured.
  if (r.calibrated == 0) r.calibrated = calibrate(r);
  char host[256] = "unknown", time[32] = "", seconds[32];
  gethostname(host, sizeof host - 1);
  const std::time_t date = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&date, &utc);
  std::strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%SZ", &utc);
  std::snprintf(seconds, sizeof seconds, "%.3g", r.calibrated);
  const std::string arguments = command_line();
  r.text = "{\"parity_trace\":1,\"arguments\":" + arguments + ",\"process\":" + std::to_string(r.process) +
           ",\"parent\":" + std::to_string(getppid()) + ",\"host\":" + json_text(host) +
           ",\"processor\":" + json_text(processor()) + ",\"started\":" + json_text(time) +
           ",\"clock\":\"CLOCK_MONOTONIC, ns after zero\",\"zero\":" + std::to_string(r.zero) +
           (r.calibrated > 0 ? std::string(",\"seconds_an_event\":") + seconds
                             : std::string(",\"seconds_an_event\":null,\"calibration\":\"failed\"")) +
           "}\n";
  Unsignalled quiet;
  write_lines(r, quiet);
} catch (...) {
  r.failed = true;
}

void before_fork() noexcept {
  recorder().writing.lock();
  recorder().naming.lock();
}
void after_fork_in_parent() noexcept {
  recorder().naming.unlock();
  recorder().writing.unlock();
}
/// The child has neither the writer nor the other threads: it starts anew with its next event. What the
/// parent had not written stays the parent's.
void after_fork_in_child() noexcept {
  Recorder& r = recorder();
  if (r.file >= 0) close(r.file);  // its copy of the number alone
  r.file = -1;
  r.rings = nullptr;
  own_ring = nullptr;
  r.threads = 0;
  r.lost = 0;
  r.lost_said = r.written = r.lost_in_file = 0;
  r.text.clear();
  r.said.clear();
  r.names_written = 0;
  r.has_writer = false;
  r.each_look = nullptr;  // CUDA does not live on in a child
  r.change = nullptr;
  r.mode = Mode::all;
  r.share = 1;
  r.failed = false;
  r.started = false;
  r.naming.unlock();
  r.writing.unlock();
}

/// The ring of a thread that has ended is another one's; what it left open never ends.
extern "C" void release_ring(void* ended) {
  Ring& ring = *static_cast<Ring*>(ended);
  ring.unmatched += std::uint64_t(ring.open.exchange(0));
  ring.too_deep = 0;
  own_ring = nullptr;
  ring.free = true;
}

Ring* ring_of_thread(Recorder& r) noexcept {
  if (r.gone) return nullptr;
  if (!r.started) start();
  if (own_ring) return own_ring;
  Ring* ring = r.rings;
  bool free = true;
  while (ring && !ring->free.compare_exchange_strong(free, false)) {
    free = true;
    ring = ring->next;
  }
  if (!ring) {
    ring = new_ring();
    if (!ring) {
      r.lost += 1;
      return nullptr;
    }
    ring->next = r.rings;
    while (!r.rings.compare_exchange_weak(ring->next, ring)) {
    }
  }
  ring->thread = r.threads++;
  ring->random += std::uint32_t(ring->thread) * 2654435761u;
  pthread_setspecific(r.at_threads_end, ring);
  return own_ring = ring;
}

bool is_loop(Kind kind) { return kind == Kind::loop || kind == Kind::reduction || kind == Kind::scan; }

/// Whether something that begins is to be recorded; else it may be counted. What CUPTI brings is always: it
/// has its own switches.
bool is_recorded(Recorder& r, Ring& ring, Kind kind) noexcept {
  const bool of_cuda = kind >= Kind::launch;
  const Mode mode = r.mode.load(std::memory_order_relaxed);
  const bool recorded = of_cuda || mode == Mode::all;
  if (kind == Kind::region) ring.regions = ring.regions << 1 | recorded;
  if (kind == Kind::deep_copy) ring.copies = ring.copies << 1 | recorded;
  const bool launches = r.change.load(std::memory_order_relaxed)
                            ? kind == Kind::launch || kind == Kind::graph_launch
                            : is_loop(kind) && ring.in_copies == 0;
  if (kind == Kind::deep_copy) ++ring.in_copies;
  if (!launches) return recorded;
  if (recorded)
    add_launch(ring);
  else if (mode == Mode::counts)
    tally_launch();
  return recorded;
}

/// How it all ended, in the file and in a line for the user.
void finish() noexcept try {
  Recorder& r = recorder();
  if (!r.started || getpid() != r.process) return;
  const std::lock_guard<std::mutex> lock(r.writing);
  if (r.gone.exchange(true)) return;
  drain(r);
  std::uint64_t open = 0, samples = 0, calls = 0, by_size[sizes_of_samples] = {};
  std::uint32_t nearest = ~0u, farthest = 0;
  for (const Ring* ring = r.rings; ring; ring = ring->next) {
    open += std::uint64_t(ring->open.load() + ring->too_deep) + ring->unmatched;
    calls += ring->calls;
    nearest = std::min(nearest, ring->nearest.load());
    farthest = std::max(farthest, ring->farthest.load());
    for (int size = 0; size < sizes_of_samples; ++size) {
      by_size[size] += ring->samples[size];
      samples += ring->samples[size];
    }
  }
  // The median: a sample in which another process had the processor is no cost of recording. Of a program
  // with few events what was measured before it.
  double each = std::max(0.0, r.calibrated);
  if (samples >= 8) {
    std::uint64_t below = 0;
    int size = 0;
    while ((below += by_size[size]) <= samples / 2) ++size;
    each = seconds_of_size(size);
  }
  const double elapsed = 1e-9 * double(now() - r.zero);
  const double share = elapsed > 0 ? each * double(calls) / elapsed : 0;
  char line[512];
  std::snprintf(line, sizeof line,
                "{\"end\":true,\"events\":%llu,\"lost\":%llu,\"open\":%llu,\"seconds\":%.6f,"
                "\"recording\":{\"calls\":%llu,\"samples\":%llu,\"nearest\":%u,\"farthest\":%u,"
                "\"seconds_a_call\":%.4g,\"share\":%.4g}}\n",
                static_cast<unsigned long long>(r.written), static_cast<unsigned long long>(lost_so_far(r)),
                static_cast<unsigned long long>(open), elapsed, static_cast<unsigned long long>(calls),
                static_cast<unsigned long long>(samples), nearest, farthest, each, share);
  r.text = line;
  {
    Unsignalled quiet;
    write_lines(r, quiet);
  }
  if (r.file >= 0) close(r.file);
  r.file = -1;
  if (is_set("PARITY_TRACE_QUIET")) return;
  std::snprintf(
      line, sizeof line,
      "%llu events in the trace, %llu lost; recording took %.2g %% of %.3g s in the program's calls "
      "(%.0f ns each), besides the thread that writes%s: ",
      static_cast<unsigned long long>(r.written), static_cast<unsigned long long>(lost_so_far(r)),
      100 * share, elapsed, 1e9 * each, r.failed ? "; the file could not be written to its end" : "");
  const std::string whole = "parity trace: " + (line + r.path) + "\n";
  [[maybe_unused]] const ssize_t n = write(STDERR_FILENO, whole.data(), whole.size());
} catch (...) {
}

/// After the program's own exit handlers.
__attribute__((destructor)) void finish_at_exit() { finish(); }

}  // namespace

std::int64_t now() noexcept {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return std::int64_t(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

void start() noexcept try {
  Recorder& r = recorder();
  const std::lock_guard<std::mutex> lock(r.writing);
  if (r.started || r.gone) return;
  static bool forks_are_seen = false;
  if (!forks_are_seen)
    forks_are_seen = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) == 0;
  static bool keyed = false;
  if (!keyed) keyed = pthread_key_create(&r.at_threads_end, release_ring) == 0;
  sem_init(&r.wake, 0, 0);
  open_file(r);
  r.has_writer = !r.failed && start_writer();
  if (struct stat there{}; !r.failed && fstat(r.file, &there) == 0)
    tell_ends(r.path.c_str(), r.file, there, !is_set("PARITY_TRACE_QUIET"));
  r.started = true;
  if (const char* const word = std::getenv("PARITY_TRACE_SHARE"))
    if (const double share = std::atof(word); share > 0 && share < 1) {
      r.share = share;
      r.schedule_anew = true;
    }
} catch (...) {
  recorder().failed = true;
}

void say(const char* json) noexcept try {
  Recorder& r = recorder();
  if (!r.started) start();
  const std::lock_guard<std::mutex> lock(r.naming);
  r.said.emplace_back(json);
} catch (...) {
}

std::uint32_t name_of(const char* name) noexcept {
  Recorder& r = recorder();
  return name_in(r, ring_of_thread(r), name);
}

void record(const Event& event) noexcept {
  Recorder& r = recorder();
  if (Ring* const ring = ring_of_thread(r)) push(r, *ring, event);
}

void record_share_of_time(double share, Change (*change)(Mode)) noexcept {
  Recorder& r = recorder();
  if (!r.has_writer) return;
  r.change = change;
  r.share = share;
  r.schedule_anew = true;
}

void tally_launch() noexcept {
  Recorder& r = recorder();
  Ring* const ring = ring_of_thread(r);
  if (!ring) return;
  const std::uint32_t window = r.tally_window.load(std::memory_order_relaxed);
  if (ring->tally_window != window) {
    ring->tally_window = window;
    ring->tallied = ring->last_wait = 0;
    ring->after_wait = false;
  }
  if (ring->tallied % tally_every == 0 || ring->after_wait) push_tally(r, *ring, false);
  ring->after_wait = false;
  ++ring->tallied;
  add_launch(*ring);
}

void tally_wait() noexcept {
  Recorder& r = recorder();
  Ring* const ring = ring_of_thread(r);
  // Of several waits in a row the first: the others wait for nothing.
  if (!ring || ring->tally_window != r.tally_window.load(std::memory_order_relaxed) ||
      ring->tallied == ring->last_wait)
    return;
  ring->last_wait = ring->tallied;
  push_tally(r, *ring, true);
  ring->after_wait = true;
}

void count_lost(std::uint64_t events) noexcept { recorder().lost += events; }
void at_each_look(void (*flush)()) noexcept { recorder().each_look = flush; }

std::uint64_t begin(Kind kind, const char* name, std::uint64_t bytes, std::uint32_t correlation) noexcept {
  Recorder& r = recorder();
  Ring* const ring = ring_of_thread(r);
  if (!ring) return 0;
  if (!is_recorded(r, *ring, kind)) return 0;
  const bool sample = is_sample(*ring);
  const std::int64_t start = sample ? now() : 0;
  open_thing(r, *ring, kind, name, bytes, correlation);
  if (sample) add_sample(*ring, now() - start);
  return ring->begun;
}

void end(std::uint64_t number) noexcept {
  if (number == 0) return;          // began where nothing was recorded
  const std::int64_t over = now();  // the first thing after it
  Recorder& r = recorder();
  Ring* const ring = ring_of_thread(r);
  if (!ring) return;
  const bool sample = is_sample(*ring);
  int k = ring->open.load(std::memory_order_relaxed) - 1;
  while (k >= 0 && ring->things[k].number != number) --k;
  if (ring->too_deep > 0)
    --ring->too_deep;  // the innermost ends first
  else if (k >= 0)
    close_thing(r, *ring, k, over);
  else
    ring->unmatched.fetch_add(1, std::memory_order_relaxed);
  if (sample) add_sample(*ring, now() - over);
}

void forget(std::uint64_t number) noexcept {
  Ring* const ring = own_ring;
  if (!ring) return;
  int k = ring->open.load(std::memory_order_relaxed) - 1;
  while (k >= 0 && ring->things[k].number != number) --k;
  if (k < 0) return;
  ring->unmatched.fetch_add(1, std::memory_order_relaxed);
  const int open = ring->open.load(std::memory_order_relaxed);
  std::copy(ring->things + k + 1, ring->things + open, ring->things + k);
  ring->open.store(open - 1, std::memory_order_relaxed);
}

void end_last(Kind kind) noexcept {
  const std::int64_t over = now();
  Recorder& r = recorder();
  Ring* const ring = ring_of_thread(r);
  if (!ring) return;
  std::uint64_t& open = kind == Kind::region ? ring->regions : ring->copies;
  const bool was_recorded = open & 1;
  open >>= 1;
  if (kind == Kind::deep_copy && ring->in_copies > 0) --ring->in_copies;
  if (r.share < 1 && !was_recorded) return;
  const bool sample = is_sample(*ring);
  int k = ring->open.load(std::memory_order_relaxed) - 1;
  while (k >= 0 && ring->things[k].kind != kind) --k;
  if (ring->too_deep > 0)
    --ring->too_deep;
  else if (k >= 0)
    close_thing(r, *ring, k, over);
  else
    ring->unmatched.fetch_add(1, std::memory_order_relaxed);
  if (sample) add_sample(*ring, now() - over);
}

void write_now() noexcept try {
  Recorder& r = recorder();
  if (!r.started) return;
  const std::lock_guard<std::mutex> lock(r.writing);
  drain(r);
} catch (...) {
}

}  // namespace parity::trace
