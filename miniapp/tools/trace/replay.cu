// SPDX-License-Identifier: BSD-3-Clause
// Plays skeletons of steps, in a process of its own, whose end frees all handles.
#include "tools/trace/replay.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace parity::replay {

/// A block spins in its first thread; its other threads have ended but still occupy their resources.
__device__ void spin(long long ticks) {
  if (threadIdx.x != 0) return;
  const long long start = clock64();
  while (clock64() - start < ticks) {
  }
}

// 'parity advise' searches for these names in the recorder's trace of a replay.
__global__ void replayed(long long ticks) { spin(ticks); }
__global__ void replayed_dependent(long long ticks) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
  spin(ticks);
}
__global__ void measure_clock(long long ticks) { spin(ticks); }

namespace {

using Time = std::chrono::steady_clock;

constexpr double least_sample = 5e-3;  ///< seconds: makes the final wait negligible
constexpr int most_samples = 15, most_steps = 2000;

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  throw std::runtime_error(std::string("CUDA: ") + what + ": " + cudaGetErrorString(status));
}
#define REPLAY_CHECK(call) check((call), #call)

double seconds_since(Time::time_point begin) {
  return std::chrono::duration<double>(Time::now() - begin).count();
}

/// Simulates the host's own work.
void spend(double seconds) {
  if (seconds <= 0) return;
  for (const Time::time_point begin = Time::now(); seconds_since(begin) < seconds;) {
  }
}

/// Shared by all plans: the device's clock, memory and streams.
struct Stage {
  double ticks_per_second = 0;
  int multiprocessors = 0;
  bool dependent = false;
  char *device[2] = {}, *pinned = nullptr;
  std::vector<char> pageable;
  std::vector<cudaStream_t> streams;

  Stage(std::int64_t bytes, int count) {
    int id = 0, major = 0;
    REPLAY_CHECK(cudaGetDevice(&id));
    REPLAY_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, id));
    REPLAY_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, id));
    cudaFuncAttributes code{};
    REPLAY_CHECK(cudaFuncGetAttributes(&code, replayed_dependent));
    // Older code lacks the instructions.
    dependent = CUDART_VERSION >= 11080 && major >= 9 && code.ptxVersion >= 90;
    if (bytes > 0) {
      for (char*& d : device) REPLAY_CHECK(cudaMalloc(reinterpret_cast<void**>(&d), std::size_t(bytes)));
      REPLAY_CHECK(cudaMallocHost(reinterpret_cast<void**>(&pinned), std::size_t(bytes)));
      pageable.assign(std::size_t(bytes), 1);
    }
    for (int k = 0; k < count; ++k) {
      cudaStream_t stream{};
      REPLAY_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
      streams.push_back(stream);
    }
    measure_ticks();
  }

  double time_of(long long ticks) {
    cudaEvent_t begin{}, end{};
    REPLAY_CHECK(cudaEventCreate(&begin));
    REPLAY_CHECK(cudaEventCreate(&end));
    REPLAY_CHECK(cudaEventRecord(begin, streams.front()));
    measure_clock<<<1, 32, 0, streams.front()>>>(ticks);
    REPLAY_CHECK(cudaGetLastError());
    REPLAY_CHECK(cudaEventRecord(end, streams.front()));
    REPLAY_CHECK(cudaEventSynchronize(end));
    float milliseconds = 0;
    REPLAY_CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    REPLAY_CHECK(cudaEventDestroy(begin));
    REPLAY_CHECK(cudaEventDestroy(end));
    return 1e-3 * double(milliseconds);
  }
  void measure_ticks() {
    time_of(100'000'000);  // until the clock has ramped up
    constexpr long long few = 5'000'000, many = 25'000'000;
    const double difference = time_of(many) - time_of(few);
    if (difference <= 0) throw std::runtime_error("the device's clock does not go on");
    ticks_per_second = double(many - few) / difference;
  }
};

/// Plays a plan on the stage: its step in streams or as graphs.
class Player {
 public:
  Player(Stage& stage, const Plan& plan) : stage_(stage), plan_(plan) {
    const Skeleton& items = plan.skeleton;
    events_.resize(items.size());
    recorded_.resize(items.size());
    after_kernel_.resize(stage.streams.size());
    for (const Item& item : items) {
      for (const std::size_t other : item.after)
        if (!events_.at(other)) events_[other] = new_event();
      blocks_.push_back(fitting(item));
    }
    forks_ = new_event();
    if (!plan.graph) return;
    const Time::time_point begin = Time::now();
    for (std::size_t first = 0; first < items.size();) {
      std::size_t end = first;
      while (end < items.size() && !items[end].waits) ++end;
      if (end > first) parts_.push_back({first, end, make_graph(first, end)});
      if (end < items.size()) parts_.push_back({end, end + 1, nullptr});
      first = end + 1;
    }
    REPLAY_CHECK(cudaStreamSynchronize(stage.streams.front()));
    setup_ = seconds_since(begin);
    // Events recorded inside a graph are not valid outside.
    std::fill(recorded_.begin(), recorded_.end(), false);
  }

