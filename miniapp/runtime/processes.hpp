// SPDX-License-Identifier: BSD-3-Clause
// The environment of this process (ranks, streams, threads), and child processes that repeat a measurement
// one after the other, each with new addresses, caches, threads and GPU context. Their parent starts neither
// Kokkos nor CUDA nor MPI.
#pragma once
#include <cstdio>
#include <optional>
#include <string>

namespace parity::runtime {

/// A process that runs this program again with the same arguments. It sends questions, one a line, and waits
/// for each answer, so that parent and child never work at the same time. The parent passes its signals on.
class ChildProcess {
 public:
  /// number: the child's child_number(). Throws CannotRunError if the process cannot be started.
  explicit ChildProcess(int number);
  /// Kills the child if it still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// The child's next question; nullopt once it has ended.
  std::optional<std::string> question();
  void answer(const std::string& line) const;
  /// Waits for the child's end. Returns its exit code, or 128 + signal if a signal ended it.
  int exit_code();

 private:
  int process_ = 0;
  std::FILE* questions_ = nullptr;
};

/// The number that the parent gave this process; 0 if this process is not a ChildProcess.
int child_number();
/// Returns the parent's answer. Ends this process if the parent has gone.
std::string ask_parent(const std::string& line);

/// Replaces this process by a program, found through PATH, with this process's original CPU affinity and
/// signals. Returns only on failure, with the reason.
std::string become(char** arguments);

struct Launched {
  int rank = 0, ranks = 1;
};
/// Reads rank and size from the variables of Open MPI, PMI (MPICH, Intel MPI, srun), PALS (Cray), MVAPICH2 or
/// SLURM. One rank if none is set, or if PARITY_RANKS=0 says that they belong to another program, such as a
/// shell in a job or a script under mpirun.
Launched launched_by_environment();

/// Opens closed standard streams to /dev/null. Otherwise the next opened file would take the stream's number,
/// and messages would go into it. Called once, before any file is opened.
void open_standard_streams();

/// True if the caller had closed standard output, so that nothing written to it arrives.
bool standard_output_is_closed();

// The number of OpenMP threads. Parity refuses a number that the machine cannot start, because the OpenMP
// library would end the process.

/// Takes the number from --threads, else ("") from OMP_NUM_THREADS, else OpenMP's default. Call it before the
/// first parallel region. Throws runtime::UsageError naming the option or the variable.
void choose_threads(const std::string& asked);

/// Restores a malformed OMP_NUM_THREADS, hidden from the OpenMP library, for programs that this one starts.
void show_hidden_variable();

}  // namespace parity::runtime
