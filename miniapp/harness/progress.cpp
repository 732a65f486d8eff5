// SPDX-License-Identifier: BSD-3-Clause
#include "harness/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace parity::harness {

Progress::Progress(int total, bool quiet)
    : shown_(!quiet && isatty(STDERR_FILENO)), total_(total), start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() { clear(); }

void Progress::update(int done, const std::string& what) {
  if (!shown_) return;
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  std::string left;
  if (done > 0) left = fmt::format(", about {:.0f} s left", elapsed / done * (total_ - done));
  fmt::print(stderr, "\r\x1b[K[{}/{}] {} ({:.0f} s{})", done + 1, total_, what, elapsed, left);
  std::fflush(stderr);
}

void Progress::clear() {
  if (!shown_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

}  // namespace parity::harness
