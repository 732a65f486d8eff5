// SPDX-License-Identifier: BSD-3-Clause
// Text for people: safe display of file contents, the nearest known name.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace parity::runtime {

inline bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Bytes of the character that a UTF-8 text begins with; 0 if it begins with none, or with a control
/// character that a terminal would obey instead of showing it.
inline std::size_t shown_bytes(std::string_view text) {
  const auto at = [&text](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  if (text.empty()) return 0;
  if (at(0) < 0x80) return at(0) < 0x20 || at(0) == 0x7f ? 0 : 1;
  const std::size_t size = at(0) >= 0xf0 ? 4 : at(0) >= 0xe0 ? 3 : 2;
  if (at(0) < 0xc2 || at(0) > 0xf4 || text.size() < size) return 0;
  unsigned code = at(0) & (0x7fu >> size);
  for (std::size_t k = 1; k < size; ++k) {
    if ((at(k) & 0xc0) != 0x80) return 0;
    code = code << 6 | (at(k) & 0x3fu);
  }
  const bool overlong = code < (size == 2 ? 0x80u : size == 3 ? 0x800u : 0x10000u);
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  // Control characters, line separators and changes of the writing direction.
  const bool control = code < 0xa0 || (code >= 0x200b && code <= 0x200f) ||
                       (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) ||
                       code == 0xfeff;
  return overlong || surrogate || control || code > 0x10ffff ? 0 : size;
}

/// Text from a file, safe for a message: control characters and invalid UTF-8 as \xNN; cut after 'most'.
std::string shown(std::string_view text, std::size_t most = 60);

/// A number in three digits, for files that Kokkos' compiler compiles: nvcc 12 fails on fmt in C++20.
std::string three_digits(double value);

/// The printed name of an algorithm or variant; its folder has '_'.
std::string with_dashes(std::string name);

/// ASCII letters in lower case.
std::string lowered(std::string text);

/// "; did you mean kokkos-fused?" with the nearest known name; "" if none is near.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& known);

}  // namespace parity::runtime
