// SPDX-License-Identifier: BSD-3-Clause
// Shows what runs, the share done, the rate and the expected end: a line on a terminal, and occasional lines
// in a log if requested.
#pragma once
#include <string>

namespace parity::harness {

class Progress {
 public:
  /// An amount of work in some unit: Progress(64, "planes"). Draws on standard error if that is a terminal
  /// and 'quiet' is false. since: when the work began, on the host's clock; 0: now.
  Progress(double total, const std::string& unit, bool quiet = false, double since = 0);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Corrects the total.
  void expect(double total) { total_ = total; }
  /// Without a terminal, prints a whole line every so many seconds, unless 'quiet'.
  void log_every(double seconds);

  /// 'done' of the total is finished; 'what' runs now. Draws at most ten times per second, so calling it
  /// often is fine. Call it from one thread.
  void update(double done, const std::string& what);
  void clear();

 private:
  bool quiet_, shown_;
  bool visible_ = false;
  double total_, log_every_ = 0;
  std::string unit_;
  double start_, drawn_ = 0;
};

/// The line for 'done' of 'total' after 'elapsed' seconds, without what runs: "42 %, 26.9 of 64 planes, 13.5
/// planes/s, 3 s left, until 14:03:12". 'now': seconds since 1970.
std::string progress_text(double done, double total, const std::string& unit, double elapsed, double now);

}  // namespace parity::harness
