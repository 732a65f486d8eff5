// SPDX-License-Identifier: BSD-3-Clause
// Statistics of samples. Samples of one process agree more closely than the medians of two processes, because
// memory placement, clocks and neighbouring load change. So an interval comes from several processes, one
// per repetition of the program, and should contain the result of the next run.
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

/// Minimum number of processes for an interval.
constexpr int least_processes = 3;

/// An estimate with a larger spread is noisy.
constexpr double noisy_spread = 0.1;

/// A value from processes: the median of the processes' medians.
struct Estimate {
  double value = 0;
  /// Contains the value of another run of as many processes with 95 %; nullopt below least_processes. Assumes
  /// that process medians are independent and normal (log-normal for a ratio).
  std::optional<Interval> interval;
  int processes = 0, samples = 0;
  /// The smallest process value, which a busy machine affects least.
  double least = 0;
  /// Interquartile range of the process values over the value; infinite if noise made the value zero or
  /// negative. Robust against one disturbed process.
  double spread = 0;
  /// Half the interval's width over the value; nullopt without an interval, infinite if noise made the value
  /// zero or negative.
  std::optional<double> relative_half_width() const;
  /// True if the spread exceeds noisy_spread; false without an interval.
  bool noisy() const;
};

/// Keeps the samples of each process that have no more preemptions than the process's median sample. Keeps
/// all samples of a process without counts.
ByProcess quiet(const ByProcess& samples, const ByProcess& preemptions);

/// Estimates times: the interval of positive times is positive, that of other non-negative times does not
/// begin below 0. All zero for no samples; empty processes do not count.
Estimate estimate(const ByProcess& processes);
/// Estimates from one value per process, which may be a difference.
Estimate estimate(const std::vector<double>& values);

/// The ratio of medians, process by process: both medians of a ratio come from one process. Ignores the
/// surplus of the longer list. No interval if a ratio is not positive.
Estimate ratio(const ByProcess& numerator, const ByProcess& denominator);
/// Likewise the difference a - b.
Estimate difference(const ByProcess& a, const ByProcess& b);

/// Half the interval's width in standard deviations of the process medians.
double half_width_factor(int processes);

/// Order statistics of the samples of one process. [low, high] contains the median of the samples'
/// distribution with 95 % (exact binomial order statistics; with fewer than six samples it is the whole
/// range, with less). It says nothing about other processes.
struct Summary {
  double lower_quartile = 0, median = 0, upper_quartile = 0;
  double low = 0, high = 0;
  /// Half the interval's width over the median; infinite if noise made the median zero or negative.
  double relative_half_width() const;
};

/// All zero for no samples.
Summary summarise(std::vector<double> samples);

/// 0 for no values.
double median_of(std::vector<double> values);
/// The number of preempted samples, and the number of samples with a known count.
std::pair<int, int> preempted(const ByProcess& preemptions);

// Texts of estimates, for all tables.

/// Format of a column's numbers.
struct NumberFormat {
  double factor = 1;
  int digits = 3;  ///< after the point; significant digits if 'significant'
  bool significant = false;
  bool sign = false;  ///< also for positive numbers
  std::string of(double value) const;
};

/// "[1.002, 1.020]"; "[n = 2]" if there are too few processes for an interval.
std::string interval_text(const Estimate& estimate, const NumberFormat& format);
/// Why a difference of times means nothing: the variation between processes hides it. Empty if it means
/// something; without an interval only a negative value is reported.
std::string why_lost(const Estimate& estimate);
/// A time in a suitable unit: "60.1 ms".
std::string time_of(double seconds);
/// "60.1 ms [59.2, 61.4]", or "60.1 ms (noisy)"; "below 53 us" for a difference that noise hides.
std::string time_text(const Estimate& seconds);
/// "1.01 [1.00, 1.02]"; words if noise hides it.
std::string ratio_text(const Estimate& estimate, int digits);
/// The value and its interval: "1.013 [1.002, 1.020]".
std::string text_of(const Estimate& estimate, const NumberFormat& format);

}  // namespace parity::harness
