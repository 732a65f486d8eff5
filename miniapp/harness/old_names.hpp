// SPDX-License-Identifier: BSD-3-Clause
// Variants that were renamed: their old names stay valid on the command line, in plans and in records. The
// one place of the harness that knows variants by name, because records of before do.
#pragma once
#include <string>
#include <vector>

namespace parity::harness {

/// The present name of a variant (family-variant, without mechanism and tuning).
std::string present_name(const std::string& variant);

/// What a variant was called before.
std::vector<std::string> old_names_of(const std::string& variant);

}  // namespace parity::harness
