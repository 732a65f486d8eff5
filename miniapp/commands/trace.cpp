// SPDX-License-Identifier: BSD-3-Clause
// parity trace: becomes another program, into which CUDA and Kokkos load the library that records.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include "commands/commands.hpp"
#include "runtime/error.hpp"
#include "runtime/restart.hpp"
#include "runtime/text.hpp"

namespace parity::commands {
namespace {

using runtime::shown;

struct Options {
  std::string output = "trace.jsonl";
  bool force = false, quiet = false;
};

constexpr const char* library_name = "libparity_trace.so";

/// Beside the executable, as it is built, or in ../lib, as it is installed.
std::string library() {
  std::error_code none;
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
  for (const std::filesystem::path& path : {here / library_name, here / ".." / "lib" / library_name})
    if (access(path.c_str(), R_OK) == 0) return std::filesystem::absolute(path).lexically_normal().string();
  throw runtime::CannotRunError(
      fmt::format("{} is neither in {} nor in ../lib from there: build or install it", library_name,
                  shown(here.string(), 200)));
}

/// With this process's number in place of %p; of the whole path, since the program may change its folder.
std::string trace_file(std::string path) {
  for (std::size_t at = 0; (at = path.find("%p", at)) != std::string::npos;)
    path.replace(at, 2, std::to_string(getpid()));
  return std::filesystem::absolute(path).string();
}

/// Empty and there, so that whoever cannot write it knows before the program starts.
void make_file(const std::string& path, bool force) {
  struct stat there {};
  if (!force && stat(path.c_str(), &there) == 0 && (there.st_size > 0 || !S_ISREG(there.st_mode)))
    throw runtime::UsageError(fmt::format(
        "{} is there already: give another --output, or --force to replace it", shown(path, 200)));
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0)
    throw runtime::UsageError(
        fmt::format("{} cannot be written: {}", shown(path, 200), std::strerror(errno)));
  close(file);
}

void set(const char* variable, const std::string& value) {
  if (setenv(variable, value.c_str(), 1) != 0)
    throw runtime::CannotRunError(fmt::format("{} cannot be set: {}", variable, std::strerror(errno)));
}

int run(const Options& o, const std::vector<std::string>& program) {
  if (program.empty())
    throw runtime::UsageError(
        "no program to trace: 'parity trace --output trace.jsonl PROGRAM ARGUMENTS...'");
  if (program.front().rfind('-', 0) == 0)
    throw runtime::UsageError(fmt::format("{} is no option of 'parity trace'", shown(program.front())));
  // Another tool would be left out without a word.
  for (const char* variable : {"KOKKOS_TOOLS_LIBS", "KOKKOS_PROFILE_LIBRARY", "CUDA_INJECTION64_PATH"})
    if (const char* const value = std::getenv(variable);
        value && *value && std::filesystem::path(value).filename() != library_name)
      throw runtime::UsageError(
          fmt::format("{} names another tool, and there can be one: unset it", variable));
  const std::string tool = library(), path = trace_file(o.output);
  make_file(path, o.force);
  set("KOKKOS_TOOLS_LIBS", tool);
  set("KOKKOS_PROFILE_LIBRARY", tool);  // its name before Kokkos 3.7
  set("CUDA_INJECTION64_PATH", tool);
  set("PARITY_TRACE_FILE", path);
  set("PARITY_TRACE_PROCESS", std::to_string(getpid()));
  if (o.quiet) set("PARITY_TRACE_QUIET", "1");
  std::vector<std::string> words = program;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const std::string why = runtime::start_other(arguments.data());
  unlink(path.c_str());
  throw runtime::UsageError(fmt::format("{} cannot be started: {}", shown(program.front(), 200), why));
}

}  // namespace

Action add_trace(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand(
      "trace",
      "Runs a program and records its kernels, launches, copies, graphs and waits (CUDA), its loops, fences, "
      "copies "
      "and regions (Kokkos), for 'parity advise'");
  c->add_option(
      "--output", o->output,
      "File of the trace (default: trace.jsonl); %p is the process's number, such as of each rank. A "
      "child process writes into FILE.NUMBER");
  c->add_flag("--force", o->force, "Replace the file if it is there");
  c->add_flag("--quiet", o->quiet, "No line about the trace on standard error");
  c->footer("parity trace [OPTIONS] PROGRAM ARGUMENTS...");
  c->prefix_command();
  return [o, c] {
    std::vector<std::string> program = c->remaining();
    if (!program.empty() && program.front() == "--") program.erase(program.begin());
    return run(*o, program);
  };
}

}  // namespace parity::commands
