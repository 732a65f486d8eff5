// SPDX-License-Identifier: BSD-3-Clause
// Stand-in for nccl.cu in a build without NCCL.
#include <stdexcept>

#include "runtime/nccl.hpp"

namespace parity::runtime {

std::string nccl_version() { return ""; }
const std::optional<std::string>& why_no_nccl() {
  static const std::optional<std::string> why =
      "this build has no NCCL (-DPARITY_NCCL_INCLUDE and -DPARITY_NCCL_LIBRARY name one): give peer, direct "
      "or staged";
  return why;
}
void leave_nccl() {}

std::unique_ptr<PersistentExchange> nccl_exchange(const std::vector<Message>&, const std::vector<Message>&,
                                                  bool) {
  throw std::logic_error("no NCCL in this build");
}

}  // namespace parity::runtime
