// SPDX-License-Identifier: BSD-3-Clause
// Ways of launching a traced step that are tried on this machine's GPU.
#pragma once
#include <optional>

#include "tools/trace/replay.hpp"
#include "tools/trace/trace.hpp"

namespace parity::replay {

/// Why the step cannot be replayed; nothing: it can.
std::optional<std::string> why_not(const analysis::Trace& trace, const analysis::Step& step);

/// apart: see AdviceOptions.
Skeleton skeleton_of(const analysis::Step& step, const std::vector<std::string>& apart);

/// The step as recorded, and in every other way that it may be launched.
std::vector<Plan> plans_of(const Skeleton& recorded);

/// Takes from a recorded replay of the step what its kernels and the host lacked or had too much. Returns how
/// long its step took there; nothing where the recorder has too little of it.
std::optional<double> adjust(Skeleton& skeleton, const analysis::Step& step, const analysis::Trace& replayed);

/// Takes seconds of a step from the host's gaps, which recording lengthened: the same part of each. Returns
/// it.
double shorten_gaps(Skeleton& skeleton, double seconds);

/// Replaces what a model predicts of the longest-lasting step by what was measured here. Throws
/// runtime::UsageError, runtime::CannotRunError.
void try_ways(const analysis::Trace& trace, std::vector<analysis::StepAdvice>& advice,
              const analysis::AdviceOptions& options);

/// This process's calls of CUDA are recorded into the file, if it makes them later. Or it returns why not.
std::string record_this_process(const std::string& path);

}  // namespace parity::replay
