// SPDX-License-Identifier: BSD-3-Clause
// CUPTI and a GPU that are none: calls that a test makes take the time that it says, and are called back and
// recorded as CUPTI does. What is recorded takes longer. Calls have new numbers each time that CUPTI is
// attached. It is as strict as its documentation: what that does not promise a fault is, and a call whose
// beginning was not called back has no place for a tool's number at its end. A thread of its own hands over
// records that are complete. A device's record comes first, and where CUPTI is attached again it is dropped.
// While it is taken down it gives a buffer back, and no tool may read one then.
// SIMULATED_ASIDE=MS: now and then a launch of so many ms goes to a stream that no wait is for.
// SIMULATED_COPIES=1: a copy does, instead.
#include <cuda.h>
#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr std::int64_t recording = 2000;  // ns that a recorded launch takes longer
constexpr std::size_t place = 1024;       // bytes of a record
const char* const runtime_names[] = {"INVALID", "cudaLaunchKernel_v7000", "cudaStreamSynchronize_v3020",
                                     "cudaMemcpyAsync_v3020"};
const char* const driver_names[] = {"INVALID", "cuLaunchKernel", "cuStreamSynchronize",
                                    "cuMemcpyDtoDAsync_v2"};
const char* const kernel_names[] = {"halo", "smooth", "add", "copy"};
constexpr int calls = 4;

std::mutex records_mutex, device_mutex;
std::atomic<CUpti_CallbackFunc> callback{nullptr};
std::atomic<bool> enabled[2][calls], recorded, subscribed, device_wanted, device_given;
std::atomic<int> handing_over{0}, to_drop{0};
std::mutex handing_mutex;
std::atomic<CUpti_BuffersCallbackRequestFunc> ask{nullptr};
std::atomic<CUpti_BuffersCallbackCompleteFunc> give{nullptr};
std::vector<CUpti_ActivityKernel8> kernels;
std::atomic<std::uint32_t> correlation{0};
std::atomic<int> left{0}, faults{0};
std::atomic<std::int64_t> device_until{0}, recorded_until{0};
thread_local int in_callback = 0;
thread_local bool is_worker = false;
std::atomic<bool> taken_down{false};  // now
std::atomic<std::uint8_t*> spare{nullptr};
std::int64_t nanoseconds_of(const char* variable) {
  const char* const word = std::getenv(variable);
  return word ? 1'000'000 * std::atoll(word) : 0;
}
const std::int64_t aside = nanoseconds_of("SIMULATED_ASIDE");
const bool copies = std::getenv("SIMULATED_COPIES");

std::int64_t now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1'000'000'000ll + t.tv_nsec;
}
void spin_until(std::int64_t end) {
  while (now() < end) {
  }
}

/// What CUPTI keeps of a thread that called it. It goes with the thread, and needs CUPTI: while the process
/// ends no thread may that called it.
std::atomic<bool> torn_down{false};
struct OfThread {
  bool called = false;
  ~OfThread() {
    if (called && torn_down) std::abort();
  }
};
thread_local OfThread of_thread;
__attribute__((destructor)) void tear_down() { torn_down = true; }

