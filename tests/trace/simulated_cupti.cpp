// SPDX-License-Identifier: BSD-3-Clause
// CUPTI and a GPU that are none: calls that a test makes take the time that it says, and are called back and
// recorded as CUPTI does. What is recorded takes longer. Calls have new numbers each time that CUPTI is
// attached.
#include <cupti_activity.h>
#include <cupti_callbacks.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <ctime>
#include <mutex>
#include <vector>

namespace {

constexpr std::int64_t recording = 2000;  // ns that a recorded launch takes longer
constexpr std::size_t place = 1024;       // bytes of a record
const char* const runtime_names[] = {"INVALID", "cudaLaunchKernel_v7000", "cudaStreamSynchronize_v3020"};
const char* const driver_names[] = {"INVALID", "cuLaunchKernel", "cuStreamSynchronize"};
const char* const kernel_names[] = {"halo", "smooth", "add", "copy"};
constexpr int calls = 3;

std::mutex records_mutex, device_mutex;
CUpti_CallbackFunc callback = nullptr;
std::atomic<bool> enabled[2][calls], recorded, subscribed, device_wanted;
CUpti_BuffersCallbackRequestFunc ask = nullptr;
CUpti_BuffersCallbackCompleteFunc give = nullptr;
std::vector<CUpti_ActivityKernel8> kernels;
std::atomic<std::uint32_t> correlation{0};
std::atomic<int> left{0}, faults{0};
std::int64_t device_until = 0;
thread_local int in_callback = 0;

std::int64_t now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1'000'000'000ll + t.tv_nsec;
}
void spin_until(std::int64_t end) {
  while (now() < end) {
  }
}

void hand_over() {
  std::vector<CUpti_ActivityKernel8> all;
  {
    const std::lock_guard<std::mutex> lock(records_mutex);
    all.swap(kernels);
  }
  for (std::size_t k = 0; k < all.size();) {
    std::uint8_t* buffer = nullptr;
    std::size_t size = 0, most = 0, used = 0;
    ask(&buffer, &size, &most);
    if (device_wanted.exchange(false)) {
      CUpti_ActivityDevice4 device{};
      device.kind = CUPTI_ACTIVITY_KIND_DEVICE;
      device.name = "Simulated GPU 1";
      std::memcpy(buffer, &device, sizeof device);
      used += place;
    }
    for (; k < all.size() && used + place <= size; ++k, used += place)
      std::memcpy(buffer + used, &all[k], sizeof all[k]);
    give(nullptr, 0, buffer, size, used);
  }
}

template <class Body>
void call(CUpti_CallbackDomain domain, int id, const char* name, Body&& body) {
  std::uint64_t data = 0;
  CUpti_CallbackData d{};
  d.functionName = name;
  d.correlationData = &data;
  d.correlationId = ++correlation;
  const auto tell = [&](CUpti_ApiCallbackSite site) {
    if (!subscribed || !enabled[domain == CUPTI_CB_DOMAIN_DRIVER_API][id]) return;
    d.callbackSite = site;
    ++in_callback;
    callback(nullptr, domain, CUpti_CallbackId(id), &d);
    --in_callback;
  };
  tell(CUPTI_API_ENTER);
  body(d.correlationId);
  tell(CUPTI_API_EXIT);
}

void launch_by_driver(std::int64_t host, std::int64_t kernel) {
  call(CUPTI_CB_DOMAIN_DRIVER_API, 1, "cuLaunchKernel", [&](std::uint32_t number) {
    spin_until(now() + host);
    const std::lock_guard<std::mutex> lock(device_mutex);
    CUpti_ActivityKernel8 k{};
    k.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    k.start = std::uint64_t(std::max(now() + 1500, device_until + 600));
    k.end = k.start + std::uint64_t(kernel);
    k.correlationId = number;
    k.streamId = 7;
    static unsigned launched = 0;
    k.name = kernel_names[launched++ % 4];
    device_until = std::int64_t(k.end);
    if (!recorded) return;
    spin_until(now() + recording);
    const std::lock_guard<std::mutex> records(records_mutex);
    kernels.push_back(k);
  });
}

}  // namespace

#define CALLED extern "C" __attribute__((visibility("default")))

CALLED CUptiResult cuptiSubscribe(CUpti_SubscriberHandle*, CUpti_CallbackFunc f, void*) {
  if (subscribed) ++faults;
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
CALLED CUptiResult cuptiActivityDisable(CUpti_ActivityKind) { return CUPTI_SUCCESS; }
CALLED CUptiResult cuptiActivityFlushAll(std::uint32_t) {
  hand_over();
  return CUPTI_SUCCESS;
}
CALLED CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid, CUpti_Activity** r) {
  std::uint8_t* const next = *r ? reinterpret_cast<std::uint8_t*>(*r) + place : buffer;
  if (next + place > buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *r = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}
CALLED CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped) {
  *dropped = 0;
  return CUPTI_SUCCESS;
}
/// Allowed at the end of a call alone, here as there.
CALLED CUptiResult cuptiFinalize() {
  if (in_callback != 1 || !subscribed) ++faults;
  subscribed = recorded = false;
  for (auto& domain : enabled)
    for (auto& one : domain) one = false;
  correlation = 0;
  ask = nullptr;
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
CALLED int simulated_left() { return left; }
CALLED int simulated_faults() { return faults; }
