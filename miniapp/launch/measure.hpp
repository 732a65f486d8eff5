// SPDX-License-Identifier: BSD-3-Clause
// Measures a figure of the launch study for a set of variants in turn, and shows of each that it measures.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "launch/quantity.hpp"
#include "launch/selection.hpp"
#include "study/measure.hpp"

namespace parity::launch {

using study::Measured;
using study::MemoryNeed;

MemoryNeed memory_need(const Problem& problem, const Entry& entry);

/// Throws study::UsageError when what events copy does not fit.
void check_memory(const Problem& problem, const std::vector<Selected>& selected);

/// One row a variant; its samples are the figure. The verdict holds a known delay, injected where the figure
/// must grow by it, against what came back (5 %, or the interval of what came back; 75 % where units sleep),
/// the number of events that ran, and what they wrote.
Measured measure(const Problem& problem, const std::vector<Selected>& selected,
                 const study::RunOptions& options, const std::function<void(const std::string&)>& before = {},
                 const std::function<void(const study::Row&)>& on_row = {});

/// What is known of a row before it runs; its key identifies it in a file of records.
study::Row blank_row(const Problem& problem, const Selected& selected);

/// Modelled seconds of one sample.
double estimate(const Problem& problem, const Selected& selected);

/// "1.234 us [1.230, 1.240]".
std::string time_text(const Problem& problem, const study::Row& row);

/// The problem as it stands in records.
nlohmann::json to_json(const Problem& problem);

/// Holds what came back against what was injected. 'recovered': differences of samples with the larger and
/// the smaller delay.
study::Verdict judge(const std::vector<double>& recovered, double injected, double tolerance = 0.05);

}  // namespace parity::launch
