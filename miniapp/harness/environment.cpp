// SPDX-License-Identifier: BSD-3-Clause
#include "harness/environment.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "runtime/device.hpp"
#include "runtime/error.hpp"
#include "runtime/messages.hpp"
#include "runtime/program.hpp"
#include "runtime/text.hpp"

namespace parity::harness {
namespace {

using Json = nlohmann::json;

std::string cpu_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown";
}

/// The variable's value, with unprintable characters escaped.
std::string text_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value ? runtime::shown(value, 1000) : "";
}

std::string cuda_version(int v) { return fmt::format("{}.{}", v / 1000, v % 1000 / 10); }

Json record_of_this_run(const std::string& slice) {
  const runtime::BuildInfo& built = runtime::build_info();
  utsname host{};
  uname(&host);
  static const std::time_t started = std::time(nullptr);
  char now[32];
  std::strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&started));
  Json e = {
      {"schema", record_schema},
      {"type", "environment"},
      {"id", fmt::format("{}-{}-{}", now, host.nodename, getpid())},
      {"host", host.nodename},
      {"time", now},
      {"version", built.version},
      {"commit", built.commit},
      {"modified", built.dirty},
      {"changes", built.changes},
      {"build_type", built.type},
      {"cxx", built.cxx_compiler},
      {"cxx_flags", built.cxx_flags},
      {"cuda", built.cuda_compiler},
      {"cuda_architectures", built.cuda_architectures},
      {"kokkos", runtime::kokkos_version()},
      {"kokkos_devices", built.kokkos_devices},
      {"kokkos_default", runtime::portable_backend()},
      {"kokkos_kernels", built.kokkos_kernels_version},
      {"os", std::string(host.sysname) + " " + host.release + " " + host.machine},
      {"cpu", cpu_name()},
      {"cpus_online", sysconf(_SC_NPROCESSORS_ONLN)},
      {"omp_threads", omp_get_max_threads()},
      {"omp_proc_bind", text_of("OMP_PROC_BIND")},
      {"omp_places", text_of("OMP_PLACES")},
  };
  if (!slice.empty()) e["slice"] = slice;
  if (const runtime::RankInfo here = runtime::rank_info(); here.ranks > 1) {
    e["ranks"] = here.ranks;
    e["ranks_on_node"] = here.ranks_on_node;
    if (here.ranks_on_device > 1) e["ranks_on_device"] = here.ranks_on_device;
    e["mpi"] = runtime::mpi_library();
  }
  if (const std::string job = text_of("SLURM_JOB_ID"); !job.empty())
    e["slurm"] = {{"job", job},
                  {"partition", text_of("SLURM_JOB_PARTITION")},
                  {"nodes", text_of("SLURM_JOB_NODELIST")},
                  {"array_task", text_of("SLURM_ARRAY_TASK_ID")}};
  std::string why;
  if (const auto d = runtime::device(&why))
    e["gpu"] = {{"name", d->name},
                {"uuid", d->uuid},
                {"index", d->index},
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

std::string text_in(const Json& j, const char* name) {
  const auto at = j.is_object() ? j.find(name) : j.end();
  if (!j.is_object() || at == j.end() || at->is_null()) return "";
  return at->is_string() ? at->get<std::string>() : at->dump();
}

/// Throws UsageError if a field has the wrong type. Fields may be missing.
void check_fields(const Json& j, const std::string& where) {
  for (const auto& [name, value] : j.items()) {
    const bool nested = name == "gpu" || name == "slurm";
    if (nested ? value.is_array() || value.is_number() || value.is_boolean() : value.is_structured())
      throw runtime::UsageError(
          fmt::format("{}{} is no {}", where, runtime::shown(name), nested ? "object" : "text or number"));
    if (name == "modified" && !value.is_boolean())
      throw runtime::UsageError(where + "modified is no truth value");
    if ((name == "id" || name == "commit" || name == "changes" || name == "host" || name == "time" ||
         name == "cpu") &&
        !value.is_string())
      throw runtime::UsageError(fmt::format("{}{} is no text", where, name));
  }
}

std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string text;
  for (const std::string& part : parts)
    if (!part.empty()) text += (text.empty() ? "" : between) + part;
  return text;
}

/// Kokkos' release name: "4.6.01" for "4.6.1", as releases before 5 are named.
std::string release_of(std::string version) {
  return version < "5" && version.size() == 5 ? version.insert(4, "0") : version;
}

}  // namespace

std::string machine_text(const Environment& environment) {
  const Json e = to_json(environment), gpu = e.value("gpu", Json());
  const std::string threads = text_in(e, "omp_threads"), bound = text_in(e, "omp_proc_bind");
  return fmt::format(
      "{} OpenMP thread{}, OMP_PROC_BIND {}; Kokkos on {}; {}", threads, threads == "1" ? "" : "s",
      bound.empty() ? "not set" : bound, text_in(e, "kokkos_default"),
      gpu.is_null() ? "no GPU" : fmt::format("GPU {}: {}", text_in(gpu, "index"), text_in(gpu, "name")));
}

