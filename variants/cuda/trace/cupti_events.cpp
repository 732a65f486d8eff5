// SPDX-License-Identifier: BSD-3-Clause
// CUPTI in a traced program: the calls that launch, copy, fill and wait by its callbacks, what they start on
// the device by its activity records. CUDA calls InitializeInjection of the library that
// CUDA_INJECTION64_PATH names.
#include <cuda.h>

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "backend/cuda/cupti.cuh"
#include "trace/json_text.hpp"
#include "trace/recorder.hpp"

namespace parity::trace {
namespace {

// Records of every toolkit since 11.8 begin with the fields of these.
using KernelRecord = CUpti_ActivityKernel8;
using CopyRecord = CUpti_ActivityMemcpy5;
using PeerCopyRecord = CUpti_ActivityMemcpyPtoP4;
using SetRecord = CUpti_ActivityMemset4;
using GraphRecord = CUpti_ActivityGraphTrace;
using DeviceRecord = CUpti_ActivityDevice4;
using OverheadRecord = CUpti_ActivityOverhead;

/// Of CUDA's driver, such as 13 for 13.0; 0 where it does not say.
int driver_generation() {
  int (*version)(int*) = nullptr;
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  int loaded = 0;
  if (!driver || !runtime::find_function(driver, "cuDriverGetVersion", version) || version(&loaded) != 0)
    return 0;
  return loaded / 1000;
}

/// The library that the user names. Or one that the program has loaded, since there can be no two at work. Or
/// the driver's own generation, which knows all runtimes before it; a toolkit's. Or the build's.
void* open_cupti() {
  if (const char* const named = std::getenv("PARITY_TRACE_CUPTI"); named && *named)
    return dlopen(named, RTLD_NOW | RTLD_LOCAL);
  constexpr int oldest = 12, newest = 19;
  const auto name = [](int generation) { return "libcupti.so." + std::to_string(generation); };
  for (int generation = newest; generation >= oldest; --generation)
    if (void* const handle = dlopen(name(generation).c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD))
      return handle;
  for (int generation = driver_generation(); generation >= oldest; --generation) {
    if (void* const handle = dlopen(name(generation).c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH", ""}) {
      const char* const root = *variable ? std::getenv(variable) : "/usr/local/cuda";
      if (!root || !*root) continue;
      for (const char* folder : {"/extras/CUPTI/lib64/", "/lib64/", "/lib/"})
        if (void* const handle = dlopen((root + (folder + name(generation))).c_str(), RTLD_NOW | RTLD_LOCAL))
          return handle;
    }
  }
  return runtime::open_library({PARITY_CUPTI_NAME, "libcupti.so", PARITY_CUPTI_LIBRARY});
}

/// Never destroyed: CUPTI calls until the process is gone.
struct State {
  runtime::Cupti cupti;
  CUpti_SubscriberHandle subscriber{};
  std::mutex buffers_mutex;
  std::vector<std::uint8_t*> buffers;  ///< that were read: their pages are there
  std::atomic<std::uint64_t> overhead{0};
  std::atomic<bool> over{false};
  std::mutex flushing;
  std::atomic<CUcontext> context{nullptr};  ///< of the last launch
  /// Where only a share of the time is recorded: whether CUPTI is attached, whether it only counts launches,
  /// whether it is to leave at the next wait's end, and whether it does nothing until then.
  std::atomic<bool> attached{false}, counting{false}, leave{false}, resting{false};
  std::int64_t leave_asked = 0, leave_tried = 0;  ///< ns; with 'flushing' held
  bool outlasted = false;  ///< recorded work went on while it rested, beside the program's waits; likewise
  std::atomic<std::uint32_t> spans{0};  ///< of time in which callbacks were the same ones, or a part of them
  std::atomic<bool> device_known{false};
  /// Since it was to record: launches, copies and fills that began and start something on the device, and
  /// those of which the record has come. Threads that began them: this one, and whether there were others.
  std::atomic<std::int64_t> launched{0}, arrived{0};
  /// Which those calls are, by CUPTI's number of the call or of one within it: that and the call's own. What
  /// the device launches itself has a record and is none of them.
  std::atomic<std::uint64_t> begun[1 << 16]{};
  /// Those whose places were taken by later calls before their records came.
  std::mutex older_mutex;
  std::vector<std::uint64_t> older;
  /// Calls that are counted so and go on; while 'held' none begins.
  std::atomic<int> starting{0};
  std::atomic<bool> held{false};
  std::atomic<std::uint64_t> launcher{0};
  std::atomic<bool> several_launch{false};
  std::atomic<int> taking{0};        ///< threads that have a buffer of CUPTI's
  std::atomic<bool> leaving{false};  ///< CUPTI is taken down, or has been: buffers are neither given nor read
  const pid_t process = getpid();
};
State* state = nullptr;

/// Whether this process is a child of the one whose GPU it was: CUDA does not live on in it.
bool is_child() noexcept { return getpid() != state->process; }

constexpr std::size_t buffer_bytes = 1 << 20, alignment = 8;
constexpr int most_calls = 2048;
constexpr std::int64_t longest_way_out =
    100'000'000;  ///< ns for which it is recorded on until CUPTI can leave
constexpr std::int64_t ask_at_rest =
    10'000'000;                        ///< ns from one time to the next that it is asked for records
constexpr double usual_share = 0.015;  ///< of the time that is recorded

/// One of CUDA's calls, by CUPTI's number of it.
struct Call {
  signed char kind = -1;                    ///< -1: it is not recorded
  bool blocks = false;                      ///< the host waits in it for the device
  bool third_is_size = false;               ///< its third parameter says how much
  std::atomic<bool> by_the_program{false};  ///< seen outside of another call
};
Call runtime_calls[most_calls], driver_calls[most_calls];

/// The program's call that this thread is in. CUPTI has a place for a number that a call's beginning leaves
/// for its end. But what is in it, or whether it is there, is not said of a call whose beginning was not
/// called back, such as one in which a window begins. So the end is known by the call's own numbers.
struct Inside {
  std::uint32_t span = 0;  ///< in which it began; 0: in none
  std::uint32_t correlation = 0, id = 0;
  bool of_runtime = false;
  bool holds_call = false;  ///< a call of the driver's has begun in it
  bool captured = false;    ///< it became a node of a graph
  bool starts = false;      ///< it is one of State::starting
  std::uint64_t began = 0;  ///< the recorder's number, or:
};
constexpr std::uint64_t counted_call = ~std::uint64_t(0), unseen_call = counted_call - 1;
thread_local Inside inside;

struct Prefix {
  const char* text;
  int kind;
};
// The first that fits counts.
constexpr Prefix runtime_prefixes[] = {{"cudaLaunchHostFunc", -1},
                                       {"cudaLaunch", int(Kind::launch)},
                                       {"__cudaLaunchKernel", int(Kind::launch)},  // <<<>>> from CUDA 13 on
                                       {"cudaGraphLaunch", int(Kind::graph_launch)},
                                       {"cudaMemcpy", int(Kind::copy_call)},
                                       {"cudaMemset", int(Kind::set_call)},
                                       {"cudaStreamSynchronize", int(Kind::wait)},
                                       {"cudaDeviceSynchronize", int(Kind::wait)},
                                       {"cudaThreadSynchronize", int(Kind::wait)},
                                       {"cudaEventSynchronize", int(Kind::wait)}};
// Copies and fills of the driver's, dst, src or value, size: those of rows and boxes, arrays and other
// devices are not.
constexpr const char* with_size_third[] = {"cuMemcpyHtoD", "cuMemcpyDtoH", "cuMemcpyDtoD",  "cuMemsetD8",
                                           "cuMemsetD16",  "cuMemsetD32",  "cuMemcpyAsync", "cuMemcpy_"};
constexpr Prefix driver_prefixes[] = {{"cuLaunchHostFunc", -1},
                                      {"cuLaunch", int(Kind::launch)},
                                      {"cuGraphLaunch", int(Kind::graph_launch)},
                                      {"cuMemcpy", int(Kind::copy_call)},
                                      {"cuMemset", int(Kind::set_call)},
                                      {"cuStreamSynchronize", int(Kind::wait)},
                                      {"cuCtxSynchronize", int(Kind::wait)},
                                      {"cuEventSynchronize", int(Kind::wait)}};

template <std::size_t n>
void know_calls(CUpti_CallbackDomain domain, const Prefix (&prefixes)[n], Call* calls) {
  for (int id = 0; id < most_calls; ++id) {
    const char* name = nullptr;
    if (state->cupti.callback_name(domain, std::uint32_t(id), &name) != CUPTI_SUCCESS || !name) continue;
    for (const Prefix& p : prefixes) {
      if (std::strncmp(name, p.text, std::strlen(p.text)) != 0) continue;
      calls[id].kind = static_cast<signed char>(p.kind);
      calls[id].blocks =
          p.kind == int(Kind::wait) || (p.kind == int(Kind::copy_call) && !std::strstr(name, "Async"));
      break;
    }
    calls[id].third_is_size =
        std::strcmp(name, "cuMemcpy") == 0 ||
        std::any_of(std::begin(with_size_third), std::end(with_size_third), [name](const char* prefix) {
          return std::strncmp(name, prefix, std::strlen(prefix)) == 0;
        });
  }
}

bool launches(int kind) { return kind == int(Kind::launch) || kind == int(Kind::graph_launch); }
/// Something that the device does beside the host, and has a record of.
bool starts(int kind) {
  return launches(kind) || kind == int(Kind::copy_call) || kind == int(Kind::set_call);
}

/// Of all, or where launches are only counted: the runtime's, and those of the driver's that the program made
/// itself, since the runtime calls the driver for each of its own.
void choose_calls(CUpti_CallbackDomain domain, const Call* calls, bool counts) {
  for (int id = 0; id < most_calls; ++id) {
    const Call& call = calls[id];
    const bool wanted = !counts || ((launches(call.kind) || call.blocks) &&
                                    (domain == CUPTI_CB_DOMAIN_RUNTIME_API || call.by_the_program));
    if (call.kind >= 0 && wanted)
      state->cupti.enable_callback(1, state->subscriber, domain, std::uint32_t(id));
  }
}

/// A call that is captured makes a node of a graph.
void tell_captures(bool enable) {
  state->cupti.enable_callback(enable, state->subscriber, CUPTI_CB_DOMAIN_RESOURCE,
                               CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED);
}

void detach() noexcept;

std::atomic<std::uint64_t>& begun_at(std::uint32_t correlation) {
  return state->begun[correlation % std::size(state->begun)];
}
std::uint64_t both(std::uint32_t correlation, std::uint32_t of_launch) {
  return std::uint64_t(correlation) << 32 | of_launch;
}
/// With 'older_mutex' held.
bool is_older(std::uint32_t number) {
  return std::find(state->older.begin(), state->older.end(), both(number, number)) != state->older.end();
}
/// Of the call or of one within it.
void note_launch(std::uint32_t correlation, std::uint32_t of_launch) noexcept try {
  const std::uint64_t entry = both(correlation, of_launch);
  std::uint64_t found = 0;
  if (begun_at(correlation).compare_exchange_strong(found, entry) || found == entry) return;
  const std::lock_guard<std::mutex> lock(state->older_mutex);
  found = begun_at(correlation).exchange(entry);
  const auto own = std::uint32_t(found);
  const bool awaited = found >> 32 == own || begun_at(own) == both(own, own) || is_older(own);
  if (found != 0 && awaited) state->older.push_back(found);
} catch (...) {
}
/// Whether the call's record was yet to come; it is not any more.
bool await_no_more(std::uint32_t number) {
  std::uint64_t own = both(number, number);
  if (begun_at(number).compare_exchange_strong(own, 0)) return true;
  const std::lock_guard<std::mutex> lock(state->older_mutex);
  const bool found = is_older(number);
  auto& older = state->older;
  older.erase(std::remove_if(older.begin(), older.end(),
                             [number](std::uint64_t one) { return std::uint32_t(one) == number; }),
              older.end());
  return found;
}
/// A record has come. The first one of a call counts.
void count_arrival(std::uint32_t correlation) noexcept {
  std::uint64_t found = begun_at(correlation).load(std::memory_order_acquire);
  if (found >> 32 != correlation) {
    const std::lock_guard<std::mutex> lock(state->older_mutex);
    found = 0;
    for (const std::uint64_t one : state->older)
      if (one >> 32 == correlation) found = one;
  }
  if (found != 0 && await_no_more(std::uint32_t(found)))
    state->arrived.fetch_add(1, std::memory_order_relaxed);
}

void count_launch(std::uint32_t correlation) noexcept {
  note_launch(correlation, correlation);
  state->launched.fetch_add(1, std::memory_order_relaxed);
  static std::atomic<std::uint64_t> threads{0};
  thread_local const std::uint64_t self = ++threads;
  if (state->launcher.load(std::memory_order_relaxed) == self) return;
  if (std::uint64_t none = 0; !state->launcher.compare_exchange_strong(none, self))
    state->several_launch = true;
}

/// Of a call that begins: false: nothing is recorded any more. Where one waits here too long it goes on.
bool begin_start() noexcept {
  for (int waits = 0;;) {
    for (; waits < 5000 && state->held && !state->resting; ++waits) usleep(20);
    ++state->starting;
    // In this order: a whole rest() may have come between the beginning and here.
    const bool held = state->held, resting = state->resting;
    if (!resting && (!held || waits == 5000)) return true;
    --state->starting;
    if (resting) return false;
  }
}

/// At a call's end: what failed, was captured, or copied nothing, which the runtime does without the driver,
/// has no record.
void end_start(Inside& in, const Call& known, const CUpti_CallbackData& call) noexcept {
  in.starts = false;
  --state->starting;
  const auto* const result = static_cast<const int*>(call.functionReturnValue);
  std::size_t size = 1;
  if (known.third_is_size && call.functionParams)
    std::memcpy(&size, static_cast<const char*>(call.functionParams) + 2 * sizeof(void*), sizeof size);
  const bool nothing = in.of_runtime ? !in.holds_call : size == 0;
  if (((result && *result != 0) || in.captured || nothing) && await_no_more(in.correlation))
    state->launched.fetch_sub(1, std::memory_order_relaxed);
}

void CUPTIAPI on_call(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) noexcept {
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
    inside.captured = true;
    return;
  }
  const bool of_runtime = domain == CUPTI_CB_DOMAIN_RUNTIME_API;
  if ((!of_runtime && domain != CUPTI_CB_DOMAIN_DRIVER_API) || id >= CUpti_CallbackId(most_calls)) return;
  Call& known = of_runtime ? runtime_calls[id] : driver_calls[id];
  if (known.kind < 0 || is_child()) return;
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  const std::uint32_t span = state->spans;  // before whether it rests: rest() sets them the other way round
  Inside& in = inside;
  if (call.callbackSite == CUPTI_API_EXIT) {
    if (in.span != span || in.correlation != call.correlationId || in.id != id || in.of_runtime != of_runtime)
      return;  // within another call, or its beginning was not seen
    in.span = 0;
    if (in.began == counted_call) {
      if (known.blocks) tally_wait();
    } else if (in.began != unseen_call) {
      end(in.began);
      if (in.starts) end_start(in, known, call);
    }
    // CUPTI can leave at a call's end alone. And where nothing of it is on its way: after a wait.
    if (known.blocks && state->leave.load(std::memory_order_relaxed)) detach();
    return;
  }
  if (known.kind == int(Kind::launch) && state->context.load(std::memory_order_relaxed) != call.context)
    state->context.store(call.context, std::memory_order_relaxed);
  if (in.span == span) {  // a call within a call
    if (in.began >= unseen_call || state->counting.load(std::memory_order_relaxed)) return;
    Event e;
    e.kind = Kind::inner;
    e.correlation = call.correlationId;
    e.bytes = in.correlation;
    record(e);
    in.holds_call = in.holds_call || !of_runtime;
    if (starts(known.kind)) note_launch(call.correlationId, in.correlation);
    return;
  }
  // While it rests, the end of one that does not block may go unseen: this thread would be in it for good.
  const bool resting = state->resting;
  if (resting && !known.blocks) return;
  // One that was open when CUPTI left has had no end.
  if (in.span != 0 && in.began < unseen_call) forget(in.began);
  in = {span, call.correlationId, id, of_runtime, false, false, false, unseen_call};
  if (resting) return;
  if (state->counting.load(std::memory_order_relaxed)) {
    in.began = counted_call;
    if (launches(known.kind)) tally_launch();
    return;
  }
  in.starts = starts(known.kind);
  if (in.starts && !begin_start()) {
    in.starts = false;
    return;
  }
  if (!known.by_the_program.load(std::memory_order_relaxed)) known.by_the_program = true;
  in.began = begin(Kind(known.kind), call.functionName, 0, call.correlationId);
  if (starts(known.kind)) count_launch(call.correlationId);
}

/// A thread that CUPTI has called about its buffers. Where one says that it is there, and then asks whether
/// CUPTI leaves, and the other says so, and then asks who is there, one of them sees the other.
struct Taking {
  Taking() { ++state->taking; }
  ~Taking() { --state->taking; }
  Taking(const Taking&) = delete;
  Taking& operator=(const Taking&) = delete;
  static bool refused() { return state->leaving; }
};

/// Whether nobody has a buffer, and nobody gets one from now on.
bool keep_out() {
  if (state->taking > 0) return false;
  state->leaving = true;
  if (state->taking == 0) return true;
  state->leaving = false;
  return false;
}

void CUPTIAPI on_buffer_wanted(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) noexcept {
  *buffer = nullptr;
  *most_records = *size = 0;
  if (is_child()) return;
  const Taking here;
  if (Taking::refused()) return;
  {
    const std::lock_guard<std::mutex> lock(state->buffers_mutex);
    if (!state->buffers.empty()) {
      *buffer = state->buffers.back();
      state->buffers.pop_back();
    }
  }
  if (!*buffer) {
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(alignment, buffer_bytes));
    if (*buffer) std::memset(*buffer, 0, buffer_bytes);
  }
  *size = *buffer ? buffer_bytes : 0;
}

template <class Record>
Event timed(const Record& r, Kind kind) {
  Event e;
  e.kind = kind;
  // Where the device gave none they are 0, and the line says so.
  e.begin = std::int64_t(r.start);
  e.end = r.start == 0 ? 0 : std::int64_t(r.end);
  e.correlation = r.correlationId;
  e.device = std::uint16_t(r.deviceId);
  e.stream = r.streamId;
  return e;
}

void say_device(const DeviceRecord& d) {
  state->device_known = true;
  say(("{\"device\":{\"index\":" + std::to_string(d.id) +
       ",\"name\":" + (d.name ? json_text(d.name) : std::string("null")) + ",\"compute_capability\":\"" +
       std::to_string(d.computeCapabilityMajor) + '.' + std::to_string(d.computeCapabilityMinor) +
       "\",\"multiprocessors\":" + std::to_string(d.numMultiprocessors) + "}}")
          .c_str());
}

template <class Record>
const Record& as(const CUpti_Activity* record) {
  return *reinterpret_cast<const Record*>(record);
}

void take(const CUpti_Activity* r) {
  switch (r->kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
      Event e = timed(as<KernelRecord>(r), Kind::kernel);
      e.name = name_of(as<KernelRecord>(r).name);
      record(e);
      count_arrival(e.correlation);
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      Event e = timed(as<CopyRecord>(r), Kind::copy);
      e.bytes = as<CopyRecord>(r).bytes;
      record(e);
      count_arrival(e.correlation);
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY2: {
      Event e = timed(as<PeerCopyRecord>(r), Kind::copy);
      e.bytes = as<PeerCopyRecord>(r).bytes;
      record(e);
      count_arrival(e.correlation);
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      Event e = timed(as<SetRecord>(r), Kind::set);
      e.bytes = as<SetRecord>(r).bytes;
      record(e);
      count_arrival(e.correlation);
      break;
    }
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      record(timed(as<GraphRecord>(r), Kind::graph));
      count_arrival(as<GraphRecord>(r).correlationId);
      break;
    case CUPTI_ACTIVITY_KIND_DEVICE:
      say_device(as<DeviceRecord>(r));
      break;
    case CUPTI_ACTIVITY_KIND_OVERHEAD: {
      const auto& o = as<OverheadRecord>(r);
      if (o.end > o.start) state->overhead += o.end - o.start;
      break;
    }
    default:
      break;
  }
}

void CUPTIAPI on_buffer_full(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                             std::size_t valid) noexcept {
  if (is_child()) return;
  const Taking here;
  try {
    if (Taking::refused()) {
      if (valid > 0) count_lost(1);  // how many cannot be asked any more
    } else {
      CUpti_Activity* r = nullptr;
      int taken = 0;
      while (state->cupti.next_record(buffer, valid, &r) == CUPTI_SUCCESS) {
        take(r);
        if (++taken % 2048 == 0) write_now();  // before this thread's ring is full
      }
      std::size_t dropped = 0;
      if (state->cupti.dropped(context, stream, &dropped) == CUPTI_SUCCESS) count_lost(dropped);
    }
    const std::lock_guard<std::mutex> lock(state->buffers_mutex);
    state->buffers.push_back(buffer);
  } catch (...) {
    count_lost(1);
  }
}

std::uint64_t CUPTIAPI clock_of_trace() noexcept { return std::uint64_t(now()); }

std::string text_of(CUptiResult status) {
  const char* text = nullptr;
  state->cupti.text_of(status, &text);
  return text ? text : "unknown error";
}

struct Activity {
  CUpti_ActivityKind kind;
  const char* none;
};
constexpr Activity activities[] = {{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, "no kernels"},
                                   {CUPTI_ACTIVITY_KIND_MEMCPY, "no copies"},
                                   {CUPTI_ACTIVITY_KIND_MEMCPY2, "no copies between devices"},
                                   {CUPTI_ACTIVITY_KIND_MEMSET, "no fills"},
                                   {CUPTI_ACTIVITY_KIND_GRAPH_TRACE, "no graphs"},
                                   {CUPTI_ACTIVITY_KIND_OVERHEAD, "no overhead of its own"}};

/// What CUPTI cannot record; empty: it records all. It is attached.
std::string record_all() {
  std::string why;
  const auto check = [&why](CUptiResult s, const char* what) {
    if (s == CUPTI_SUCCESS) return;
    if (!why.empty()) why += "; ";
    why += std::string(what) + ": " + text_of(s);
  };
  // Before the first call or record can come. What is launched until all calls are called back is none of
  // these.
  for (auto& one : state->begun) one.store(0, std::memory_order_relaxed);
  {
    const std::lock_guard<std::mutex> lock(state->older_mutex);
    state->older.clear();
  }
  state->launched = state->arrived = 0;
  state->starting = 0;
  state->launcher = 0;
  state->several_launch = false;
  state->leaving = false;
  check(state->cupti.register_clock(clock_of_trace), "times are on another clock");
  check(state->cupti.register_buffers(on_buffer_wanted, on_buffer_full), "nothing of the device");
  // Once: where CUPTI is attached again it has no buffer for this record yet, and counts one that is lost.
  if (!state->device_known) check(state->cupti.enable(CUPTI_ACTIVITY_KIND_DEVICE), "no devices");
  for (const Activity& activity : activities) check(state->cupti.enable(activity.kind), activity.none);
  choose_calls(CUPTI_CB_DOMAIN_RUNTIME_API, runtime_calls, false);
  choose_calls(CUPTI_CB_DOMAIN_DRIVER_API, driver_calls, false);
  tell_captures(true);
  state->counting = false;
  return why;
}

/// Why CUPTI records nothing, or not all of it; empty: it does, or counts.
std::string attach(Mode to) {
  const CUptiResult status = state->cupti.subscribe(&state->subscriber, CUpti_CallbackFunc(on_call), nullptr);
  if (status != CUPTI_SUCCESS)
    return "CUPTI refuses a subscriber (is another profiler attached?): " + text_of(status);
  if (state->spans++ == 0) {
    know_calls(CUPTI_CB_DOMAIN_RUNTIME_API, runtime_prefixes, runtime_calls);
    know_calls(CUPTI_CB_DOMAIN_DRIVER_API, driver_prefixes, driver_calls);
  }
  state->attached = true;
  if (to == Mode::all) return record_all();
  state->counting = true;
  choose_calls(CUPTI_CB_DOMAIN_RUNTIME_API, runtime_calls, true);
  choose_calls(CUPTI_CB_DOMAIN_DRIVER_API, driver_calls, true);
  return {};
}

/// CUPTI leaves the process: its hooks cost launches even where nothing is recorded. At the end of a wait,
/// and when the records of all that was started have come: with work on its way it would be asked for records
/// that are not complete, and taken down under them. Until then it stays.
void detach() noexcept {
  if (state->over) return;  // the thread that ends the process has the lock
  const std::unique_lock<std::mutex> lock(state->flushing, std::try_to_lock);
  if (!lock || !state->leave || !state->attached || state->over) return;
  if (!state->counting) {
    // Another thread may launch at any time: first nothing is recorded any more.
    if (state->several_launch && !state->resting) return;
    if (state->resting && now() - state->leave_tried < ask_at_rest) return;
    state->leave_tried = now();
    state->cupti.flush(0);
    if (state->arrived < state->launched) {  // other streams may not be over
      state->outlasted |= state->resting;
      return;
    }
    state->cupti.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  }
  if (!keep_out()) return;  // CUPTI's own thread hands records over: after the next wait
  state->leave = false;
  state->cupti.finalize();
  state->counting = state->resting = state->attached = false;
}

/// Of a program that does not wait: nothing is recorded or counted any more, and CUPTI leaves when it does.
/// Of a call in the midst of which recording ends it is not known whether it has a record: there is none, or
/// it is tried again.
void rest() {
  state->held = true;
  for (int k = 0; k < 50 && state->starting > 0; ++k) usleep(100);
  if (state->starting > 0) {
    // A copy may go on for long: not at each look, since others are held up meanwhile.
    state->held = false;
    state->leave_asked = now();
    return;
  }
  state->resting = true;
  ++state->spans;
  if (!state->counting)
    for (const Activity& activity : activities) state->cupti.disable(activity.kind);
  const auto keep_waits = [](CUpti_CallbackDomain domain, const Call* calls) {
    for (int id = 0; id < most_calls; ++id)
      if (calls[id].kind >= 0 && !calls[id].blocks)
        state->cupti.enable_callback(0, state->subscriber, domain, std::uint32_t(id));
  };
  keep_waits(CUPTI_CB_DOMAIN_RUNTIME_API, runtime_calls);
  keep_waits(CUPTI_CB_DOMAIN_DRIVER_API, driver_calls);
  tell_captures(false);
  state->held = false;
}

/// On the writing thread. From counting to recording CUPTI stays; for all else it leaves first.
Change change_to(Mode to) noexcept try {
  if (is_child()) return Change::failed;
  const std::lock_guard<std::mutex> lock(state->flushing);
  if (state->over) return Change::failed;
  const bool attached = state->attached, counting = state->counting;
  if (attached && (state->leave || to == Mode::none || (to == Mode::counts && !counting))) {
    if (!state->leave) {
      state->leave_asked = now();
      state->leave = true;
    }
    if (!state->resting && now() - state->leave_asked > longest_way_out) rest();
    return !state->resting ? Change::later : to == Mode::none ? Change::done : Change::resting;
  }
  if (to == Mode::none || (to == Mode::counts && attached) || (to == Mode::all && attached && !counting))
    return Change::done;
  const std::string why = attached ? record_all() : attach(to);
  if (!why.empty()) say(("{\"interface\":\"CUPTI\",\"refused\":" + json_text(why) + "}").c_str());
  if (!state->attached) return Change::failed;
  // What attaching disturbs is over when this is asked for again.
  return to == Mode::counts ? Change::later : Change::done;
} catch (...) {
  return Change::failed;
}

void flush_sometimes() {
  static int looks = 0;
  if (is_child()) return;
  const std::lock_guard<std::mutex> lock(state->flushing);
  if (state->over) return;
  if (++looks % 5 == 0 && state->attached && !state->counting) state->cupti.flush(0);
}

/// The driver's functions that launching a kernel of one's own needs.
struct Driver {
  decltype(&cuCtxPushCurrent) push = nullptr;
  decltype(&cuModuleLoadData) load = nullptr;
  decltype(&cuModuleGetFunction) function = nullptr;
  decltype(&cuStreamCreate) make_stream = nullptr;
  decltype(&cuLaunchKernel) launch = nullptr;
  decltype(&cuStreamSynchronize) wait = nullptr;
  decltype(&cuCtxSynchronize) wait_for_all = nullptr;
  bool complete() {
    using runtime::find_function;
    void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    return driver && find_function(driver, "cuCtxPushCurrent_v2", push) &&
           find_function(driver, "cuModuleLoadData", load) &&
           find_function(driver, "cuModuleGetFunction", function) &&
           find_function(driver, "cuStreamCreate", make_stream) &&
           find_function(driver, "cuLaunchKernel", launch) &&
           find_function(driver, "cuStreamSynchronize", wait) &&
           find_function(driver, "cuCtxSynchronize", wait_for_all);
  }
};

/// Seconds of a launch of a kernel that does nothing, from one to the next; below zero where it fails.
double seconds_of_launch(const Driver& driver, CUfunction nothing, CUstream stream) {
  constexpr int launches = 200, repetitions = 9;
  std::vector<double> each;
  for (int k = 0; k <= repetitions; ++k) {
    const std::int64_t began = now();
    for (int i = 0; i < launches; ++i)
      if (driver.launch(nothing, 1, 1, 1, 32, 1, 1, 0, stream, nullptr, nullptr) != CUDA_SUCCESS) return -1;
    const std::int64_t ended = now();
    if (driver.wait(stream) != CUDA_SUCCESS) return -1;
    if (k > 0) each.push_back(1e-9 * double(ended - began) / launches);
  }
  std::sort(each.begin(), each.end());
  return each[each.size() / 2];
}

/// Not at the end of a call: what was launched must be over, and read.
void leave_now(const Driver& driver) {
  driver.wait_for_all();
  if (!state->counting) state->cupti.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  for (int k = 0; k < 10000 && !keep_out(); ++k) usleep(100);
  state->cupti.finalize();
  state->attached = state->counting = state->resting = state->leave = false;
}

/// What recording and counting add to a launch, by launches of a kernel that does nothing: with CUPTI, and
/// once it has left. At the program's end, since CUDA may not be touched before.
void compare_launches() {
  Driver driver;
  CUmodule module{};
  CUfunction nothing{};
  CUstream stream{};
  const CUcontext context = state->context;
  static const char code[] =
      ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry nothing() { ret; }\n";
  if (!context || !driver.complete() || driver.push(context) != CUDA_SUCCESS ||
      driver.load(&module, code) != CUDA_SUCCESS ||
      driver.function(&nothing, module, "nothing") != CUDA_SUCCESS ||
      driver.make_stream(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
    return;
  say("{\"own_launches\":\"begin\"}");  // what comes after them is no part of the program
  const auto seconds_in = [&](Mode mode) {
    const bool as_wanted = state->attached && !state->counting && !state->resting && mode == Mode::all;
    if (state->attached && !as_wanted) leave_now(driver);
    if (!state->attached && mode != Mode::none && !attach(mode).empty()) return -1.0;
    return seconds_of_launch(driver, nothing, stream);
  };
  const double recorded = seconds_in(Mode::all), counted = seconds_in(Mode::counts),
               alone = seconds_in(Mode::none);
  const auto number = [](double seconds) {
    return seconds > 0 ? std::to_string(seconds * 1e9) + "e-9" : std::string("null");
  };
  if (recorded > 0 && alone > 0)
    say(("{\"own_launches\":{\"recorded\":" + number(recorded) + ",\"counted\":" + number(counted) +
         ",\"alone\":" + number(alone) + "}}")
            .c_str());
}

/// While CUDA is still there.
void flush_at_exit() noexcept try {
  if (is_child()) return;
  at_each_look(nullptr);
  const std::lock_guard<std::mutex> lock(state->flushing);
  if (state->over.exchange(true)) return;
  if (state->attached && !state->counting) state->cupti.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  say(("{\"cupti_overhead_seconds\":" + std::to_string(1e-9 * double(state->overhead)) + "}").c_str());
  write_now();
  // With CUPTI 13 a program that had long work beside its waits ended badly after them.
  const char* const wanted = std::getenv("PARITY_TRACE_OWN_LAUNCHES");
  const bool work_at_rest = state->resting && !state->counting && state->arrived < state->launched;
  if (wanted && *wanted && !state->outlasted && !work_at_rest) compare_launches();
  write_now();
} catch (...) {
}

/// Of the time; 1: all of it. Without a number the usual one.
double share_of_time() {
  const char* const word = std::getenv("PARITY_TRACE_SHARE");
  if (!word || !*word) return 1;
  const double share = std::atof(word);
  return share > 0 ? share : usual_share;
}

/// Why CUPTI records nothing, or not all of it; empty: it does.
std::string begin_with_cupti() {
  if (const char* const why = state->cupti.take(open_cupti())) return why;
  const std::string why = attach(Mode::all);
  if (!state->attached) return why;
  std::atexit(flush_at_exit);
  at_each_look(flush_sometimes);
  if (const double share = share_of_time(); share < 1) record_share_of_time(share, change_to);
  return why;
}

}  // namespace
}  // namespace parity::trace

extern "C" __attribute__((visibility("default"))) int InitializeInjection() noexcept try {
  using namespace parity::trace;
  if (state) return 1;
  state = new State;
  start();
  const std::string why = begin_with_cupti();
  say(("{\"interface\":\"CUPTI\",\"version\":" + std::to_string(state->cupti.loaded) +
       (why.empty() ? std::string() : ",\"refused\":" + json_text(why)) + "}")
          .c_str());
  return 1;
} catch (...) {
  return 1;
}
