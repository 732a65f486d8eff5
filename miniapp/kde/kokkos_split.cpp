// SPDX-License-Identifier: BSD-3-Clause
// kde/kokkos-split: MDRange over (query, sample chunk), partial sums, a reduction. Twin of
// cuda-split-two-pass.
#include "kde/kokkos_split.hpp"

namespace parity::kde {
namespace {

template <class T>
class KokkosSplit : public KokkosSplitSum<T> {
 public:
  using KokkosSplitSum<T>::KokkosSplitSum;
  void advance() override {
    compat::StreamQueue queue(this->exec_);
    this->enqueue(queue);
  }
};

}  // namespace

Entry kokkos_split() {
  return with_factories<KokkosSplit>(
      split_entry("kokkos-split", "MDRange over (query, sample chunk) and a reduction over the chunks",
                  "cuda-split-two-pass"));
}

}  // namespace parity::kde
