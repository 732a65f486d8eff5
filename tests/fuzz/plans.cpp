// SPDX-License-Identifier: BSD-3-Clause
// Plans and files of tunings, of the study in tests/own_kernels/axpy without its Kokkos variant.
#include "fuzz.hpp"
#include "harness/plan.hpp"
#include "own/own.hpp"

const std::map<std::string, const char*>& parity::own::sources() {
  static const std::map<std::string, const char*> none;
  return none;
}

void parity::fuzz::run(const std::string& data) {
  const std::string input = fuzz::input_file("plan.toml", data);
  const harness::Studies& studies = own::studies();
  fuzz::taken([&] {
    for (const auto& one : harness::read_plan(studies, input, {}).cases) one.task->text();
  });
  fuzz::taken([&] { harness::read_tunings(studies, input); });
}
