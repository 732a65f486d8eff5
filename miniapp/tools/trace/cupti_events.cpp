// SPDX-License-Identifier: BSD-3-Clause
// CUPTI in a traced program: activity records of the calls that launch, copy, fill and wait, and of the
// device work that they start. CUDA calls InitializeInjection of the library in CUDA_INJECTION64_PATH. CUPTI
// is never finalised: finalising it inside a running process has corrupted programs' heaps.
#include <cuda.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tools/trace/cupti.cuh"
#include "tools/trace/event.hpp"
#include "tools/trace/process.hpp"
#include "tools/trace/recorder.hpp"

namespace parity::trace {
namespace {

// Records of every toolkit since 11.8 begin with these fields.
using KernelRecord = CUpti_ActivityKernel8;
using CopyRecord = CUpti_ActivityMemcpy5;
using PeerCopyRecord = CUpti_ActivityMemcpyPtoP4;
using SetRecord = CUpti_ActivityMemset4;
using GraphRecord = CUpti_ActivityGraphTrace;
using DeviceRecord = CUpti_ActivityDevice4;
using CallRecord = CUpti_ActivityAPI;

constexpr std::size_t buffer_bytes = 1 << 20, alignment = 8;
constexpr std::uint32_t most_calls = 2048;

/// A CUDA call, indexed by CUPTI's number.
struct Call {
  const char* name = nullptr;
  Kind kind = Kind::none;
  bool makes_graph = false;
};

/// Never destroyed: CUPTI calls until the process ends.
struct State {
  runtime::Cupti cupti;
  Call runtime_calls[most_calls], driver_calls[most_calls];
  std::atomic<bool> resting{false};       ///< records only count
  std::atomic<bool> graphs{false};        ///< the program has created some
  std::atomic<std::uint64_t> counted{0};  ///< calls that wait or copy
  std::atomic<std::int64_t> last{0};      ///< begin of the last one
  std::uint64_t said = 0;                 ///< number of these reported so far
  const pid_t process = getpid();
};
State* state = nullptr;

/// Generation of CUDA's driver, such as 13 for 13.0; 0 if unknown.
int driver_generation() {
  int (*version)(int*) = nullptr;
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  int loaded = 0;
  if (!driver || !runtime::find_function(driver, "cuDriverGetVersion", version) || version(&loaded) != 0)
    return 0;
  return loaded / 1000;
}

/// Opens the library that the user names; else one that the program has loaded, since two cannot coexist;
/// else one of the driver's generation, which supports all earlier runtimes, or older; else the build's.
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

void know_calls(CUpti_CallbackDomain domain, Call (&calls)[most_calls]) {
  for (std::uint32_t id = 0; id < most_calls; ++id) {
    const char* name = nullptr;
    if (state->cupti.callback_name(domain, id, &name) != CUPTI_SUCCESS || !name) continue;
    calls[id] = {name, kind_of_call(name), std::strstr(name, "GraphInstantiate") != nullptr};
  }
}

/// Selects the calls to record, since PyTorch makes ten others per relevant call: with 'launches' all
/// relevant calls, else only those that wait or copy. Returns false if the library cannot select calls.
bool choose_calls(bool launches) noexcept {
  const runtime::Cupti& c = state->cupti;
  const auto choose = [launches](const auto& enable, const Call(&calls)[most_calls]) {
    bool done = enable != nullptr;
    for (std::uint32_t id = 0; id < most_calls && done; ++id) {
      const Kind kind = calls[id].kind;
      if (kind != Kind::none || calls[id].makes_graph)
        done = enable(id, launches || kind == Kind::wait || kind == Kind::copy_call) == CUPTI_SUCCESS;
    }
    return done;
  };
  return choose(c.enable_runtime_call, state->runtime_calls) &&
         choose(c.enable_driver_call, state->driver_calls);
}

void CUPTIAPI on_buffer_wanted(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) noexcept {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(alignment, buffer_bytes));
  *size = *buffer ? buffer_bytes : 0;
  *most_records = 0;
}

template <class Record>
const Record& as(const CUpti_Activity* record) {
  return *reinterpret_cast<const Record*>(record);
}

/// Converts a record of device work.
template <class Record>
Event event_of(const Record& r, const char* category, const char* name) {
  Event e;
  e.category = category;
  e.name = name ? name : "(no name)";
  // Times are 0 if the device gave none.
  e.begin = std::int64_t(r.start);
  e.end = r.start == 0 ? 0 : std::int64_t(r.end);
  e.device = int(r.deviceId);
  e.track = r.streamId;
  e.correlation = r.correlationId;
  return e;
}

template <class Record>
void take_bytes(const Record& r, const char* category, const char* name) {
  Event e = event_of(r, category, name);
  e.bytes = r.bytes;
  record(std::move(e));
}

/// Names that the trace's reader expects.
const char* name_of(const CopyRecord& r) {
  const bool pageable =
      r.srcKind == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE || r.dstKind == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
  if (r.copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD) return pageable ? "copy HtoD pageable" : "copy HtoD";
  if (r.copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH) return pageable ? "copy DtoH pageable" : "copy DtoH";
  return "copy DtoD";
}

void take_call(const CallRecord& r, const Call (&calls)[most_calls], const char* category) {
  const Call& call = calls[r.cbid < most_calls ? r.cbid : 0];
  if (call.makes_graph) state->graphs = true;
  if (call.kind == Kind::none) return;
  if (state->resting) {
    if (call.kind != Kind::wait && call.kind != Kind::copy_call) return;
    state->last = std::max<std::int64_t>(state->last, std::int64_t(r.start));
    ++state->counted;
    return;
  }
  Event e;
  e.category = category;
  e.name = call.name;
  e.begin = std::int64_t(r.start);
  e.end = std::int64_t(r.end);
  e.track = r.threadId;
  e.correlation = r.correlationId;
  record(std::move(e));
}

void take(const CUpti_Activity* r) {
  if (state->resting && r->kind != CUPTI_ACTIVITY_KIND_RUNTIME && r->kind != CUPTI_ACTIVITY_KIND_DRIVER)
    return;
  switch (r->kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
      const auto& k = as<KernelRecord>(r);
      Event e = event_of(k, "kernel", k.name);
      e.grid = {k.gridX, k.gridY, k.gridZ};
      e.block = {k.blockX, k.blockY, k.blockZ};
      record(std::move(e));
      count_launches(1, true);
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      take_bytes(as<CopyRecord>(r), "gpu_memcpy", name_of(as<CopyRecord>(r)));
      break;
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      take_bytes(as<PeerCopyRecord>(r), "gpu_memcpy", "copy between devices");
      break;
    case CUPTI_ACTIVITY_KIND_MEMSET:
      take_bytes(as<SetRecord>(r), "gpu_memset", "fill");
      break;
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      state->graphs = true;
      record(event_of(as<GraphRecord>(r), "cuda_graph", "graph"));
      count_launches(1, true);
      break;
    case CUPTI_ACTIVITY_KIND_RUNTIME:
      take_call(as<CallRecord>(r), state->runtime_calls, "cuda_runtime");
      break;
    case CUPTI_ACTIVITY_KIND_DRIVER:
      take_call(as<CallRecord>(r), state->driver_calls, "cuda_driver");
      break;
    case CUPTI_ACTIVITY_KIND_DEVICE: {
      const auto& d = as<DeviceRecord>(r);
      say(fact("device", {{"id", d.id}, {"name", d.name ? nlohmann::json(d.name) : nlohmann::json()}}));
      break;
    }
    default:
      break;
  }
}

void CUPTIAPI on_buffer_full(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                             std::size_t valid) noexcept {
  if (getpid() == state->process) try {
      CUpti_Activity* r = nullptr;
      while (state->cupti.next_record(buffer, valid, &r) == CUPTI_SUCCESS) take(r);
      std::size_t dropped = 0;
      if (state->cupti.dropped(context, stream, &dropped) == CUPTI_SUCCESS) count_lost(dropped);
    } catch (...) {
      count_lost(1);
    }
  std::free(buffer);
}

std::uint64_t CUPTIAPI clock_of_trace() noexcept { return std::uint64_t(now()); }

struct Activity {
  CUpti_ActivityKind kind;
  const char* none;
};
constexpr Activity activities[] = {
    {CUPTI_ACTIVITY_KIND_DEVICE, "no devices"}, {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, "no kernels"},
    {CUPTI_ACTIVITY_KIND_MEMCPY, "no copies"},  {CUPTI_ACTIVITY_KIND_MEMCPY2, "no copies between devices"},
    {CUPTI_ACTIVITY_KIND_MEMSET, "no fills"},   {CUPTI_ACTIVITY_KIND_GRAPH_TRACE, "no graphs"}};
constexpr Activity all_calls[] = {{CUPTI_ACTIVITY_KIND_RUNTIME, "no calls of the runtime"},
                                  {CUPTI_ACTIVITY_KIND_DRIVER, "no calls of the driver"}};

void say_refused(const std::string& why) { say(fact("refused", {{"interface", "CUPTI"}, {"why", why}})); }
void refuse(CUptiResult status, const char* what) {
  if (status == CUPTI_SUCCESS) return;
  const char* text = nullptr;
  state->cupti.text_of(status, &text);
  say_refused(std::string(what) + ": " + (text ? text : "unknown error"));
}

/// Launches run at full speed once all activity kinds that affect them are disabled, including devices.
/// Graphs stay enabled if the program has created any: otherwise CUPTI crashes at a graph created later.
void rest() noexcept {
  if (getpid() != state->process) return;
  state->cupti.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);  // now we know whether there are graphs
  const bool chosen = choose_calls(false);
  if (!chosen)
    for (const Activity& a : all_calls) state->cupti.disable(a.kind);  // this would also undo the selection
  for (const Activity& a : activities)
    if (a.kind != CUPTI_ACTIVITY_KIND_GRAPH_TRACE || (chosen && !state->graphs)) state->cupti.disable(a.kind);
  state->cupti.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  state->resting = true;
}

