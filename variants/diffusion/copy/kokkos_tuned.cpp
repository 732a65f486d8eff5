// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-copy-tuned: the field copied in each step by flat teams, several packs of 16 bytes a
// thread; on a host pieces with a vector loop.
#include "backend/kokkos/diffusion/stepped.hpp"
#include "backend/kokkos/diffusion/tiled_operations.hpp"
#include "diffusion/points.hpp"

namespace parity::diffusion {
namespace {

using PackForms = PacksAs<FormList>;

template <class T>
struct CopyFlat {
  /// A host's vector loop makes packs of its own.
  using Element = std::conditional_t<compat::exec_is_device(), Pack<T>, T>;
  Fields<T> f;
  Tuning tuning;
  CopyFlat(const Problem& p, const Tuning& t) : f(Fields<T>::packed(p)), tuning(t) {}
  template <class Queue>
  void operator()(Queue& queue, const Field<T>& from, const Field<T>& to) const {
    const CopyLine<Element> line{reinterpret_cast<const Element*>(from.data()),
                                 reinterpret_cast<Element*>(to.data())};
    const std::int64_t elements = std::int64_t(from.size() * sizeof(T) / sizeof(Element));
    PackForms::with(tuning, [&](auto form) {
      for_line<decltype(form)::count>(queue, "parity::diffusion::copy_flat", elements, line);
    });
  }
  template <class Queue>
  void finish(Queue&, const Field<T>&) const {}
};

}  // namespace

Entry copy_kokkos_tuned() {
  Entry e = expert_entry<PackForms>("packs of 16 bytes a thread");
  e.floor = true;
  e.model = [](const Problem& p) { return cost_per_step(p, 1, 2, 0); };
  return with_steps<CopyFlat>(e);
}

}  // namespace parity::diffusion
