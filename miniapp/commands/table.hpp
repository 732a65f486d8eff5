// SPDX-License-Identifier: BSD-3-Clause
// The readable form of measured rows, shared by the commands that print them.
#pragma once
#include <string>
#include <vector>

#include "analysis/pairs.hpp"
#include "harness/study.hpp"

namespace parity::commands {

using harness::Measurement;

/// One line a row of one problem, with its metrics, the ratio to the baseline row (baseline time / row time:
/// above 1 is faster) and its interval. An empty baseline means the fastest native row (openmp or cuda), or
/// the fastest of all. Where times are results by themselves, their intervals and checks instead.
void print_table(const harness::Study& study, const std::vector<Measurement>& rows,
                 const std::string& baseline);

/// Every pair, with interval and number of samples; nothing where there is none.
void print_pairs(const std::vector<analysis::Pair>& pairs, bool with_problem = false);

/// Rows of one or several problems as CSV with a header line: the study's parameters, times, metrics, the
/// ratio to the baseline of the same problem, and the pair.
std::string to_csv(const harness::Study& study, const std::vector<Measurement>& rows,
                   const std::string& baseline);

/// A row's first metric for one line of 'parity measure'.
std::string metric_text(const Measurement& row);

/// "NOT MEASURABLE here, the interval holds 0; " of a quantity that is lost in noise, "UNRELIABLE: " if a
/// check of its time failed; otherwise nothing.
std::string doubt_text(const Measurement& row);

/// Whether a user's word for a row means this one: variant or variant/tuning, with the study before it or
/// without.
bool is_called(const std::string& asked, const std::string& study, const std::string& variant,
               const std::string& name);

/// The row of one run and problem that ratios refer to, as print_table says; null where there is none.
const Measurement* find_baseline(const std::vector<const Measurement*>& rows, const std::string& name);

/// A row beside the baseline of its run and problem.
struct AgainstBaseline {
  const Measurement* baseline = nullptr;
  harness::Estimate ratio;  ///< baseline time over its own; no blocks where they never ran in one process
};

/// Of each row, in their order; rows of any runs and problems. Valid as long as 'rows' is.
std::vector<AgainstBaseline> against_baselines(const std::vector<Measurement>& rows,
                                               const std::string& baseline);

/// Whether readable tables have a column for a metric: what has no direction is context and goes to records
/// and CSV only, but for shares.
bool is_shown(const harness::Metric& metric);

/// A metric's value as readable tables show it: "12.34", "87 %".
std::string value_text(const harness::Metric& metric);

}  // namespace parity::commands
