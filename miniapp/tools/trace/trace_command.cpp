// SPDX-License-Identifier: BSD-3-Clause
// parity trace: executes another program, into which CUDA and Kokkos load the recording library.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "commands/commands.hpp"
#include "io/atomic_file.hpp"
#include "runtime/error.hpp"
#include "runtime/processes.hpp"
#include "runtime/text.hpp"
#include "tools/trace/process.hpp"
#include "tools/trace/try.hpp"

namespace parity::commands {
namespace {

using runtime::shown;

struct Options {
  std::string output = "trace.json", cupti;
  double after = 0, length = 0;  ///< seconds; 0: the recorder's own choice
  bool force = false, quiet = false, command_line = false;
};

constexpr const char* library_name = "libparity_trace.so";

/// Next to the executable (build), or in ../lib (installation).
std::string library() {
  std::error_code none;
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
  for (const std::filesystem::path& path : {here / library_name, here / ".." / "lib" / library_name})
    if (access(path.c_str(), R_OK) == 0) return std::filesystem::absolute(path).lexically_normal().string();
  throw runtime::CannotRunError(
      fmt::format("{} is neither in {} nor in ../lib from there: build or install it", library_name,
                  shown(here.string(), 200)));
}

/// Replaces %p by this process's number. Returns an absolute path, since the program may change its folder.
std::string trace_file(std::string path) {
  for (std::size_t at = 0; (at = path.find("%p", at)) != std::string::npos;)
    path.replace(at, 2, std::to_string(getpid()));
  return std::filesystem::absolute(path).string();
}

/// Finds a program like a shell; empty if it does not exist.
std::string find_program(const std::string& name) {
  const auto can_start = [](const std::string& path) {
    struct stat there {};
    return stat(path.c_str(), &there) == 0 && S_ISREG(there.st_mode) && access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) return can_start(name) ? name : "";
  const char* const variable = std::getenv("PATH");
  std::istringstream path(variable ? variable : "/bin:/usr/bin");
  for (std::string folder; std::getline(path, folder, ':');)
    if (const std::string file = (folder.empty() ? "." : folder) + "/" + name; can_start(file)) return file;
  return "";
}

constexpr const char *tools = "KOKKOS_TOOLS_LIBS", *before_3_7 = "KOKKOS_PROFILE_LIBRARY";

/// True if a program of the command contains a Kokkos before 3.7; newer ones warn about the older variable.
bool has_old_kokkos(const std::vector<std::string>& words) {
  const std::string recent = fmt::format("'{}=", tools), library = "libkokkoscore.so.3.";
  for (const std::string& word : words) {
    const std::string path = find_program(word);
    std::ifstream file(path, std::ios::binary);
    bool reads_old = false, reads_new = false;
    std::string part, begin(64, '\0');  // begins with the end of the previous part
    for (part.resize(1 << 20); !path.empty() && (file.read(part.data(), 1 << 20), file.gcount() > 0);) {
      const std::string text = begin + part.substr(0, std::size_t(file.gcount()));
      reads_old = reads_old || text.find(before_3_7) != std::string::npos;
      reads_new = reads_new || text.find(recent) != std::string::npos;
      if (const std::size_t at = text.find(library); at < text.size() - library.size() - 1)
        reads_old = reads_old || (text[at + library.size()] < '7' && text[at + library.size() + 1] == '\0');
      begin = text.substr(text.size() - 64);
    }
    if (reads_old && !reads_new) return true;
  }
  return false;
}

/// Creates the empty file, so that errors appear before the program starts. Returns true if the file is new.
bool make_file(const std::string& path, bool force) {
  const auto fail = [&path](const char* why) {
    throw runtime::UsageError(fmt::format("{} cannot be written: {}", shown(path, 200), why));
  };
  io::require_trusted(path);
  bool made = true;
  int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0 && errno == EEXIST) {
    if (!force)
      throw runtime::UsageError(
          fmt::format("{} is there already: give another --output (with %p in it where several processes are "
                      "traced), or --force to replace it",
                      shown(path, 200)));
    made = false;
    struct stat there {};
    if (stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) fail("it is no file");
    file = open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  }
  if (file < 0) fail(std::strerror(errno));
  close(file);
  return made;
}

void set(const char* variable, const std::string& value) {
  if (setenv(variable, value.c_str(), 1) != 0)
    throw runtime::CannotRunError(fmt::format("{} cannot be set: {}", variable, std::strerror(errno)));
}

/// Makes CUDA and Kokkos load the recorder into this process, or into the program that it executes.
void load_recorder(const std::string& tool, const std::string& path) {
  set(tools, tool);
#ifdef PARITY_HAS_CUPTI
  set("CUDA_INJECTION64_PATH", tool);
#endif
  set("PARITY_TRACE_FILE", path);
  struct stat file {};
  if (stat(path.c_str(), &file) == 0)
    set("PARITY_TRACE_PROCESS", fmt::format("{}:{}", getpid(), trace::identity(file)));
}

int run(const Options& o, const std::vector<std::string>& program) {
  if (program.empty())
    throw runtime::UsageError("no program to trace: 'parity trace --output trace.json PROGRAM ARGUMENTS...'");
  if (program.front().rfind('-', 0) == 0)
    throw runtime::UsageError(fmt::format("{} is no option of 'parity trace'", shown(program.front())));
  // Another tool would silently be replaced.
  for (const char* variable : {tools, before_3_7, "CUDA_INJECTION64_PATH"})
    if (const char* const value = std::getenv(variable);
        value && *value && std::filesystem::path(value).filename() != library_name)
      throw runtime::UsageError(
          fmt::format("{} names another tool, and there can be one: unset it", variable));
  const std::string tool = library();
  std::string path = trace_file(o.output);
  if (find_program(program.front()).empty())
    throw runtime::UsageError(
        fmt::format("{} cannot be started: it is no program here", shown(program.front(), 200)));
  if (!o.cupti.empty() && access(o.cupti.c_str(), R_OK) != 0)
    throw runtime::UsageError(
        fmt::format("{} cannot be read: {}", shown(o.cupti, 200), std::strerror(errno)));
  const bool made = make_file(path, o.force);
  path = std::filesystem::canonical(path).string();
  std::vector<std::string> words = program;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const auto set_seconds = [](const char* variable, double seconds) {
    if (seconds > 0) set(variable, fmt::format("{:.6f}", seconds));
  };
  load_recorder(tool, path);
  if (has_old_kokkos(program)) set(before_3_7, tool);
#ifdef PARITY_HAS_CUPTI
  if (!o.cupti.empty()) set("PARITY_TRACE_CUPTI", std::filesystem::absolute(o.cupti).string());
#endif
  set_seconds("PARITY_TRACE_AFTER", o.after);
  set_seconds("PARITY_TRACE_FOR", o.length);
  struct stat file {};
  if (fstat(STDERR_FILENO, &file) == 0) set("PARITY_TRACE_STDERR", trace::identity(file));
  if (o.quiet) set("PARITY_TRACE_QUIET", "1");
  if (o.command_line) set("PARITY_TRACE_COMMAND_LINE", "1");
  const std::string why = runtime::become(arguments.data());
  if (made) unlink(path.c_str());
  throw runtime::UsageError(fmt::format("{} cannot be started: {}", shown(program.front(), 200), why));
}

}  // namespace

}  // namespace parity::commands

