// SPDX-License-Identifier: BSD-3-Clause
// What a trace says of its process, and where it goes.
#pragma once
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace parity::trace {

inline bool is_set(const char* variable) noexcept {
  const char* const value = std::getenv(variable);
  return value && *value;
}
inline double number_in(const char* variable) noexcept {
  return is_set(variable) ? std::max(0.0, std::atof(std::getenv(variable))) : 0;
}

/// On one line. What is no UTF-8 becomes U+FFFD.
inline std::string json_text(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// One line of a trace that is no event in time.
inline std::string fact(const char* name, const nlohmann::json& arguments) {
  return json_text({{"ph", "M"}, {"name", name}, {"args", arguments}});
}

/// The process that 'parity trace' became has the file, while it is empty. Any other, such as a child that
/// inherited the variables, or the program that it becomes, has one with its number behind it.
inline std::string path_of(pid_t process) {
  const std::string own = std::to_string(process);
  if (!is_set("PARITY_TRACE_FILE")) return "parity_trace." + own + ".json";
  const std::string path = std::getenv("PARITY_TRACE_FILE");
  struct stat there {};
  if (is_set("PARITY_TRACE_PROCESS") && own == std::getenv("PARITY_TRACE_PROCESS") &&
      stat(path.c_str(), &there) == 0 && there.st_size == 0)
    return path;
  std::string mine = path + '.' + own;
  for (int k = 2; access(mine.c_str(), F_OK) == 0 && k < 1000; ++k)
    mine = path + '.' + own + '-' + std::to_string(k);
  return mine;
}

inline nlohmann::json arguments() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  nlohmann::json list = nlohmann::json::array();
  for (std::string word; std::getline(in, word, '\0') && list.size() < 1000;)
    list.push_back(word.substr(0, 4096));
  return list;
}

inline std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.rfind("model name", 0) == 0 && line.find(':') + 2 < line.size())
      return line.substr(line.find(':') + 2);
  return "unknown";
}

/// The number among processes that were launched together, as mpirun or srun say it.
inline nlohmann::json rank() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID", "RANK"})
    if (is_set(variable)) return std::getenv(variable);
  return nullptr;
}

}  // namespace parity::trace
