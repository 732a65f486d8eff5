// SPDX-License-Identifier: BSD-3-Clause
// A tile of a plane in the registers of a team of threads, as register_tile.hpp has it, whose rings sweep in
// turn upwards and downwards: two neighbouring rings either both start a sweep at their seam ('early') or
// both end it there ('late'). Rows of an early seam are handed on long before the next sweep starts, rows of
// a late one are wanted when it ends, and one barrier in mid-sweep orders both.
#pragma once
#include "backend/kokkos/diffusion/register_tile.hpp"

namespace parity::diffusion {

/// Hands values to the lanes beside one in the order of its sweep: rings that sweep downwards see columns
/// from the other end, too, so that all add in the same order to the bit. Where some lanes have one column
/// less than others ('ragged'), their easternmost one is a copy of the next lane's first, which is computed
/// along.
template <bool ragged>
struct SweptRing {
  int left_lane, right_lane, width;
  bool last_is_there, first_is_there;  ///< at the neighbour already
  PARITY_INLINE SweptRing(const TilePlace& at, bool is_short, bool west_is_short)
      : width(TilePlace::ring_width(at.lanes)) {
    const bool turned = at.ring % 2 == 1;
    const LaneRing ring(at);
    left_lane = turned ? ring.east_lane : ring.west_lane;
    right_lane = turned ? ring.west_lane : ring.east_lane;
    last_is_there = turned ? west_is_short : is_short;
    first_is_there = turned ? is_short : west_is_short;
  }
  template <class T>
  PARITY_INLINE T from_left(T last, T before_last) const {
    return runtime::from_lane(ragged && last_is_there ? before_last : last, left_lane, width);
  }
  template <class T>
  PARITY_INLINE T from_right(T first, T second) const {
    return runtime::from_lane(ragged && first_is_there ? second : first, right_lane, width);
  }
};

/// 'rows' x 'columns' points of a thread.
template <class T, int rows_, int columns_>
struct SweptTile {
  static constexpr int rows = rows_, columns = columns_;
  static_assert(rows >= 4 && columns >= 2, "the first two rows are sent before the barrier");
  /// What one access moves.
  static constexpr int part = sizeof(T) * columns < 16 ? columns : 16 / int(sizeof(T)),
                       parts = columns / part;
  static_assert(parts * part == columns, "columns fill whole accesses");
  struct alignas(sizeof(T) * part) Part {
    T v[part];
  };
  T v[rows][columns];   ///< in the order of the sweep
  T early[2][columns];  ///< beyond the first row, from the nearest on

  /// Parts of the rows that a step hands on, for all threads of a tile.
  static PARITY_INLINE int edge_parts(int lanes, int rings) { return 4 * parts * lanes * rings; }

  /// Where a thread's edges are, and those that it reads. Odd rings are turned.
  struct Edges {
    Part *mine_early, *mine_late;
    const Part *early, *late;
    int lanes, from_buffer_to_buffer;  ///< 0 where there is one
    PARITY_INLINE Edges(const TilePlace& at, Part* all, bool two_buffers) {
      const bool turned = at.ring % 2 == 1;
      const int below = at.ring > 0 ? at.ring - 1 : at.rings - 1,
                above = at.ring + 1 < at.rings ? at.ring + 1 : 0, size = 2 * parts * at.lanes;
      const auto of = [&](int ring, int which) { return all + (ring * 2 + which) * size + at.lane; };
      mine_early = of(at.ring, 0);
      mine_late = of(at.ring, 1);
      early = of(turned ? above : below, 0);
      late = of(turned ? below : above, 1);
      lanes = at.lanes;
      from_buffer_to_buffer = two_buffers ? edge_parts(at.lanes, at.rings) : 0;
    }
  };

  /// A row as the neighbour sees it, columns from the other end.
  PARITY_INLINE void write(Part* to, int lanes, const T (&row)[columns]) const {
    PARITY_UNROLL
    for (int a = 0; a < parts; ++a) {
      Part some;
      PARITY_UNROLL
      for (int i = 0; i < part; ++i) some.v[i] = row[columns - 1 - (a * part + i)];
      to[a * lanes] = some;
    }
  }
  PARITY_INLINE static void read(T (&row)[columns], const Part* from, int lanes) {
    PARITY_UNROLL
    for (int a = 0; a < parts; ++a) {
      const Part some = from[a * lanes];
      PARITY_UNROLL
      for (int i = 0; i < part; ++i) row[a * part + i] = some.v[i];
    }
  }
  PARITY_INLINE void send_early(const TilePlace& at, const Edges& e, int buffer) const {
    if (!at.active) return;
    Part* const to = e.mine_early + buffer * e.from_buffer_to_buffer;
    write(to, e.lanes, v[0]);
    write(to + parts * e.lanes, e.lanes, v[1]);
  }
  PARITY_INLINE void send_late(const TilePlace& at, const Edges& e, int buffer) const {
    if (!at.active) return;
    Part* const to = e.mine_late + buffer * e.from_buffer_to_buffer;
    write(to, e.lanes, v[rows - 1]);
    write(to + parts * e.lanes, e.lanes, v[rows - 2]);
  }
  PARITY_INLINE void receive_early(const Edges& e, int buffer) {
    const Part* const from = e.early + buffer * e.from_buffer_to_buffer;
    read(early[0], from, e.lanes);
    read(early[1], from + parts * e.lanes, e.lanes);
  }
  /// Before the first step.
  template <class Barrier>
  PARITY_INLINE void begin(const TilePlace& at, const Edges& e, const Barrier& barrier) {
    send_early(at, e, 0);
    send_late(at, e, 0);
    barrier();
    receive_early(e, 0);
    if (e.from_buffer_to_buffer == 0) barrier();
  }

