// SPDX-License-Identifier: BSD-3-Clause
// A small Kokkos tool for the tests of jobs/profile.sbatch: counts parallel_for by label into a .dat file.
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>

namespace {
std::map<std::string, long>& counts() {
  static std::map<std::string, long> all;
  return all;
}
}  // namespace

extern "C" void kokkosp_init_library(int, std::uint64_t, std::uint32_t, void*) {}
extern "C" void kokkosp_begin_parallel_for(const char* name, std::uint32_t, std::uint64_t*) {
  ++counts()[name];
}
extern "C" void kokkosp_finalize_library() {
  std::FILE* const out = std::fopen("kernels.dat", "w");
  for (const auto& [name, n] : counts()) std::fprintf(out, "%s %ld\n", name.c_str(), n);
  std::fclose(out);
}
