// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/messages.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <mpi.h>
#include <sched.h>
#include <sys/mman.h>
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <set>
#include <thread>

#include "runtime/device.hpp"
#include "runtime/device_memory.hpp"
#include "runtime/error.hpp"
#include "runtime/host_memory.hpp"
#include "runtime/nccl.hpp"
#include "runtime/processes.hpp"
#include "runtime/signals.hpp"
#include "runtime/text.hpp"

namespace parity::runtime {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t most_at_once = std::int64_t(1) << 27;  ///< MPI counts have 32 bits

RankInfo here;
bool apart = false;               ///< true while an ApartScope exists
std::vector<int> nodes_of_ranks;  ///< the first rank of each rank's node
bool crowded_here = false;        ///< more ranks on the node than it has cores
bool continues_when_it_cannot_run = true;
int threads_wanted = MPI_THREAD_FUNNELED;
MPI_Comm failures = MPI_COMM_NULL;  ///< a failed rank reports to rank 0 on it

/// A failed rank waits this long for rank 0 to print its error before it prints the error itself.
constexpr std::chrono::milliseconds patience(3000);
/// Staggered by rank, so that several failed ranks do not print at once.
std::chrono::milliseconds own_patience() {
  return patience + std::chrono::milliseconds(100 * std::min(here.rank, 50));
}

void check(int status, const char* what) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(status, text, &length);
  end_all(fmt::format("{}: {}", what, std::string(text, std::size_t(length))), exit_cannot_run);
}

/// On rank 0: ends all ranks if a failed rank has sent its exit code and message.
void hear_of_failures() {
  if (here.rank != 0) return;
  int there = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, 0, failures, &there, &status);
  if (!there) return;
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  std::string told(std::size_t(bytes), '\0');
  MPI_Recv(told.data(), bytes, MPI_BYTE, status.MPI_SOURCE, 0, failures, MPI_STATUS_IGNORE);
  int code = exit_cannot_run;
  std::memcpy(&code, told.data(), std::min(sizeof code, told.size()));
  end_all(told.substr(std::min(sizeof code, told.size())), code);
}

/// Waits for requests; rank 0 also watches for failed ranks, which would never complete them. idle: sleeps
/// between polls after a while.
void complete(int count, MPI_Request* requests, bool idle = false) {
  for (unsigned turn = 1;; ++turn) {
    int done = 0;
    check(MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE), "MPI_Testall");
    if (done) return;
    if (turn % 256 == 0) hear_of_failures();
    if (idle && turn > 2000)
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    else if (crowded_here && turn > 50)
      std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}
/// Calls start(&request), which starts the MPI operation 'name', and waits for it.
template <class Start>
void complete(const char* name, const Start& start, bool idle = false) {
  MPI_Request request;
  check(start(&request), name);
  complete(1, &request, idle);
}

/// True if the request completes within 'patience'. Counts polls of 1 ms and not time, so that a pause of all
/// ranks does not count.
bool complete_soon(MPI_Request& request) {
  for (auto left = patience.count(); left > 0; --left) {
    int done = 0;
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done) return true;
    hear_of_failures();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

double reduced(double mine, MPI_Op operation) {
  if (!several_ranks()) return mine;
  double all = mine;
  complete("MPI_Iallreduce", [&](MPI_Request* r) {
    return MPI_Iallreduce(&mine, &all, 1, MPI_DOUBLE, operation, MPI_COMM_WORLD, r);
  });
  return all;
}

/// Returns rank root's text on every rank.
std::string broadcast_from(int root, const std::string& text, bool idle = false) {
  std::int64_t size = std::int64_t(text.size());
  const auto send = [root](void* data, int bytes, bool idle) {
    complete(
        "MPI_Ibcast",
        [&](MPI_Request* r) { return MPI_Ibcast(data, bytes, MPI_BYTE, root, MPI_COMM_WORLD, r); }, idle);
  };
  send(&size, int(sizeof size), idle);
  std::string told = here.rank == root ? text : std::string(std::size_t(size), '\0');
  send(told.data(), int(size), false);
  return told;
}

constexpr const char* out_of_memory =
    "out of memory: reduce the size of the problem, or use more ranks or machines with more memory";

/// The exit code (0: no exception) and the message of work's exception.
struct Outcome {
  int code = exit_ok;
  std::string message = {};
};
Outcome outcome_of(const std::function<void()>& work) {
  try {
    work();
    return {};
  } catch (const Interrupted&) {
    throw;
  } catch (const Error& e) {
    return {e.code(), e.what()};
  } catch (const std::bad_alloc&) {
    return {exit_usage, out_of_memory};
  } catch (const std::exception& e) {
    return {exit_cannot_run, e.what()};
  }
}

/// Number of cores that the node's ranks may run on, bound or not.
int cores_of_ranks(MPI_Comm node) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) != 0)  // more cores than cpu_set_t holds
    std::memset(&cores, 0xff, sizeof cores);
  MPI_Allreduce(MPI_IN_PLACE, &cores, int(sizeof cores), MPI_BYTE, MPI_BOR, node);
  return CPU_COUNT(&cores);
}