/// What is over, or everything: of that what is not over has no times.
void hand_over(bool all_of_them) {
  std::vector<CUpti_ActivityKernel8> all;
  CUpti_BuffersCallbackRequestFunc ask_tool = nullptr;
  {
    const std::lock_guard<std::mutex> attached(handing_mutex);
    ask_tool = ask;
    const std::lock_guard<std::mutex> lock(records_mutex);
    const std::uint64_t time = std::uint64_t(now());
    const auto over = [time](const CUpti_ActivityKernel8& k) { return k.end <= time; };
    const auto end =
        all_of_them ? kernels.end() : std::stable_partition(kernels.begin(), kernels.end(), over);
    all.assign(kernels.begin(), end);
    kernels.erase(kernels.begin(), end);
    for (auto& k : all)
      if (!over(k)) k.start = k.end = 0;
  }
  if (!ask_tool) return;
  if (!all.empty() && !spare) {
    std::uint8_t* buffer = nullptr;
    std::size_t size = 0, most = 0;
    ask_tool(&buffer, &size, &most);
    spare = buffer;
  }
  for (std::size_t k = 0; k < all.size();) {
    std::uint8_t* buffer = nullptr;
    std::size_t size = 0, most = 0, used = 0;
    ask_tool(&buffer, &size, &most);
    if (!buffer) {
      to_drop += int(all.size() - k);
      return;
    }
    if (device_wanted.exchange(false)) {
      if (device_given.exchange(true)) {
        to_drop = 1;
      } else {
        CUpti_ActivityDevice4 device{};
        device.kind = CUPTI_ACTIVITY_KIND_DEVICE;
        device.name = "Simulated GPU 1";
        std::memcpy(buffer, &device, sizeof device);
        used += place;
      }
    }
    for (; k < all.size() && used + place <= size; ++k, used += place) {
      std::memcpy(buffer + used, &all[k], sizeof all[k]);
      if (all[k].kind != CUPTI_ACTIVITY_KIND_MEMCPY) continue;
      CUpti_ActivityMemcpy5 copy{};
      copy.kind = all[k].kind;
      copy.bytes = 64;
      copy.start = all[k].start;
      copy.end = all[k].end;
      copy.correlationId = all[k].correlationId;
      copy.streamId = all[k].streamId;
      std::memcpy(buffer + used, &copy, sizeof copy);
    }
    ++handing_over;
    give.load()(nullptr, 0, buffer, size, used);
    --handing_over;
  }
}

void unlock_all() {
  records_mutex.unlock();
  device_mutex.unlock();
  handing_mutex.unlock();
}

/// CUPTI's own thread.
void hand_over_now_and_then(pid_t process) {
  is_worker = true;
  for (unsigned k = 0; getpid() == process; ++k) {
    usleep(500 + k * 7919 % 3000);
    if (subscribed) hand_over(false);
  }
}

template <class Body>
void call(CUpti_CallbackDomain domain, int id, const char* name, Body&& body, int result = 0,
          const void* parameters = nullptr) {
  std::uint64_t data = 0;
  CUpti_CallbackData d{};
  d.functionParams = parameters;
  d.functionName = name;
  d.correlationData = &data;
  d.correlationId = ++correlation;
  d.context = reinterpret_cast<CUcontext>(&device_mutex);
  const int attached = left;
  bool entered = false;
  const auto tell = [&](CUpti_ApiCallbackSite site) {
    if (!subscribed || !enabled[domain == CUPTI_CB_DOMAIN_DRIVER_API][id]) return;
    d.callbackSite = site;
    entered = entered || site == CUPTI_API_ENTER;
    // Between a beginning and its end alone it is the tool's place.
    d.correlationData = entered && attached == left ? &data : nullptr;
    ++in_callback;
    callback.load()(nullptr, domain, CUpti_CallbackId(id), &d);
    --in_callback;
  };
  tell(CUPTI_API_ENTER);
  body(d.correlationId);
  d.functionReturnValue = &result;
  tell(CUPTI_API_EXIT);
}

/// Of the device: what takes until then, of the call with the number.
void keep_record(CUpti_ActivityKernel8 k) {
  if (!recorded) return;
  spin_until(now() + recording);
  recorded_until = std::max<std::int64_t>(recorded_until, std::int64_t(k.end));
  const std::lock_guard<std::mutex> records(records_mutex);
  kernels.push_back(k);
}

/// To a stream that no wait is for.
void copy_by_driver(std::size_t bytes) {
  struct {
    std::uint64_t to, from;
    std::size_t bytes;
  } const parameters{1, 2, bytes};
  call(
      CUPTI_CB_DOMAIN_DRIVER_API, 3, "cuMemcpyDtoDAsync_v2",
      [&](std::uint32_t number) {
        CUpti_ActivityKernel8 k{};
        k.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
        k.start = std::uint64_t(now() + 1500);
        k.end = k.start + std::uint64_t(aside);
        k.correlationId = number;
        k.streamId = 8;
        keep_record(k);
      },
      0, &parameters);
}
void copy_aside(int by_driver, std::size_t bytes) {
  if (by_driver) return copy_by_driver(bytes);
  call(CUPTI_CB_DOMAIN_RUNTIME_API, 3, "cudaMemcpyAsync", [&](std::uint32_t) { copy_by_driver(bytes); });
}

