// SPDX-License-Identifier: BSD-3-Clause
// Plans and files of tunings, of the study in tests/triad without its Kokkos variant.
#include "fuzz.hpp"
#include "harness/plan.hpp"
#include "study.hpp"

namespace parity::triad {
Entry openmp_triad();
Entry kokkos_triad() {
  Entry e = openmp_triad();
  e.name = "kokkos-triad";
  e.twin = "openmp-triad";
  return e;
}
}  // namespace parity::triad

void parity::fuzz::run(const std::string& data) {
  using namespace parity;
  const std::string input = fuzz::input_file("plan.toml", data);
  const harness::Studies studies = {&triad::study()};
  fuzz::taken([&] {
    for (const auto& one : harness::read_plan(studies, input, {}).cases) one.task->text();
  });
  fuzz::taken([&] { harness::read_tunings(studies, input); });
}
