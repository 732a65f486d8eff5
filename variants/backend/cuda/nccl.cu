// SPDX-License-Identifier: BSD-3-Clause
// Two communicators of all ranks, and groups of sends and receives on them.
#include "runtime/nccl.hpp"

#include <nccl.h>

#include <chrono>
#include <thread>

#include "check.cuh"
#include "message_trial.cuh"
#include "owned.cuh"
#include "runtime/exchange_paths.hpp"
#include "runtime/messages.hpp"

namespace parity::runtime {
namespace {

constexpr std::chrono::seconds patience(60);

void check_nccl(ncclResult_t status, const char* what) {
  if (status == ncclSuccess || status == ncclInProgress) return;
  throw CannotRunError(std::string("NCCL: ") + what + ": " + ncclGetErrorString(status));
}

/// A non-blocking communicator, so that a rank does not wait for ever for a failed peer.
class Communicator {
 public:
  Communicator(const ncclUniqueId& id, bool beside_kernels) {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 17, 0)
    if (beside_kernels) config.maxCTAs = multiprocessors_beside;
#endif
    const ncclResult_t status =
        ncclCommInitRankConfig(&handle_, rank_info().ranks, id, rank_info().rank, &config);
    try {
      check_nccl(status, "ncclCommInitRankConfig");
      settle("ncclCommInitRankConfig");
    } catch (...) {
      if (handle_) ncclCommAbort(handle_);
      throw;
    }
  }
  ~Communicator() {
    if (handle_) ncclCommDestroy(handle_);
  }
  /// Aborts its kernels, which may wait for a failed rank.
  void abort() {
    if (handle_) ncclCommAbort(handle_);
    handle_ = nullptr;
  }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ncclComm_t get() const { return handle_; }
  /// Waits until the last call is complete.
  void settle(const char* what) const {
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

/// The communicators of all ranks, one for each value of nccl_exchange's 'beside_kernels'.
std::unique_ptr<Communicator>& communicator(bool beside_kernels) {
  static std::unique_ptr<Communicator> all_ranks[2];
  return all_ranks[beside_kernels];
}

/// Groups the NCCL calls up to end() into one operation; the destructor ends it after an exception.
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

/// Polls, because cudaStreamSynchronize() would wait for ever if a peer failed.
void wait_for_default_stream(const Communicator& all) {
  const auto begin = std::chrono::steady_clock::now();
  for (cudaError_t state; (state = cudaStreamQuery(nullptr)) != cudaSuccess; std::this_thread::yield()) {
    if (state != cudaErrorNotReady) PARITY_CUDA(state);
    all.settle("a message");
    if (std::chrono::steady_clock::now() - begin > patience)
      throw CannotRunError("NCCL: no message arrived within 60 s");
  }
  cudaGetLastError();  // cudaErrorNotReady
}

/// Makes a communicator and sends a message from every rank to the next one. Returns the error, if any.
std::optional<std::string> failure_of_messages(bool beside_kernels) {
  ncclUniqueId id{};
  if (const auto why = failure_of_any([&id] {
        if (rank_info().rank == 0) check_nccl(ncclGetUniqueId(&id), "ncclGetUniqueId");
      }))
    return why;
  broadcast_bytes(0, id.internal, sizeof id.internal);
  auto& all = communicator(beside_kernels);
  std::optional<TrialMessages> messages;  // freed after the communicator's kernels have ended
  auto why = failure_of_any([&] {
    all = std::make_unique<Communicator>(id, beside_kernels);
    messages.emplace(1);
  });
  if (!why)
    why = failure_of_any([&] {
      const auto exchange = nccl_exchange(messages->receive, messages->send, beside_kernels);
      messages->exchange_by(*exchange, "NCCL", [&all] { wait_for_default_stream(*all); });
    });
  if (why && all) all->abort();
  return why;
}

std::optional<std::string> tried() {
  if (auto why = why_no_gpus("NCCL")) return why;
  for (const bool beside_kernels : {false, true})
    if (auto why = failure_of_messages(beside_kernels)) {
      for (const bool which : {false, true})
        if (auto& made = communicator(which)) made->abort();
      leave_nccl();
      return why;
    }
  return std::nullopt;
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

/// All messages are stream-ordered, so start() has nothing to do.
class NcclExchange : public PersistentExchange {
 public:
  NcclExchange(const std::vector<Message>& receive, const std::vector<Message>& send, bool beside_kernels)
      : receive_(receive), send_(send), all_(*communicator(beside_kernels)) {
    // Highest priority: NCCL's blocks go before waiting blocks of other kernels.
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
  cuda::OwnedStream stream_;
  cuda::OwnedEvent ready_, arrived_;
};

}  // namespace

std::unique_ptr<PersistentExchange> nccl_exchange(const std::vector<Message>& receive,
                                                  const std::vector<Message>& send, bool beside_kernels) {
  return std::make_unique<NcclExchange>(receive, send, beside_kernels);
}

}  // namespace parity::runtime