/// Shared by the ranks on rank 0's node. The first rank that prints why all end sets it: then no other rank
/// prints, and rank 0 does not report its signal. Null if there is no shared memory.
std::atomic<int>* somebody_spoke = nullptr;
static_assert(std::atomic<int>::is_always_lock_free, "processes share it");

void share_who_spoke(bool with_rank_0) {
  std::array<char, 32> name{"/dev/shm/parity-XXXXXX"};
  int file = -1;
  if (here.rank == 0) file = mkostemp(name.data(), O_CLOEXEC);
  const std::string made = file >= 0 ? name.data() : "";
  if (here.rank == 0 && (file < 0 || ftruncate(file, sizeof(std::atomic<int>)) != 0)) name[0] = 0;
  MPI_Bcast(name.data(), int(name.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
  if (here.rank > 0 && with_rank_0 && name[0]) file = open(name.data(), O_RDWR | O_CLOEXEC);
  if (file >= 0 && name[0]) {
    void* const there = mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (there != MAP_FAILED) somebody_spoke = static_cast<std::atomic<int>*>(there);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (!made.empty()) unlink(made.c_str());
  if (file >= 0) close(file);
  if (here.rank == 0) say_nothing_when_stopped_by(somebody_spoke);
}

void copy(void* from, void* to, std::int64_t bytes, void* stream) {
  copy_planes({from, bytes, 1}, {to, bytes, 1}, bytes, 1, 1, stream);
}

std::string of_this_rank(const std::string& message) {
  return fmt::format("rank {} of {}: {}", here.rank, here.ranks, message);
}

}  // namespace

RankInfo rank_info() {
  if (!apart) return here;
  RankInfo alone = here;
  alone.rank = 0;
  alone.ranks = 1;
  return alone;
}

ApartScope::ApartScope() { apart = true; }
ApartScope::~ApartScope() { apart = false; }

int nodes() {
  if (!several_ranks()) return 1;
  return int(std::set<int>(nodes_of_ranks.begin(), nodes_of_ranks.end()).size());
}
bool on_this_node(int rank) {
  return !several_ranks() || nodes_of_ranks[std::size_t(rank)] == nodes_of_ranks[std::size_t(here.rank)];
}

void let_several_threads_send() { threads_wanted = MPI_THREAD_MULTIPLE; }

RanksScope::RanksScope() {
  const Launched launched = launched_by_environment();
  if (launched.ranks < 2) return;
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, threads_wanted, &provided);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &here.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &here.ranks);
  if (here.ranks == 1) {
    MPI_Finalize();
    if (launched.rank > 0) _exit(exit_cannot_run);
    throw CannotRunError(
        fmt::format("{} processes were started that this build's MPI ({}) does not join: start them with its "
                    "own mpirun, or "
                    "with srun --mpi=pmix or --mpi=pmi2",
                    launched.ranks, mpi_library()));
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &failures);
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, here.rank, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &here.rank_on_node);
  MPI_Comm_size(node, &here.ranks_on_node);
  int first = here.rank;
  MPI_Bcast(&first, 1, MPI_INT, 0, node);
  const int cores = cores_of_ranks(node);
  MPI_Comm_free(&node);
  nodes_of_ranks.resize(std::size_t(here.ranks));
  MPI_Allgather(&first, 1, MPI_INT, nodes_of_ranks.data(), 1, MPI_INT, MPI_COMM_WORLD);
  crowded_here = here.ranks_on_node > cores;
  share_who_spoke(on_this_node(0));
  if (here.rank == 0) return;
  say_nothing_when_stopped();
  if (const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0) {
    dup2(nowhere, STDOUT_FILENO);
    close(nowhere);
  }
}

RanksScope::~RanksScope() {
  if (!several_ranks()) return;
  leave_nccl();
  MPI_Comm_free(&failures);
  MPI_Finalize();
  here = RankInfo();
}

