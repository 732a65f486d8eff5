// SPDX-License-Identifier: BSD-3-Clause
// Several processes of one run, its ranks, and what they tell each other through MPI. One process, or a build
// without MPI, is one rank: everything here then returns at once.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace parity::runtime {

/// Which of the ranks this process is. Rank 0 alone speaks, decides and writes files.
struct RankInfo {
  int rank = 0, ranks = 1;
  int rank_on_node = 0, ranks_on_node = 1;
  int ranks_on_device = 1;  ///< that compute on the same GPU, once they were counted
};
RankInfo rank_info();
inline bool several_ranks() { return rank_info().ranks > 1; }

/// While one exists, this process is one rank for itself: what runs then waits for no other. It still shares
/// node and device.
class ApartScope {
 public:
  ApartScope();
  ~ApartScope();
  ApartScope(const ApartScope&) = delete;
  ApartScope& operator=(const ApartScope&) = delete;
};

/// Joins the other ranks where mpirun or srun started this process as one of several, and leaves them at the
/// end. Ranks other than 0 lose their standard output. Throws CannotRunError on rank 0 of several in a build
/// without MPI; the others end silently.
class RanksScope {
 public:
  RanksScope();
  ~RanksScope();
  RanksScope(const RanksScope&) = delete;
  RanksScope& operator=(const RanksScope&) = delete;
};

/// The library's own name and version; empty without one.
std::string mpi_library();

// All ranks call these together.
void barrier();
double largest(double mine);
double smallest(double mine);
/// Rank 0's text, on every rank. Waiting for it takes no processor.
std::string broadcast(const std::string& text);
/// Rank 0's decision.
template <class Bool>
std::enable_if_t<std::is_same_v<Bool, bool>, bool> broadcast(Bool mine) {
  return broadcast(std::string(mine ? "1" : "")) == "1";
}
/// Sums over all ranks, on every rank.
void add_over_ranks(std::int64_t* values, std::int64_t n);
/// Rank 'root's bytes, on every rank.
void broadcast_bytes(int root, void* data, std::int64_t bytes);
/// Tells ranks that share a GPU from ranks that see one device each of their own.
void count_ranks_on_device();
/// Does work on every rank that waits for no other. If it throws anywhere, all ranks throw the same: an Error
/// of the first that failed, which names the rank where not all did. A failure that nobody goes on after ends
/// all where the others are still at work some seconds later.
void collective_or_throw(const std::function<void()>& work);
/// From now on nobody goes on after what cannot run here either, in whose stead other rows are measured
/// otherwise.
void cannot_run_ends_all();
/// Does work in which ranks wait for each other, so that one that fails cannot leave the others behind: it
/// ends all.
void abort_all_on_error(const std::function<void()>& work);

/// Ends every rank with this message, said once, and this exit code. From any rank at any time.
[[noreturn]] void end_all(const std::string& message, int code);

/// Rank 0, from the thread that joined the others, between parts of work that waits for nobody: ends all if
/// another rank failed meanwhile.
void end_if_a_rank_failed();

/// One rank's end of a message.
struct Message {
  int peer = 0;
  void* data = nullptr;  ///< of the host or of a device
  std::int64_t bytes = 0;
};

/// Whether MPI moves a device's memory itself, found out with a real message of every rank to the next one.
/// All ranks call it together; false without a GPU.
bool device_messages_work();

/// Sends the same messages again and again: at most one to and one from each peer.
class PersistentExchange {
 public:
  virtual ~PersistentExchange() = default;
  /// In order on 'stream': what is to be sent is there.
  virtual void stage(void* stream) = 0;
  /// Whether start() needs the stream complete: MPI is not stream-ordered.
  virtual bool needs_idle_stream() const = 0;
  virtual void start() = 0;
  /// What was received is there, in order on 'stream'.
  virtual void wait(void* stream) = 0;
};

/// MPI's: between device memories either by MPI itself, or staged through page-locked memory of the host.
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

/// Several threads of a rank are to send: a library with a thread of its own does. Messages cost more then.
/// Nobody promises that MPI can. Before the RanksScope.
void let_several_threads_send();

/// The ways of messages between GPUs that a user chooses from; between memories of hosts there is no choice.
enum class Transport {
  automatic,  ///< the first that works of peer, nccl, direct and staged
  direct,     ///< MPI is given the GPU's own addresses
  staged,     ///< through page-locked memory of the host
  nccl,       ///< NCCL carries them, in the order of a stream
  peer        ///< each GPU copies into the other's memory, in the order of a stream; on one host
};
/// A graph can hold such messages.
constexpr bool in_stream_order(Transport t) { return t == Transport::nccl || t == Transport::peer; }

/// The words of a Transport, in their order, and what an option's help says of them.
const std::vector<std::string>& transport_words();
extern const char* const transport_help;

/// What runs here where it is not said; without a GPU automatic stays what it is. All ranks ask together.
Transport resolved(Transport transport);

/// Nodes that the ranks are on; 1 for one process.
int nodes();
/// Whether that rank's node is this one's.
bool on_this_node(int rank);

}  // namespace parity::runtime
