// SPDX-License-Identifier: BSD-3-Clause
// launch/kokkos-kernel-mdrange: parallel_for over an MDRangePolicy, one tile a block.
#include "backend/kokkos/launch/probe.hpp"

namespace parity::launch {
namespace {

class KokkosMdrange : public KokkosLaunches<KokkosMdrange> {
 public:
  using KokkosLaunches::KokkosLaunches;
  void launch(const Work& work) {
    using Range = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2, Kokkos::Iterate::Left, Kokkos::Iterate::Left>,
                                        Kokkos::IndexType<int>>;
    with_functor<0>(work, 0, p_.threads, [this](const auto& functor) {
      Kokkos::parallel_for("parity::launch::mdrange",
                           Range(exec_, {0, 0}, {p_.threads, p_.blocks}, {p_.threads, 1}), functor);
    });
  }
};

}  // namespace

Entry kernel_kokkos_mdrange() {
  Entry e = kokkos_entry();
  e.refuse = [](const Problem& p) -> std::optional<std::string> {
    if (compat::exec_is_device() && p.threads > 512)
      return "Kokkos' MDRange kernels take at most 512 threads; reduce --threads";
    return std::nullopt;
  };
  return with_probe<KokkosMdrange>(e);
}

}  // namespace parity::launch