/// In the rest launches are not counted, since that would slow them. Waits and copies show the pace.
void count_device() noexcept {
  if (getpid() != state->process) return;
  state->cupti.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);  // a wait in progress retains no buffer
  if (const std::uint64_t counted = state->counted; counted != state->said)
    say_count(state->last, state->said = counted);
}

void flush_device(bool forced) noexcept {
  if (getpid() == state->process) state->cupti.flush(forced ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
}

void begin_with_cupti() {
  if (const char* const why = state->cupti.take(open_cupti())) return say_refused(why);
  say(fact("interface", {{"interface", "CUPTI"}, {"version", state->cupti.loaded}}));
  know_calls(CUPTI_CB_DOMAIN_RUNTIME_API, state->runtime_calls);
  know_calls(CUPTI_CB_DOMAIN_DRIVER_API, state->driver_calls);
  refuse(state->cupti.thread_numbers(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM), "threads have other numbers");
  refuse(state->cupti.register_clock(clock_of_trace), "times are on another clock");
  refuse(state->cupti.register_buffers(on_buffer_wanted, on_buffer_full), "nothing of the device");
  // Calls are enabled last, so that the work of a recorded call is recorded, too.
  for (const Activity& a : activities) refuse(state->cupti.enable(a.kind), a.none);
  if (!choose_calls(true))
    for (const Activity& a : all_calls) refuse(state->cupti.enable(a.kind), a.none);
  attach({rest, flush_device, count_device});
  std::atexit([] { finish_device(); });  // while CUDA still exists
}

}  // namespace
}  // namespace parity::trace

extern "C" __attribute__((visibility("default"))) int InitializeInjection() noexcept try {
  using namespace parity::trace;
  if (state) return 1;
  state = new State;
  start();
  begin_with_cupti();
  return 1;
} catch (...) {
  return 1;
}
