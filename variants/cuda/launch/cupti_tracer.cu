// SPDX-License-Identifier: BSD-3-Clause
// CUPTI as the launch study's tracer: callbacks at the entry and exit of the runtime's calls, stamped on the
// host's second clock, and activity records of kernels, on CUPTI's. The library is loaded when it is first
// wanted, so that a build with it runs where it is missing.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "cuda/runtime/check.cuh"
#include "cuda/runtime/cupti.cuh"
#include "launch/instrument.hpp"
#include "runtime/error.hpp"

namespace parity::launch {
namespace {

/// Records of every toolkit since 11.8 begin with these fields.
using Kernel = CUpti_ActivityKernel8;

struct Library : runtime::Cupti {
  std::string why_not;
  Library() {
    const char* const why =
        take(runtime::open_library({PARITY_CUPTI_NAME, "libcupti.so", PARITY_CUPTI_LIBRARY}));
    if (why) why_not = std::string("no CUPTI: ") + why;
  }
};
const Library& cupti() {
  static const Library loaded;
  return loaded;
}

void check(CUptiResult status, const char* what) {
  if (status == CUPTI_SUCCESS) return;
  const char* text = "unknown error";
  cupti().text_of(status, &text);
  throw runtime::CannotRunError(std::string("CUPTI cannot be used here: ") + what + ": " + text);
}

/// What a runtime call is for, by the beginning of its name; others are no part of a quantity.
const Step* step_of(const char* function) {
  static const std::vector<std::pair<const char*, Step>> steps = {
      {"cudaLaunch", Step::start},
      {"__cudaLaunch", Step::start},  // <<<>>> from CUDA 13 on, with the two below
      {"__cudaPushCallConfiguration", Step::start},
      {"__cudaPopCallConfiguration", Step::start},
      {"cudaMemcpyAsync", Step::start},
      {"cudaMemcpyToSymbolAsync", Step::start},
      {"cudaMemsetAsync", Step::start},
      {"cudaGraphLaunch", Step::launch},
      {"cudaGetLastError", Step::prepare},  // see take()
      {"cudaStreamSynchronize", Step::synchronise},
      {"cudaGraphCreate", Step::create},
      {"cudaGraphAdd", Step::create},
      {"cudaGraphConditionalHandleCreate", Step::create},
      {"cudaGraphInstantiate", Step::instantiate},
      {"cudaGraphUpload", Step::upload},
      {"cudaGraphExecUpdate", Step::update},
      {"cudaGraphExecKernelNodeSetParams", Step::update_node},
  };
  for (const auto& [name, step] : steps)
    if (std::strncmp(function, name, std::strlen(name)) == 0) return &step;
  return nullptr;
}

/// What a recorded launch costs is measured with it.
__global__ void nothing() {}

struct Call {
  Step step;
  std::uint32_t correlation;
  Span span;
};
struct Ran {
  std::uint32_t correlation;
  bool holds;  ///< a kernel that only holds the queue
  std::uint64_t begin, end;
};

/// What CUPTI hands over, from its thread too.
struct Records {
  std::mutex one_at_a_time;
  std::vector<Call> calls;
  std::vector<Ran> kernels;
  std::map<std::uint32_t, std::uint32_t> outer;  ///< of a call inside another one: that one
  bool open = false;                             ///< whether the last call has not returned
  std::uint32_t last = 0;                        ///< the last call's number
  std::uint32_t forgotten = 0;                   ///< calls up to this one are no part of what is taken
};
Records& records() {
  static Records all;
  return all;
}

constexpr std::size_t buffer_bytes = 1 << 18, alignment = 8;

/// Buffers that were read and whose pages are there: new ones would cost the launches that fill them.
std::vector<std::uint8_t*>& used_buffers() {
  static std::vector<std::uint8_t*> all;
  return all;
}

void CUPTIAPI on_call(void*, CUpti_CallbackDomain domain, CUpti_CallbackId, const void* data) {
  if (domain != CUPTI_CB_DOMAIN_RUNTIME_API) return;
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  if (call.callbackSite == CUPTI_API_ENTER) {
    const Step* const step = step_of(call.functionName);
    if (!step) return;
    Records& r = records();
    const std::lock_guard<std::mutex> lock(r.one_at_a_time);
    r.last = call.correlationId;
    if (r.open) {
      r.outer[call.correlationId] = r.calls.back().correlation;
      return;
    }
    r.open = true;
    r.calls.push_back({*step, call.correlationId, {}});
    r.calls.back().span.begin = second_clock();  // the last thing before the call
  } else {
    const double end = second_clock();  // the first thing after it
    Records& r = records();
    const std::lock_guard<std::mutex> lock(r.one_at_a_time);
    if (!r.open || r.calls.back().correlation != call.correlationId) return;
    r.calls.back().span.end = end;
    r.open = false;
  }
}

void CUPTIAPI on_buffer_wanted(std::uint8_t** buffer, std::size_t* size, std::size_t* records_at_most) {
  *buffer = nullptr;
  {
    const std::lock_guard<std::mutex> lock(records().one_at_a_time);
    if (!used_buffers().empty()) {
      *buffer = used_buffers().back();
      used_buffers().pop_back();
    }
  }
  if (!*buffer) {
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(alignment, buffer_bytes));
    if (*buffer) std::memset(*buffer, 0, buffer_bytes);
  }
  *size = *buffer ? buffer_bytes : 0;
  *records_at_most = 0;
}

void CUPTIAPI on_buffer_full(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  CUpti_Activity* record = nullptr;
  Records& r = records();
  const std::lock_guard<std::mutex> lock(r.one_at_a_time);
  while (cupti().next_record(buffer, valid, &record) == CUPTI_SUCCESS) {
    if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) continue;
    const auto& k = *reinterpret_cast<const Kernel*>(record);
    r.kernels.push_back({k.correlationId, k.name && std::strstr(k.name, "wait_for_latch"), k.start, k.end});
  }
  used_buffers().push_back(buffer);
}

