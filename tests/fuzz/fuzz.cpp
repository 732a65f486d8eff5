// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz.hpp"

#include <fcntl.h>
#include <omp.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "runtime/text.hpp"

// One allocation beyond this, or memory that nobody frees, is a finding: inputs are some kilobytes. (The
// NetCDF library asks malloc for what a damaged file promises, and takes no for an answer.)
extern "C" const char* __asan_default_options() {
  return "max_allocation_size_mb=256:allocator_may_return_null=1:detect_leaks=1";
}
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libnetcdf\nleak:libhdf5\nleak:libcrypto";
}
extern "C" const char* __ubsan_default_options() { return "print_stacktrace=1"; }

namespace parity::fuzz {
namespace {

namespace fs = std::filesystem;

// Inputs are some kilobytes: several threads would only wait for each other.
[[maybe_unused]] const bool one_thread = (omp_set_num_threads(1), true);

struct Folder {
  Folder() {
    std::string name = (fs::temp_directory_path() / "parity-fuzz-XXXXXX").string();
    if (!mkdtemp(name.data())) finding("no folder for temporary files");
    path = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  fs::path path;
};

}  // namespace

void finding(const std::string& what) {
  std::fprintf(stderr, "FINDING: %s\n", what.c_str());
  std::abort();
}

std::string path_of(const std::string& name) {
  static const Folder folder;
  return (folder.path / name).string();
}

std::string input_file(const std::string& name, const std::uint8_t* data, std::size_t size) {
  const std::string path = path_of(name);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(data), std::streamsize(size));
  require(bool(file.flush()), "no room for temporary files");
  return path;
}

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void check_message(const std::string& message) {
  require(!message.empty() && runtime::shown(message, message.size()) == message,
          "a message that is not one printable line: " + message);
  require(message.size() < 1000, "a message that is too long for a line: " + message);
}

void check_open_files() {
  static const int usual = [] {
    const int file = open("/dev/null", O_RDONLY);
    close(file);
    return file;
  }();
  const int file = open("/dev/null", O_RDONLY);
  close(file);
  // Libraries keep a few for themselves; a reader that leaves one open does so with every input.
  require(file <= usual + 8, "files are left open");
}

}  // namespace parity::fuzz
