// SPDX-License-Identifier: BSD-3-Clause
// Runs a fuzz target without libFuzzer: over every file of folders, and over mutations of them that are the
// same on every machine.
//   fuzz_npy [--mutations N] [--seed S] FILE-OR-FOLDER...
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "fuzz.hpp"

extern "C" void __sanitizer_set_death_callback(void (*callback)());

namespace {

using parity::fuzz::contents;
using Bytes = std::string;
namespace fs = std::filesystem;

/// The same on every machine, which the standard's distributions are not.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {  // SplitMix64
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t n) { return n == 0 ? 0 : std::size_t(next() % n); }
  template <class C>
  const auto& one_of(const C& choices) {
    return choices[below(std::size(choices))];
  }

 private:
  std::uint64_t state_;
};

const std::string words[] = {"0",
                             "-1",
                             "1e999",
                             "-1e308",
                             "9223372036854775807",
                             "9223372036854775808",
                             "4294967295",
                             "nan",
                             "inf",
                             "null",
                             "{",
                             "}",
                             "[",
                             "]",
                             "\"",
                             "'",
                             ",",
                             ";",
                             "\t",
                             "\n",
                             "\r\n",
                             "\\",
                             "=",
                             ":",
                             "#",
                             ".",
                             " ",
                             "\xef\xbb\xbf",
                             "\x1b[2J",
                             "\xff",
                             "\xc2\x9b",
                             std::string(1, '\0'),
                             std::string(4, '\0'),
                             std::string(4, '\xff'),
                             "\x7f\xff\xff\xff",
                             "[[",
                             "\\n",
                             "\\u0007",
                             "true",
                             "False"};

Bytes mutated(Bytes input, const std::vector<Bytes>& corpus, Dice& dice) {
  for (std::size_t times = 1 + dice.below(4); times > 0; --times) {
    const std::size_t at = dice.below(input.size() + 1);
    const std::size_t length =
        std::min(input.size() - at, 1 + dice.below(dice.below(4) ? 8 : input.size() + 1));
    switch (dice.below(9)) {
      case 0:
        if (at < input.size()) input[at] = char(input[at] ^ (1 << dice.below(8)));
        break;
      case 1:
        if (at < input.size()) input[at] = char(dice.below(256));
        break;
      case 2:
        input.erase(at, length);
        break;
      case 3:
        input.insert(dice.below(input.size() + 1), input.substr(at, length));
        break;
      case 4:
        input.insert(at, dice.one_of(words));
        break;
      case 5:
        input.replace(at, length, dice.one_of(words));
        break;
      case 6:
        if (dice.below(4) == 0) input.resize(at);
        break;
      case 7: {
        const Bytes& other = dice.one_of(corpus);
        const std::size_t from = dice.below(other.size() + 1);
        input.insert(at, other.substr(from, 1 + dice.below(64)));
        break;
      }
      default: {  // one number in place of another
        const std::size_t digit = input.find_first_of("0123456789", at);
        if (digit == Bytes::npos) break;
        const std::size_t end = std::min(input.find_first_not_of("0123456789.eE+-", digit), input.size());
        input.replace(digit, end - digit, words[dice.below(9)]);
      }
    }
  }
  if (input.size() > 65536) input.resize(65536);
  return input;
}

const Bytes* running = nullptr;

/// Keeps the input that a finding is about.
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

void run(const Bytes& input) {
  running = &input;
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  running = nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t mutations = 0, seed = 1;
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if ((word == "--mutations" || word == "--seed") && i + 1 < argc) {
      (word == "--seed" ? seed : mutations) = std::strtoull(argv[++i], nullptr, 10);
    } else if (fs::is_directory(word)) {
      for (const auto& entry : fs::directory_iterator(word)) files.push_back(entry.path());
    } else {
      files.emplace_back(word);
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<Bytes> corpus;
  for (const fs::path& file : files) corpus.push_back(contents(file.string()));
  if (corpus.empty()) {
    std::fprintf(stderr, "%s: give files, or a folder of them\n", argv[0]);
    return 2;
  }
  __sanitizer_set_death_callback(keep_input);
  std::signal(SIGABRT, keep_input_of_signal);
  for (const Bytes& input : corpus) run(input);
  Dice dice(seed);
  for (std::size_t n = 0; n < mutations; ++n) run(mutated(corpus[n % corpus.size()], corpus, dice));
  std::printf("%zu files and %zu mutations of them: nothing found\n", corpus.size(), mutations);
}
