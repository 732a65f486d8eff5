// SPDX-License-Identifier: BSD-3-Clause
// temporal, CUDA: divides a pass of several steps over device memory into items of work (overlapping tiles of
// columns x overlapping chunks of rows x planes), and launches passes.
#pragma once
#include <cstdint>
#include <vector>

#include "backend/cuda/diffusion/fields.cuh"
#include "backend/cuda/diffusion/lanes.cuh"
#include "diffusion/passes.hpp"

namespace parity::cuda {

/// A pass as the host divides it. Positions in a row count from its first element.
struct StreamPass {
  int nx, ny, pitch, lead;     ///< lead: position of column 0
  int rows, top;               ///< rows of a plane in memory, and rows before row 0
  bool extended;               ///< rows hold their periodic continuation; else copies wrap
  int links, steps, overlap;   ///< warps per chain, steps per pass, columns of a tile's overlap on each side
  int useful, tiles;           ///< columns that a tile completes
  int chunk, chunks, periods;  ///< rows that an item completes, and periods of rows that it reads
  int items;
  bool deferred;  ///< with DeferredScale
  bool scales =
      false;  ///< a pass with 'scales' applies 'factor', including earlier passes' factors (DeferredFactors)
  double factor = 1;
};

/// An item of work: a tile of a chunk of a plane.
struct StreamItem {
  int tile, chunk, plane;
  __device__ __forceinline__ StreamItem(int item, const StreamPass& p)
      : tile(item % p.tiles), chunk(item / p.tiles % p.chunks), plane(item / p.tiles / p.chunks) {}
};

/// Divides a pass of links x Form::steps steps over a field of nz planes. extended: see StreamPass. Form:
/// width of a tile, steps, overlap(steps of the pass), period of rows, chains per processor.
template <class Form>
StreamPass stream_pass(int nx, int ny, int nz, int pitch, int lead, bool extended, int links,
                       int processors) {
  StreamPass p{};
  p.nx = nx, p.ny = p.rows = ny, p.pitch = pitch, p.lead = lead, p.extended = extended;
  p.links = links, p.steps = links * Form::steps;
  p.deferred = Form::deferred;
  p.overlap = Form::overlap(p.steps);
  p.useful = Form::width - 2 * p.overlap;
  p.tiles = (nx + p.useful - 1) / p.useful;
  const RowChunks cut(ny, p.steps, Form::period, double(p.tiles) * nz, double(processors) * Form::chains);
  p.chunk = cut.rows, p.chunks = cut.count, p.periods = cut.periods;
  p.items = p.tiles * p.chunks * nz;
  return p;
}

/// Launches of the same number of steps, from one field into the other.
template <class T, class Division>
struct Pass {
  void (*kernel)(const T*, T*, Division, T);
  void (*scaling)(const T*, T*, Division, T);  ///< with Division::factor; null if no scaling is deferred
  Division divided;
  unsigned blocks;
  int threads, shared_bytes;
  std::int64_t times;
};

/// Launches a pass once, from field 'at' into the other.
template <class T, class Division>
void launch_pass(const Pass<T, Division>& pass, const Fields<T>& f, int at, DeferredFactors<T>& deferred,
                 bool is_last) {
  auto divided = pass.divided;
  if (divided.deferred) divided.factor = deferred.factor_after(divided.steps, is_last);
  divided.scales = divided.factor != 1;
  const auto kernel = divided.scales ? pass.scaling : pass.kernel;
  kernel<<<pass.blocks, pass.threads, pass.shared_bytes, f.stream>>>(f[at], f[1 - at], divided, T(f.p.alpha));
  PARITY_CUDA(cudaGetLastError());
}

/// A variant whose passes run one kind after the other. Form: passes(p, tuning, pitch, lead), fields(p,
/// tuning), and before(fields, in, divided), which is called before each launch.
template <class T, class Form>
class InPasses : public WholeRun<T> {
 public:
  InPasses(const Problem& p, const Tuning& t)
      : WholeRun<T>([&] { return Form::fields(p, t); }),
        passes_(Form::passes(p, t, int(f_.pitch), f_.lead())) {}
  void advance() override {
    result_ = 0;
    DeferredFactors<T> deferred;
    for (const auto& pass : passes_)
      for (std::int64_t n = 0; n < pass.times; ++n) {
        Form::before(f_, f_[result_], pass.divided);
        launch_pass(pass, f_, result_, deferred, &pass == &passes_.back() && n + 1 == pass.times);
        result_ = 1 - result_;
      }
  }

 private:
  using WholeRun<T>::f_;
  using WholeRun<T>::result_;
  std::vector<typename Form::Pass> passes_;
};

}  // namespace parity::cuda
