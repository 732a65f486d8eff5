// SPDX-License-Identifier: BSD-3-Clause
// One communicator of all ranks, and groups of sends and receives on it.
#include "runtime/nccl.hpp"

#include <nccl.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "check.cuh"
#include "owned.cuh"
#include "runtime/device.hpp"
#include "runtime/device_memory.hpp"
#include "runtime/error.hpp"
#include "runtime/messages.hpp"

namespace parity::runtime {
namespace {

void check_nccl(ncclResult_t status, const char* what) {
  if (status == ncclSuccess || status == ncclInProgress) return;
  throw CannotRunError(std::string("NCCL: ") + what + ": " + ncclGetErrorString(status));
}

/// Calls do not block, so that a rank whose peer failed does not wait for it for good.
class Communicator {
 public:
  Communicator(const ncclUniqueId& id, bool beside_kernels) {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 17, 0)
    if (beside_kernels) config.maxCTAs = multiprocessors_beside;
#endif
    const ncclResult_t status = ncclCommInitRankConfig(&handle_, place().ranks, id, place().rank, &config);
    try {
      check_nccl(status, "ncclCommInitRankConfig");
      settle("ncclCommInitRankConfig");
    } catch (...) {
      if (handle_) ncclCommAbort(handle_);
      throw;
    }
  }
  ~Communicator() { ncclCommDestroy(handle_); }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ncclComm_t get() const { return handle_; }
  /// Until what was called last is done.
  void settle(const char* what) const {
    constexpr std::chrono::seconds patience(60);
    const auto begin = std::chrono::steady_clock::now();
    for (ncclResult_t state = ncclInProgress;;) {
      check_nccl(ncclCommGetAsyncError(handle_, &state), what);
      check_nccl(state, what);
      if (state == ncclSuccess) return;
      if (std::chrono::steady_clock::now() - begin > patience)
        throw CannotRunError(std::string("NCCL: ") + what + ": not done after 60 s");
      std::this_thread::yield();
    }
  }

