// SPDX-License-Identifier: BSD-3-Clause
// Open questions about Kokkos that no study of Parity asks, each as a small program: 'kokkos_questions NAME'.
#pragma once
#include "kokkos_compat.hpp"

namespace parity::questions {

/// What was found; the process' exit code.
enum class Answer {
  fine = 0,        ///< nothing of what the issue reports, and every result right
  fault = 1,       ///< what the issue reports, or a wrong result
  cannot_run = 3,  ///< this build or machine cannot tell
};

/// Kokkos issue 9271: do reduce nodes of a graph that stand side by side spoil each other's sums?
Answer reduce_nodes();

/// Kokkos issues 8300 and 2545: do launches of large functors wait for each other, and their caller with
/// them?
Answer large_functors();

/// Kokkos issue 8652: what does an MDRange cost on a core? Times only; the fault would be a wrong sum.
Answer mdrange();

/// Kokkos issue 5879: what do a team's threads pay for handing values through scratch? Times only; the fault
/// would be a wrong value.
Answer teams();

}  // namespace parity::questions
