// SPDX-License-Identifier: BSD-3-Clause
// Open questions about Kokkos outside of Parity's studies, each as a small program: 'kokkos_questions NAME'.
#pragma once
#include "kokkos_compat.hpp"

namespace parity::questions {

/// The outcome; the exit code of the process.
enum class Answer {
  fine = 0,        ///< the issue does not occur, and every result is right
  fault = 1,       ///< the issue occurs, or a result is wrong
  cannot_run = 3,  ///< this build or machine cannot tell
};

/// Kokkos issue 9271: do parallel reduce nodes of a graph corrupt each other's sums?
Answer reduce_nodes();

/// Kokkos issues 8300 and 2545: do launches of large functors wait for each other, and block their caller?
Answer large_functors();

/// Kokkos issue 8652: the cost of an MDRange on a core. Times only; the fault would be a wrong sum.
Answer mdrange();

/// Kokkos issue 5879: the cost for a team's threads to exchange values through scratch. Times only; the fault
/// would be a wrong value.
Answer teams();

}  // namespace parity::questions
