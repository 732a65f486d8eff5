// SPDX-License-Identifier: BSD-3-Clause
#include "tools/names.hpp"

#include <utf8proc.h>

#include <cstdlib>

namespace parity::tools {

std::string composed(const std::string& name) {
  utf8proc_uint8_t* made = nullptr;
  const auto size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(name.data()), utf8proc_ssize_t(name.size()),
                   &made, utf8proc_option_t(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  if (size < 0) return name;
  std::string whole(reinterpret_cast<const char*>(made), std::size_t(size));
  std::free(made);
  return whole;
}

}  // namespace parity::tools
