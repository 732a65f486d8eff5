// SPDX-License-Identifier: BSD-3-Clause
// A tile of a plane in the registers of a team of threads. A thread has some rows of some adjacent columns; a
// ring of threads shares those rows and passes columns on by shuffles. Rings exchange their outer rows
// through memory of the team. The tile is periodic in x and y, which is right for a whole plane; in a part of
// a plane, each step invalidates two more points from its ends.
#pragma once
#include "diffusion/stencil.hpp"
#include "runtime/lanes.hpp"

namespace parity::diffusion {

/// A thread's place in a tile: lane 'lane' of ring 'ring'.
struct TilePlace {
  int lane, ring, lanes, rings;
  bool active;  ///< other threads take index 0 in place of an invalid one, and change nothing

  /// Threads per ring: lanes rounded up to a power of two, which shuffles need.
  PARITY_INLINE static int ring_width(int lanes) {
    int width = 1;
    while (width < lanes) width *= 2;
    return width;
  }
  PARITY_INLINE TilePlace(int thread, int lanes_of_ring, int rings_of_tile)
      : lane(thread % ring_width(lanes_of_ring)),
        ring(thread / ring_width(lanes_of_ring)),
        lanes(lanes_of_ring),
        rings(rings_of_tile),
        active(lane < lanes && ring < rings) {
    if (lane >= lanes) lane = 0;
    if (ring >= rings) ring = 0;
  }
};

/// Passes values round a ring of lanes. Lanes: from(value, source, width), see runtime::from_lane.
template <class Lanes = runtime::WarpLanes>
struct LaneRing {
  Lanes lanes;
  int west_lane, east_lane, width;
  PARITY_INLINE explicit LaneRing(const TilePlace& at, const Lanes& l = {})
      : lanes(l),
        west_lane(at.lane > 0 ? at.lane - 1 : at.lanes - 1),
        east_lane(at.lane + 1 < at.lanes ? at.lane + 1 : 0),
        width(TilePlace::ring_width(at.lanes)) {}
  template <class T>
  PARITY_INLINE T from_west(T value) const {
    return lanes.from(value, west_lane, width);
  }
  template <class T>
  PARITY_INLINE T from_east(T value) const {
    return lanes.from(value, east_lane, width);
  }
};

/// The 'rows' x 'columns' points of a thread.
template <class T, int rows, int columns>
struct RegisterTile {
  static_assert(rows >= 2, "two rows go to each neighbour");
  /// A row of a thread's points, aligned for the fewest possible accesses.
  struct alignas(sizeof(T) * columns < 16 ? sizeof(T) * columns : 16) Row {
    T v[columns];
  };
  Row row[rows];

  /// Number of rows that all threads of a tile exchange in a step.
  static PARITY_INLINE int edge_rows(int lanes, int rings) { return 4 * lanes * rings; }

  /// Makes one step. deferred: DeferredScale, for alpha = 1/32; the caller scales. edges: edge_rows() rows
  /// of team memory. barrier(): synchronises the team and its memory. reused: true if the next step
  /// uses the same edges, which all threads must have read before.
  template <bool deferred, class Ring, class Barrier>
  PARITY_INLINE void step(const TilePlace& at, const Ring& ring, T alpha, Row* edges, bool reused,
                          const Barrier& barrier) {
    using Step = PairStep<T, deferred>;
    const auto edge = [&](int of_ring, int which) -> Row& {
      return edges[(of_ring * 4 + which) * at.lanes + at.lane];
    };
    if (at.active) {
      edge(at.ring, 0) = row[0];
      edge(at.ring, 1) = row[1];
      edge(at.ring, 2) = row[rows - 2];
      edge(at.ring, 3) = row[rows - 1];
    }
    barrier();
    const int below = at.ring > 0 ? at.ring - 1 : at.rings - 1,
              above = at.ring + 1 < at.rings ? at.ring + 1 : 0;
    const Row beyond[4] = {edge(below, 2), edge(below, 3), edge(above, 0), edge(above, 1)};
    if (reused) barrier();

    // All indices are constants once the loops are unrolled. phi returns values: with references to rows
    // nvcc takes minutes to find that out.
    const auto phi = [&](int r, int i) -> T {
      return r < 0      ? beyond[r < 0 ? r + 2 : 0].v[i]
             : r < rows ? row[r < rows ? r : 0].v[i]
                        : beyond[r < rows ? 0 : r - rows + 2].v[i];
    };
    // Sums by pairs: pair r, i adds row r - 1 at column i and row r at column i - 1. Index 0 is row -1.
    T lap[rows + 2][columns], pair[rows + 3][columns + 1], lap_pair[rows + 1][columns + 1];
    const auto form_pairs = [&](int r) {
      if (r <= rows) pair[r + 1][0] = pair_sum(phi(r - 1, 0), ring.from_west(phi(r, columns - 1)));
      PARITY_UNROLL
      for (int i = 1; i < columns; ++i) pair[r + 1][i] = pair_sum(phi(r - 1, i), phi(r, i - 1));
      if (r >= 0) pair[r + 1][columns] = pair_sum(ring.from_east(phi(r - 1, 0)), phi(r, columns - 1));
    };
    form_pairs(-1);
    PARITY_UNROLL
    for (int r = -1; r <= rows; ++r) {
      form_pairs(r + 1);
      PARITY_UNROLL
      for (int i = 0; i < columns; ++i)
        lap[r + 1][i] = Step::laplacian_at(phi(r, i), pair[r + 1][i], pair[r + 2][i + 1]);
      if (r < 0) continue;
      if (r < rows) lap_pair[r][0] = pair_sum(lap[r][0], ring.from_west(lap[r + 1][columns - 1]));
      PARITY_UNROLL
      for (int i = 1; i < columns; ++i) lap_pair[r][i] = pair_sum(lap[r][i], lap[r + 1][i - 1]);
      if (r < 1) continue;
      lap_pair[r][columns] = pair_sum(ring.from_east(lap[r][0]), lap[r + 1][columns - 1]);
      // This is the last use of the old row r - 1.
      PARITY_UNROLL
      for (int i = 0; i < columns; ++i) {
        T& value = row[r - 1].v[i];
        value = Step::update(value, alpha, lap[r][i], lap_pair[r - 1][i], lap_pair[r][i + 1]);
      }
    }
  }
  PARITY_INLINE void scale(T factor) {
    PARITY_UNROLL
    for (int r = 0; r < rows; ++r) {
      PARITY_UNROLL
      for (int i = 0; i < columns; ++i) row[r].v[i] *= factor;
    }
  }
};

}  // namespace parity::diffusion
