// SPDX-License-Identifier: BSD-3-Clause
// A program's body: parses the command line, starts Kokkos, runs one command, returns its exit code.
#pragma once
#include <string>
#include <vector>

#include "commands/commands.hpp"

namespace parity::commands {

/// Resources of a command. All ranks run it; ranks: it calls start_computing() itself, rank 0's exit code
/// counts, and results may be refused; shared: each rank has a part, so any failure ends all ranks; program:
/// another program uses the ranks and the GPU.
enum class On { text, machine, ranks, shared, program };

struct Command {
  std::string name;  ///< empty: one per study
  const char* group;
  On on;
  Action (*add)(CLI::App&, const harness::Studies&) = nullptr;
  bool threads_send = false;  ///< true if several threads of a rank send messages
};

struct Program {
  std::string description;
  const harness::Studies& studies;
  std::vector<Command> commands;
  /// Removes words of a command on a program that the parser would misread; null without such a command.
  void (*drop_words)(const CLI::App& command, std::vector<std::string>& words) = nullptr;
};

int run_program(int argc, char** argv, const Program& program);

}  // namespace parity::commands
