// SPDX-License-Identifier: BSD-3-Clause
// Text as a JSON string, whatever its bytes are.
#pragma once
#include <cstdio>
#include <string>
#include <string_view>

#include "runtime/text.hpp"

namespace parity::trace {

/// In quotes. What is no UTF-8, and what would turn the direction of writing, becomes U+FFFD.
inline std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const unsigned char first = static_cast<unsigned char>(text.front());
    const std::size_t size = runtime::shown_bytes(text);
    if (size == 0) {
      char escaped[8] = "\\ufffd";
      if (first < 0x80) std::snprintf(escaped, sizeof escaped, "\\u%04x", unsigned(first));
      quoted += escaped;
      text.remove_prefix(1);
      continue;
    }
    if (first == '"' || first == '\\') quoted += '\\';
    quoted += text.substr(0, size);
    text.remove_prefix(size);
  }
  return quoted += '"';
}

}  // namespace parity::trace