bool is_time(std::int64_t& next, std::int64_t every) {
  if (now() <= next) return false;
  next = now() + every;
  return true;
}

void launch_by_driver(std::int64_t host, std::int64_t kernel) {
  call(CUPTI_CB_DOMAIN_DRIVER_API, 1, "cuLaunchKernel", [&](std::uint32_t number) {
    spin_until(now() + host);
    const std::lock_guard<std::mutex> lock(device_mutex);
    CUpti_ActivityKernel8 k{};
    k.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    k.start = std::uint64_t(std::max(now() + 1500, device_until + 600));
    k.end = k.start + std::uint64_t(kernel);
    // As many as a queue holds.
    const auto queue = 1000 * (kernel + 600);
    if (const auto full = std::int64_t(k.end) - queue; full > now()) spin_until(full);
    k.correlationId = number;
    k.streamId = 7;
    static unsigned launched = 0;
    k.name = kernel_names[launched++ % 4];
    static std::int64_t next_aside = 0;
    if (aside && !copies && is_time(next_aside, aside + aside / 2)) {
      k.end = k.start + std::uint64_t(aside);
      k.streamId = 8;
    } else {
      device_until = std::int64_t(k.end);
    }
    keep_record(k);
  });
}

}  // namespace

#define CALLED extern "C" __attribute__((visibility("default")))

CALLED CUptiResult cuptiSubscribe(CUpti_SubscriberHandle*, CUpti_CallbackFunc f, void*) {
  static const bool working = [] {
    // A child has no such thread, which may hold what it needs.
    pthread_atfork([] { std::lock(handing_mutex, device_mutex, records_mutex); }, unlock_all, unlock_all);
    std::thread(hand_over_now_and_then, getpid()).detach();
    return true;
  }();
  if (subscribed || !working) ++faults;
  callback = f;
  subscribed = true;
  return CUPTI_SUCCESS;
}
CALLED CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) { return CUPTI_SUCCESS; }
CALLED CUptiResult cuptiEnableDomain(std::uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain) {
  return CUPTI_SUCCESS;
}
CALLED CUptiResult cuptiEnableCallback(std::uint32_t enable, CUpti_SubscriberHandle,
                                       CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) return CUPTI_SUCCESS;
  if (!subscribed || id >= calls) ++faults;
  if (id < calls) enabled[domain == CUPTI_CB_DOMAIN_DRIVER_API][id] = enable != 0;
  return CUPTI_SUCCESS;
}
CALLED CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, std::uint32_t id, const char** name) {
  if (id >= calls) return CUPTI_ERROR_INVALID_PARAMETER;
  *name = (domain == CUPTI_CB_DOMAIN_DRIVER_API ? driver_names : runtime_names)[id];
  return CUPTI_SUCCESS;
}
CALLED CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc a,
                                                  CUpti_BuffersCallbackCompleteFunc g) {
  ask = a;
  give = g;
  return CUPTI_SUCCESS;
}
CALLED CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc) {
  return CUPTI_SUCCESS;
}
CALLED CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  if (!ask || !subscribed) ++faults;
  if (kind == CUPTI_ACTIVITY_KIND_DEVICE) device_wanted = true;
  if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) recorded = true;
  return CUPTI_SUCCESS;
}
CALLED CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  if (!subscribed) ++faults;
  if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) recorded = false;
  return CUPTI_SUCCESS;
}
CALLED CUptiResult cuptiActivityFlushAll(std::uint32_t flag) {
  of_thread.called = true;
  hand_over(flag == CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  return CUPTI_SUCCESS;
}
CALLED CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid, CUpti_Activity** r) {
  std::uint8_t* const next = *r ? reinterpret_cast<std::uint8_t*>(*r) + place : buffer;
  if (taken_down || !subscribed) ++faults;
  if (next + place > buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  if (is_worker && !*r) usleep(1000);  // a tool may be slow
  *r = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}
CALLED CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped) {
  *dropped = std::size_t(to_drop.exchange(0));
  return CUPTI_SUCCESS;
}
/// At the end of a call, or where everything has been waited for. Never with recorded work in flight, or
/// while records are handed over.
CALLED CUptiResult cuptiFinalize() {
  if (in_callback > 1 || !subscribed || handing_over > 0 || recorded_until > now()) ++faults;
  if (in_callback == 0 && device_until > now()) ++faults;
  if (std::uint8_t* const unused = spare.exchange(nullptr)) {
    taken_down = true;
    std::thread([unused] {
      std::uint8_t* buffer = nullptr;
      std::size_t size = 0, most = 0;
      ask.load()(&buffer, &size, &most);
      if (buffer || size) ++faults;
      give.load()(nullptr, 0, unused, 1 << 20, 0);
    }).join();
    taken_down = false;
  }
  subscribed = recorded = false;
  for (auto& domain : enabled)
    for (auto& one : domain) one = false;
  correlation = 0;
  {
    const std::lock_guard<std::mutex> lock(handing_mutex);
    ask = nullptr;
  }
  ++left;
  return CUPTI_SUCCESS;
}
CALLED CUptiResult cuptiGetResultString(CUptiResult, const char** text) {
  *text = "simulated";
  return CUPTI_SUCCESS;
}
CALLED CUptiResult cuptiGetVersion(std::uint32_t* version) {
  *version = 999999;
  return CUPTI_SUCCESS;
}

