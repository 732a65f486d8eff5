// SPDX-License-Identifier: BSD-3-Clause
// What tuned Kokkos variants share that is no kernel: policies, the tuned halo and entries.
#pragma once
#include "diffusion/field_rows.hpp"
#include "diffusion/tile_configs.hpp"
#include "stepped.hpp"

namespace parity::diffusion {

/// A range over the threads of tiles, fewer than 2^32, with the registers that Tile leaves to each.
/// Neighbours are in the same warp, as in teams, but a TeamPolicy's kernel loops over the league and keeps
/// locks for scratch memory.
template <class Tile, class T>
auto flat_range(const Exec& exec, std::int64_t threads) {
  return Kokkos::RangePolicy<Exec,
                             Kokkos::LaunchBounds<unsigned(Tile::threads), Tile::template least_teams<T>()>,
                             Kokkos::IndexType<unsigned>>(exec, 0U, unsigned(threads));
}

/// n pieces of work, on a host each thread's share in one chunk. Left to itself a range deals out chunks
/// whose size is a power of two, and the last thread gets fewer. Chunks of one piece are dealt out in turn by
/// some versions of Kokkos and compilers, so that a thread's memory would be another's at first touch.
inline auto even_range(const Exec& exec, std::int64_t n) {
  return Range1<int>(exec, 0, int(n), Kokkos::ChunkSize(even_chunk(n, compat::concurrency(exec))));
}

/// A View by pointer, without a margin of so many points around each plane; T may be const.
template <class T, class Value>
FieldRows<T> field_rows(const Field<Value>& field, std::int64_t margin = 0) {
  return {field.data(), int(field.extent(2)), int(field.extent(1)), int(margin)};
}

/// Periodic halo, corners included, in one launch. Defined in tuned.cpp.
template <class T, class Queue>
void update_halo_tuned(Queue& queue, const Problem& p, const Field<T>& f);

/// As HaloBefore.
template <class T>
struct TunedHaloBefore {
  Fields<T> f;
  explicit TunedHaloBefore(const Problem& p) : f(Fields<T>::padded(p)) {}
  template <class Queue>
  void before(Queue& queue, const Field<T>& in) const {
    update_halo_tuned(queue, f.p, in);
  }
  template <class Queue>
  void finish(Queue& queue, const Field<T>& result) const {
    update_halo_tuned(queue, f.p, result);
  }
};

/// An entry whose tunings on a GPU are Config's; a host has nothing to choose.
template <class Config>
Entry with_configs(Entry e, const char* axes) {
  if (compat::exec_is_device()) e.tunings = Config::names(), e.tuning_axes = axes;
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (const auto why = refuse_large_planes(p)) return why;
    return compat::exec_is_device() ? Config::refuse(t) : std::nullopt;
  };
  return e;
}

/// The same with TileConfigs.
inline Entry with_tiles(Entry e) {
  e = with_configs<TileConfigs>(std::move(e), tile_axes);
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (const auto why = refuse_large_planes(p)) return why;
    if (!compat::exec_is_device()) return std::nullopt;
    if (const auto why = refuse_many_threads(p, t)) return why;
    return TileConfigs::refuse(t);
  };
  return e;
}

/// The same with FlatConfigs, whose range has 32 bits.
inline Entry with_flat_rows(Entry e) {
  e = with_configs<FlatConfigs>(std::move(e), flat_axes);
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (const auto why = refuse_large_planes(p)) return why;
    if (const auto why = refuse_many_points(p, t)) return why;
    return compat::exec_is_device() ? FlatConfigs::refuse(t) : std::nullopt;
  };
  return e;
}

}  // namespace parity::diffusion
