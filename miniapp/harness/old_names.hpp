// SPDX-License-Identifier: BSD-3-Clause
// Variants that were renamed: their old names stay valid on the command line, in plans and in records.
#pragma once
#include <string>

namespace parity::harness {

/// The present name of a variant (family-variant, without mechanism and tuning).
std::string present_name(const std::string& variant);

}  // namespace parity::harness
