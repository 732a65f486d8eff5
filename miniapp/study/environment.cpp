// SPDX-License-Identifier: BSD-3-Clause
#include "study/environment.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "build_info.hpp"
#include "cuda/device.hpp"
#include "kokkos_compat.hpp"

namespace parity::study {
namespace {

std::string cpu_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown";
}

std::string text_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value ? value : "";
}

std::string cuda_version(int v) { return fmt::format("{}.{}", v / 1000, v % 1000 / 10); }

}  // namespace

std::string version_text() {
  std::string text = fmt::format("parity {} (commit {}{}, {} build)\n", build::version, build::commit,
                                 build::dirty ? ", modified" : "", build::type);
  text += fmt::format("C++:    {}\nflags:  {}\n", build::cxx_compiler, build::cxx_flags);
  text += fmt::format("Kokkos: {} ({}), default execution space {}; Kokkos Kernels {}\n",
                      compat::kokkos_version(), build::kokkos_devices, compat::Exec::name(),
                      *build::kokkos_kernels_version ? build::kokkos_kernels_version : "(version unknown)");
  if (*build::cuda_compiler)
    text += fmt::format("CUDA:   {}, architectures {}\n", build::cuda_compiler, build::cuda_architectures);
  else
    text += "CUDA:   not in this build\n";
  return text;
}

nlohmann::json environment() {
  utsname host{};
  uname(&host);
  char now[32];
  const std::time_t t = std::time(nullptr);
  std::strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&t));
  nlohmann::json e = {
      {"schema", 1},
      {"type", "environment"},
      {"time", now},
      {"version", build::version},
      {"commit", build::commit},
      {"modified", build::dirty},
      {"build_type", build::type},
      {"cxx", build::cxx_compiler},
      {"cxx_flags", build::cxx_flags},
      {"cuda", build::cuda_compiler},
      {"cuda_architectures", build::cuda_architectures},
      {"kokkos", compat::kokkos_version()},
      {"kokkos_devices", build::kokkos_devices},
      {"kokkos_default", compat::Exec::name()},
      {"kokkos_kernels", build::kokkos_kernels_version},
      {"os", std::string(host.sysname) + " " + host.release + " " + host.machine},
      {"cpu", cpu_name()},
      {"cpus_online", sysconf(_SC_NPROCESSORS_ONLN)},
      {"omp_threads", omp_get_max_threads()},
      {"omp_proc_bind", text_of("OMP_PROC_BIND")},
      {"omp_places", text_of("OMP_PLACES")},
  };
  if (const std::string job = text_of("SLURM_JOB_ID"); !job.empty())
    e["slurm"] = {{"job", job},
                  {"partition", text_of("SLURM_JOB_PARTITION")},
                  {"nodes", text_of("SLURM_JOB_NODELIST")},
                  {"array_task", text_of("SLURM_ARRAY_TASK_ID")}};
  std::string why;
  if (const auto d = cuda::device(&why))
    e["gpu"] = {{"name", d->name},
                {"compute_capability", fmt::format("{}.{}", d->major, d->minor)},
                {"multiprocessors", d->multiprocessors},
                {"clock_khz", d->clock_khz},
                {"memory_clock_khz", d->memory_clock_khz},
                {"memory_bytes", d->memory_bytes},
                {"l2_bytes", d->l2_bytes},
                {"ecc", d->ecc},
                {"driver", cuda_version(d->driver)},
                {"runtime", cuda_version(d->runtime)}};
  else
    e["gpu"] = nullptr, e["no_gpu_because"] = why;
  return e;
}

}  // namespace parity::study