  double setup() const { return setup_; }

  /// Plays as many steps as a graph has.
  void once() {
    if (!plan_.graph) return start(0, plan_.skeleton.size(), true);
    for (const Part& part : parts_) {
      if (!part.graph) {
        start(part.first, part.end, true);
        continue;
      }
      spend(plan_.skeleton[part.first].gap);
      REPLAY_CHECK(cudaGraphLaunch(part.graph, stage_.streams.front()));
    }
  }

  void synchronise() {
    for (cudaStream_t stream : stage_.streams) REPLAY_CHECK(cudaStreamSynchronize(stream));
  }

  /// Seconds per step.
  double sample(int times) {
    synchronise();
    const Time::time_point begin = Time::now();
    for (int k = 0; k < times; ++k) once();
    synchronise();
    return seconds_since(begin) / (double(times) * plan_.steps);
  }

 private:
  struct Part {
    std::size_t first, end;
    cudaGraphExec_t graph;
  };

  static cudaEvent_t new_event() {
    cudaEvent_t event{};
    REPLAY_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    return event;
  }

  /// The number of a grid's blocks that can run concurrently, since each spins for the kernel's whole time.
  /// With several streams each gets one block per multiprocessor.
  unsigned fitting(const Item& item) const {
    int at_once = 0;
    if (item.action != Action::kernel) return 0;
    REPLAY_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&at_once, replayed, int(item.threads), 0));
    if (stage_.streams.size() > 1) at_once = 1;
    return std::max(1u, std::min(item.blocks, unsigned(at_once * stage_.multiprocessors)));
  }

  void launch(std::size_t k, [[maybe_unused]] bool dependent) {
    const Item& item = plan_.skeleton[k];
    const auto ticks = static_cast<long long>(std::max(0.0, item.seconds) * stage_.ticks_per_second);
    cudaStream_t const stream = stage_.streams[std::size_t(item.stream)];
#if CUDART_VERSION >= 11080
    if (plan_.dependent) {
      cudaLaunchAttribute overlap{};
      overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
      overlap.val.programmaticStreamSerializationAllowed = 1;
      cudaLaunchConfig_t config{};
      config.gridDim = dim3(blocks_[k]);
      config.blockDim = dim3(item.threads);
      config.stream = stream;
      config.attrs = &overlap;
      config.numAttrs = dependent ? 1 : 0;
      REPLAY_CHECK(cudaLaunchKernelEx(&config, replayed_dependent, ticks));
      return;
    }
#endif
    replayed<<<blocks_[k], item.threads, 0, stream>>>(ticks);
    REPLAY_CHECK(cudaGetLastError());
  }

  /// Starts the items [first, end).
  void start(std::size_t first, std::size_t end, bool with_gaps) {
    for (std::size_t k = first; k < end; ++k) {
      const Item& item = plan_.skeleton[k];
      if (with_gaps) spend(item.gap);
      if (item.action == Action::wait) {
        synchronise();
        after_kernel_.assign(after_kernel_.size(), false);
        continue;
      }
      const auto lane = std::size_t(item.stream);
      cudaStream_t const stream = stage_.streams[lane];
      for (const std::size_t other : item.after)
        if (recorded_[other]) {
          REPLAY_CHECK(cudaStreamWaitEvent(stream, events_[other], 0));
          after_kernel_[lane] = false;
        }
      const auto bytes = std::size_t(item.bytes);
      char* const host = item.pageable ? stage_.pageable.data() : stage_.pinned;
      if (item.action == Action::kernel)
        launch(k, plan_.dependent && after_kernel_[lane]);
      else if (bytes == 0)
        ;
      else if (item.action == Action::fill)
        REPLAY_CHECK(cudaMemsetAsync(stage_.device[0], 0, bytes, stream));
      else if (item.direction == Direction::to_device)
        REPLAY_CHECK(cudaMemcpyAsync(stage_.device[0], host, bytes, cudaMemcpyHostToDevice, stream));
      else if (item.direction == Direction::from_device)
        REPLAY_CHECK(cudaMemcpyAsync(host, stage_.device[0], bytes, cudaMemcpyDeviceToHost, stream));
      else
        REPLAY_CHECK(
            cudaMemcpyAsync(stage_.device[1], stage_.device[0], bytes, cudaMemcpyDeviceToDevice, stream));
      after_kernel_[lane] = item.action == Action::kernel;
      if (events_[k]) {
        REPLAY_CHECK(cudaEventRecord(events_[k], stream));
        recorded_[k] = true;
      }
      if (item.waits) {
        REPLAY_CHECK(cudaStreamSynchronize(stream));
        after_kernel_[lane] = false;
      }
    }
  }

  /// Captures into the first stream: all others fork from it and join it.
  void capture(std::size_t first, std::size_t end) {
    cudaStream_t const origin = stage_.streams.front();
    const auto join = [this](cudaStream_t before, cudaStream_t then) {
      REPLAY_CHECK(cudaEventRecord(forks_, before));
      REPLAY_CHECK(cudaStreamWaitEvent(then, forks_, 0));
    };
    for (std::size_t s = 1; s < stage_.streams.size(); ++s) join(origin, stage_.streams[s]);
    for (int step = 0; step < plan_.steps; ++step) start(first, end, false);
    for (std::size_t s = 1; s < stage_.streams.size(); ++s) join(stage_.streams[s], origin);
  }

  cudaGraphExec_t make_graph(std::size_t first, std::size_t end) {
    // Events of an earlier graph are not valid in this one.
    std::fill(recorded_.begin(), recorded_.end(), false);
    cudaStream_t const origin = stage_.streams.front();
    cudaGraph_t graph{};
    REPLAY_CHECK(cudaStreamBeginCapture(origin, cudaStreamCaptureModeThreadLocal));
    try {
      capture(first, end);
    } catch (...) {
      cudaStreamEndCapture(origin, &graph);
      cudaGetLastError();
      throw;
    }
    REPLAY_CHECK(cudaStreamEndCapture(origin, &graph));
    cudaGraphExec_t executable{};
    REPLAY_CHECK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
    REPLAY_CHECK(cudaGraphUpload(executable, origin));
    REPLAY_CHECK(cudaGraphDestroy(graph));
    return executable;
  }

  Stage& stage_;
  const Plan& plan_;
  std::vector<cudaEvent_t> events_;  ///< of items that others wait for
  std::vector<bool> recorded_;
  std::vector<bool> after_kernel_;  ///< the stream's last work was a kernel
  std::vector<unsigned> blocks_;
  cudaEvent_t forks_{};
  std::vector<Part> parts_;
  double setup_ = 0;
};

}  // namespace

