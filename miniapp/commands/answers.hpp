// SPDX-License-Identifier: BSD-3-Clause
// What a reader looks for first, of each device: best rates and their ratio, the speed-up over the original
// program, what a launch costs, and which way of launching pays.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "analysis/best_rates.hpp"
#include "analysis/diffusion_findings.hpp"
#include "analysis/origins.hpp"
#include "analysis/pairs.hpp"
#include "harness/records.hpp"

namespace parity::commands {

/// What was found in the rows of records.
struct Findings {
  const std::vector<analysis::Origin>& origins;
  const std::vector<analysis::DiffusionFindings>& diffusion;  ///< of each origin
  const std::vector<analysis::Pair>& pairs;
  const std::vector<analysis::BestRate>& best;
};

/// [{device, answers: [{what, sides: [native, portable], ratio}], guide or null}]
nlohmann::json answers_of(const harness::Records& records, const Findings& found);

}  // namespace parity::commands
