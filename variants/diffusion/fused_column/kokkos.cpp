// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-fused-column: each thread updates a pack of columns over several rows from registers;
// periodic indices. Kokkos has no portable shuffle, so that the two columns on either side of a pack come
// from memory again, where its native twin takes them from the neighbouring lane; they hit the L1 cache.
#include "backend/kokkos/diffusion/stepped.hpp"

namespace parity::diffusion {
namespace {

/// Updates rows [j0, j0 + rows) of one pack of a plane (ny, pitch). whole: nx is a multiple of the pack, so
/// that no pack straddles the periodic seam.
template <int rows, bool whole, class T>
KOKKOS_INLINE_FUNCTION void update_pack(const T* plane, T* result, int nx, int ny, int pitch, int pack,
                                        int j0, T alpha) {
  constexpr int width = pack_width<T>;
  const int i0 = pack * width;
  ColumnStrip<T, rows> strip;
  const auto store = [&](int u, const Pack<T>& values) {
    if (j0 + u < ny) *reinterpret_cast<Pack<T>*>(result + std::size_t(j0 + u) * pitch + i0) = values;
  };
  int next = wrap(j0 - 1, ny);  // the row whose sides come next
  if constexpr (whole) {
    const int west = i0 > 0 ? i0 - 2 : nx - 2, east = i0 + width < nx ? i0 + width : 0;
    for_input_rows<rows>(j0, ny, [&](int r, int j) {
      const auto centre = *reinterpret_cast<const Pack<T>*>(plane + std::size_t(j) * pitch + i0);
      PARITY_UNROLL
      for (int i = 0; i < width; ++i) strip.at[r][i + 2] = centre.v[i];
    });
    update_rows(
        strip, alpha,
        [&](int r) {
          const T* const row = plane + std::size_t(next) * pitch;
          next = next + 1 < ny ? next + 1 : 0;
          const auto left = *reinterpret_cast<const Pair<T>*>(row + west),
                     right = *reinterpret_cast<const Pair<T>*>(row + east);
          PARITY_UNROLL
          for (int i = 0; i < 2; ++i) {
            strip.at[r][i] = left.v[i];
            strip.at[r][i + width + 2] = right.v[i];
          }
        },
        store);
  } else {
    int column[width + 4];
    PARITY_UNROLL
    for (int i = 0; i < width + 4; ++i) column[i] = (i0 + i - 2 + nx) % nx;
    for_input_rows<rows>(j0, ny, [&](int r, int j) {
      PARITY_UNROLL
      for (int i = 2; i < width + 2; ++i) strip.at[r][i] = plane[std::size_t(j) * pitch + column[i]];
    });
    update_rows(
        strip, alpha,
        [&](int r) {
          const T* const row = plane + std::size_t(next) * pitch;
          next = next + 1 < ny ? next + 1 : 0;
          PARITY_UNROLL
          for (int i = 0; i < 2; ++i) {
            strip.at[r][i] = row[column[i]];
            strip.at[r][i + width + 2] = row[column[i + width + 2]];
          }
        },
        store);
  }
}

template <class T>
struct FusedColumn {
  Fields<T> f;
  Tuning tuning;
  FusedColumn(const Problem& p, const Tuning& t) : f(Fields<T>::packed(p)), tuning(t) {}
  template <class Queue>
  void operator()(Queue& queue, const Field<T>& from, const Field<T>& to) const {
    const bool whole = f.p.nx % pack_width<T> == 0;
    const auto launch = [&](auto rows) {
      if (whole)
        strips<rows.value, true>(queue, from, to);
      else
        strips<rows.value, false>(queue, from, to);
    };
    if (tuning[0] == 4) return launch(std::integral_constant<int, 4>());
    if (tuning[0] == 8) return launch(std::integral_constant<int, 8>());
    launch(std::integral_constant<int, 12>());
  }

  template <int rows, bool whole, class Queue>
  void strips(Queue& queue, const Field<T>& from, const Field<T>& to) const {
    const Problem& p = f.p;
    const int nx = int(p.nx), ny = int(p.ny), pitch = int(f.pitch);
    const T alpha = T(p.alpha);
    const T* const in = from.data();
    T* const out = to.data();
    const Tuning tile{{1, 1, tuning[1]}};
    queue.parallel_for(
        "parity::diffusion::fused_column",
        range3(queue.exec(), p.nz, (ny + rows - 1) / rows, packs_in_row<T>(nx), tile),
        KOKKOS_LAMBDA(int pack, int chunk, int k) {
          const std::size_t first = std::size_t(k) * ny * pitch;
          update_pack<rows, whole>(in + first, out + first, nx, ny, pitch, pack, chunk * rows, alpha);
        });
  }
  template <class Queue>
  void finish(Queue&, const Field<T>&) const {}
};

}  // namespace

Entry fused_column_kokkos() {
  Entry e = kokkos_entry({"12x32", "12x64", "8x32", "8x64", "8x128", "4x32", "4x128"},
                         {"8x1024", "4x1024", "12x1024"}, "rows a thread x packs of a tile");
  e.refuse = [](const Problem&, const Tuning& t) -> std::optional<std::string> {
    if (t[0] != 4 && t[0] != 8 && t[0] != 12) return "it is compiled for 4, 8 or 12 rows a thread";
    return compat::exec_is_device() && t[1] > 1024
               ? std::optional<std::string>("a tile of more than the 1024 threads of a block")
               : std::nullopt;
  };
  e.model = [](const Problem& p) { return cost_per_step(p, 1, 2, direct_flops); };
  return with_steps<FusedColumn>(e);
}

}  // namespace parity::diffusion
