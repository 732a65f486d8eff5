// SPDX-License-Identifier: BSD-3-Clause
#include "harness/old_names.hpp"

#include <map>

namespace parity::harness {

std::string present_name(const std::string& variant) {
  static const std::map<std::string, std::string> renamed = {
      {"cuda-seed-verbatim", "cuda-original-verbatim"},
      {"cuda-seed-fixed", "cuda-original-fixed"},
      {"cuda-seed-*", "cuda-original-*"},
  };
  const auto at = renamed.find(variant);
  return at == renamed.end() ? variant : at->second;
}

}  // namespace parity::harness
