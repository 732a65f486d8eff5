// SPDX-License-Identifier: BSD-3-Clause
#include "harness/old_names.hpp"

#include <map>

namespace parity::harness {
namespace {

/// Old name, present name.
const std::map<std::string, std::string> renamed = {
    {"cuda-seed-verbatim", "cuda-original-verbatim"},
    {"cuda-seed-fixed", "cuda-original-fixed"},
};

}  // namespace

std::string present_name(const std::string& variant) {
  const auto at = renamed.find(variant);
  return at == renamed.end() ? variant : at->second;
}

std::vector<std::string> old_names_of(const std::string& variant) {
  std::vector<std::string> names;
  for (const auto& [old_name, present] : renamed)
    if (present == variant) names.push_back(old_name);
  return names;
}

}  // namespace parity::harness
