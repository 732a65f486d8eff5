// SPDX-License-Identifier: BSD-3-Clause
// Stand-ins for a build without MPI: one rank.
#include <unistd.h>

#include <stdexcept>

#include "runtime/error.hpp"
#include "runtime/messages.hpp"
#include "runtime/processes.hpp"

namespace parity::runtime {

RankInfo rank_info() { return {}; }
ApartScope::ApartScope() = default;
ApartScope::~ApartScope() = default;

int nodes() { return 1; }
bool on_this_node(int) { return true; }

void let_several_threads_send() {}

RanksScope::RanksScope() {
  const Launched launched = launched_by_environment();
  if (launched.ranks < 2) return;
  if (launched.rank > 0) _exit(exit_cannot_run);
  throw CannotRunError("started as one of " + std::to_string(launched.ranks) +
                       " ranks, and this build has no MPI: configure with -DPARITY_ENABLE_MPI=ON, or start "
                       "it without mpirun or srun, or set PARITY_RANKS=0 if it is none of them");
}
RanksScope::~RanksScope() = default;

std::string mpi_library() { return ""; }
void barrier() {}
double largest(double mine) { return mine; }
double smallest(double mine) { return mine; }
std::string broadcast(const std::string& text) { return text; }
void add_over_ranks(std::int64_t*, std::int64_t) {}
void broadcast_bytes(int, void*, std::int64_t) {}
void count_ranks_on_device() {}
void end_if_a_rank_failed() {}
void collective_or_throw(const std::function<void()>& work) { work(); }
void cannot_run_ends_all() {}
void abort_all_on_error(const std::function<void()>& work) { work(); }
void end_all(const std::string&, int) { throw std::logic_error("one rank has no others to end"); }
bool device_messages_work() { return false; }

struct Messages::State {};
Messages::Messages(const std::vector<Message>&, const std::vector<Message>&, Path) {}
Messages::~Messages() = default;
void Messages::stage(void*) {}
void Messages::start() {}
void Messages::wait(void*) {}

}  // namespace parity::runtime
