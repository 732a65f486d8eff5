// SPDX-License-Identifier: BSD-3-Clause
// Kernels over the index maps of diffusion/tile_map.hpp: several rows or elements a thread, divisions
// prepared on the host.
#pragma once
#include "backend/cuda/check.cuh"
#include "diffusion/forms.hpp"
#include "diffusion/points.hpp"

namespace parity::cuda {

using namespace parity::diffusion;

/// A block a team of the map.
template <class Map, int words, class Work>
__global__ void __launch_bounds__(Map::threads, least_teams_of<Map>(words)) map_blocks(Work work, Map map) {
  map.compute(work, int(blockIdx.x), int(threadIdx.x));
}

/// Every point once. Map: TileMap or FlatMap.
template <class Map, class Points>
void for_points(cudaStream_t stream, const Extent& extent, const Points& points) {
  constexpr int words = Map::rows * int(sizeof(typename Points::Value) / 4);
  map_blocks<Map, words><<<unsigned(Map::teams(extent)), Map::threads, 0, stream>>>(points, Map(extent));
  PARITY_CUDA(cudaGetLastError());
}

/// Every element of a line once.
template <int elements, class Line>
void for_line(cudaStream_t stream, std::int64_t size, const Line& line) {
  using Map = LineMap<elements>;
  constexpr int words = elements * int(sizeof(typename Line::Value) / 4);
  map_blocks<Map, words><<<unsigned(Map::teams(size)), Map::threads, 0, stream>>>(line, Map(size));
  PARITY_CUDA(cudaGetLastError());
}

using PointTiles = PointTilesAs<Forms>;
using LineForms = ElementsAs<Forms>;

/// Whether a tuning "rows a thread x rows x columns" is a form, and not a block of one point a thread.
inline bool is_tile(const Tuning& t) { return t.values.size() >= 3; }
constexpr const char* tile_axes =
    "rows a thread x rows x columns of a block's threads (x blocks that a multiprocessor shall hold), or "
    "rows "
    "x columns of a block of one point a thread";

/// Every point once, by the tuning's tile.
template <class Points>
void for_tiles(cudaStream_t stream, const Tuning& tuning, const Extent& extent, const Points& points) {
  PointTiles::with(tuning, [&](auto tile) { for_points<TileMap<decltype(tile)>>(stream, extent, points); });
}

/// Rows or packs a thread and the threads of a block, beside "threads of a block" of one a thread.
constexpr int flat_threads = 256;
template <int count_>
struct FlatForm {
  static constexpr int count = count_;
  static std::string name() { return std::to_string(count) + "x" + std::to_string(flat_threads); }
};
template <class... Counts>
struct FlatFormList : Forms<FlatForm<Counts::count>...> {};
using FlatForms = FlatRowsAs<FlatFormList>;
using PackForms = PacksAs<FlatFormList>;
inline bool is_flat_form(const Tuning& t) { return t.values.size() == 2; }

/// Every point once, over a flat range with the tuning's rows a thread.
template <class Points>
void for_flat_rows(cudaStream_t stream, const Tuning& tuning, const Extent& extent, const Points& points) {
  FlatForms::with(tuning, [&](auto rows) {
    for_points<FlatMap<decltype(rows)::count, flat_threads>>(stream, extent, points);
  });
}

/// The tunings of an entry with forms and plain blocks.
inline std::vector<std::string> joined(std::vector<std::string> forms,
                                       const std::vector<std::string>& blocks) {
  forms.insert(forms.end(), blocks.begin(), blocks.end());
  return forms;
}

}  // namespace parity::cuda
