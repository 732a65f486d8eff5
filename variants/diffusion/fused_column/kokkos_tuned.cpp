// SPDX-License-Identifier: BSD-3-Clause
// fused_column, Kokkos, tuned: on a GPU, a lane of a flat range updates a pack of columns (16 bytes) over
// several rows from registers, and shuffles bring the neighbours in x; on a host, which has no warps, a
// vector loop updates each row between the seams.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/tuned.hpp"
#include "diffusion/column.hpp"
#include "runtime/lanes.hpp"

namespace parity::diffusion::fused_column {
namespace {

/// Rows per lane and threads per team.
template <int rows_, int threads_>
struct Strips {
  static constexpr int rows = rows_, threads = threads_;
  template <class T>
  static constexpr unsigned least_teams() {
    return diffusion::least_teams(threads, 4 * rows);
  }
  static std::string name() { return std::to_string(rows) + "x" + std::to_string(threads); }
};
using StripConfigs = Configs<Strips<12, 32>, Strips<12, 64>, Strips<8, 32>, Strips<8, 64>, Strips<4, 64>>;

/// A warp has 32 neighbouring packs; the outer two lanes only feed their neighbours. whole: nx is a multiple
/// of the pack, so that no pack crosses the periodic seam.
template <class Config, bool whole, class T, class Queue>
void step_on_device(Queue& queue, const Problem& p, const FieldRows<const T>& in, T* out) {
  constexpr int rows = Config::rows, warps_of_team = Config::threads / 32;
  const T alpha = T(p.alpha);
  const int nx = int(p.nx), ny = int(p.ny), packs = packs_in_row<T>(nx), pitch = in.pitch;
  const std::int64_t across = ceil_divide(ceil_divide(packs, 30), warps_of_team),
                     chunks = ceil_divide(ny, rows), threads = across * chunks * p.nz * Config::threads;
  const runtime::FastDivide by_row(across), by_chunks(chunks);
  Kokkos::parallel_for(
      queue, "parity::diffusion::fused_column_tuned", flat_range<Config, T>(queue.exec(), threads),
      KOKKOS_LAMBDA(unsigned n) {
        constexpr int wide = pack_width<T>;
        const unsigned team = n / Config::threads, line = by_row(team), k = by_chunks(line),
                       thread = n % Config::threads;
        const int warp = int(by_row.remainder(team, line) * warps_of_team + thread / 32),
                  lane = int(thread % 32), j0 = int(by_chunks.remainder(line, k)) * rows,
                  pack = warp * 30 + lane - 1;
        const T* const plane = in.plane(int(k));
        T* const result = out + in.offset(int(k));
        ColumnStrip<T, rows> strip;
        // nvcc does not accept a first capture within 'if constexpr'.
        const int columns = nx, stride = pitch, height = ny, in_row = packs;
        if constexpr (whole) {
          const int i0 = (pack + in_row) % in_row * wide;
          for_input_rows<rows>(j0, height, [&](int r, int j) {
            const auto centre = *reinterpret_cast<const Pack<T>*>(plane + std::size_t(j) * stride + i0);
            PARITY_UNROLL
            for (int i = 0; i < wide; ++i) strip.at[r][i + 2] = centre.v[i];
          });
        } else {
          int column[wide];
          PARITY_UNROLL
          for (int i = 0; i < wide; ++i) column[i] = modulo(pack * wide + i, columns);
          for_input_rows<rows>(j0, height, [&](int r, int j) {
            const T* const row = plane + std::size_t(j) * stride;
            PARITY_UNROLL
            for (int i = 0; i < wide; ++i) strip.at[r][i + 2] = row[column[i]];
          });
        }
        const bool computes = lane > 0 && lane < 31 && pack < in_row;
        update_rows(
            strip, alpha,
            [&](int r) {
              PARITY_UNROLL
              for (int i = 0; i < 2; ++i) {
                strip.at[r][i] = runtime::from_lane_below(strip.at[r][wide + i]);
                strip.at[r][wide + 2 + i] = runtime::from_lane_above(strip.at[r][2 + i]);
              }
            },
            [&](int u, const Pack<T>& values) {
              if (computes && j0 + u < height)
                *reinterpret_cast<Pack<T>*>(result + std::size_t(j0 + u) * stride + pack * wide) = values;
            });
      });
}

struct Step {
  static constexpr bool on_pointers = true;
  template <class T, class Queue>
  void operator()(Queue& queue, const Problem& p, const Tuning& tuning, const Field<T>& in,
                  const Field<T>& out) const {
    const FieldRows<const T> from = field_rows<const T>(in);
    if constexpr (compat::exec_is_device())
      StripConfigs::dispatch(tuning, [&](auto config) {
        if (p.nx % pack_width<T> == 0)
          step_on_device<decltype(config), true>(queue, p, from, out.data());
        else
          step_on_device<decltype(config), false>(queue, p, from, out.data());
      });
    else
      fused_wrap_on_host(queue, p, from, out.data());
  }
};

}  // namespace

Entry kokkos_tuned() {
  return with_steps<Packed, Step>(with_configs<StripConfigs>(algorithm(), "rows a lane x threads of a team"));
}

}  // namespace parity::diffusion::fused_column
