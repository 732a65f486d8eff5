// SPDX-License-Identifier: BSD-3-Clause
// The environment of this process: ranks, standard streams, threads.
#include <fcntl.h>
#include <fmt/format.h>
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "runtime/error.hpp"
#include "runtime/processes.hpp"
#include "runtime/text.hpp"

namespace parity::runtime {
namespace {

bool closed_output = false;

/// The value of OMP_NUM_THREADS if it is malformed; null if it is valid, empty or not set.
char* wrong_variable = nullptr;

/// "4" or "4,2", a list of positive numbers.
bool is_list_of_counts(const char* text) {
  int digits = 0;  // at most 9, which fit an int
  bool nonzero = false;
  for (; *text; ++text) {
    if (*text >= '0' && *text <= '9') {
      if (++digits > 9) return false;
      nonzero = nonzero || *text != '0';
    } else if (*text == ',') {
      if (!nonzero) return false;
      digits = 0;
      nonzero = false;
    } else if (*text != ' ' && *text != '\t') {
      return false;
    }
  }
  return digits > 0 && nonzero;
}

/// Hides a malformed OMP_NUM_THREADS from libgomp, which reads it when it is loaded and would print its own
/// warning. Runs before that, when the C library must not be called yet.
void hide_wrong_variable(int, char**, char** environment) {
  const char name[] = "OMP_NUM_THREADS=";
  for (; *environment; ++environment) {
    char* const variable = *environment;
    std::size_t k = 0;
    while (name[k] && variable[k] == name[k]) ++k;
    if (name[k] || is_list_of_counts(variable + k)) continue;
    if (variable[k]) wrong_variable = variable + k;
    variable[0] = 'o';
  }
}
[[gnu::section(".preinit_array"), gnu::used]] void (*const hide)(int, char**, char**) = hide_wrong_variable;

/// True if 'count' threads can exist at once; limits of users, groups and memory decide.
bool can_start(int count) {
  struct Gate {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  } gate;
  pthread_mutex_lock(&gate.mutex);
  std::vector<pthread_t> threads;
  pthread_t thread{};
  const auto wait = [](void* at) -> void* {
    pthread_mutex_lock(&static_cast<Gate*>(at)->mutex);
    pthread_mutex_unlock(&static_cast<Gate*>(at)->mutex);
    return nullptr;
  };
  while (int(threads.size()) < count - 1 && pthread_create(&thread, nullptr, wait, &gate) == 0)
    threads.push_back(thread);
  pthread_mutex_unlock(&gate.mutex);
  for (const pthread_t t : threads) pthread_join(t, nullptr);
  return int(threads.size()) == std::max(0, count - 1);
}

}  // namespace

Launched launched_by_environment() {
  if (const char* const ours = std::getenv("PARITY_RANKS"); ours && std::strcmp(ours, "0") == 0) return {};
  constexpr const char* names[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                      {"PMI_RANK", "PMI_SIZE"},
                                      {"PALS_RANKID", "PALS_NRANKS"},
                                      {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
                                      {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
  for (const auto& [rank, ranks] : names) {
    const char *const r = std::getenv(rank), *const n = std::getenv(ranks);
    if (r && n && std::atoi(n) > 0) return {std::atoi(r), std::atoi(n)};
  }
  return {};
}

void open_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    closed_output = closed_output || stream == STDOUT_FILENO;
    // Close on exec: a program that replaces this one finds the stream closed and handles it itself.
    (void)!open("/dev/null", O_RDWR | O_CLOEXEC);
  }
}

bool standard_output_is_closed() { return closed_output; }

void choose_threads(const std::string& asked) {
  const int cores = int(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  const int most = std::max(4 * cores, 64);
  const char* const variable = wrong_variable ? wrong_variable : std::getenv("OMP_NUM_THREADS");
  const bool by_option = !asked.empty();
  const std::string name = by_option ? "--threads" : "OMP_NUM_THREADS";
  const std::string fix = by_option ? "" : ", there or with --threads";
  if (by_option || variable) {
    const std::string text = by_option ? asked : variable;
    std::string first = text.substr(0, text.find(','));
    while (!first.empty() && first.front() == ' ') first.erase(0, 1);
    while (!first.empty() && first.back() == ' ') first.pop_back();
    int count = 0;
    const auto [end, error] = std::from_chars(first.data(), first.data() + first.size(), count);
    const bool whole =
        error == std::errc() && end == first.data() + first.size() && (!by_option || first == text);
    if (!whole || count < 1 || count > most)
      throw UsageError(
          fmt::format("{} is '{}': give a whole number from 1 to {} (this machine has {} core{}){}", name,
                      shown(text), most, cores, cores == 1 ? "" : "s", fix));
    omp_set_num_threads(count);
  }
  // Kokkos uses all threads that OpenMP reports.
  omp_set_dynamic(0);
  omp_set_max_active_levels(std::max(1, omp_get_max_active_levels()));
  const int count = std::min(omp_get_max_threads(), omp_get_thread_limit());
  omp_set_num_threads(count);
  // Native and Kokkos variants get the same number; Kokkos does not check this variable.
  setenv("KOKKOS_NUM_THREADS", std::to_string(count).c_str(), 1);
  if (!can_start(count))
    throw UsageError(
        fmt::format("{} threads cannot be started here (limits of the user or the machine): give fewer with "
                    "--threads or OMP_NUM_THREADS",
                    count));
}

void show_hidden_variable() {
  if (wrong_variable) wrong_variable[-int(sizeof "OMP_NUM_THREADS")] = 'O';
}

}  // namespace parity::runtime
