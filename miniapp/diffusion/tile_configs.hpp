// SPDX-License-Identifier: BSD-3-Clause
// Compile-time configurations of tuned kernels, from which a tuning selects; the same for Kokkos and CUDA.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "diffusion/halo.hpp"
#include "diffusion/problem.hpp"
#include "harness/variant.hpp"
#include "host_device.hpp"
#include "runtime/fast_divide.hpp"

namespace parity::diffusion {

PARITY_INLINE std::int64_t ceil_divide(std::int64_t n, std::int64_t d) { return (n + d - 1) / d; }

/// Groups of neighbouring rows of one plane that a host thread processes together: 8 rows, or fewer so that
/// each thread gets four groups, if there are enough rows.
class RowGroups {
 public:
  RowGroups(std::int64_t planes, std::int64_t height, int threads)
      : height_(int(height)),
        rows_(int(std::clamp<std::int64_t>(planes * height / (4 * std::int64_t(threads)), 1, 8))),
        by_groups_(ceil_divide(height, rows_)),
        count_(planes * by_groups_.divisor()) {}

  int rows() const { return rows_; }
  /// Number of groups of all planes.
  std::int64_t count() const { return count_; }

  struct Group {
    int plane, first, last;  ///< rows first ... last-1 of the plane
  };
  PARITY_INLINE Group operator()(int n) const {
    const unsigned k = by_groups_(unsigned(n));
    const int first = int(by_groups_.remainder(unsigned(n), k)) * rows_;
    return {int(k), first, first + rows_ < height_ ? first + rows_ : height_};
  }

 private:
  int height_, rows_;
  runtime::FastDivide by_groups_;
  std::int64_t count_;
};

/// Largest share of n pieces that one of 'threads' threads gets in an even division.
inline int even_chunk(std::int64_t n, int threads) {
  return int(std::max<std::int64_t>(1, ceil_divide(n, threads)));
}

/// Minimum number of resident teams per multiprocessor, which limits registers per thread: 2048 threads with
/// 32 registers each if a thread holds one word of 4 bytes, fewer threads the more words it holds.
constexpr unsigned least_teams(int threads, int words) {
  return unsigned((words <= 1   ? 2048
                   : words == 2 ? 1536
                   : words <= 4 ? 1024
                   : words <= 8 ? 768
                                : 512) /
                  threads);
}
/// Configurations by name, the default first.
template <class... All>
struct Configs {
  static std::vector<std::string> names() { return {All::name()...}; }
  static bool has(const harness::Tuning& t) { return ((to_string(t) == All::name()) || ...); }
  /// Calls f(config) for the tuning's configuration; does nothing if no configuration has its name.
  template <class F>
  static void dispatch(const harness::Tuning& t, const F& f) {
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

/// A number as a configuration: rows or elements per thread.
template <int count_>
struct Count {
  static constexpr int count = count_;
  static std::string name() { return std::to_string(count_); }
};

/// A team of tile_height x tile_width threads with 'rows' rows each, at compile time. least: minimum number
/// of resident teams per multiprocessor, which limits registers per thread; by default least_teams().
template <int rows_, int tile_height_, int tile_width_, int least_ = -1>
struct Tile {
  static constexpr int rows = rows_, tile_height = tile_height_, tile_width = tile_width_,
                       threads = tile_height_ * tile_width_;
  /// One team always fits: 0 gives the compiler no limit, which it treats differently from 1.
  static constexpr int least = least_ == 1 ? 0 : least_;
  /// The launch bound of a kernel that holds one T of each row.
  template <class T>
  static constexpr unsigned least_teams() {
    return least >= 0 ? unsigned(least) : diffusion::least_teams(threads, rows * int(sizeof(T) / 4));
  }
  static std::string name() {
    return std::to_string(rows) + "x" + std::to_string(tile_height) + "x" + std::to_string(tile_width) +
           (least_ > 0 ? "x" + std::to_string(least_) : "");
  }
};

/// Tiles of the kernels over points; none is narrower than this. The limit on registers matters as much as
/// the tile, and the compiler's own choice is not always the better one.
constexpr int narrowest_tile = 32;
using TileConfigs = Configs<Tile<4, 2, 64, 1>, Tile<2, 2, 64, 1>, Tile<8, 2, 64, 1>, Tile<4, 4, 64>,
                            Tile<2, 4, 64>, Tile<1, 4, 64>>;
constexpr const char* tile_axes =
    "rows a thread x rows x columns of a tile's threads (x tiles that a multiprocessor shall hold)";

/// Rows per thread of a flat range.
template <int rows_>
struct FlatRowCount {
  static constexpr int rows = rows_, threads = 256;
  template <class T>
  static constexpr unsigned least_teams() {
    return diffusion::least_teams(threads, rows * int(sizeof(T) / 4));
  }
  static std::string name() { return std::to_string(rows); }
};
using FlatConfigs = Configs<FlatRowCount<2>, FlatRowCount<1>, FlatRowCount<4>>;
constexpr const char* flat_axes = "rows a thread";

/// Tiles in a team's shared memory; a thread's rows are a team's height apart.
using SharedTileConfigs = Configs<Tile<4, 4, 64, 8>, Tile<4, 8, 32, 8>, Tile<2, 8, 32, 8>, Tile<4, 4, 32, 1>,
                                  Tile<8, 2, 64, 1>, Tile<8, 2, 64, 16>>;

/// Elements per thread of elementary operations.
using ElementConfigs = Configs<Count<4>, Count<2>, Count<8>, Count<1>>;
constexpr const char* element_axes = "elements a thread";

/// Packs of 16 bytes per thread of copies.
using PackConfigs = Configs<Count<1>, Count<2>, Count<4>>;
constexpr const char* pack_axes = "packs of 16 bytes a thread";

/// Refuses problems whose halo cells overflow the 32-bit index of their flat range.
inline std::optional<std::string> refuse_many_halo_cells(const Problem& p, const harness::Tuning& = {}) {
  if (double(halo_cells(p.nx, p.ny, p.halo)) * double(p.nz) > 0x1p31 - 1024)
    return "more than 2^31 halo cells: their index has 32 bits";
  return std::nullopt;
}

/// Refuses problems whose tile threads overflow the unsigned 32-bit index of their range. The tuning's first
/// number is the rows per thread; a tile's last threads may have no point.
inline std::optional<std::string> refuse_many_threads(const Problem& p, const harness::Tuning& t) {
  const double rows = t.values.empty() ? 1 : double(t[0]);  // per thread
  if (double(p.nz) * (double(p.rows()) / rows + 8) * double(p.pitch() + 128) > 0x1p32 - 0x1p20)
    return "more than 2^32 threads: their index has 32 bits; take more rows a thread";
  return std::nullopt;
}

/// Refuses problems that overflow the 32-bit indices of a plane, of its teams or of the halo's flat range.
inline std::optional<std::string> refuse_large_planes(const Problem& p, const harness::Tuning& = {}) {
  constexpr double most = 0x1p31 - 1024;
  const double lines = double(p.rows()) * double(p.nz);
  if (double(p.pitch()) * double(p.rows()) > most ||
      lines * double(ceil_divide(p.pitch(), narrowest_tile)) > most)
    return "more than 2^31 points of a plane or tiles: its indices have 32 bits";
  return refuse_many_halo_cells(p);
}

}  // namespace parity::diffusion
