// SPDX-License-Identifier: BSD-3-Clause
// What the caller gave this process (ranks, streams, threads), and processes that repeat a measurement one
// after the other, each with new addresses, caches, threads and GPU context. Their parent starts neither
// Kokkos nor CUDA nor MPI.
#pragma once
#include <csignal>
#include <cstddef>
#include <string>

namespace parity::runtime {

/// What the processes of one run share: each finds it as the one before left it.
struct Repeats {
  bool possible = false;  ///< whether a parent waits to start more of them
  int number = 1;         ///< of this process
  bool again = false;     ///< set: another process follows if this one exits with 0
  /// Of the file of records, before the first process: finished rows, lines.
  std::size_t rows_kept = 0, lines_kept = 0;
  double last_log_line = 0;
  int records = -1;            ///< descriptor of memory_file()
  sigset_t mask{};             ///< of signals, before the parent blocked some
  char what_stays[5000] = "";  ///< what a signal's message says until the process knows better
};
Repeats& repeats();

/// Name of an empty file in memory that lives as long as the run.
const std::string& memory_file();

/// Runs this program in a child with the same arguments, and in another one as long as it asks for that, and
/// returns the last exit code. Signals that the parent gets are passed on.
int repeat_in_processes(char** arguments);
/// Whether repeat_in_processes started this process; catches its signals then. Before anything else.
bool resume_as_child();

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
