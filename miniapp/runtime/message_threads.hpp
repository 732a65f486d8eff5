// SPDX-License-Identifier: BSD-3-Clause
// What a program asks of MPI before it joins the other ranks.
#pragma once

namespace parity::runtime {

/// Several threads of a rank are to send: a library with a thread of its own does. Messages cost more then.
/// Nobody promises that MPI can. Before the RanksScope.
void let_several_threads_send();

}  // namespace parity::runtime
