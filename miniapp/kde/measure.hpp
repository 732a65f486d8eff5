// SPDX-License-Identifier: BSD-3-Clause
// Measures a set of KDE variants on one problem, in one process, on the same samples.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "kde/selection.hpp"
#include "study/measure.hpp"

namespace parity::kde {

using study::Measured;
using study::MemoryNeed;

/// What a run of the variant needs at most.
MemoryNeed memory_need(const Problem& problem, const Entry& entry);

/// Throws study::UsageError when one of the variants does not fit with the data that checking needs.
void check_memory(const Problem& problem, const std::vector<Selected>& selected);

/// Prepares, times and verifies. before(what) announces work; on_row is called as soon as a row is final.
Measured measure(const Problem& problem, const std::vector<Selected>& selected,
                 const study::RunOptions& options, const std::function<void(const std::string&)>& before = {},
                 const std::function<void(const study::Row&)>& on_row = {});

/// What is known of a row before it runs; its key identifies it in a file of records.
study::Row blank_row(const Problem& problem, const Selected& selected);

/// Modelled seconds of one sample.
double estimate(const Problem& problem, const Selected& selected);

/// "1.234 ms, 3.94e+12 pairs/s".
std::string time_text(const Problem& problem, const study::Row& row);

/// The problem as it stands in records.
nlohmann::json to_json(const Problem& problem);

/// Pairs a second that the GPU's special-function units allow, 16 a clock and multiprocessor; 0 without a
/// GPU.
double exponential_ceiling();

}  // namespace parity::kde
