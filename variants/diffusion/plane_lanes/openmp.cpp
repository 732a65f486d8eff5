// SPDX-License-Identifier: BSD-3-Clause
// plane_lanes, OpenMP: one thread takes a plane through all steps in its core's cache, with the columns
// distributed over the lanes of its vectors.
#include <omp.h>

#include <algorithm>

#include "algorithm.hpp"
#include "backend/openmp/diffusion/field.hpp"
#include "diffusion/passes.hpp"

#ifndef __clang__  // without AVX-512, vectors of 64 bytes are passed in memory, in this file only
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace parity::diffusion::plane_lanes {
namespace {

using namespace parity::openmp;

/// A vector of one cache line, and its rotations by one lane. Compilers have no vectors of a template's type.
template <class T>
struct VectorOf;
template <>
struct VectorOf<float> {
  typedef float Type __attribute__((vector_size(64)));
  static Type from_lane_below(Type v) {
#ifdef __clang__
    return __builtin_shufflevector(v, v, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14);
#else
    typedef int Lanes __attribute__((vector_size(64)));
    return __builtin_shuffle(v, Lanes{15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14});
#endif
  }
  static Type from_lane_above(Type v) {
#ifdef __clang__
    return __builtin_shufflevector(v, v, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0);
#else
    typedef int Lanes __attribute__((vector_size(64)));
    return __builtin_shuffle(v, Lanes{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0});
#endif
  }
};
template <>
struct VectorOf<double> {
  typedef double Type __attribute__((vector_size(64)));
  static Type from_lane_below(Type v) {
#ifdef __clang__
    return __builtin_shufflevector(v, v, 7, 0, 1, 2, 3, 4, 5, 6);
#else
    typedef long long Lanes __attribute__((vector_size(64)));
    return __builtin_shuffle(v, Lanes{7, 0, 1, 2, 3, 4, 5, 6});
#endif
  }
  static Type from_lane_above(Type v) {
#ifdef __clang__
    return __builtin_shufflevector(v, v, 1, 2, 3, 4, 5, 6, 7, 0);
#else
    typedef long long Lanes __attribute__((vector_size(64)));
    return __builtin_shuffle(v, Lanes{1, 2, 3, 4, 5, 6, 7, 0});
#endif
  }
};

/// VectorOf as a number: the arithmetic of stencil.hpp runs on all lanes at once.
template <class T>
struct LaneValues {
  using Vector = typename VectorOf<T>::Type;
  static constexpr int lanes = 64 / int(sizeof(T));
  Vector v;

  LaneValues() = default;
  explicit LaneValues(double value) : v(Vector{} + T(value)) {}
  static LaneValues of(Vector values) {
    LaneValues all;
    all.v = values;
    return all;
  }
  /// Each lane gets the value of the lane below or above; the lanes form a ring.
  LaneValues from_lane_below() const { return of(VectorOf<T>::from_lane_below(v)); }
  LaneValues from_lane_above() const { return of(VectorOf<T>::from_lane_above(v)); }
  friend LaneValues operator+(LaneValues a, LaneValues b) { return of(a.v + b.v); }
  friend LaneValues operator-(LaneValues a) { return of(-a.v); }
  friend LaneValues operator*(LaneValues a, LaneValues b) { return of(a.v * b.v); }
  friend LaneValues fma(LaneValues a, LaneValues b, LaneValues c) { return of(a.v * b.v + c.v); }
};

/// A plane (ny, nx), its successor, and five rows per stage: three of the stage's input and two of
/// Laplacians.
template <class T>
struct LanePlane {
  using Values = LaneValues<T>;
  static constexpr int lanes = Values::lanes;

  /// Number of values in its memory, which begins at a cache line.
  static std::int64_t room(std::int64_t nx, std::int64_t ny, int stages) {
    return (2 * ny + rows_of_stage * stages) * pitch_of(nx) * lanes;
  }

  /// space: room() values.
  LanePlane(T* space, std::int64_t nx, std::int64_t height, int stages)
      : vectors(nx / lanes),
        pitch(pitch_of(nx)),
        ny(height),
        most_stages(stages),
        from(reinterpret_cast<Values*>(space)),
        to(from + ny * pitch),
        rows(to + ny * pitch) {}

  /// Copies a row of points into lanes, or out of them.
  template <bool into_lanes>
  void deal(T* points, Values* row) const {
    T* const values = reinterpret_cast<T*>(row);
    for (int l = 0; l < lanes; ++l)
      for (std::int64_t c = 0; c < vectors; ++c) {
        T &point = points[l * vectors + c], &value = values[c * lanes + l];
        into_lanes ? value = point : point = value;
      }
  }
  Values* row_of(int stage, std::int64_t which) const {
    return rows + (stage * rows_of_stage + which) * pitch;
  }
  /// Row r of a stage's input, from r = -2 'stages' on; the first stage reads the plane.
  Values* input(int stage, std::int64_t r) const {
    if (stage > 0) return row_of(stage, (r + 3 * ny * most_stages) % 3);
    while (r < 0) r += ny;
    while (r >= ny) r -= ny;
    return from + r * pitch;
  }

  /// Makes row r of a stage's output from rows r to r + 2 of its input. laps: Laplacian of row r - 1,
  /// replaced by that of row r + 1; laps_of_row: that of row r. Without 'updates' only laps is computed.
  template <bool updates>
  void row_of_stage(const Values* __restrict__ row, const Values* __restrict__ row1,
                    const Values* __restrict__ row2, Values* __restrict__ laps,
                    const Values* __restrict__ laps_of_row, Values alpha, Values* __restrict__ out) const {
    const std::int64_t last = vectors - 1;
    // A row continues beyond its end with its other end, rotated by a lane.
    Values west = row1[last].from_lane_below(), centre = row1[0];
    Values lap_west = laps_of_row[last].from_lane_below(), lap_centre = laps_of_row[0];
    const auto update_vector = [&](std::int64_t c, Values east, Values lap_east) {
      const Values own = row[c], lap = laplacian_at(centre, west, east, own, row2[c]);
      if constexpr (updates)
        out[c] = update(own, alpha, laplacian_at(lap_centre, lap_west, lap_east, laps[c], lap));
      laps[c] = lap;
      west = centre;
      centre = east;
      lap_west = lap_centre;
      lap_centre = lap_east;
    };
    const Values beyond = row1[0].from_lane_above(), lap_beyond = laps_of_row[0].from_lane_above();
    // Unroll: rows are a few vectors long, and the loop's own instructions count.
#if !defined(__clang__) && !defined(__CUDACC__)
#pragma GCC unroll 4
#endif
    for (std::int64_t c = 0; c < last; ++c) update_vector(c, row1[c + 1], laps_of_row[c + 1]);
    update_vector(last, beyond, lap_beyond);
  }

  std::int64_t vectors, pitch, ny;
  int most_stages;
  Values *from, *to, *rows;

 private:
  static constexpr std::int64_t rows_of_stage = 5;
  /// An odd number of vectors, so that rows do not share a cache set.
  static std::int64_t pitch_of(std::int64_t nx) { return nx / lanes | 1; }
};

/// Bytes of all threads' LanePlanes at eight steps a pass.
double lane_room_bytes(const Problem& p, int threads) {
  const std::int64_t values = p.precision == Precision::f32 ? LanePlane<float>::room(p.nx, p.ny, 8)
                                                            : LanePlane<double>::room(p.nx, p.ny, 8);
  return double(values) * double(runtime::bytes_of(p.precision)) *
         double(std::min<std::int64_t>(threads, p.nz));
}

/// Refuses planes whose rows do not fill all lanes, and more than 64 steps a pass, which keep too many rows.
std::optional<std::string> refuse_lane_plane(const Problem& p, const harness::Tuning& t) {
  const int lanes = 64 / int(runtime::bytes_of(p.precision));
  if (p.nx % lanes != 0)
    return "rows of " + std::to_string(p.nx) + " points do not fill vectors of " + std::to_string(lanes) +
           ": take openmp-plane";
  if (t[0] > 64) return std::to_string(t[0]) + " steps a pass, more than 64, keep too many rows";
  return std::nullopt;
}

/// Runs all steps of one plane in place. In tick t of a pass, stage s makes row t - 2 s; the last stage makes
/// rows 0 to ny - 1, and each stage before it two more at both ends.
template <class T>
void advance_plane(LanePlane<T> p, T* plane, std::int64_t steps, T alpha) {
  using Values = LaneValues<T>;
  const std::int64_t nx = p.vectors * p.lanes;
  const Passes passes{steps, p.most_stages};
  for (std::int64_t j = 0; j < p.ny; ++j) p.template deal<true>(plane + j * nx, p.from + j * p.pitch);
  for (std::int64_t pass = 0; pass < passes.count(); ++pass) {
    const int stages = passes.steps_of(pass);
    for (std::int64_t t = -2 * stages; t < p.ny + 2 * (stages - 1); ++t)
      for (int s = 0; s < stages; ++s) {
        const std::int64_t r = t - 2 * s, first = -2 * (stages - 1 - s);
        if (r < first - 2) break;  // neither it nor a later stage has begun
        Values* const laps = p.row_of(s, 3 + (r & 1));
        const Values *const laps_of_row = p.row_of(s, 4 - (r & 1)), *const row = p.input(s, r),
                            *const row1 = p.input(s, r + 1), *const row2 = p.input(s, r + 2);
        if (r < first)
          p.template row_of_stage<false>(row, row1, row2, laps, laps_of_row, Values(double(alpha)), nullptr);
        else
          p.template row_of_stage<true>(row, row1, row2, laps, laps_of_row, Values(double(alpha)),
                                        s + 1 < stages ? p.input(s + 1, r) : p.to + r * p.pitch);
      }
    std::swap(p.from, p.to);
  }
  for (std::int64_t j = 0; j < p.ny; ++j) p.template deal<false>(plane + j * nx, p.from + j * p.pitch);
}

template <class T>
class PlaneLanes : public FieldPair<T> {
 public:
  PlaneLanes(const Problem& p, const Tuning& t)
      : FieldPair<T>(p, 0),
        stages_(steps_a_pass(p, t)),
        room_(LanePlane<T>::room(p.nx, p.ny, stages_)),
        threads_(int(std::min<std::int64_t>(omp_get_max_threads(), p.nz))),
        rooms_(room_ * threads_) {}

  void load(const T* field) override {
    FieldPair<T>::load(field);
    rooms_.fill(poison<T>);
  }
  void advance() override {
    const Problem& p = this->p_;
#pragma omp parallel num_threads(threads_)
    {
      const LanePlane<T> plane(rooms_.data() + room_ * omp_get_thread_num(), p.nx, p.ny, stages_);
#pragma omp for schedule(static)
      for (std::int64_t k = 0; k < p.nz; ++k)
        advance_plane(plane, this->in_.data() + k * p.ny * p.nx, p.steps, T(p.alpha));
    }
  }

 private:
  int stages_;
  std::int64_t room_;
  int threads_;  ///< at most one per plane
  runtime::HostArray<T> rooms_;
};

}  // namespace

Entry openmp() {
  Entry e = algorithm();
  e.tunings = {"4", "1", "2", "3", "8"};
  e.tuning_axes = "steps a pass";
  e.refuse += refuse_lane_plane;
  e.extra_bytes = [](const Problem& p) { return lane_room_bytes(p, omp_get_max_threads()); };
  return with_factories<PlaneLanes>(e);
}

}  // namespace parity::diffusion::plane_lanes