CALLED void simulated_launch(int by_driver, std::int64_t host, std::int64_t kernel) {
  static std::int64_t next_copy = 0;
  if (aside && copies && is_time(next_copy, aside + aside / 2)) copy_aside(by_driver, 64);
  if (by_driver) return launch_by_driver(host, kernel);
  call(CUPTI_CB_DOMAIN_RUNTIME_API, 1, "cudaLaunchKernel",
       [&](std::uint32_t) { launch_by_driver(host, kernel); });
}
CALLED void simulated_wait() {
  call(CUPTI_CB_DOMAIN_RUNTIME_API, 2, "cudaStreamSynchronize", [&](std::uint32_t) {
    call(CUPTI_CB_DOMAIN_DRIVER_API, 2, "cuStreamSynchronize",
         [&](std::uint32_t) { spin_until(device_until); });
  });
}
// Of the driver, what kernels of the recorder's own need: this library has its name.
CALLED CUresult cuDriverGetVersion(int* version) {
  *version = 13000;
  return CUDA_SUCCESS;
}
CALLED CUresult cuCtxPushCurrent_v2(CUcontext) { return CUDA_SUCCESS; }
CALLED CUresult cuModuleLoadData(CUmodule*, const void*) { return CUDA_SUCCESS; }
CALLED CUresult cuModuleGetFunction(CUfunction*, CUmodule, const char*) { return CUDA_SUCCESS; }
CALLED CUresult cuStreamCreate(CUstream*, unsigned) { return CUDA_SUCCESS; }
CALLED CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                               unsigned, CUstream, void**, void**) {
  launch_by_driver(1000, 1000);
  return CUDA_SUCCESS;
}
CALLED CUresult cuStreamSynchronize(CUstream) {
  call(CUPTI_CB_DOMAIN_DRIVER_API, 2, "cuStreamSynchronize",
       [&](std::uint32_t) { spin_until(device_until); });
  return CUDA_SUCCESS;
}
/// For every stream.
CALLED CUresult cuCtxSynchronize() {
  spin_until(std::max<std::int64_t>(device_until, recorded_until));
  return CUDA_SUCCESS;
}

CALLED int simulated_left() { return left; }
CALLED int simulated_faults() { return faults; }
