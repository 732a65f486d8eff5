// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <utility>

namespace parity::runtime {
namespace {

/// Edits (insert, delete, replace) between two words; Levenshtein 1966.
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

}  // namespace

std::string three_digits(double value) { return fmt::format("{:.3g}", value); }

std::string with_dashes(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::string lowered(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  return text;
}

std::string shown(std::string_view text, std::size_t most) {
  std::string safe;
  std::size_t count = 0;
  while (!text.empty()) {
    if (count++ == most) return safe + "\u2026";
    const std::size_t size = shown_bytes(text);
    if (size > 0) {
      safe += text.substr(0, size);
      text.remove_prefix(size);
      continue;
    }
    char escaped[5];
    std::snprintf(escaped, sizeof escaped, "\\x%02x", unsigned(static_cast<unsigned char>(text.front())));
    safe += escaped;
    text.remove_prefix(1);
  }
  return safe;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  if (word.empty() || word.size() > 100) return "";
  const std::string small = lowered(word);
  const std::size_t letters = word.size() - std::min(word.size(), word.find_first_not_of('-'));
  const std::string* best = nullptr;
  // Limit: a third of the letters plus one. Names that contain the word compete by edits, capped at 3.
  std::pair<int, int> least = {int(letters) / 3 + 2, 0};
  for (const std::string& name : known) {
    if (name.empty()) continue;
    const bool contains = (letters >= 4 && name.find(small) != std::string::npos) ||
                          (letters == 3 && name.rfind(small, 0) == 0);
    const int edits = edit_distance(small, lowered(name));
    const std::pair<int, int> distance = {contains ? 1 : edits, std::min(edits, 3)};
    if (distance >= least) continue;
    best = &name;
    least = distance;
  }
  return best ? fmt::format("; did you mean {}?", shown(*best)) : "";
}

}  // namespace parity::runtime
