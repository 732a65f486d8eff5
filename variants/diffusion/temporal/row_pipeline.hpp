// SPDX-License-Identifier: BSD-3-Clause
// Makes several steps in one pass over a plane, on a CPU: rows stream through a chain of stages, one step
// each, which keep the last rows that they still need. A pass reads and writes memory once; the stages' rows
// stay in the core's cache.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "diffusion/passes.hpp"
#include "diffusion/stencil.hpp"

namespace parity::diffusion {

/// Planes cut into strips of columns and bands of rows; their pieces can be advanced in any order.
struct Cuts {
  std::int64_t nx, ny, nz, strips, bands;

  /// Cuts strips of at most 'columns' columns, and as many bands as minimise a thread's share of rows; each
  /// band costs 2 'steps' additional rows.
  Cuts(const Problem& p, int steps, int columns, int threads)
      : nx(p.nx), ny(p.ny), nz(p.nz), strips((p.nx + columns - 1) / columns), bands(1) {
    const auto rows_a_thread = [&](std::int64_t b) {
      return (nz * strips * b + threads - 1) / threads * ((ny + b - 1) / b + 2 * steps);
    };
    for (std::int64_t b = 2; b <= std::min<std::int64_t>(threads, ny); ++b)
      if (rows_a_thread(b) < rows_a_thread(bands)) bands = b;
  }
  std::int64_t pieces() const { return nz * strips * bands; }
};

/// The n-th piece of the cuts, which a thread updates.
struct Piece {
  std::int64_t plane, row, rows, column, columns;
  Piece(const Cuts& c, std::int64_t n) : plane(n / (c.strips * c.bands)) {
    const std::int64_t band = n / c.strips % c.bands, strip = n % c.strips;
    row = band * c.ny / c.bands;
    rows = (band + 1) * c.ny / c.bands - row;
    column = strip * c.nx / c.strips;
    columns = (strip + 1) * c.nx / c.strips - column;
  }
};

/// Makes a step of row j over n points. row, row1 and row2: the step's input at j, j+1 and j+2, with one more
/// point on both sides; laps: the Laplacian of row j-1, replaced by that of row j+1; laps_of_row: that of row
/// j, with one more point on both sides. Without 'updates' it only computes the Laplacian.
template <bool updates, class T>
inline void advance_row(const T* __restrict__ row, const T* __restrict__ row1, const T* __restrict__ row2,
                        T* __restrict__ laps, const T* __restrict__ laps_of_row, T alpha, T* __restrict__ out,
                        std::ptrdiff_t n) {
  PARITY_LANES
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    const T lap = laplacian_at(row1[i], row1[i - 1], row1[i + 1], row[i], row2[i]);
    if constexpr (updates)
      out[i] = update(row[i], alpha,
                      laplacian_at(laps_of_row[i], laps_of_row[i - 1], laps_of_row[i + 1], laps[i], lap));
    laps[i] = lap;
  }
}

/// A chain of stages over a window of columns. For each row that goes in, the row 2 'stages' rows before it
/// comes out, advanced by 'stages' steps; the first one after 4 'stages' rows. The window is periodic with
/// 'period' columns: all results are right if it is a whole row of a periodic plane, otherwise those at least
/// 2 'stages' columns from its ends.
template <class T>
class RowPipeline {
 public:
  /// Columns computed for a window: whole cache lines, so that no loop has a remainder.
  static std::int64_t padded(std::int64_t columns) { return (columns + line - 1) / line * line; }
  /// Values of memory that the stages need; it begins at a cache line.
  static std::int64_t room(int stages, std::int64_t columns) {
    return line + (rows_of_stage * stages + 1) * pitch_of(padded(columns));
  }

  RowPipeline(T* space, int stages, std::int64_t columns, std::int64_t period, T alpha)
      : first_(space + line),
        stages_(stages),
        n_(padded(columns)),
        pitch_(pitch_of(n_)),
        period_(period),
        alpha_(alpha) {}

