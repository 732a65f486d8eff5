// SPDX-License-Identifier: BSD-3-Clause
// parity: how close does portable code come to hand-written CUDA, and what do kernel launches really cost?
#include "commands/program.hpp"
#include "studies.hpp"

int main(int argc, char** argv) {
  using namespace parity::commands;
  constexpr const char *compare = "compare portable with native code", *read = "read records",
                       *use = "use it on your own fields, samples and programs";
  return run_program(
      argc, argv,
      {"Parity measures how close portable Kokkos code comes to hand-written CUDA and OpenMP, verifies every "
       "result, measures what launches, graphs and barriers cost, filters your own fields and estimates "
       "densities of your own samples.\n\n"
       "Start with 'parity list' and 'parity diffusion --nx 64 --ny 64 --nz 16 --steps 128'.\n"
       "Exit codes: 0 fine; 1 a check failed; 2 wrong usage or input; 3 cannot run here; 128 + signal.",
       parity::studies(),
       {{"list", compare, On::machine, add_list},
        {"", compare, On::ranks},
        {"measure", compare, On::ranks, add_measure},
        {"show", compare, On::text, add_show},
        {"new", compare, On::text, add_new},
        {"findings", read, On::text, add_findings},
        {"compare", read, On::text, add_compare},
        {"export", read, On::text, add_export},
        {"filter", use, On::shared, add_filter, true},  // NetCDF's threads send messages
        {"density", use, On::shared, add_density},
        {"trace", use, On::program, add_trace},
        {"advise", use, On::text, add_advise}},
       drop_mark});
}
