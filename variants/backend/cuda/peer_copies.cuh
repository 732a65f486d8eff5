// SPDX-License-Identifier: BSD-3-Clause
// Messages between the GPUs of one host that copy engines carry, so that no multiprocessor is taken from a
// kernel: ranks open each other's memory (CUDA IPC), and streams write and await numbers of rounds in it.
#pragma once
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "check.cuh"
#include "runtime/messages.hpp"

namespace parity::cuda {

/// Memory that other processes may have open. It is used again, and never freed: that is undefined as long as
/// one has it open.
class ExportedMemory {
 public:
  explicit ExportedMemory(std::size_t bytes) {
    constexpr std::size_t unit = std::size_t(2) << 20;  // smaller allocations share a block
    bytes = (bytes + unit - 1) / unit * unit;
    auto& spare = spare_blocks();
    const auto fits =
        std::find_if(spare.begin(), spare.end(), [&](const Block& b) { return b.bytes >= bytes; });
    if (fits != spare.end()) {
      block_ = *fits;
      spare.erase(fits);
      return;
    }
    PARITY_CUDA(cudaMalloc(&block_.data, bytes));
    block_.bytes = bytes;
  }
  ~ExportedMemory() { spare_blocks().push_back(block_); }
  ExportedMemory(const ExportedMemory&) = delete;
  ExportedMemory& operator=(const ExportedMemory&) = delete;
  char* data() const { return static_cast<char*>(block_.data); }

 private:
  struct Block {
    void* data = nullptr;
    std::size_t bytes = 0;
  };
  static std::vector<Block>& spare_blocks() {
    static std::vector<Block> blocks;
    return blocks;
  }
  Block block_;
};

class PeerCopies {
 public:
  /// One message to and one from each peer, in the same order. Waits for nobody.
  PeerCopies(const std::vector<runtime::Message>& receive, const std::vector<runtime::Message>& send)
      : receive_(receive), send_(send), by_copies_(send.size()) {
    const char* first = nullptr;
    std::size_t end = 0;
    for (const auto& m : receive) {
      const char* const data = static_cast<char*>(m.data);
      if (!first) first = data;
      offsets_.push_back(std::size_t(data - first));
      end = std::max(end, offsets_.back() + std::size_t(m.bytes));
    }
    words_ = (end + 255) / 256 * 256;
    memory_ = std::make_unique<ExportedMemory>(words_ + 8 * std::max(receive.size(), send.size()));
    PARITY_CUDA(cudaMemset(memory_->data() + words_, 0, 8 * std::max(receive.size(), send.size())));
    PARITY_CUDA(cudaDeviceSynchronize());
  }
  /// Where the message arrives, whoever carries it.
  void* landing(std::size_t message) const { return memory_->data() + offsets_[message]; }
  /// Whether both messages of this place in their lists are carried. The first call waits for all peers.
  bool carries(std::size_t message) {
    if (!are_known_) know_peers();
    return by_copies_[message].base != nullptr;
  }
  /// On 'stream', between the same calls of the peers.
  void round(cudaStream_t stream) {
    ++round_;
    for (const Peer& p : by_copies_)
      if (p.base) call(write_, stream, p.base + p.shown.ready, 0);
    for (std::size_t i = 0; i < send_.size(); ++i) {
      const Peer& p = by_copies_[i];
      if (!p.base) continue;
      call(wait_, stream, memory_->data() + ready(i), CU_STREAM_WAIT_VALUE_GEQ);
      PARITY_CUDA(cudaMemcpyAsync(p.base + p.shown.data, send_[i].data, std::size_t(send_[i].bytes),
                                  cudaMemcpyDefault, stream));
      call(write_, stream, p.base + p.shown.arrived, 0);
    }
    for (std::size_t i = 0; i < receive_.size(); ++i)
      if (by_copies_[i].base) call(wait_, stream, memory_->data() + arrived(i), CU_STREAM_WAIT_VALUE_GEQ);
  }