  /// Columns of a row in input().
  std::int64_t columns() const { return n_; }
  /// Place of the next row, of 'columns()' values.
  T* input() const { return row(0, slot_); }
  /// Takes that row in; returns the row that comes out, or null.
  const T* advance() {
    close(input());
    const std::int64_t parity = received_ % 2;
    std::int64_t slot = slot_, seen = received_++;
    slot_ = next(slot_);
    // A stage has three rows of its input and two of Laplacians, used in turn.
    for (int stage = 0; stage < stages_; ++stage) {
      if (seen < 2) return nullptr;
      const T *const row0 = row(stage, next(slot)), *const row1 = row(stage, next(next(slot))),
                     *const row2 = row(stage, slot);
      T* const laps = row(stage, 3 + parity);
      const T* const laps_of_row = row(stage, 3 + 1 - parity);
      if (seen < 4) {
        advance_row<false>(row0, row1, row2, laps, laps_of_row, alpha_, static_cast<T*>(nullptr), n_);
        close(laps);
        return nullptr;
      }
      // Row number 'seen' has produced row number 'seen' - 4 of the next stage.
      seen -= 4;
      slot = next(next(slot));
      T* const out = row(stage + 1, stage + 1 < stages_ ? slot : 0);
      advance_row<true>(row0, row1, row2, laps, laps_of_row, alpha_, out, n_);
      close(laps);
      close(out);
    }
    return row(stages_, 0);
  }

 private:
  static constexpr std::int64_t line = 64 / std::int64_t(sizeof(T)), rows_of_stage = 5;
  /// With two ghost columns, and an odd number of cache lines, so that rows do not share a cache set.
  static std::int64_t pitch_of(std::int64_t n) { return ((n + 2 + line - 1) / line | 1) * line; }
  static std::int64_t next(std::int64_t slot) { return slot == 2 ? 0 : slot + 1; }
  T* row(int stage, std::int64_t slot) const { return first_ + (stage * rows_of_stage + slot) * pitch_; }
  void close(T* r) const {
    r[-1] = r[period_ - 1];
    r[period_] = r[0];
  }

  T* first_;
  int stages_;
  std::int64_t n_, pitch_, period_;
  T alpha_;
  std::int64_t received_ = 0, slot_ = 0;
};

/// Columns of a piece's pipeline: the whole row if there is one strip, else the strip and the columns that
/// its results depend on.
struct Window {
  std::int64_t margin, columns;
  Window(const Cuts& c, std::int64_t strip_columns, int steps)
      : margin(c.strips == 1 ? 0 : 2 * steps), columns(strip_columns + 2 * margin) {}
};

/// Values that a thread needs to advance any piece by 'steps' steps.
template <class T>
std::int64_t pipeline_room(const Cuts& c, int steps) {
  return RowPipeline<T>::room(steps, Window(c, (c.nx + c.strips - 1) / c.strips, steps).columns);
}

/// Refuses a tuning (steps a pass x columns of a strip) whose rows exceed 16 MiB a thread.
inline std::optional<std::string> refuse_pipeline(const Problem& p, const harness::Tuning& t) {
  constexpr std::int64_t most = std::int64_t(16) << 20;
  const int steps = steps_a_pass(p, t);
  const Cuts cuts(p, steps, t[1], 1);
  const std::int64_t values =
      p.precision == Precision::f32 ? pipeline_room<float>(cuts, steps) : pipeline_room<double>(cuts, steps);
  const std::int64_t bytes = values * std::int64_t(runtime::bytes_of(p.precision));
  if (bytes <= most) return std::nullopt;
  return std::to_string(steps) + " steps a pass over " + std::to_string(std::min<std::int64_t>(t[1], p.nx)) +
         " columns keep " + std::to_string(bytes >> 20) +
         " MiB of rows a thread, more than 16: take fewer steps or columns";
}

}  // namespace parity::diffusion
