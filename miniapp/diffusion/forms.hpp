// SPDX-License-Identifier: BSD-3-Clause
// The compile-time forms of kernels over the maps of tile_map.hpp, which a tuning chooses from: the same for
// portable and native rows.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "diffusion/halo.hpp"
#include "diffusion/problem.hpp"
#include "diffusion/tile_map.hpp"
#include "harness/variant.hpp"

namespace parity::diffusion {

/// Teams that a multiprocessor shall have room for, which limits the registers of a thread: 2048 threads with
/// 32 registers each where a thread computes a word of 4 bytes, fewer the more it holds at once.
constexpr unsigned least_teams(int threads, int words) {
  return unsigned((words <= 1   ? 2048
                   : words == 2 ? 1536
                   : words <= 4 ? 1024
                   : words <= 8 ? 768
                                : 512) /
                  threads);
}
/// The same for a map of tile_map.hpp, some of which say themselves.
template <class Map>
constexpr unsigned least_teams_of(int words) {
  return Map::least >= 0 ? unsigned(Map::least) : least_teams(Map::threads, words);
}

/// Forms by name, the default first.
template <class... All>
struct Forms {
  static std::vector<std::string> names() { return {All::name()...}; }
  static bool has(const harness::Tuning& t) { return ((to_string(t) == All::name()) || ...); }
  /// f(form) for the tuning's; nothing where there is no such form.
  template <class F>
  static void with(const harness::Tuning& t, const F& f) {
    const std::string name = to_string(t);
    static_cast<void>(((name == All::name() ? (f(All{}), true) : false) || ...));
  }
  static std::optional<std::string> refuse(const harness::Tuning& t) {
    if (has(t)) return std::nullopt;
    std::string all;
    for (const std::string& name : names()) all += (all.empty() ? "" : ", ") + name;
    return "it is compiled for " + all;
  }
};

/// A number as a form: rows or elements a thread.
template <int count_>
struct Count {
  static constexpr int count = count_;
  static std::string name() { return std::to_string(count_); }
};

// Lists of forms, for any kind of list.

/// "rows a thread x rows x columns of a team x least teams of a multiprocessor"; none narrower than this.
/// Which share of the registers a compiler takes when it may decides as much as the tile does, and not always
/// for the better.
constexpr int narrowest_tile = 32;
template <template <class...> class List>
using PointTilesAs = List<Tile<4, 2, 64, 1>, Tile<2, 2, 64, 1>, Tile<8, 2, 64, 1>, Tile<4, 4, 64>,
                          Tile<2, 4, 64>, Tile<1, 4, 64>>;
template <template <class...> class List>
using SharedTilesAs = List<Tile<4, 4, 64, 8>, Tile<4, 8, 32, 8>, Tile<2, 8, 32, 8>, Tile<4, 4, 32, 1>,
                           Tile<8, 2, 64, 1>, Tile<8, 2, 64, 16>>;
/// Rows a thread of flat ranges.
template <template <class...> class List>
using FlatRowsAs = List<Count<2>, Count<1>, Count<4>>;
/// Elements a thread of lines.
template <template <class...> class List>
using ElementsAs = List<Count<4>, Count<2>, Count<8>, Count<1>>;
/// Packs of 16 bytes a thread of copies.
template <template <class...> class List>
using PacksAs = List<Count<1>, Count<2>, Count<4>>;

/// Everywhere but in a margin around each plane of a padded field.
inline Extent inside(const Problem& p, std::int64_t margin) {
  return {p.nz, p.rows() - 2 * margin, p.pitch() - 2 * margin};
}

/// Refuses what the 32-bit index of the halo's flat range cannot count.
inline std::optional<std::string> refuse_many_halo_cells(const Problem& p) {
  if (double(halo_cells(p.nx, p.ny, p.halo)) * double(p.nz) > 0x1p31 - 1024)
    return "more than 2^31 halo cells: their index has 32 bits";
  return std::nullopt;
}

/// Refuses what the unsigned 32-bit index of a range over the threads of tiles cannot count. The tuning
/// begins with the rows of a thread; a tile's last threads may have no point.
inline std::optional<std::string> refuse_many_threads(const Problem& p, const harness::Tuning& t) {
  const double rows = t.values.empty() ? 1 : double(t[0]);  // of a thread
  if (double(p.nz) * (double(p.rows()) / rows + 8) * double(p.pitch() + 128) > 0x1p32 - 0x1p20)
    return "more than 2^32 threads: their index has 32 bits; take more rows a thread";
  return std::nullopt;
}

/// Refuses what 32-bit indices of a plane, of its teams or of the halo's flat range cannot count.
inline std::optional<std::string> refuse_large_planes(const Problem& p) {
  constexpr double most = 0x1p31 - 1024;
  const double lines = double(p.rows()) * double(p.nz);
  if (double(p.pitch()) * double(p.rows()) > most ||
      lines * double(ceil_divide(p.pitch(), narrowest_tile)) > most)
    return "more than 2^31 points of a plane or tiles: its indices have 32 bits";
  return refuse_many_halo_cells(p);
}

}  // namespace parity::diffusion
