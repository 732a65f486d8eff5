// SPDX-License-Identifier: BSD-3-Clause
// Facts about a traced process, and the file of its trace.
#pragma once
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <locale>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace parity::trace {

inline bool is_set(const char* variable) noexcept {
  const char* const value = std::getenv(variable);
  return value && *value;
}
inline double number_in(const char* variable) {
  std::istringstream text(is_set(variable) ? std::getenv(variable) : "");
  text.imbue(std::locale::classic());  // the program's locale may use a decimal comma
  double value = 0;
  return text >> value ? std::max(0.0, value) : 0;
}

/// JSON on one line. Replaces invalid UTF-8 by U+FFFD.
inline std::string json_text(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// A line of a trace for a fact that is not a timed event.
inline std::string fact(const char* name, const nlohmann::json& arguments) {
  return json_text({{"ph", "M"}, {"name", name}, {"args", arguments}});
}

/// Identifies a file independently of its name.
inline std::string identity(const struct stat& file) {
  return std::to_string(file.st_dev) + ':' + std::to_string(file.st_ino);
}

/// Opens this process's trace file and sets its path; -1 on failure. The process that 'parity trace' became
/// uses the file that 'parity trace' made, while it is empty. Any other, such as a child that inherited the
/// variables or a program that it executes, creates one with its process number appended.
inline int open_trace(pid_t process, std::string& path) {
  const std::string own = std::to_string(process);
  const std::string given = is_set("PARITY_TRACE_FILE") ? std::getenv("PARITY_TRACE_FILE") : "";
  if (is_set("PARITY_TRACE_PROCESS")) {
    const int file = open((path = given).c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat there {};
    if (file >= 0 && fstat(file, &there) == 0 && there.st_size == 0 &&
        own + ':' + identity(there) == std::getenv("PARITY_TRACE_PROCESS"))
      return file;
    if (file >= 0) close(file);
  }
  for (int k = 1; k < 1000; ++k) {
    path = (given.empty() ? "parity_trace." : given + '.') + own + (k > 1 ? '-' + std::to_string(k) : "") +
           (given.empty() ? ".json" : "");
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

/// True if standard error is still that of 'parity trace': a program may close it and open its own file.
inline bool has_standard_error() {
  struct stat there {};
  return fstat(STDERR_FILENO, &there) == 0 &&
         (!is_set("PARITY_TRACE_STDERR") || identity(there) == std::getenv("PARITY_TRACE_STDERR"));
}

/// The program's name. The whole command line, which may contain secrets, only if the user requests it.
inline nlohmann::json arguments() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  nlohmann::json list = nlohmann::json::array();
  const std::size_t most = is_set("PARITY_TRACE_COMMAND_LINE") ? 1000 : 1;
  for (std::string word; list.size() < most && std::getline(in, word, '\0');)
    list.push_back((most > 1 ? word : word.substr(word.rfind('/') + 1)).substr(0, 4096));
  return list;
}

inline std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.rfind("model name", 0) == 0 && line.find(':') + 2 < line.size())
      return line.substr(line.find(':') + 2);
  return "unknown";
}

/// The rank among processes that were launched together, according to mpirun or srun.
inline nlohmann::json rank() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID", "RANK"})
    if (is_set(variable)) return std::getenv(variable);
  return nullptr;
}

}  // namespace parity::trace
