// SPDX-License-Identifier: BSD-3-Clause
// CUPTI in a traced program: the calls that launch, copy, fill and wait by its callbacks, what they start on
// the device by its activity records. CUDA calls InitializeInjection of the library that
// CUDA_INJECTION64_PATH names.
#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <cupti_version.h>

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "cuda/runtime/library.cuh"
#include "trace/json_text.hpp"
#include "trace/recorder.hpp"

namespace parity::trace {
namespace {

using runtime::find_function;

// Records of every toolkit since 11.8 begin with the fields of these.
using KernelRecord = CUpti_ActivityKernel8;
using CopyRecord = CUpti_ActivityMemcpy5;
using PeerCopyRecord = CUpti_ActivityMemcpyPtoP4;
using SetRecord = CUpti_ActivityMemset4;
using GraphRecord = CUpti_ActivityGraphTrace;
using DeviceRecord = CUpti_ActivityDevice4;
using OverheadRecord = CUpti_ActivityOverhead;

struct Library {
  decltype(&cuptiSubscribe) subscribe = nullptr;
  decltype(&cuptiEnableCallback) enable_callback = nullptr;
  decltype(&cuptiGetCallbackName) callback_name = nullptr;
  decltype(&cuptiActivityRegisterCallbacks) register_buffers = nullptr;
  decltype(&cuptiActivityRegisterTimestampCallback) register_clock = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityFlushAll) flush = nullptr;
  decltype(&cuptiActivityGetNextRecord) next_record = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) dropped = nullptr;
  decltype(&cuptiGetResultString) text_of = nullptr;
  decltype(&cuptiGetVersion) version = nullptr;
  std::uint32_t loaded = 0;

  /// Why it cannot be used; null: it can.
  const char* load() {
    void* const handle = runtime::open_library({PARITY_CUPTI_NAME, "libcupti.so", PARITY_CUPTI_LIBRARY});
    if (!handle) return "CUPTI's library is not found; put it into LD_LIBRARY_PATH";
    const bool complete = find_function(handle, "cuptiSubscribe", subscribe) &&
                          find_function(handle, "cuptiEnableCallback", enable_callback) &&
                          find_function(handle, "cuptiGetCallbackName", callback_name) &&
                          find_function(handle, "cuptiActivityRegisterCallbacks", register_buffers) &&
                          find_function(handle, "cuptiActivityRegisterTimestampCallback", register_clock) &&
                          find_function(handle, "cuptiActivityEnable", enable) &&
                          find_function(handle, "cuptiActivityFlushAll", flush) &&
                          find_function(handle, "cuptiActivityGetNextRecord", next_record) &&
                          find_function(handle, "cuptiActivityGetNumDroppedRecords", dropped) &&
                          find_function(handle, "cuptiGetResultString", text_of) &&
                          find_function(handle, "cuptiGetVersion", version);
    if (!complete || version(&loaded) != CUPTI_SUCCESS || loaded < CUPTI_API_VERSION)
      return "CUPTI's library is older than this build's toolkit";
    return nullptr;
  }
};

/// Never destroyed: CUPTI calls until the process is gone.
struct State {
  Library cupti;
  CUpti_SubscriberHandle subscriber{};
  std::mutex buffers_mutex;
  std::vector<std::uint8_t*> buffers;  ///< that were read: their pages are there
  std::atomic<std::uint64_t> overhead{0};
  std::atomic<bool> over{false};
  std::mutex flushing;
  const pid_t process = getpid();
};
State* state = nullptr;

/// Whether this process is a child of the one whose GPU it was: CUDA does not live on in it.
bool is_child() noexcept { return getpid() != state->process; }

constexpr std::size_t buffer_bytes = 1 << 20, alignment = 8;
constexpr int most_calls = 2048;

/// Kinds of calls by CUPTI's numbers of them; -1 for those that are not recorded.
signed char runtime_kinds[most_calls], driver_kinds[most_calls];

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
constexpr Prefix driver_prefixes[] = {{"cuLaunchHostFunc", -1},
                                      {"cuLaunch", int(Kind::launch)},
                                      {"cuGraphLaunch", int(Kind::graph_launch)},
                                      {"cuMemcpy", int(Kind::copy_call)},
                                      {"cuMemset", int(Kind::set_call)},
                                      {"cuStreamSynchronize", int(Kind::wait)},
                                      {"cuCtxSynchronize", int(Kind::wait)},
                                      {"cuEventSynchronize", int(Kind::wait)}};

template <std::size_t n>
void choose_calls(CUpti_CallbackDomain domain, const Prefix (&prefixes)[n], signed char* kinds_of_calls) {
  for (int id = 0; id < most_calls; ++id) {
    kinds_of_calls[id] = -1;
    const char* name = nullptr;
    if (state->cupti.callback_name(domain, std::uint32_t(id), &name) != CUPTI_SUCCESS || !name) continue;
    for (const Prefix& p : prefixes) {
      if (std::strncmp(name, p.text, std::strlen(p.text)) != 0) continue;
      kinds_of_calls[id] = static_cast<signed char>(p.kind);
      break;
    }
    if (kinds_of_calls[id] >= 0)
      state->cupti.enable_callback(1, state->subscriber, domain, std::uint32_t(id));
  }
}