 private:
  using StreamValue = CUresult (*)(CUstream, CUdeviceptr, cuuint32_t, unsigned);
  /// Of a rank's memory, for one peer: where its message and the words that it writes are.
  struct Shown {
    cudaIpcMemHandle_t block;
    std::size_t data, arrived, ready;
    bool can;
  };
  struct Peer {
    char* base = nullptr;
    Shown shown{};
  };
  std::size_t arrived(std::size_t message) const { return words_ + 8 * message; }
  std::size_t ready(std::size_t message) const { return words_ + 8 * message + 4; }

  void call(StreamValue function, cudaStream_t stream, const char* address, unsigned flags) const {
    if (function(stream, CUdeviceptr(address), round_, flags) != CUDA_SUCCESS)
      throw std::runtime_error("CUDA: a stream cannot write or await a value in a peer's memory");
  }
  /// Tells each peer the same of this rank's bytes as it tells of its own.
  template <class Value>
  std::vector<Value> of_peers(std::vector<Value> mine) const {
    std::vector<Value> theirs(mine.size());
    std::vector<runtime::Message> in, out;
    for (std::size_t i = 0; i < mine.size(); ++i) {
      in.push_back({send_[i].peer, &theirs[i], std::int64_t(sizeof(Value))});
      out.push_back({send_[i].peer, &mine[i], std::int64_t(sizeof(Value))});
    }
    runtime::Messages messages(in, out, runtime::Messages::Path::host);
    messages.start();
    messages.wait(nullptr);
    return theirs;
  }
  void know_peers() {
    are_known_ = true;
    void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (driver) {
      write_ = reinterpret_cast<StreamValue>(dlsym(driver, "cuStreamWriteValue32_v2"));
      wait_ = reinterpret_cast<StreamValue>(dlsym(driver, "cuStreamWaitValue32_v2"));
    }
    std::vector<Shown> mine(send_.size());
    for (std::size_t i = 0; i < mine.size(); ++i) {
      mine[i] = {{}, offsets_[i], arrived(i), ready(i), false};
      mine[i].can = write_ && wait_ && !std::getenv("NCCL_P2P_DISABLE") &&
                    runtime::on_this_node(send_[i].peer) &&
                    cudaIpcGetMemHandle(&mine[i].block, memory_->data()) == cudaSuccess;
    }
    const std::vector<Shown> theirs = of_peers(mine);
    std::vector<Peer> opened(send_.size());
    std::vector<char> is_open(send_.size());
    for (std::size_t i = 0; i < opened.size(); ++i) {
      opened[i].shown = theirs[i];
      if (mine[i].can && theirs[i].can) opened[i].base = open(theirs[i].block);
      is_open[i] = opened[i].base != nullptr;
    }
    cudaGetLastError();  // of what could not be opened
    const std::vector<char> is_open_there = of_peers(is_open);
    for (std::size_t i = 0; i < opened.size(); ++i)
      if (is_open[i] && is_open_there[i]) by_copies_[i] = opened[i];
  }
  /// Stays open: its owner uses it again.
  static char* open(const cudaIpcMemHandle_t& block) {
    static std::vector<std::pair<cudaIpcMemHandle_t, char*>> all;
    for (const auto& [known, base] : all)
      if (std::memcmp(&known, &block, sizeof block) == 0) return base;
    void* base = nullptr;
    if (cudaIpcOpenMemHandle(&base, block, cudaIpcMemLazyEnablePeerAccess) != cudaSuccess) return nullptr;
    all.emplace_back(block, static_cast<char*>(base));
    return all.back().second;
  }

  const std::vector<runtime::Message> receive_, send_;
  std::vector<std::size_t> offsets_;  ///< of what is received
  std::size_t words_ = 0;             ///< where the words begin
  std::unique_ptr<ExportedMemory> memory_;
  std::vector<Peer> by_copies_;
  bool are_known_ = false;
  StreamValue write_ = nullptr, wait_ = nullptr;
  cuuint32_t round_ = 0;
};

}  // namespace parity::cuda