namespace parity::replay {

std::string record_this_process([[maybe_unused]] const std::string& path) try {
#ifdef PARITY_HAS_CUPTI
  if (std::getenv("CUDA_INJECTION64_PATH")) return "CUDA_INJECTION64_PATH names another profiler";
  commands::make_file(path, true);
  commands::set("PARITY_TRACE_QUIET", "1");
  commands::load_recorder(commands::library(), path);
  return "";
#else
  return "Parity was built without CUPTI";
#endif
} catch (const runtime::Error& e) {
  return e.what();
}

}  // namespace parity::replay

namespace parity::commands {

Action add_trace(CLI::App& app, const harness::Studies&) {
  auto o = std::make_shared<Options>();
  CLI::App* c =
      app.add_subcommand("trace",
                         "Runs a program and records its kernels, launches, copies, graphs and waits (CUDA), "
                         "its loops, fences, copies and regions (Kokkos), for 'parity advise'");
  c->add_option(
      "--output", o->output,
      "File of the trace (default: trace.json); %p is the process's number, such as of each rank. A "
      "child process writes into FILE.NUMBER");
  c->add_flag("--force", o->force, "Replace the file if it is there");
  c->add_option("--cupti", o->cupti,
                "CUPTI's library to record CUDA with (default: the one the program has loaded, or that of "
                "the driver's generation)");
  c->add_option(
       "--after", o->after,
       "Seconds after which recording begins (default: at the program's first use of CUDA or Kokkos)")
      ->transform(number_from(0, 1e6));
  c->add_option(
       "--for", o->length,
       "Seconds that are recorded (default: until 20000 launches, or 10 s after the first one if there "
       "are 2000 by then, or 120 s after it). In the rest calls that wait are counted, so that "
       "'parity advise' knows how long a step takes if nothing slows it")
      ->transform(number_from(0.001, 1e6));
  c->add_flag("--command-line", o->command_line,
              "Keep the program's whole command line in the trace, not its name alone");
  c->add_flag("--quiet", o->quiet, "No line about the trace on standard error");
  c->footer("parity trace [OPTIONS] [--] PROGRAM ARGUMENTS...");
  c->prefix_command();
  return [o, c] { return run(*o, c->remaining()); };
}

void drop_mark(const CLI::App& trace, std::vector<std::string>& words) {
  for (std::size_t k = 1; k < words.size() && words[k][0] == '-'; ++k) {
    if (words[k] == "--") {
      words.erase(words.begin() + std::ptrdiff_t(k));
      return;
    }
    const CLI::Option* const option = trace.get_option_no_throw(words[k]);
    if (option && option->get_items_expected_max() > 0) ++k;  // the option's value
  }
}

}  // namespace parity::commands
