// SPDX-License-Identifier: BSD-3-Clause
// The harness's interface to the diffusion study.
#pragma once
#include "diffusion/error_bound.hpp"
#include "diffusion/variant.hpp"
#include "harness/study.hpp"

namespace parity::diffusion {

using DiffusionStudy = harness::StudyOf<Problem, Entry>;
const DiffusionStudy& study();

/// Throws runtime::UsageError naming the option to change if the problem cannot be computed.
void validate(const Problem& problem);

/// The gate of an entry: the error bound for the operations per point and step that its cost model counts.
double gate_of(const Problem& problem, const ErrorBound& bound, const Entry& entry);

/// The entry and the mechanism of a choice.
inline const Entry& entry_of(const harness::Choice& c) { return static_cast<const Entry&>(*c.entry); }
inline const Mechanism& mechanism_of(const harness::Choice& c) { return mechanisms().at(c.mechanism); }

/// The reason why an entry does not support a mechanism here; nullopt if it does.
std::optional<std::string> why_no_mechanism(const Entry& entry, const Mechanism& mechanism);

/// The reason why the present ranks cannot divide the problem this way; nullopt if they can.
std::optional<std::string> why_no_decomposition(const Problem& problem, const Entry& entry);

/// Bytes of a field of rank 0, whose part is the largest, with the halo that its exchanges need.
double exchanged_field_bytes(const Problem& problem, const harness::Choice& choice);
/// Bytes of rank 0's message buffers. Received messages count twice: peer copies arrive in an inbox first.
double message_bytes(const Problem& problem, const harness::Choice& choice);

/// Adds metrics of the messages of rank 0, whose part is the largest.
void add_metrics_of_ranks(const Problem& problem, const harness::Choice& choice,
                          std::vector<harness::Metric>& all);

}  // namespace parity::diffusion
