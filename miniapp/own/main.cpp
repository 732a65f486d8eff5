// SPDX-License-Identifier: BSD-3-Clause
// main() of a user's program.
#include <cstdio>

#include "commands/program.hpp"
#include "own/own.hpp"
#include "runtime/error.hpp"
#include "runtime/program.hpp"

int main(int argc, char** argv) {
  using namespace parity::commands;
  const std::string name = parity::runtime::build_info().program;
  const auto mistakes = parity::own::mistakes();
  for (const std::string& m : mistakes) std::fprintf(stderr, "%s: %s\n", name.c_str(), m.c_str());
  if (!mistakes.empty()) return parity::runtime::exit_usage;
  constexpr const char *compare = "compare your kernels", *read = "read records";
  return run_program(
      argc, argv,
      {name +
           " compares kernels by Parity: verified, in turns, with intervals.\n\nStart with 'parity list'.\n"
           "Exit codes: 0 fine; 1 a check failed; 2 wrong usage or input; 3 cannot run here; 128 + signal.",
       parity::own::studies(),
       {{"list", compare, On::machine, add_list},
        {"", compare, On::ranks},
        {"measure", compare, On::ranks, add_measure},
        {"show", compare, On::text, add_show},
        {"findings", read, On::text, add_findings},
        {"compare", read, On::text, add_compare},
        {"export", read, On::text, add_export}}});
}
