// SPDX-License-Identifier: BSD-3-Clause
// A receiver has memory that other processes of its host open. Senders' copy engines write messages there.
// Each message has a flag that it has arrived, and one that its memory is free again. Kernels of one warp set
// flags and wait for them, so that everything is stream-ordered and can be captured.
#include "runtime/peer.hpp"

#include <exception>
#include <map>
#include <stdexcept>

#include "check.cuh"
#include "message_trial.cuh"
#include "owned.cuh"

namespace parity::runtime {
namespace {

/// Flags on this GPU or on others; each lane of a warp handles one.
struct Flags {
  static constexpr int most = 32;
  unsigned* all[most];
  int count = 0;
  void add(unsigned* flag) {
    if (count == most)
      throw CannotRunError("a rank exchanges with more than 32 others: give nccl, direct or staged");
    all[count++] = flag;
  }
};

__global__ void set_flags(Flags flags) {
  if (int(threadIdx.x) >= flags.count) return;
  __threadfence_system();
  *static_cast<volatile unsigned*>(flags.all[threadIdx.x]) = 1;
}

__device__ long long nanoseconds() {
  long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

/// Waits until the flags are set and resets them; gives up after 'patience' nanoseconds (0: never).
__global__ void await_flags(Flags flags, long long patience) {
  if (int(threadIdx.x) >= flags.count) return;
  volatile unsigned* const flag = flags.all[threadIdx.x];
  const long long begin = nanoseconds();
  while (*flag == 0)
    if (patience > 0 && nanoseconds() - begin > patience) return;
  *flag = 0;
  __threadfence_system();
}

/// The addresses that a rank sends to each of its senders and receivers.
struct Address {
  bool open;  ///< true if there is a handle
  cudaIpcMemHandle_t handle;
  std::int64_t flag, message;  ///< offsets
};

std::vector<Message> ends_of(const std::vector<Message>& peers, std::vector<Address>& places) {
  std::vector<Message> ends;
  for (std::size_t k = 0; k < peers.size(); ++k)
    ends.push_back({peers[k].peer, &places[k], std::int64_t(sizeof(Address))});
  return ends;
}

class PeerExchange : public PersistentExchange {
 public:
  PeerExchange(const std::vector<Message>& receive, const std::vector<Message>& send, long long patience = 0)
      : receive_(receive), send_(send), patience_(patience), inbox_(message_at(receive.size())) {
    std::vector<unsigned> flags((receive.size() + send.size()) * words_apart, 0);
    for (std::size_t k = 0; k < send.size(); ++k) flags[(receive.size() + k) * words_apart] = 1;  // free
    inbox_.write(flags.data(), std::int64_t(flags.size() * sizeof(unsigned)));
    int least = 0, greatest = 0;
    PARITY_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    PARITY_CUDA(cudaStreamCreateWithPriority(stream_.put(), cudaStreamNonBlocking, greatest));
    PARITY_CUDA(cudaEventCreateWithFlags(ready_.put(), cudaEventDisableTiming));
    PARITY_CUDA(cudaEventCreateWithFlags(copied_.put(), cudaEventDisableTiming));
  }
  /// Waits until all peers have closed this rank's memory, which must not be freed while it is open.
  ~PeerExchange() override {
    const bool together = connected_ && std::uncaught_exceptions() == 0;
    if (together) cudaDeviceSynchronize();
    close();
    if (!together) return;
    std::vector<Address> told(receive_.size() + send_.size()), heard = told;
    tell(told, heard);
  }
  PeerExchange(const PeerExchange&) = delete;
  PeerExchange& operator=(const PeerExchange&) = delete;

  /// Exchanges addresses and opens the peers' memory, before the first message. Ranks wait for each other.
  void connect() {
    Address mine{};
    mine.open = cudaIpcGetMemHandle(&mine.handle, inbox_.data()) == cudaSuccess;
    cudaGetLastError();
    std::vector<Address> told, heard(send_.size() + receive_.size());
    for (std::size_t k = 0; k < receive_.size() + send_.size(); ++k) {
      told.push_back(mine);
      told[k].flag = std::int64_t(k) * flag_bytes;
      if (k < receive_.size()) told[k].message = message_at(k);
      (k < receive_.size() ? arrived_ : free_).add(reinterpret_cast<unsigned*>(inbox_at(told[k].flag)));
    }
    tell(told, heard);
    for (std::size_t k = 0; k < heard.size(); ++k) {
      const bool to = k < send_.size();
      const int peer = to ? send_[k].peer : receive_[k - send_.size()].peer;
      if (!mine.open || !heard[k].open)
        throw CannotRunError("a GPU's memory cannot be opened to other processes");
      char*& memory = opened_[peer];
      if (!memory)
        PARITY_CUDA(cudaIpcOpenMemHandle(reinterpret_cast<void**>(&memory), heard[k].handle,
                                         cudaIpcMemLazyEnablePeerAccess));
      (to ? arrived_there_ : free_there_).add(reinterpret_cast<unsigned*>(memory + heard[k].flag));
      if (to) there_.push_back(memory + heard[k].message);
    }
    connected_ = true;
  }
  /// Closes the peers' memory; the destructor then does not wait. Called after a failure on any rank.
  void leave() {
    connected_ = false;
    close();
  }

  void stage(void* stream) override {
    if (!connected_) {
      cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
      PARITY_CUDA(cudaStreamIsCapturing(static_cast<cudaStream_t>(stream), &status));
      if (status != cudaStreamCaptureStatusNone)
        throw std::logic_error("a first exchange cannot be captured");
      connect();
    }
    PARITY_CUDA(cudaEventRecord(ready_, static_cast<cudaStream_t>(stream)));
    PARITY_CUDA(cudaStreamWaitEvent(stream_, ready_, 0));
    await(free_, stream_);
    for (std::size_t k = 0; k < send_.size(); ++k)
      PARITY_CUDA(
          cudaMemcpyAsync(there_[k], send_[k].data, std::size_t(send_[k].bytes), cudaMemcpyDefault, stream_));
    set(arrived_there_, stream_);
    PARITY_CUDA(cudaEventRecord(copied_, stream_));
  }
  bool needs_idle_stream() const override { return false; }
  void start() override {}
  void wait(void* stream) override {
    const auto s = static_cast<cudaStream_t>(stream);
    PARITY_CUDA(cudaStreamWaitEvent(s, copied_, 0));  // first: avoids deadlock in any order of graph branches
    await(arrived_, s);
    for (std::size_t k = 0; k < receive_.size(); ++k)
      PARITY_CUDA(cudaMemcpyAsync(receive_[k].data, inbox_at(message_at(k)), std::size_t(receive_[k].bytes),
                                  cudaMemcpyDeviceToDevice, s));
    set(free_there_, s);
  }

 private:
  // Layout of inbox_: flags of received messages, flags of sent messages, received messages.
  static constexpr std::int64_t flag_bytes = 128, words_apart = flag_bytes / std::int64_t(sizeof(unsigned));
  /// Offset of the k-th received message; for k = number of messages, the end.
  std::int64_t message_at(std::size_t k) const {
    std::int64_t at = std::int64_t(receive_.size() + send_.size()) * flag_bytes;
    for (std::size_t before = 0; before < k; ++before)
      at += (receive_[before].bytes + flag_bytes - 1) / flag_bytes * flag_bytes;
    return at;
  }
  void close() {
    for (const auto& [peer, memory] : opened_)
      if (memory) cudaIpcCloseMemHandle(memory);
    opened_.clear();
  }
  char* inbox_at(std::int64_t bytes) const { return static_cast<char*>(inbox_.data()) + bytes; }
  void await(const Flags& flags, cudaStream_t stream) const {
    if (flags.count == 0) return;
    await_flags<<<1, Flags::most, 0, stream>>>(flags, patience_);
    PARITY_CUDA(cudaGetLastError());
  }
  void set(const Flags& flags, cudaStream_t stream) const {
    if (flags.count == 0) return;
    set_flags<<<1, Flags::most, 0, stream>>>(flags);
    PARITY_CUDA(cudaGetLastError());
  }
  /// told: addresses for senders, then for receivers; heard: those from receivers, then from senders.
  void tell(std::vector<Address>& told, std::vector<Address>& heard) const {
    std::vector<Address> first(told.begin(), told.begin() + std::ptrdiff_t(receive_.size())),
        second(told.begin() + std::ptrdiff_t(receive_.size()), told.end()), from_receivers(send_.size()),
        from_senders(receive_.size());
    Messages where(ends_of(send_, from_receivers), ends_of(receive_, first), Messages::Path::host);
    Messages back(ends_of(receive_, from_senders), ends_of(send_, second), Messages::Path::host);
    for (Messages* const m : {&where, &back}) m->start(), m->wait(nullptr);
    std::copy(from_receivers.begin(), from_receivers.end(), heard.begin());
    std::copy(from_senders.begin(), from_senders.end(), heard.begin() + std::ptrdiff_t(send_.size()));
  }

  const std::vector<Message> receive_, send_;
  const long long patience_;
  bool connected_ = false;
  DeviceMemory inbox_;
  std::map<int, char*> opened_;  ///< memory of peers
  std::vector<char*> there_;     ///< destinations of sent messages
  Flags arrived_, free_, arrived_there_, free_there_;
  cuda::OwnedStream stream_;
  cuda::OwnedEvent ready_, copied_;
};

std::optional<std::string> tried() {
  if (auto why = why_no_gpus("peer copying")) return why;
  if (nodes() > 1) return "GPUs of several hosts open no memory to each other";
  std::optional<TrialMessages> messages;
  std::optional<PeerExchange> exchange;
  auto why = failure_of_any([&] {
    messages.emplace(rank_info().ranks - 1);
    exchange.emplace(messages->receive, messages->send, 10'000'000'000);
  });
  if (!why) why = failure_of_any([&] { exchange->connect(); });
  if (!why)
    why = failure_of_any([&] {
      messages->exchange_by(*exchange, "peer copying", [] { PARITY_CUDA(cudaStreamSynchronize(nullptr)); });
    });
  if (why) {
    if (exchange) exchange->leave();
    barrier();  // all ranks have closed the memory before anyone frees it
  }
  return why;
}

}  // namespace

const std::optional<std::string>& why_no_peer() {
  static const std::optional<std::string> why = tried();
  return why;
}

std::unique_ptr<PersistentExchange> peer_exchange(const std::vector<Message>& receive,
                                                  const std::vector<Message>& send) {
  return std::make_unique<PeerExchange>(receive, send);
}

}  // namespace parity::runtime
