// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a run and their communication through MPI. A single process, or a build without MPI, is one
// rank: every function here then returns at once.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace parity::runtime {

/// This process's position among the ranks. Only rank 0 prints, decides and writes files.
struct RankInfo {
  int rank = 0, ranks = 1;
  int rank_on_node = 0, ranks_on_node = 1;
  int ranks_on_device = 1;  ///< ranks that share this GPU; set by count_ranks_on_device()
};
RankInfo rank_info();
inline bool several_ranks() { return rank_info().ranks > 1; }

/// While one exists, this process acts as a single rank. It waits for no other but shares node and device.
class ApartScope {
 public:
  ApartScope();
  ~ApartScope();
  ApartScope(const ApartScope&) = delete;
  ApartScope& operator=(const ApartScope&) = delete;
};

/// Initialises MPI if mpirun or srun started this process as one of several, and finalises it at the end.
/// Ranks other than 0 lose their standard output. In a build without MPI, rank 0 of several throws
/// CannotRunError and the others exit silently.
class RanksScope {
 public:
  RanksScope();
  ~RanksScope();
  RanksScope(const RanksScope&) = delete;
  RanksScope& operator=(const RanksScope&) = delete;
};

/// The MPI library's name and version; empty without MPI.
std::string mpi_library();

// All ranks call these together.
void barrier();
double largest(double mine);
double smallest(double mine);
/// Returns rank 0's text on every rank. Ranks sleep while they wait for it.
std::string broadcast(const std::string& text);
/// Returns rank 0's decision on every rank.
template <class Bool>
std::enable_if_t<std::is_same_v<Bool, bool>, bool> broadcast(Bool mine) {
  return broadcast(std::string(mine ? "1" : "")) == "1";
}
/// Replaces the values by their sums over all ranks, on every rank.
void add_over_ranks(std::int64_t* values, std::int64_t n);
/// Copies rank root's bytes to every rank.
void broadcast_bytes(int root, void* data, std::int64_t bytes);
/// Sets RankInfo::ranks_on_device: compares UUIDs, because each rank may call a different GPU device 0.
void count_ranks_on_device();
/// Runs 'work' on every rank; it must not wait for other ranks. If it throws on any rank, all ranks throw the
/// Error of the lowest failed rank; the message names that rank unless all failed. A fatal failure ends all
/// ranks if the others are still working some seconds later; CannotRunError is not fatal by default.
void collective_or_throw(const std::function<void()>& work);
/// Treats CannotRunError as fatal on all ranks from here on. By default a run continues with other results.
void cannot_run_ends_all();
/// Runs work in which ranks wait for each other. A rank on which it throws ends all ranks, which would
/// otherwise wait for it for ever.
void abort_all_on_error(const std::function<void()>& work);

/// Prints this message once and ends every rank with this exit code. Any rank may call it at any time.
[[noreturn]] void end_all(const std::string& message, int code);

/// Ends all ranks if another rank has failed. Rank 0 calls it between parts of work that waits for no other
/// rank, on the thread that initialised MPI.
void end_if_a_rank_failed();

/// One rank's end of a message.
struct Message {
  int peer = 0;
  void* data = nullptr;  ///< in host or device memory
  std::int64_t bytes = 0;
};

/// True if MPI can read device memory directly, tested with a message from every rank to the next one. All
/// ranks call it together; false without a GPU.
bool device_messages_work();

/// Sends the same messages repeatedly: at most one to and one from each peer.
class PersistentExchange {
 public:
  virtual ~PersistentExchange() = default;
  /// Prepares sending, in stream order: earlier work on 'stream' has written the data.
  virtual void stage(void* stream) = 0;
  /// True if 'stream' must be idle before start(): MPI is not stream-ordered.
  virtual bool needs_idle_stream() const = 0;
  virtual void start() = 0;
  /// Later work on 'stream' sees the received data.
  virtual void wait(void* stream) = 0;
};

/// An exchange through MPI, which reads device memory itself or gets it staged in page-locked host memory.
class Messages : public PersistentExchange {
 public:
  enum class Path { host, device, staged };
  Messages(const std::vector<Message>& receive, const std::vector<Message>& send, Path path);
  ~Messages() override;
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  void stage(void* stream) override;
  bool needs_idle_stream() const override { return true; }
  void start() override;
  void wait(void* stream) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Requests MPI_THREAD_MULTIPLE, for a library that sends from its own thread. Messages then cost more.
/// Parity does not check that MPI provides it. Call it before the RanksScope.
void let_several_threads_send();

/// The user's choice of a transport between GPUs; between hosts' memories there is no choice.
enum class Transport {
  automatic,  ///< the first of peer, nccl, direct and staged that works
  direct,     ///< MPI gets device addresses
  staged,     ///< through page-locked host memory
  nccl,       ///< through NCCL, in stream order
  peer        ///< each GPU copies into the other's memory, in stream order; on one host
};
/// True if messages are stream-ordered, so that a graph can hold them.
constexpr bool in_stream_order(Transport t) { return t == Transport::nccl || t == Transport::peer; }

/// The names of the Transports, in the order of the enum, and their help text.
const std::vector<std::string>& transport_words();
extern const char* const transport_help;

/// Replaces automatic by a working transport; it stays automatic without a GPU. All ranks call it together.
Transport resolved(Transport transport);

/// Number of nodes of the run; 1 for one process.
int nodes();
/// True if that rank is on this rank's node.
bool on_this_node(int rank);

}  // namespace parity::runtime
