// SPDX-License-Identifier: BSD-3-Clause
// kokkos_questions NAME: runs one question and prints the observations. variants/KOKKOS.md lists them.
#include <cstdio>
#include <cstring>
#include <exception>

#include "harness/environment.hpp"
#include "question.hpp"
#include "runtime/device.hpp"
#include "runtime/error.hpp"

namespace {

using namespace parity::questions;

struct Named {
  const char* name;
  Answer (*ask)();
};
constexpr Named known[] = {{"reduce-nodes", reduce_nodes},
                           {"large-functors", large_functors},
                           {"mdrange", mdrange},
                           {"teams", teams}};

int usage() {
  std::fprintf(stderr, "kokkos_questions: give one of");
  for (const Named& q : known) std::fprintf(stderr, " %s", q.name);
  std::fprintf(stderr, "\n");
  return parity::runtime::exit_usage;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return usage();
  for (const Named& q : known) {
    if (std::strcmp(argv[1], q.name) != 0) continue;
    const parity::runtime::KokkosScope kokkos;
    std::printf("%s\n", parity::harness::version_text().c_str());
    try {
      return int(q.ask());
    } catch (const std::exception& e) {
      std::fflush(stdout);
      std::fprintf(stderr, "kokkos_questions: %s\n", e.what());
      return int(Answer::cannot_run);
    }
  }
  return usage();
}
