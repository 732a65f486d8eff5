// SPDX-License-Identifier: BSD-3-Clause
// The operations of the expert portable steps, as flat ranges or teams on a GPU and vector loops over rows on
// a host. Defined in tiled_operations.cpp, so that not every variant compiles them again.
#pragma once
#include "tiles.hpp"
#include "two_stage.hpp"

namespace parity::diffusion {

/// Elements a thread of flat kernels.
using LineForms = ElementsAs<FormList>;

struct TiledOperations {
  /// As FirstOperations has them: the same launches over the same points.
  template <class T, class Queue>
  static void update_halo(Queue& queue, const Problem& p, const Field<T>& f) {
    update_halo_tuned(queue, p, f);
  }
  template <class T, class Queue>
  static void copy_halo(Queue& queue, const Problem& p, const Field<T>& f);
  template <class T, class Queue>
  static void update_by_operations(Queue& queue, const Problem& p, const Field<T>& in, const Field<T>& out) {
    const Tuning standard{{4}};
    scale(queue, p, out, out, T(-p.alpha), standard);
    add(queue, p, in, 0, out, standard);
  }

  /// Of LineForms.
  template <class T, class Queue>
  static void scale(Queue& queue, const Problem& p, const Field<T>& from, const Field<T>& to, T weight,
                    const Tuning& elements);
  template <class T, class Queue>
  static void add(Queue& queue, const Problem& p, const Field<T>& from, std::int64_t shift,
                  const Field<T>& to, const Tuning& elements);
  /// Laplacian everywhere but in a margin of m points around each plane; tile: of PointTiles.
  template <class T, class Queue>
  static void laplacian(Queue& queue, const Problem& p, const Field<T>& from, const Field<T>& to, int m,
                        const Tuning& tile);
};

/// A Laplacian over tiles, for steps such as Elementary.
template <class T>
struct TiledLaplacian {
  Tuning tile;
  TiledLaplacian(const Problem&, const Tuning& t) : tile(t) {}
  template <class Queue>
  void operator()(Queue& queue, const Problem& p, const Field<T>& from, const Field<T>& to, int m) const {
    TiledOperations::laplacian(queue, p, from, to, m, tile);
  }
};

/// Rows a thread of flat ranges.
using FlatRows = FlatRowsAs<FormList>;

/// An expert entry whose tunings on a GPU are compile-time forms.
template <class Forms>
Entry expert_entry(const char* axes) {
  Entry e = kokkos_entry(Forms::names(), {}, compat::exec_is_device() ? axes : "");
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (const auto why = refuse_large_planes(p)) return why;
    return Forms::refuse(t);
  };
  return e;
}
inline Entry tiled_entry() {
  Entry e = expert_entry<PointTiles>(tile_axes);
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (const auto why = refuse_large_planes(p)) return why;
    if (compat::exec_is_device())
      if (const auto why = refuse_many_threads(p, t)) return why;
    return PointTiles::refuse(t);
  };
  return e;
}
/// The same over a flat range, whose index has 32 bits.
inline Entry flat_entry() {
  Entry e = expert_entry<FlatRows>("rows a thread");
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (const auto why = refuse_large_planes(p)) return why;
    if (const auto why = refuse_many_points(p, t)) return why;
    return FlatRows::refuse(t);
  };
  return e;
}

}  // namespace parity::diffusion
