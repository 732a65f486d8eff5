// SPDX-License-Identifier: BSD-3-Clause
// Measures a set of variants on one problem, in one process, on the same data.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "diffusion/selection.hpp"
#include "study/measure.hpp"

namespace parity::diffusion {

using study::Measured;
using study::MemoryNeed;

/// What a run of the variant needs at most.
MemoryNeed memory_need(const Problem& problem, const Entry& entry);

/// Throws UsageError when not even one of the variants fits with the data that checking needs.
void check_memory(const Problem& problem, const std::vector<Selected>& selected);

/// Prepares, times and verifies. Variants share rounds as far as memory lets them live side by side.
/// before(what) announces work; on_row is called as soon as a row is final.
Measured measure(const Problem& problem, const std::vector<Selected>& selected,
                 const study::RunOptions& options, const std::function<void(const std::string&)>& before = {},
                 const std::function<void(const study::Row&)>& on_row = {});

/// What is known of a row before it runs; its key identifies it in a file of records.
study::Row blank_row(const Problem& problem, const Selected& selected);

/// Modelled seconds of one sample: traffic at copy speed (fields in cache included) plus launches.
double estimate(const Problem& problem, const Selected& selected);

/// "12.345 us a step".
std::string time_text(const Problem& problem, const study::Row& row);

/// The problem as it stands in records.
nlohmann::json to_json(const Problem& problem);

}  // namespace parity::diffusion
