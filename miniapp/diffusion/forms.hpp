// SPDX-License-Identifier: BSD-3-Clause
// The compile-time forms of kernels over the maps of tile_map.hpp, which a tuning chooses from: the same for
// portable and native rows.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "diffusion/tile_map.hpp"

namespace parity::diffusion {

/// The same for a map of tile_map.hpp, some of which say themselves.
template <class Map>
constexpr unsigned least_teams_of(int words) {
  return Map::least >= 0 ? unsigned(Map::least) : least_teams(Map::threads, words);
}

/// Configs under their old names.
template <class... All>
struct Forms : Configs<All...> {
  template <class F>
  static void with(const harness::Tuning& t, const F& f) {
    Configs<All...>::dispatch(t, f);
  }
};

// Lists of forms, for any kind of list.

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

}  // namespace parity::diffusion
