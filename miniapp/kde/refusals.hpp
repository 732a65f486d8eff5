// SPDX-License-Identifier: BSD-3-Clause
// Reasons, shared by twins, why a variant cannot compute a problem with a tuning.
#pragma once
#include <optional>
#include <string>

#include "kde/variant.hpp"

namespace parity::kde {

/// Distance of the outermost samples of a problem, in float.
double span_of(const Problem& problem);

/// Mean share of all samples within 'reach' bandwidths of a sample, from some of them.
double window_share(const Problem& problem, double reach);

/// Refuses double precision.
std::optional<std::string> refuse_double(const Problem& problem, const Tuning& tuning);

/// Refuses double precision, and samples so many bandwidths wide that scaling them beforehand would lose too
/// many digits.
std::optional<std::string> refuse_prescaling(const Problem& problem, const Tuning& tuning);

/// Refuses queries a thread other than 1, 2, 4, 8.
std::optional<std::string> refuse_other_tilings(const Problem& problem, const Tuning& tuning);

/// Refuses double precision, and shares of the polynomial other than 2, 3, 4 of 16.
std::optional<std::string> refuse_other_shares(const Problem& problem, const Tuning& tuning);

/// Both of the last two.
std::optional<std::string> refuse_other_shares_prescaled(const Problem& problem, const Tuning& tuning);

/// Refuses double precision, and more samples than fixed-point sums can hold.
std::optional<std::string> refuse_symmetric(const Problem& problem, const Tuning& tuning);

/// Refuses blocks of more than 1024 threads, and running sums so long that their gate would not see a
/// constant that is wrong by 1 %: one sum as meant, and one as printed.
std::optional<std::string> refuse_running_sum(const Problem& problem, const Tuning& tuning);
std::optional<std::string> refuse_as_printed(const Problem& problem, const Tuning& tuning);

/// Refuses blocks of more than 1024 threads.
std::optional<std::string> refuse_wide_blocks(const Problem& problem, const Tuning& tuning);

}  // namespace parity::kde