class Cupti : public Tracer {
 public:
  ~Cupti() override { stop(); }
  std::string name() const override { return "CUPTI"; }
  void start() override {
    check(cupti().subscribe(&subscriber_, on_call, nullptr), "subscribing (is another profiler attached?)");
    on_ = true;
    try {
      check(cupti().register_buffers(on_buffer_wanted, on_buffer_full), "asking for records");
      check(cupti().enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), "recording kernels");
      check(cupti().enable_domain(1, subscriber_, CUPTI_CB_DOMAIN_RUNTIME_API), "recording calls");
      call_cost_ = cost_of_a_call();
    } catch (...) {
      stop();
      throw;
    }
  }
  void stop() override {
    if (!on_) return;
    on_ = false;
    cudaDeviceSynchronize();
    cupti().enable_domain(0, subscriber_, CUPTI_CB_DOMAIN_RUNTIME_API);
    cupti().disable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    cupti().flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    cupti().unsubscribe(subscriber_);
    cupti().finalize();  // or its hooks would stay in the calls that are timed next
  }
  Seen take() override {
    cudaDeviceSynchronize();  // not one of the calls that are recorded
    check(cupti().flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "reading the records");
    std::vector<Call> calls;
    std::vector<Ran> kernels;
    {
      Records& r = records();
      const std::lock_guard<std::mutex> lock(r.one_at_a_time);
      calls.swap(r.calls);
      kernels.swap(r.kernels);
      for (Ran& k : kernels)
        if (const auto outer = r.outer.find(k.correlation); outer != r.outer.end())
          k.correlation = outer->second;
      r.outer.clear();
      // Their records arrive late, some only now.
      kernels.erase(std::remove_if(kernels.begin(), kernels.end(),
                                   [&r](const Ran& k) { return k.correlation <= r.forgotten; }),
                    kernels.end());
    }
    std::stable_sort(kernels.begin(), kernels.end(),
                     [](const Ran& a, const Ran& b) { return a.begin < b.begin; });
    std::map<std::uint32_t, int> started;
    std::map<std::uint32_t, bool> holds;
    Seen seen;
    for (const Ran& k : kernels) {
      holds[k.correlation] = k.holds;
      if (k.holds) continue;
      ++started[k.correlation];
      seen.events.push_back(
          {1e-9 * double(k.begin - kernels.front().begin), 1e-9 * double(k.end - kernels.front().begin)});
    }
    int over = 0;
    for (const Call& c : calls) {
      const auto held = holds.find(c.correlation);
      if (held != holds.end() && held->second) continue;
      CallSeen call;
      call.step = c.step;
      if (c.step == Step::prepare) {
        // Whoever launches asks whether it worked: part of the launch, and of nothing else.
        if (seen.calls.empty() || seen.calls.back().step != Step::start) continue;
        call.step = Step::start;
      }
      call.span = c.span;
      call.count = started[c.correlation];
      over += call.count;
      call.over = over;
      seen.calls.push_back(call);
    }
    return seen;
  }
  void forget() override {
    PARITY_CUDA(cudaDeviceSynchronize());
    PARITY_CUDA(cudaStreamSynchronize(nullptr));  // recorded: its number is the last one
    Records& r = records();
    const std::lock_guard<std::mutex> lock(r.one_at_a_time);
    r.calls.clear();
    r.outer.clear();
    r.forgotten = r.last;
  }
  double call_cost() const override { return call_cost_; }

 private:
  /// Seconds by which recording lengthens a call outside of its own record: of a launch and the wait for it,
  /// after others like it, as in a sample.
  double cost_of_a_call() {
    std::vector<double> cost;
    for (int k = 0; k < 9; ++k) {
      take();
      nothing<<<1, 1>>>();
      PARITY_CUDA(cudaGetLastError());
      forget();
      const double start = second_clock();
      nothing<<<1, 1>>>();
      PARITY_CUDA(cudaGetLastError());
      PARITY_CUDA(cudaStreamSynchronize(nullptr));
      double outside = second_clock() - start;
      const Seen seen = take();
      for (const CallSeen& c : seen.calls) outside -= c.span.seconds();
      cost.push_back(outside / double(std::max<std::size_t>(1, seen.calls.size())));
    }
    std::nth_element(cost.begin(), cost.begin() + 4, cost.end());
    return cost[4];
  }

  CUpti_SubscriberHandle subscriber_{};
  bool on_ = false;
  double call_cost_ = 0;
};

}  // namespace

std::unique_ptr<Tracer> make_tracer(std::string* why_not) {
  const char* const wanted = std::getenv("PARITY_CUPTI");
  if (wanted && std::strcmp(wanted, "0") == 0) {
    *why_not = "no CUPTI: PARITY_CUPTI is 0";
    return nullptr;
  }
  if (!cupti().why_not.empty()) {
    *why_not = cupti().why_not;
    return nullptr;
  }
  return std::make_unique<Cupti>();
}

}  // namespace parity::launch
