// SPDX-License-Identifier: BSD-3-Clause
#include "harness/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "runtime/clock.hpp"

namespace parity::harness {
namespace {

/// "3 s", "12 min 5 s", "2 h 3 min".
std::string duration_text(double seconds) {
  const auto s = std::int64_t(std::llround(std::min(seconds, 1e9)));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  return fmt::format("{} h {} min", s / 3600, s / 60 % 60);
}

/// Maximum line width: a line wider than the terminal could not be overwritten.
std::size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1u : 79u;
}

}  // namespace

std::string progress_text(double done, double total, const std::string& unit, double elapsed, double now) {
  const double share = total > 0 ? std::clamp(done / total, 0.0, 1.0) : 0;
  std::string text = fmt::format("{:.0f} %", std::floor(100 * share));
  text += total < 1000 ? fmt::format(", {:.4g} of {:.4g} {}", done, total, unit)
                       : fmt::format(", {:.0f} of {:.0f} {}", done, total, unit);
  if (!(done > 0 && elapsed > 0)) return text;
  text += fmt::format(", {:.3g} {}/s", done / elapsed, unit);
  const double left = std::max(0.0, elapsed / done * (total - done));
  const std::time_t end = std::time_t(now + left);
  std::tm local{};
  char clock[16] = "";
  if (localtime_r(&end, &local)) std::strftime(clock, sizeof clock, "%H:%M:%S", &local);
  return text + fmt::format(", {} left, until {}", duration_text(left), clock);
}

Progress::Progress(double total, const std::string& unit, bool quiet, double since)
    : quiet_(quiet),
      shown_(!quiet && isatty(STDERR_FILENO)),
      total_(total),
      unit_(unit),
      start_(shown_ && since <= 0 ? runtime::host_seconds() : since) {}

Progress::~Progress() { clear(); }

void Progress::log_every(double seconds) {
  if (shown_ || quiet_) return;
  log_every_ = seconds;
  if (start_ <= 0) start_ = runtime::host_seconds();
  drawn_ = runtime::host_seconds();
}

void Progress::update(double done, const std::string& what) {
  if (!shown_ && log_every_ <= 0) return;
  const double now = runtime::host_seconds();
  if (shown_ ? visible_ && now - drawn_ < 0.1 : now - drawn_ < log_every_) return;
  std::string line =
      progress_text(done, total_, unit_, now - start_, double(std::time(nullptr))) + ": " + what;
  drawn_ = now;
  if (!shown_) {
    fmt::print(stderr, "{}\n", line);
    std::fflush(stderr);
    return;
  }
  line.resize(std::min(line.size(), terminal_width()));
  fmt::print(stderr, "\r\x1b[K{}", line);
  std::fflush(stderr);
  visible_ = true;
}

void Progress::clear() {
  if (!visible_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  visible_ = false;
}

}  // namespace parity::harness
