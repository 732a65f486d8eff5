// SPDX-License-Identifier: BSD-3-Clause
// Repeats a measurement in one process after the other, each with new addresses, caches, threads and GPU
// context. Their parent starts neither Kokkos nor CUDA nor MPI.
#pragma once
#include <csignal>
#include <cstddef>
#include <string>

namespace parity::runtime {

/// What the processes of one run share: each finds it as the one before left it.
struct Repeats {
  bool possible = false;                      ///< whether a parent waits to start more of them
  int number = 1;                             ///< of this process
  bool again = false;                         ///< set: another process follows if this one exits with 0
  std::size_t rows_kept = 0, lines_kept = 0;  ///< of the file of records, before the first process
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

}  // namespace parity::runtime
