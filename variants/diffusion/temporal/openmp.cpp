// SPDX-License-Identifier: BSD-3-Clause
// temporal, OpenMP: makes several steps a pass; a thread streams rows through a chain of steps that stays in
// its core's cache.
#include <omp.h>

#include "algorithm.hpp"
#include "backend/openmp/diffusion/exchange.hpp"
#include "backend/openmp/diffusion/field.hpp"
#include "row_pipeline.hpp"

namespace parity::openmp {
namespace {

/// Advances the n-th piece of 'in' by 'steps' into 'out', both (nz, ny, nx). space: pipeline_room values.
template <class T>
void advance_piece(const Cuts& c, std::int64_t n, const T* in, T* out, int steps, T alpha, T* space) {
  const Piece piece(c, n);
  const Window window(c, piece.columns, steps);
  RowPipeline<T> pipeline(space, steps, window.columns,
                          c.strips == 1 ? c.nx : RowPipeline<T>::padded(window.columns), alpha);
  const std::int64_t first = modulo(piece.column - window.margin, c.nx);
  const T* const from = in + piece.plane * c.ny * c.nx;
  T* to = out + (piece.plane * c.ny + piece.row) * c.nx + piece.column;
  std::int64_t j = modulo(piece.row - 2 * steps, c.ny);
  for (std::int64_t r = 0; r < piece.rows + 4 * steps; ++r) {
    const T* const row = from + j * c.nx;
    T* const input = pipeline.input();
    for (std::int64_t i = 0, column = first; i < pipeline.columns(); column = 0) {
      const std::int64_t length = std::min(c.nx - column, pipeline.columns() - i);
      std::copy(row + column, row + column + length, input + i);
      i += length;
    }
    j = j + 1 < c.ny ? j + 1 : 0;
    if (const T* const result = pipeline.advance()) {
      std::copy(result + window.margin, result + window.margin + piece.columns, to);
      to += c.nx;
    }
  }
}

/// A pass over all planes of a field; each thread has rows of its own.
template <class T>
class PlanePass {
 public:
  PlanePass(const Problem& p, int most_steps, int columns)
      : cuts_(p, most_steps, columns, omp_get_max_threads()),
        room_(pipeline_room<T>(cuts_, most_steps)),
        rows_of_threads_(room_ * omp_get_max_threads()),
        alpha_(T(p.alpha)) {}
  void poison_rows() { rows_of_threads_.fill(poison<T>); }
  /// Call inside a parallel region.
  void operator()(int steps, const T* in, T* out) {
    T* const space = rows_of_threads_.data() + room_ * omp_get_thread_num();
#pragma omp for schedule(static)
    for (std::int64_t n = 0; n < cuts_.pieces(); ++n) advance_piece(cuts_, n, in, out, steps, alpha_, space);
  }

 private:
  Cuts cuts_;
  std::int64_t room_;
  runtime::HostArray<T> rows_of_threads_;
  T alpha_;
};

template <class T>
class Temporal : public FieldPair<T> {
 public:
  Temporal(const Problem& p, const Tuning& t)
      : FieldPair<T>(p, 0), passes_{p.steps, steps_a_pass(p, t)}, pass_(p, passes_.most, t[1]) {}

  void load(const T* field) override {
    FieldPair<T>::load(field);
    pass_.poison_rows();
  }
  void advance() override {
#pragma omp parallel
    for (std::int64_t pass = 0; pass < passes_.count(); ++pass) {
      pass_(passes_.steps_of(pass), this->in_.data(), this->out_.data());
#pragma omp single
      swap(this->in_, this->out_);
    }
  }

 private:
  Passes passes_;
  PlanePass<T> pass_;
};

}  // namespace

template <class T>
PassOf<T> temporal_pass(const Problem& p, int most_steps) {
  return [most_steps, pass = std::make_shared<PlanePass<T>>(p, most_steps, 1024)](int left, const T* in,
                                                                                  T* out) {
    const int steps = std::min(most_steps, left);
#pragma omp parallel
    (*pass)(steps, in, out);
    return steps;
  };
}
template PassOf<float> temporal_pass(const Problem&, int);
template PassOf<double> temporal_pass(const Problem&, int);

}  // namespace parity::openmp

namespace parity::diffusion::temporal {

Entry openmp() {
  Entry e;
  e.tunings = {"8x1024", "4x1024", "16x1024", "8x512", "8x4096", "3x16"};
  e.tuning_axes = "steps a pass x columns of a strip";
  e.refuse = refuse_pipeline;
  e.model = [](const Problem& p, const Tuning& t) {
    return temporal::cost(p, steps_a_pass(p, t), two_stage_flops);
  };
  return with_factories<openmp::Temporal>(e);
}

}  // namespace parity::diffusion::temporal
