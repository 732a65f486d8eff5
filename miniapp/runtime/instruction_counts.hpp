// SPDX-License-Identifier: BSD-3-Clause
// How often each machine instruction of this program is executed, found by executing one after the other:
// some microseconds each, for loops that no counter of the processor can be asked about, such as on a virtual
// machine.
#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>

namespace parity::runtime {

struct InstructionCounts {
  std::map<std::uint64_t, std::uint64_t> here;  ///< by the address that the program's file has
  std::uint64_t elsewhere = 0;                  ///< of libraries
  bool cut = false;                             ///< the time was over: these are not all
  double total() const;
};

/// Why they cannot be counted here; empty: they can.
std::string why_no_instruction_counts();

/// Of the calling thread alone. After so many seconds the rest of the work is done as ever, uncounted. Throws
/// CannotRunError where they cannot be counted.
InstructionCounts count_instructions(const std::function<void()>& work,
                                     double seconds = std::numeric_limits<double>::infinity());

}  // namespace parity::runtime
