// SPDX-License-Identifier: BSD-3-Clause
// Common parts of tuned Kokkos variants: policies, the tuned halo and entries.
#pragma once
#include "diffusion/field_rows.hpp"
#include "diffusion/tile_configs.hpp"
#include "stepped.hpp"

namespace parity::diffusion {

/// A range over the threads of tiles (fewer than 2^32), with Tile's limit on registers per thread. Neighbours
/// share a warp, as in teams; but a TeamPolicy's kernel loops over the league and locks scratch memory.
template <class Tile, class T>
auto flat_range(const Exec& exec, std::int64_t threads) {
  return Kokkos::RangePolicy<Exec,
                             Kokkos::LaunchBounds<unsigned(Tile::threads), Tile::template least_teams<T>()>,
                             Kokkos::IndexType<unsigned>>(exec, 0U, unsigned(threads));
}

/// n pieces of work; on a host each thread's share is one chunk. By default a range has chunks whose size is
/// a power of two, and the last thread gets fewer pieces. Some versions of Kokkos and compilers distribute
/// chunks of one piece round-robin, so that first touch would place a thread's memory near another thread.
inline auto even_range(const Exec& exec, std::int64_t n) {
  return Range1<int>(exec, 0, int(n), Kokkos::ChunkSize(even_chunk(n, compat::concurrency(exec))));
}

/// A Field as a pointer-based FieldRows; T may be const.
template <class T, class Value>
FieldRows<T> field_rows(const Field<Value>& field) {
  return {field.data(), int(field.view.extent(2)), int(field.view.extent(1)), field.margin};
}

/// Periodic halo, corners included, in one launch. Defined in tuned.cpp.
template <class T, class Queue>
void update_halo_tuned(Queue& queue, const Problem& p, const FieldView<T>& f);

/// The 13-point step on a host: groups of rows with a vector loop, inside a halo and on periodic planes.
/// Defined in kokkos_tuned.cpp of fused and of fused_wrap.
template <class T, class Queue>
void fused_on_host(Queue& queue, const Problem& p, const FieldRows<const T>& in, T* out);
template <class T, class Queue>
void fused_wrap_on_host(Queue& queue, const Problem& p, const FieldRows<const T>& in, T* out);

/// As HaloBefore, with update_halo_tuned().
template <class T>
struct TunedHaloBefore {
  Fields<T> f;
  explicit TunedHaloBefore(const Problem& p) : f(Fields<T>::padded(p)) {}
  template <class Queue, class Step>
  void step(Queue& queue, const Step& step, const Tuning& tuning, const FieldView<T>& in,
            const FieldView<T>& out) const {
    update_halo_tuned(queue, f.p, in);
    step(queue, f.p, tuning, Field<T>{in, int(f.p.halo)}, Field<T>{out, int(f.p.halo)});
  }
  template <class Queue, class Step>
  void finish(Queue& queue, const Step&, const FieldView<T>& result) const {
    update_halo_tuned(queue, f.p, result);
  }
};

/// An entry whose tunings on a GPU are Config's; on a host it has no tunings.
template <class Config>
Entry with_configs(Entry e, const char* axes) {
  if (compat::exec_is_device()) e.tunings = Config::names(), e.tuning_axes = axes;
  e.refuse += refuse_large_planes;
  if (compat::exec_is_device()) e.refuse += [](const Problem&, const Tuning& t) { return Config::refuse(t); };
  return e;
}

/// The same with TileConfigs, whose threads have 32 bits.
inline Entry with_tiles(Entry e) {
  e = with_configs<TileConfigs>(std::move(e), tile_axes);
  if (compat::exec_is_device()) e.refuse += refuse_many_threads;
  return e;
}

/// The same with FlatConfigs, whose range has 32 bits.
inline Entry with_flat_rows(Entry e) {
  e = with_configs<FlatConfigs>(std::move(e), flat_axes);
  e.refuse += refuse_many_points;
  return e;
}

}  // namespace parity::diffusion
