// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "runtime/text.hpp"

namespace parity::runtime {

int edit_distance(const std::string& a, const std::string& b) {
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = int(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  if (word.empty() || word.size() > 100) return "";
  const std::string* best = nullptr;
  int least = std::max<int>(2, int(word.size()) / 2) + 1;
  for (const std::string& name : known) {
    const bool contains = word.size() >= 4 && name.find(word) != std::string::npos;
    const int distance = contains ? 1 : edit_distance(word, name);
    if (distance >= least) continue;
    best = &name;
    least = distance;
  }
  return best ? fmt::format("; did you mean {}?", shown(*best)) : "";
}

}  // namespace parity::runtime
