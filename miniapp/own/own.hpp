// SPDX-License-Identifier: BSD-3-Clause
// What the main program of a user's versions asks.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/study.hpp"

namespace parity::own {

const harness::Studies& studies();
/// What is wrong with the registrations, a line each.
std::vector<std::string> mistakes();
/// The texts of the program's files by their names; parity_add_program writes it.
const std::map<std::string, const char*>& sources();

}  // namespace parity::own
