// SPDX-License-Identifier: BSD-3-Clause
// What runs, how much of it is done, at what rate, and when it will end: a line on a terminal, and in a log a
// line now and then where that is asked for.
#pragma once
#include <string>

namespace parity::harness {

class Progress {
 public:
  /// An amount of work in some unit: Progress(64, "planes"). Shows itself on standard error when that is a
  /// terminal and 'quiet' is not asked for. since: when it began, on the host's clock; now where that is 0.
  Progress(double total, const std::string& unit, bool quiet = false, double since = 0);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// There is more or less to do than was thought.
  void expect(double total) { total_ = total; }
  /// Where there is no terminal, a whole line every so many seconds; none where 'quiet' was asked for.
  void log_every(double seconds);

  /// 'done' of the total is finished, and what runs now. Draws ten times a second at most, so that it may be
  /// called often. From one thread.
  void update(double done, const std::string& what);
  void clear();

 private:
  bool quiet_, shown_;
  bool visible_ = false;
  double total_, log_every_ = 0;
  std::string unit_;
  double start_, drawn_ = 0;
};

/// The line for 'done' of 'total' after so many seconds, without what runs: "42 %, 26.9 of 64 planes,
/// 13.5 planes/s, 3 s left, until 14:03:12". 'now': seconds since 1970.
std::string progress_text(double done, double total, const std::string& unit, double elapsed, double now);

}  // namespace parity::harness
