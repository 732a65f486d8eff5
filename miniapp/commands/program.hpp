// SPDX-License-Identifier: BSD-3-Clause
// A program's body: parses the command line, starts Kokkos, runs one command, returns its exit code.
#pragma once
#include <string>
#include <vector>

#include "commands/commands.hpp"

namespace parity::commands {

/// What a command runs on. All ranks run it; ranks: it calls start_computing() itself, rank 0's exit code
/// counts, and rows may be refused; shared: each rank has its part, so that every failure ends all; program:
/// another program has the ranks and the GPU.
enum class On { text, machine, ranks, shared, program };

struct Command {
  std::string name;  ///< empty: one for each study
  const char* group;
  On on;
  Action (*add)(CLI::App&, const harness::Studies&) = nullptr;
  bool threads_send = false;  ///< whether several threads of a rank send messages
};

struct Program {
  std::string description;
  const harness::Studies& studies;
  std::vector<Command> commands;
  /// Takes words of a command on a program that the parser would misread; null without such a command.
  void (*drop_words)(const CLI::App& command, std::vector<std::string>& words) = nullptr;
};

int run_program(int argc, char** argv, const Program& program);

}  // namespace parity::commands
