// SPDX-License-Identifier: BSD-3-Clause
// What samples come to. Samples of one process lie closer together than the medians of two processes: memory
// lies elsewhere, clocks and neighbours have changed. So an interval comes from several processes, one for
// each start of the program, and is made to hold what the next run will find.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace parity::harness {

/// Samples, one list for each process.
using ByProcess = std::vector<std::vector<double>>;

struct Interval {
  double low = 0, high = 0;
  bool contains(double value) const { return low <= value && value <= high; }
};

/// Processes from which an interval is given.
constexpr int least_processes = 3;

/// From this spread on an estimate is noisy.
constexpr double noisy_spread = 0.1;

/// A value from processes: the median of the processes' medians.
struct Estimate {
  double value = 0;
  /// Holds the value of another run of as many processes with 95 %; nothing below least_processes. Processes'
  /// medians are taken to be independent and normal, of a ratio log-normal.
  std::optional<Interval> interval;
  int processes = 0, samples = 0;
  /// The smallest of the processes' values, which a busy machine lengthens least.
  double least = 0;
  /// From the lower to the upper quartile of the processes' values, over the value; infinite where noise took
  /// the value to zero or below. One process that was disturbed does not count.
  double spread = 0;
  /// Half the interval's width over the value; nothing without an interval, infinite where noise took the
  /// value to zero or below.
  std::optional<double> relative_half_width() const;
  /// Whether processes disagree by more than noisy_spread; false without an interval.
  bool noisy() const;
};

/// Of each process the samples during which it was preempted no more often than during half of them.
/// All of a process without such counts.
ByProcess quiet(const ByProcess& samples, const ByProcess& preemptions);

/// Of times: the interval of positive ones is positive, that of others that are not negative begins at 0. All
/// zero for no samples; empty processes do not count.
Estimate estimate(const ByProcess& processes);
/// Of one value a process, which may be a difference.
Estimate estimate(const std::vector<double>& values);

/// The ratio of medians, process by process: both sides of each come from one process. Of lists of different
/// length the surplus is left out. No interval where a ratio is not positive.
Estimate ratio(const ByProcess& numerator, const ByProcess& denominator);
/// Likewise the difference a - b.
Estimate difference(const ByProcess& a, const ByProcess& b);

/// Half the interval's width in standard deviations of the processes' medians.
double half_width_factor(int processes);

/// Order statistics of the samples of one process. The interval [low, high] holds the median of what they
/// were drawn from with 95 % (exact binomial order statistics; with fewer than six samples it is the whole
/// range, which holds it with less). It says nothing of another process.
struct Summary {
  double lower_quartile = 0, median = 0, upper_quartile = 0;
  double low = 0, high = 0;
  /// Half the interval's width over the median; infinite where noise took the median to zero or below.
  double relative_half_width() const;
};

/// All zero for no samples.
Summary summarise(std::vector<double> samples);

/// 0 for none.
double median_of(std::vector<double> values);
/// How many samples were preempted, and of how many that is known.
std::pair<int, int> preempted(const ByProcess& preemptions);

// Estimates as every table shows them.

/// How a number of a column is written.
struct NumberFormat {
  double factor = 1;
  int digits = 3;  ///< after the point; with 'significant' of the whole number
  bool significant = false;
  bool sign = false;  ///< also of positive numbers
  std::string of(double value) const;
};

/// "[1.002, 1.020]"; "[n = 2]" where there are too few processes for an interval.
std::string interval_text(const Estimate& estimate, const NumberFormat& format);
/// Why a difference of times says nothing: it is lost in what varies from start to start. Empty where it
/// does, or where there is no interval.
std::string why_lost(const Estimate& estimate);
/// A time in the unit that suits it: "60.1 ms".
std::string time_of(double seconds);
/// "60.1 ms [59.2, 61.4]", or "60.1 ms (noisy)"; of a difference that noise hides "below 53 us".
std::string time_text(const Estimate& seconds);
/// "1.01 [1.00, 1.02]"; in words where noise hides it.
std::string ratio_text(const Estimate& estimate, int digits);
/// The value and its interval: "1.013 [1.002, 1.020]".
std::string text_of(const Estimate& estimate, const NumberFormat& format);

}  // namespace parity::harness
