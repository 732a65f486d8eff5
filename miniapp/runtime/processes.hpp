// SPDX-License-Identifier: BSD-3-Clause
// What the caller gave this process (ranks, streams, threads), and processes that repeat a measurement one
// after the other, each with new addresses, caches, threads and GPU context. Their parent starts neither
// Kokkos nor CUDA nor MPI.
#pragma once
#include <cstdio>
#include <optional>
#include <string>

namespace parity::runtime {

/// A process that runs this program again with the same arguments. It asks in lines, and waits for an answer
/// to each, so that never both are at work. Signals that this one gets are passed on.
class ChildProcess {
 public:
  /// number: what it is told to be. Throws CannotRunError where none can be started.
  explicit ChildProcess(int number);
  /// Ends it, unless it has ended.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// What it asks next; nothing at its end.
  std::optional<std::string> question();
  void answer(const std::string& line) const;
  /// Waits for its end; 128 + signal if one was it.
  int exit_code();

 private:
  int process_ = 0;
  std::FILE* questions_ = nullptr;
};

/// The number that this process's parent gave it; 0 where it was not a ChildProcess that started it.
int child_number();
/// The parent's answer. Ends this process where there is no parent any more.
std::string ask_parent(const std::string& line);

/// Replaces this process by a program, looked for as a shell does, with the processors and signals that this
/// one was given. Returns only with the reason why it could not.
std::string become(char** arguments);

struct Launched {
  int rank = 0, ranks = 1;
};
/// What mpirun or srun says in the environment: as Open MPI, what speaks PMI (MPICH, Intel MPI, srun) and
/// PALS (Cray) tell; one rank where nobody does, and where PARITY_RANKS=0 says that the variables are of
/// somebody else: of a shell in a job, of a script under mpirun.
Launched launched_by_environment();

/// A closed standard stream would be the number of the next file that is opened, and messages would go into
/// it: such a stream is opened to nothing. Called once, before any file is opened.
void open_standard_streams();

/// Whether nobody would get what is written to standard output, since the caller had closed it.
bool standard_output_is_closed();

// How many OpenMP threads compute: refused in one line where the machine cannot start them, since the OpenMP
// library would end the process over it.

/// Takes the count from --threads, else ("") from OMP_NUM_THREADS, else as many as there are cores. Before
/// the first parallel region. Throws runtime::UsageError naming the option or the variable.
void choose_threads(const std::string& asked);

/// A wrong OMP_NUM_THREADS, which is hidden from the OpenMP library, is there again for a program that this
/// one starts.
void show_hidden_variable();

}  // namespace parity::runtime
