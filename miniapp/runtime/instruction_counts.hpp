// SPDX-License-Identifier: BSD-3-Clause
// How often each machine instruction of this program is executed, found by executing one after the other:
// some microseconds each, for loops that no counter of the processor can be asked about, such as on a virtual
// machine.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace parity::runtime {

struct InstructionCounts {
  std::map<std::uint64_t, std::uint64_t> here;  ///< by the address that the program's file has
  std::uint64_t elsewhere = 0;                  ///< of libraries
};

/// Why they cannot be counted here; empty: they can.
std::string why_no_instruction_counts();

/// Of the calling thread alone. Throws CannotRunError where they cannot be counted.
InstructionCounts count_instructions(const std::function<void()>& work);

}  // namespace parity::runtime
