// SPDX-License-Identifier: BSD-3-Clause
// Runs a reader over every file of a folder, and over mutations of them that are identical on every machine.
//   fuzz_npy MUTATIONS FOLDER
#include "fuzz.hpp"

#include <fcntl.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <vector>

#include "runtime/text.hpp"

// A larger single allocation, or leaked memory, is a finding: inputs are some kilobytes. (The NetCDF library
// requests as much as a damaged file claims, and handles a failed malloc.)
extern "C" const char* __asan_default_options() {
  return "max_allocation_size_mb=256:allocator_may_return_null=1:detect_leaks=1";
}
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libnetcdf\nleak:libhdf5\nleak:libcrypto";
}
extern "C" const char* __ubsan_default_options() { return "print_stacktrace=1"; }

namespace fs = std::filesystem;

namespace parity::fuzz {
namespace {

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

std::string input_file(const std::string& name, const std::string& data) {
  const std::string path = path_of(name);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << data;
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
  // Libraries keep a few open; a reader that leaks a file does so with every input.
  require(file <= usual + 8, "files are left open");
}

}  // namespace parity::fuzz

extern "C" void __sanitizer_set_death_callback(void (*callback)());

namespace {

using namespace parity::fuzz;
using Bytes = std::string;

/// Identical on every machine, unlike the standard's distributions.
std::size_t below(std::size_t n) {
  static std::mt19937_64 engine(1);
  return n == 0 ? 0 : std::size_t(engine() % n);
}

// Words that readers look for, and numbers that are too large; separated by blanks.
std::vector<Bytes> words() {
  std::istringstream text(
      "0 -1 1e999 -1e308 9223372036854775807 9223372036854775808 4294967295 nan inf null { } [ ] [[ \" ' , ; "
      "= : # "
      ". \\ \\n \\u0007 true False \xef\xbb\xbf \x1b[2J \xff \xc2\x9b \xff\xff\xff\xff \x7f\xff\xff\xff");
  std::vector<Bytes> all{std::istream_iterator<Bytes>(text), {}};
  for (const Bytes& blank :
       {Bytes(" "), Bytes("\t"), Bytes("\n"), Bytes("\r\n"), Bytes(1, '\0'), Bytes(4, '\0')})
    all.push_back(blank);
  return all;
}

Bytes mutated(Bytes input, const std::vector<Bytes>& corpus) {
  static const std::vector<Bytes> known = words();
  for (std::size_t times = 1 + below(4); times > 0; --times) {
    const std::size_t at = below(input.size() + 1);
    const std::size_t length = std::min(input.size() - at, 1 + below(below(4) ? 8 : input.size() + 1));
    switch (below(6)) {
      case 0:
        if (at < input.size()) input[at] = char(below(2) ? input[at] ^ (1 << below(8)) : below(256));
        break;
      case 1:
        input.erase(at, below(4) ? length : input.size());
        break;
      case 2:
        input.insert(below(input.size() + 1), input.substr(at, length));
        break;
      case 3:
        input.replace(at, below(2) ? length : 0, known[below(known.size())]);
        break;
      case 4: {
        const Bytes& other = corpus[below(corpus.size())];
        input.insert(at, other.substr(below(other.size() + 1), 1 + below(64)));
        break;
      }
      default: {  // replaces one number by another
        const std::size_t digit = input.find_first_of("0123456789", at);
        if (digit == Bytes::npos) break;
        const std::size_t end = std::min(input.find_first_not_of("0123456789.eE+-", digit), input.size());
        input.replace(digit, end - digit, known[below(9)]);
      }
    }
  }
  if (input.size() > 65536) input.resize(65536);
  return input;
}

const Bytes* running = nullptr;

/// Saves the input of a finding.
void keep_input() {
  if (!running) return;
  std::ofstream("fuzz-finding", std::ios::binary) << *running;
  std::fprintf(stderr, "the input is kept in ./fuzz-finding (%zu bytes)\n", running->size());
  running = nullptr;
}
extern "C" void keep_input_of_signal(int) {
  keep_input();
  std::_Exit(1);
}

void run_kept(const Bytes& input) {
  running = &input;
  parity::fuzz::run(input);
  running = nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 || !fs::is_directory(argv[2])) {
    std::fprintf(stderr, "%s: give a number of mutations and a folder of files\n", argv[0]);
    return 2;
  }
  const std::size_t mutations = std::strtoull(argv[1], nullptr, 10);
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(argv[2])) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Bytes> corpus;
  for (const fs::path& file : files) corpus.push_back(contents(file.string()));
  __sanitizer_set_death_callback(keep_input);
  std::signal(SIGABRT, keep_input_of_signal);
  for (const Bytes& input : corpus) run_kept(input);
  for (std::size_t n = 0; n < mutations; ++n) run_kept(mutated(corpus[n % corpus.size()], corpus));
  std::printf("%zu files and %zu mutations of them: nothing found\n", corpus.size(), mutations);
}