 private:
  ncclComm_t handle_ = nullptr;
};

/// Of all ranks: one for each nccl_carrier's 'beside_kernels'.
std::unique_ptr<Communicator>& communicator(bool beside_kernels) {
  static std::unique_ptr<Communicator> all_ranks[2];
  return all_ranks[beside_kernels];
}

/// Calls between its beginning and end() are one operation; ended whatever happens.
class Group {
 public:
  explicit Group(const Communicator& of) : of_(of) { check_nccl(ncclGroupStart(), "ncclGroupStart"); }
  ~Group() {
    if (open_) ncclGroupEnd();
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  void end() {
    open_ = false;
    check_nccl(ncclGroupEnd(), "ncclGroupEnd");
    of_.settle("ncclGroupEnd");
  }

 private:
  const Communicator& of_;
  bool open_ = true;
};

ncclUniqueId unique_id() {
  ncclUniqueId id{};
  agreed([&id] {
    if (place().rank == 0) check_nccl(ncclGetUniqueId(&id), "ncclGetUniqueId");
  });
  const std::string told = broadcast(std::string(id.internal, sizeof id.internal));
  std::memcpy(id.internal, told.data(), std::min(told.size(), sizeof id.internal));
  return id;
}

/// Whether a message from every rank to the next one arrives.
bool messages_arrive(bool beside_kernels) {
  constexpr int count = 1 << 15;
  const int ranks = place().ranks, next = (place().rank + 1) % ranks,
            last = (place().rank + ranks - 1) % ranks;
  std::vector<int> values(count, place().rank + 1);
  const std::int64_t bytes = count * std::int64_t(sizeof(int));
  linked([&] {
    DeviceMemory from(bytes), to(bytes);
    from.write(values.data(), bytes);
    std::fill(values.begin(), values.end(), -1);
    to.write(values.data(), bytes);
    const auto messages =
        nccl_carrier({{last, to.data(), bytes}}, {{next, from.data(), bytes}}, beside_kernels);
    messages->stage(nullptr);
    messages->wait(nullptr);
    PARITY_CUDA(cudaStreamSynchronize(nullptr));
    to.read(values.data(), bytes);
  });
  const bool right = std::all_of(values.begin(), values.end(), [last](int v) { return v == last + 1; });
  return smallest(right ? 1 : 0) == 1;
}

std::optional<std::string> tried() {
  if (!several_ranks()) return "NCCL carries messages between several ranks: start it with mpirun";
  if (smallest(device() ? 1 : 0) == 0) return "NCCL needs a GPU on every rank";
  if (largest(place().ranks_on_device) > 1)
    return "NCCL needs a GPU for every rank, and ranks share one here";
  try {
    bool arrive = true;
    for (const bool beside_kernels : {false, true}) {
      const ncclUniqueId id = unique_id();
      agreed([&] { communicator(beside_kernels) = std::make_unique<Communicator>(id, beside_kernels); });
      arrive = messages_arrive(beside_kernels) && arrive;
    }
    if (arrive) return std::nullopt;
    leave_nccl();
    return "a message that NCCL carried did not arrive";
  } catch (const Error& e) {  // on every rank alike
    leave_nccl();
    return e.what();
  }
}

}  // namespace

std::string nccl_version() {
  int version = 0;
  if (ncclGetVersion(&version) != ncclSuccess) return "of unknown version";
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

const std::optional<std::string>& why_no_nccl() {
  static const std::optional<std::string> why = tried();
  return why;
}

void leave_nccl() {
  for (const bool beside_kernels : {false, true}) communicator(beside_kernels).reset();
}

namespace {

/// Everything is in the order of a stream, so that there is nothing left to start.
class NcclCarrier : public Carrier {
 public:
  NcclCarrier(const std::vector<Message>& receive, const std::vector<Message>& send, bool beside_kernels)
      : receive_(receive), send_(send), all_(*communicator(beside_kernels)) {
    for (const Message& m : send) sent_.add({1, m.bytes});
    // Before the blocks of kernels that wait for multiprocessors.
    int least = 0, greatest = 0;
    PARITY_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    PARITY_CUDA(cudaStreamCreateWithPriority(stream_.put(), cudaStreamNonBlocking, greatest));
    PARITY_CUDA(cudaEventCreateWithFlags(ready_.put(), cudaEventDisableTiming));
    PARITY_CUDA(cudaEventCreateWithFlags(arrived_.put(), cudaEventDisableTiming));
  }
  void stage(void* stream) override {
    PARITY_CUDA(cudaEventRecord(ready_, static_cast<cudaStream_t>(stream)));
    PARITY_CUDA(cudaStreamWaitEvent(stream_, ready_, 0));
    const ncclComm_t all = all_.get();
    Group group(all_);
    for (const Message& m : receive_)
      check_nccl(ncclRecv(m.data, std::size_t(m.bytes), ncclInt8, m.peer, all, stream_), "ncclRecv");
    for (const Message& m : send_)
      check_nccl(ncclSend(m.data, std::size_t(m.bytes), ncclInt8, m.peer, all, stream_), "ncclSend");
    group.end();
    traffic().add(sent_);
    PARITY_CUDA(cudaEventRecord(arrived_, stream_));
  }
  bool needs_idle_stream() const override { return false; }
  void start() override {}
  void wait(void* stream) override {
    PARITY_CUDA(cudaStreamWaitEvent(static_cast<cudaStream_t>(stream), arrived_, 0));
  }

 private:
  const std::vector<Message> receive_, send_;
  const Communicator& all_;
  Traffic sent_;
  cuda::OwnedStream stream_;
  cuda::OwnedEvent ready_, arrived_;
};

}  // namespace

std::unique_ptr<Carrier> nccl_carrier(const std::vector<Message>& receive, const std::vector<Message>& send,
                                      bool beside_kernels) {
  return std::make_unique<NcclCarrier>(receive, send, beside_kernels);
}

}  // namespace parity::runtime