std::string version_text() {
  const runtime::BuildInfo& built = runtime::build_info();
  const std::string program = built.program;
  std::string text =
      fmt::format("{} {} (commit {}{}, {} build)\n",
                  program == "parity" ? program : program + ", with Parity", built.version, built.commit,
                  built.dirty ? fmt::format(", modified, {}", built.changes) : "", built.type);
  text += fmt::format("C++:    {}\nflags:  {}\n", built.cxx_compiler, built.cxx_flags);
  text += fmt::format("Kokkos: {} ({}), default execution space {}; Kokkos Kernels {}\n",
                      runtime::kokkos_version(), built.kokkos_devices, runtime::portable_backend(),
                      *built.kokkos_kernels_version ? built.kokkos_kernels_version : "(version unknown)");
  if (*built.cuda_compiler)
    text += fmt::format("CUDA:   {}, architectures {}; {}\n", built.cuda_compiler, built.cuda_architectures,
                        *built.cupti ? fmt::format("CUPTI {}", built.cupti) : "no CUPTI");
  else
    text += "CUDA:   not in this build\n";
  text += *built.mpi ? fmt::format("MPI:    {} (standard {})\n", runtime::mpi_library(), built.mpi)
                     : "MPI:    not in this build\n";
  return text;
}

const std::string& process_name() {
  static const std::string name = [] {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return fmt::format("{:x}-{:09}-{}", std::int64_t(now.tv_sec), now.tv_nsec, getpid());
  }();
  return name;
}

Environment of_run(const Environment& environment, const std::string& id) {
  Json e = to_json(environment);
  e["id"] = id;
  return environment_of(e, "");
}

Environment this_environment(const std::string& slice) {
  return environment_of(record_of_this_run(slice), "");
}

Json to_json(const Environment& e) { return Json::parse(e.text); }

Environment environment_of(const Json& j, const std::string& id, const std::string& where) {
  schema_of(j, where);
  check_fields(j, where);
  Environment e;
  e.text = j.dump(-1, ' ', false, Json::error_handler_t::replace);
  e.complete = j.contains("kokkos_default");
  e.time = text_in(j, "time");
  e.slice = text_in(j, "slice");
  e.cpu = text_in(j, "cpu");
  const Json gpu = j.value("gpu", Json());
  e.gpu = gpu.is_string() ? gpu.get<std::string>() : text_in(gpu, "name");
  e.gpu_uuid = text_in(gpu, "uuid");
  if (const Json m = gpu.is_object() ? gpu.value("multiprocessors", Json()) : Json();
      m.is_number_integer() && m > 0 && m < 100000)
    e.multiprocessors = m.get<int>();
  e.portable_on_gpu = text_in(j, "kokkos_default") == "Cuda";
  e.kokkos = joined({text_in(j, "kokkos"), text_in(j, "kokkos_devices"), text_in(j, "kokkos_kernels")}, ", ");
  e.compilers = joined({text_in(j, "cxx"), text_in(j, "cxx_flags"), text_in(j, "cuda"),
                        text_in(j, "cuda_architectures"), text_in(j, "program")},
                       " ");
  e.threads =
      joined({text_in(j, "omp_threads"), text_in(j, "omp_proc_bind"), text_in(j, "omp_places")}, ", ");
  const std::string sharing = text_in(j, "ranks_on_device");
  e.ranks =
      joined({text_in(j, "ranks"), text_in(j, "mpi"), sharing.empty() ? "" : sharing + " on a GPU"}, ", ");
  const Json slurm = j.value("slurm", Json());
  e.run.id = text_in(j, "id").empty() ? joined({e.time, id}, " ") : text_in(j, "id");
  e.run.commit = text_in(j, "commit");
  e.run.modified = text_in(j, "modified") == "true";
  e.run.changes = text_in(j, "changes");
  e.run.host = text_in(j, "host").empty() ? text_in(slurm, "nodes") : text_in(j, "host");
  e.run.job = text_in(slurm, "job");
  e.run.build = joined({text_in(j, "build_type"), e.compilers, e.kokkos}, "; ");
  e.run.device = e.gpu.empty() ? e.cpu : e.gpu;
  e.run.kokkos = release_of(text_in(j, "kokkos"));

  const std::string no_gpu = text_in(j, "no_gpu_because");
  e.lines = {
      {"time", e.time},
      {"commit", e.run.commit_text()},
      {"CPU", joined({e.cpu, e.threads.empty() ? "" : "OpenMP threads " + e.threads}, ", ")},
      {"GPU", e.gpu.empty()
                  ? "none: " + no_gpu
                  : e.gpu + (text_in(gpu, "driver").empty() ? "" : ", driver " + text_in(gpu, "driver"))},
      {"Kokkos",
       joined(
           {e.kokkos, text_in(j, "kokkos_default").empty() ? "" : "default " + text_in(j, "kokkos_default")},
           ", ")},
      {"compilers", e.compilers},
      {"host and job", joined({e.run.host, e.run.job.empty() ? "" : "job " + e.run.job,
                               e.slice.empty() ? "" : "slice " + e.slice},
                              ", ")}};
  if (!e.gpu_uuid.empty()) e.lines.push_back({"GPU UUID", e.gpu_uuid});
  return e;
}

}  // namespace parity::harness