std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  if (MPI_Get_library_version(text, &length) != MPI_SUCCESS) return "MPI";
  const std::string whole(text, std::size_t(length));
  return whole.substr(0, whole.find_first_of(",\n"));
}

void barrier() {
  if (!several_ranks()) return;
  complete("MPI_Ibarrier", [](MPI_Request* r) { return MPI_Ibarrier(MPI_COMM_WORLD, r); });
}

void end_if_a_rank_failed() {
  if (here.ranks > 1) hear_of_failures();
}

void add_over_ranks(std::int64_t* values, std::int64_t n) {
  if (!several_ranks()) return;
  for (std::int64_t first = 0; first < n; first += most_at_once)
    complete("MPI_Iallreduce", [&](MPI_Request* r) {
      return MPI_Iallreduce(MPI_IN_PLACE, values + first, int(std::min(most_at_once, n - first)), MPI_INT64_T,
                            MPI_SUM, MPI_COMM_WORLD, r);
    });
}

void broadcast_bytes(int root, void* data, std::int64_t bytes) {
  if (!several_ranks()) return;
  for (std::int64_t first = 0; first < bytes; first += most_at_once)
    complete("MPI_Ibcast", [&](MPI_Request* r) {
      return MPI_Ibcast(static_cast<char*>(data) + first, int(std::min(most_at_once, bytes - first)),
                        MPI_BYTE, root, MPI_COMM_WORLD, r);
    });
}

void count_ranks_on_device() {
  if (!several_ranks()) return;
  // CUDA's device 0 may be a different GPU on each rank; its UUID identifies it.
  const auto mine = device();
  std::vector<std::uint64_t> all(std::size_t(here.ranks), 0);
  const std::uint64_t own = mine ? std::hash<std::string>()(mine->uuid) : 0;
  complete("MPI_Iallgather", [&](MPI_Request* r) {
    return MPI_Iallgather(&own, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD, r);
  });
  here.ranks_on_device = mine ? int(std::count(all.begin(), all.end(), own)) : 1;
}

double largest(double mine) { return reduced(mine, MPI_MAX); }
double smallest(double mine) { return reduced(mine, MPI_MIN); }

std::string broadcast(const std::string& text) {
  return several_ranks() ? broadcast_from(0, text, /*idle=*/true) : text;
}

void collective_or_throw(const std::function<void()>& work) {
  if (!several_ranks()) return work();
  const Outcome mine = outcome_of(work);
  std::vector<int> codes(std::size_t(here.ranks), 0);
  MPI_Request request;
  check(MPI_Iallgather(&mine.code, 1, MPI_INT, codes.data(), 1, MPI_INT, MPI_COMM_WORLD, &request),
        "MPI_Iallgather");
  const bool last_word =
      mine.code != exit_ok && (mine.code != exit_cannot_run || !continues_when_it_cannot_run);
  if (!last_word)
    complete(1, &request, /*idle=*/true);
  else if (!complete_soon(request))
    end_all(of_this_rank(mine.message), mine.code);
  const auto bad = [](int code) { return code != exit_ok; };
  const auto first = std::find_if(codes.begin(), codes.end(), bad);
  if (first == codes.end()) return;
  const bool all = std::all_of(codes.begin(), codes.end(), bad);
  const std::string message =
      broadcast_from(int(first - codes.begin()), all ? mine.message : of_this_rank(mine.message));
  if (*first == exit_cannot_run) throw CannotRunError(message);
  throw Error(ExitCode(*first), message);
}

void cannot_run_ends_all() { continues_when_it_cannot_run = false; }

void abort_all_on_error(const std::function<void()>& work) {
  if (!several_ranks()) return work();
  const Outcome mine = outcome_of(work);
  if (mine.code != exit_ok) end_all(of_this_rank(mine.message), mine.code);
}