std::vector<Timing> play(const std::vector<Plan>& plans, double seconds) {
  const Time::time_point began = Time::now();
  std::int64_t bytes = 0;
  int streams = 1;
  for (const Plan& plan : plans)
    for (const Item& item : plan.skeleton) {
      bytes = std::max(bytes, item.bytes);
      streams = std::max(streams, item.stream + 1);
    }
  Stage stage(bytes, streams);
  std::vector<Timing> timings(plans.size());
  struct Turn {
    Player player;
    Timing* timing;
    int times;
  };
  std::vector<Turn> turns;
  turns.reserve(plans.size());
  for (std::size_t k = 0; k < plans.size(); ++k) {
    if (plans[k].dependent && !stage.dependent)
      timings[k].refused = "dependent launches need compute capability 9.0, a build for it, and CUDA 11.8";
    else
      try {
        turns.push_back({Player(stage, plans[k]), &timings[k], 1});
      } catch (const std::runtime_error& e) {
        if (k == 0) throw;  // otherwise the remaining plans continue
        timings[k].refused = e.what();
      }
    if (!timings[k].refused.empty()) continue;
    Turn& turn = turns.back();
    turn.timing->setup = turn.player.setup();
    // The first run is slower; for a long step one warm-up run is enough.
    const bool is_long = turn.player.sample(1) * plans[k].steps > least_sample;
    if (!is_long) turn.player.sample(2);
    const double once = is_long ? least_sample : turn.player.sample(2) * plans[k].steps;
    turn.times = std::clamp(int(least_sample / std::max(1e-9, once)), 1, most_steps);
  }
  for (int round = 0; round < most_samples; ++round) {
    if (round > 0 && seconds_since(began) > seconds) break;
    for (std::size_t k = 0; k < turns.size(); ++k) {
      Turn& turn = turns[(k + std::size_t(round)) % turns.size()];
      turn.timing->samples.push_back(turn.player.sample(turn.times));
    }
  }
  return timings;
}

}  // namespace parity::replay
