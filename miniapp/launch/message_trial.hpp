// SPDX-License-Identifier: BSD-3-Clause
// A quantity of messages at work on every rank.
#pragma once
#include "launch/trial.hpp"

namespace parity::launch {

/// Rank 0 has the launch study's own trial, of rounds as events; the others take part in them. All ranks call
/// the trial's functions together. A rank that cannot make its rounds ends the row on all; what fails in a
/// round ends all ranks.
std::unique_ptr<harness::Trial> message_trial(const Problem& problem, const Entry& entry,
                                              std::shared_ptr<Bench> bench);

}  // namespace parity::launch