void end_all(const std::string& message, int code) {
  if (here.rank != 0) {
    std::string told(sizeof code, '\0');
    std::memcpy(told.data(), &code, sizeof code);
    told += message;
    MPI_Request request;
    MPI_Isend(told.data(), int(told.size()), MPI_BYTE, 0, 0, failures, &request);
    for (const auto start = Clock::now(); Clock::now() - start < own_patience();) {
      int sent = 0;
      MPI_Test(&request, &sent, MPI_STATUS_IGNORE);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  std::fflush(stdout);
  if (!somebody_spoke || somebody_spoke->exchange(1) == 0)
    fmt::print(stderr, "parity: {}\n", shown(message, 2000));
  std::fflush(stderr);
  remove_temporaries();
  MPI_Abort(MPI_COMM_WORLD, code);
  _exit(code);
}

bool device_messages_work() {
  if (!several_ranks()) return false;
  static const bool work = [] {
    // A library without support for device memory would crash on reading it. So the library, or the user
    // through a variable, must declare the support.
    bool promised = false;
    for (const char* const variable : {"PARITY_GPU_MESSAGES", "MPICH_GPU_SUPPORT_ENABLED"})
      if (const char* const value = std::getenv(variable)) promised = promised || std::atoi(value) == 1;
#if defined(MPIX_CUDA_AWARE_SUPPORT)
    promised = promised || MPIX_Query_cuda_support() == 1;
#endif
    if (smallest(promised && device() ? 1 : 0) == 0) return false;
    bool arrived = false;
    abort_all_on_error([&arrived] {
      constexpr int count = 1 << 15;  // large enough for the protocol that MPI uses for halos
      const std::int64_t bytes = count * std::int64_t(sizeof(int));
      const int next = (here.rank + 1) % here.ranks, last = (here.rank + here.ranks - 1) % here.ranks;
      DeviceMemory from(bytes), to(bytes);
      std::vector<int> values(count, here.rank + 1);
      from.write(values.data(), bytes);
      values.assign(count, -1);
      to.write(values.data(), bytes);
      MPI_Request requests[2];
      check(MPI_Irecv(to.data(), int(bytes), MPI_BYTE, last, 0, MPI_COMM_WORLD, &requests[0]), "MPI_Irecv");
      check(MPI_Isend(from.data(), int(bytes), MPI_BYTE, next, 0, MPI_COMM_WORLD, &requests[1]), "MPI_Isend");
      complete(2, requests);
      to.read(values.data(), bytes);
      arrived = std::all_of(values.begin(), values.end(), [last](int v) { return v == last + 1; });
    });
    return smallest(arrived ? 1 : 0) == 1;
  }();
  return work;
}

/// Persistent requests, so that each message is described only once.
struct Messages::State {
  struct Staged {
    Staged(const Message& m)
        : device(m.data), bytes(m.bytes), host(std::size_t(m.bytes), /*for_device=*/true) {}
    void* device;
    std::int64_t bytes;
    StagingMemory host;
  };
  std::vector<MPI_Request> requests;
  std::vector<std::unique_ptr<Staged>> received, sent;  ///< staging buffers

  ~State() {
    for (MPI_Request& r : requests) MPI_Request_free(&r);
  }
  void add(const Message& m, bool send, bool is_staged) {
    // MPI counts have 32 bits.
    const bool words = m.bytes % 4 == 0, pairs = m.bytes % 8 == 0;
    const std::int64_t count = pairs ? m.bytes / 8 : words ? m.bytes / 4 : m.bytes;
    const MPI_Datatype type = pairs ? MPI_UINT64_T : words ? MPI_UINT32_T : MPI_BYTE;
    if (count > std::numeric_limits<int>::max())
      throw UsageError(fmt::format("a message of {} from rank to rank is too long for MPI: use more ranks",
                                   bytes_text(double(m.bytes))));
    void* data = m.data;
    if (is_staged) {
      auto& all = send ? sent : received;
      all.push_back(std::make_unique<Staged>(m));
      data = all.back()->host.data();
    }
    requests.push_back(MPI_REQUEST_NULL);
    MPI_Request* const request = &requests.back();
    check(send ? MPI_Send_init(data, int(count), type, m.peer, 1, MPI_COMM_WORLD, request)
               : MPI_Recv_init(data, int(count), type, m.peer, 1, MPI_COMM_WORLD, request),
          "a message between ranks");
  }
};

Messages::Messages(const std::vector<Message>& receive, const std::vector<Message>& send, Path path)
    : state_(std::make_unique<State>()) {
  state_->requests.reserve(receive.size() + send.size());
  for (const Message& m : receive) state_->add(m, false, path == Path::staged);
  for (const Message& m : send) state_->add(m, true, path == Path::staged);
}
Messages::~Messages() = default;

void Messages::stage(void* stream) {
  for (const auto& m : state_->sent) copy(m->device, m->host.data(), m->bytes, stream);
}

void Messages::start() {
  if (!state_->requests.empty())
    check(MPI_Startall(int(state_->requests.size()), state_->requests.data()), "MPI_Startall");
}

void Messages::wait(void* stream) {
  complete(int(state_->requests.size()), state_->requests.data());
  for (const auto& m : state_->received) copy(m->host.data(), m->device, m->bytes, stream);
}

}  // namespace parity::runtime
