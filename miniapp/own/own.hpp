// SPDX-License-Identifier: BSD-3-Clause
// Interface of the user's versions for the main program.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/study.hpp"

namespace parity::own {

const harness::Studies& studies();
/// The errors of the registrations, one per line.
std::vector<std::string> mistakes();
/// Source texts of the program by file name; parity_add_program generates them.
const std::map<std::string, const char*>& sources();

}  // namespace parity::own