  /// Step s. deferred: DeferredScale, for alpha = 1/32; scales: its factor of many steps is due. All rows are
  /// the step's then; before finish() hands those of the late seam on, others may take their places.
  template <bool deferred, bool scales, class Ring, class Barrier>
  PARITY_INLINE void step(const TilePlace& at, const Ring& ring, T alpha, const Edges& e, int s,
                          const Barrier& barrier) {
    using Step = PairStep<T, deferred>;
    constexpr int R = rows, C = columns, middle = R / 2 + 1;
    const int buffer = s & 1, next = buffer ^ 1;
    T late[2][C] = {};
    // All indices are constants once the loops are unrolled.
    const auto phi = [&](int k, int i) -> T {
      return k < -1  ? early[1][i]
             : k < 0 ? early[0][i]
             : k < R ? v[k < 0 || k >= R ? 0 : k][i]
                     : late[k > R ? 1 : 0][i];
    };
    // Sums by pairs: pair k, i adds rows k - 1 at column i and k at column i - 1.
    T lap[R + 2][C], pair[R + 3][C + 1], lap_pair[R + 1][C + 1];
    const auto form_pairs = [&](int k) {
      if (k <= R) pair[k + 1][0] = pair_sum(phi(k - 1, 0), ring.from_left(phi(k, C - 1), phi(k, C - 2)));
      PARITY_UNROLL
      for (int i = 1; i < C; ++i) pair[k + 1][i] = pair_sum(phi(k - 1, i), phi(k, i - 1));
      if (k >= 0) pair[k + 1][C] = pair_sum(ring.from_right(phi(k - 1, 0), phi(k - 1, 1)), phi(k, C - 1));
    };
    form_pairs(-1);
    PARITY_UNROLL
    for (int k = -1; k <= R; ++k) {
      if (k == middle) {
        barrier();
        const Part* const from = e.late + buffer * e.from_buffer_to_buffer;
        read(late[0], from, e.lanes);
        read(late[1], from + parts * e.lanes, e.lanes);
      }
      form_pairs(k + 1);
      // Of the old early rows that was the last use.
      if (k == R) receive_early(e, next);
      PARITY_UNROLL
      for (int i = 0; i < C; ++i)
        lap[k + 1][i] = Step::laplacian_at(phi(k, i), pair[k + 1][i], pair[k + 2][i + 1]);
      if (k < 0) continue;
      if (k < R) lap_pair[k][0] = pair_sum(lap[k][0], ring.from_left(lap[k + 1][C - 1], lap[k + 1][C - 2]));
      PARITY_UNROLL
      for (int i = 1; i < C; ++i) lap_pair[k][i] = pair_sum(lap[k][i], lap[k + 1][i - 1]);
      if (k < 1) continue;
      lap_pair[k][C] = pair_sum(ring.from_right(lap[k][0], lap[k][1]), lap[k + 1][C - 1]);
      PARITY_UNROLL
      for (int i = 0; i < C; ++i) {
        T& value = v[k - 1][i];
        value =
            Step::template update<scales>(value, alpha, lap[k][i], lap_pair[k - 1][i], lap_pair[k][i + 1]);
      }
      if (k == 2) send_early(at, e, next);
    }
  }
  template <class Barrier>
  PARITY_INLINE void finish(const TilePlace& at, const Edges& e, int s, const Barrier& barrier) const {
    if (e.from_buffer_to_buffer == 0) barrier();
    send_late(at, e, (s & 1) ^ 1);
  }
  PARITY_INLINE void scale(T factor) {
    PARITY_UNROLL
    for (int r = 0; r < rows; ++r) {
      PARITY_UNROLL
      for (int i = 0; i < columns; ++i) v[r][i] *= factor;
    }
  }
};

}  // namespace parity::diffusion
