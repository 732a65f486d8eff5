// SPDX-License-Identifier: BSD-3-Clause
// How many OpenMP threads compute: refused in one line where the machine cannot start them, since the OpenMP
// library would end the process over it.
#pragma once
#include <string>

namespace parity::runtime {

/// Takes the count from --threads, else ("") from OMP_NUM_THREADS, else as many as there are cores. Before
/// the first parallel region. Throws runtime::UsageError naming the option or the variable.
void choose_threads(const std::string& asked);

/// A wrong OMP_NUM_THREADS, which is hidden from the OpenMP library, is there again for a program that this
/// one starts.
void show_hidden_variable();

}  // namespace parity::runtime
