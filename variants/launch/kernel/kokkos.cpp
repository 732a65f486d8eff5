// SPDX-License-Identifier: BSD-3-Clause
// launch/kokkos-kernel: parallel_for over a RangePolicy. Its -light, -mdrange and -team forms use other
// policies.
#include "algorithm.hpp"
#include "backend/kokkos/launch/probe.hpp"

namespace parity::launch::kernel {
namespace {

using KernelRange = Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>;

/// Functor sizes on both sides of the limits where Kokkos changes how it passes functors.
constexpr int most_functor_bytes = 40960;

class KokkosKernel : public KokkosProbe {
 public:
  using KokkosProbe::KokkosProbe;
  void start(int count, const Work& work) override {
    for (int k = 0; k < count; ++k)
      with_functor<most_functor_bytes>(work, p_.argument_bytes, [this](const auto& functor) {
        Kokkos::parallel_for("parity::launch::kernel", KernelRange(exec_, 0, int(p_.indices())), functor);
      });
  }
};

namespace hints = Kokkos::Experimental;
constexpr auto light = hints::WorkItemProperty::HintLightWeight;

/// With the light-weight hint. Without it, Kokkos passes functors of 512 bytes or more to a GPU through
/// constant memory and waits for the previous user of that memory. With it, functors up to 4 KB are kernel
/// arguments, and larger ones lie in global memory.
class KokkosKernelLight : public KokkosProbe {
 public:
  using KokkosProbe::KokkosProbe;
  void start(int count, const Work& work) override {
    for (int k = 0; k < count; ++k)
      with_functor<most_functor_bytes>(work, p_.argument_bytes, [this](const auto& functor) {
        const auto range = hints::require(KernelRange(exec_, 0, int(p_.indices())), light);
        static_assert(std::is_same_v<typename std::decay_t<decltype(range)>::work_item_property,
                                     std::decay_t<decltype(light)>>);
        Kokkos::parallel_for("parity::launch::kernel_light", range, functor);
      });
  }
};

/// One tile per block.
class KokkosKernelMdrange : public KokkosProbe {
 public:
  using KokkosProbe::KokkosProbe;
  void start(int count, const Work& work) override {
    using Tiles = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2, Kokkos::Iterate::Left, Kokkos::Iterate::Left>,
                                        Kokkos::IndexType<int>>;
    for (int k = 0; k < count; ++k)
      with_functor<0>(
          work, 0,
          [this](const auto& functor) {
            Kokkos::parallel_for("parity::launch::kernel_mdrange",
                                 Tiles(exec_, {0, 0}, {p_.threads, p_.blocks}, {p_.threads, 1}), functor);
          },
          p_.threads);
  }
};

/// One team per block; on a host, teams of one thread.
class KokkosKernelTeam : public KokkosProbe {
 public:
  using KokkosProbe::KokkosProbe;
  void start(int count, const Work& work) override {
    const bool device = compat::exec_is_device();
    const int teams = device ? p_.blocks : int(p_.indices()), threads = device ? p_.threads : 1;
    for (int k = 0; k < count; ++k)
      with_functor<0>(work, 0, [&](const auto& functor) {
        Kokkos::parallel_for("parity::launch::kernel_team", Kokkos::TeamPolicy<Exec>(exec_, teams, threads),
                             functor);
      });
  }
};

}  // namespace

Entry kokkos() {
  Entry e = algorithm(compat::exec_is_device());
  e.most_argument_bytes = most_functor_bytes;
  return with_probe<KokkosKernel>(e);
}

Entry kokkos_light() {
  Entry e = algorithm(compat::exec_is_device());
  e.most_argument_bytes = most_functor_bytes;
  return with_probe<KokkosKernelLight>(e);
}

Entry kokkos_mdrange() {
  Entry e = algorithm(compat::exec_is_device());
  e.refuse = [](const Problem& p) -> std::optional<std::string> {
    if (compat::exec_is_device() && p.threads > 512)
      return "Kokkos' MDRange kernels take at most 512 threads; reduce --threads";
    return std::nullopt;
  };
  return with_probe<KokkosKernelMdrange>(e);
}

Entry kokkos_team() { return with_probe<KokkosKernelTeam>(algorithm(compat::exec_is_device())); }

}  // namespace parity::launch::kernel