void CUPTIAPI on_call(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) noexcept {
  const bool of_runtime = domain == CUPTI_CB_DOMAIN_RUNTIME_API;
  if ((!of_runtime && domain != CUPTI_CB_DOMAIN_DRIVER_API) || id >= CUpti_CallbackId(most_calls)) return;
  const int kind = of_runtime ? runtime_kinds[id] : driver_kinds[id];
  if (kind < 0 || is_child()) return;
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  if (call.callbackSite == CUPTI_API_EXIT) {
    if (*call.correlationData != 0) end(*call.correlationData);
    return;
  }
  *call.correlationData = 0;
  if (const std::uint32_t outer = open_call(); outer != 0) {
    if (outer == call.correlationId) return;
    Event e;
    e.kind = Kind::inner;
    e.correlation = call.correlationId;
    e.bytes = outer;
    record(e);
    return;
  }
  *call.correlationData = begin(Kind(kind), call.functionName, 0, call.correlationId);
}

void CUPTIAPI on_buffer_wanted(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) noexcept {
  *buffer = nullptr;
  *most_records = *size = 0;
  if (is_child()) return;
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
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      Event e = timed(as<CopyRecord>(r), Kind::copy);
      e.bytes = as<CopyRecord>(r).bytes;
      record(e);
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY2: {
      Event e = timed(as<PeerCopyRecord>(r), Kind::copy);
      e.bytes = as<PeerCopyRecord>(r).bytes;
      record(e);
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      Event e = timed(as<SetRecord>(r), Kind::set);
      e.bytes = as<SetRecord>(r).bytes;
      record(e);
      break;
    }
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      record(timed(as<GraphRecord>(r), Kind::graph));
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
  try {
    CUpti_Activity* r = nullptr;
    int taken = 0;
    while (state->cupti.next_record(buffer, valid, &r) == CUPTI_SUCCESS) {
      take(r);
      if (++taken % 2048 == 0) write_now();  // before this thread's ring is full
    }
    std::size_t dropped = 0;
    if (state->cupti.dropped(context, stream, &dropped) == CUPTI_SUCCESS) count_lost(dropped);
    const std::lock_guard<std::mutex> lock(state->buffers_mutex);
    state->buffers.push_back(buffer);
  } catch (...) {
    count_lost(1);
  }
}

std::uint64_t CUPTIAPI clock_of_trace() noexcept { return std::uint64_t(now()); }

void flush_sometimes() {
  static int looks = 0;
  if (++looks % 5 != 0) return;
  const std::lock_guard<std::mutex> lock(state->flushing);
  if (!state->over && !is_child()) state->cupti.flush(0);
}

/// While CUDA is still there.
void flush_at_exit() noexcept try {
  if (is_child()) return;
  at_each_look(nullptr);
  const std::lock_guard<std::mutex> lock(state->flushing);
  if (state->over.exchange(true)) return;
  state->cupti.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  say(("{\"cupti_overhead_seconds\":" + std::to_string(1e-9 * double(state->overhead)) + "}").c_str());
  write_now();
} catch (...) {
}

std::string text_of(CUptiResult status) {
  const char* text = nullptr;
  state->cupti.text_of(status, &text);
  return text ? text : "unknown error";
}

/// Why CUPTI records nothing, or not all of it; empty: it does.
std::string attach() {
  if (const char* const why = state->cupti.load()) return why;
  CUptiResult status = state->cupti.subscribe(&state->subscriber, CUpti_CallbackFunc(on_call), nullptr);
  if (status != CUPTI_SUCCESS)
    return "CUPTI refuses a subscriber (is another profiler attached?): " + text_of(status);
  std::string why;
  const auto check = [&why](CUptiResult s, const char* what) {
    if (s == CUPTI_SUCCESS) return;
    if (!why.empty()) why += "; ";
    why += std::string(what) + ": " + text_of(s);
  };
  check(state->cupti.register_clock(clock_of_trace), "times are on another clock");
  check(state->cupti.register_buffers(on_buffer_wanted, on_buffer_full), "nothing of the device");
  check(state->cupti.enable(CUPTI_ACTIVITY_KIND_DEVICE), "no devices");
  check(state->cupti.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), "no kernels");
  check(state->cupti.enable(CUPTI_ACTIVITY_KIND_MEMCPY), "no copies");
  check(state->cupti.enable(CUPTI_ACTIVITY_KIND_MEMCPY2), "no copies between devices");
  check(state->cupti.enable(CUPTI_ACTIVITY_KIND_MEMSET), "no fills");
  check(state->cupti.enable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE), "no graphs");
  check(state->cupti.enable(CUPTI_ACTIVITY_KIND_OVERHEAD), "no overhead of its own");
  choose_calls(CUPTI_CB_DOMAIN_RUNTIME_API, runtime_prefixes, runtime_kinds);
  choose_calls(CUPTI_CB_DOMAIN_DRIVER_API, driver_prefixes, driver_kinds);
  std::atexit(flush_at_exit);
  at_each_look(flush_sometimes);
  return why;
}

}  // namespace
}  // namespace parity::trace

extern "C" __attribute__((visibility("default"))) int InitializeInjection() noexcept try {
  using namespace parity::trace;
  if (state) return 1;
  state = new State;
  start();
  const std::string why = attach();
  say(("{\"interface\":\"CUPTI\",\"version\":" + std::to_string(state->cupti.loaded) +
       (why.empty() ? std::string() : ",\"refused\":" + json_text(why)) + "}")
          .c_str());
  return 1;
} catch (...) {
  return 1;
}
