// SPDX-License-Identifier: BSD-3-Clause
// Plays the ways of launching a traced step on this machine's GPU.
#pragma once
#include <optional>

#include "tools/trace/replay.hpp"
#include "tools/trace/trace.hpp"

namespace parity::replay {

/// The reason why the step cannot be replayed; nullopt if it can.
std::optional<std::string> why_not(const analysis::Trace& trace, const analysis::Step& step);

/// apart: see AdviceOptions.
Skeleton skeleton_of(const analysis::Step& step, const std::vector<std::string>& apart);

/// The step as recorded, and in every other applicable way.
std::vector<Plan> plans_of(const Skeleton& recorded);

/// Corrects the skeleton's kernels and gaps by a recorded replay of the step. Returns the replayed step's
/// duration; nullopt if the recording has too few steps.
std::optional<double> adjust(Skeleton& skeleton, const analysis::Step& step, const analysis::Trace& replayed);

/// Reduces the host's gaps, which recording lengthened, by so many seconds in total, each by the same share.
/// Returns the share.
double shorten_gaps(Skeleton& skeleton, double seconds);

/// Replaces the model's predictions for the longest-lasting step by measurements on this machine. Throws
/// runtime::UsageError, runtime::CannotRunError.
void try_ways(const analysis::Trace& trace, std::vector<analysis::StepAdvice>& advice,
              const analysis::AdviceOptions& options);

/// Records this process's later CUDA calls into the file. Returns the reason if it cannot.
std::string record_this_process(const std::string& path);

}  // namespace parity::replay
