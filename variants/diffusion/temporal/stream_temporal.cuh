// SPDX-License-Identifier: BSD-3-Clause
// Several steps of planes of any size in one pass over device memory, for compute capability 9.0.
//
// A tile is 32 x columns points wide and streams down y. The warps of a chain follow each other in time: each
// does 'steps' steps of a row and hands the row to the next through a ring of rows in shared memory, with a
// full and an empty barrier a row; no barrier of the block. A fourth warpgroup moves rows: its first warp
// loads them by bulk copies, its second stores the useful middle. It gives its registers to the others. Tiles
// overlap by two columns a step on either side, chunks of rows by two rows. Blocks stay: the rows of the next
// tile follow those of the last without a pause. The loop over rows is unrolled by the period in which
// registers rotate, so that no value moves from register to register. The idea of warps chained in time is
// that of FastStencil (SC 2026).
#pragma once
#include "backend/cuda/hopper.cuh"
#include "lane_pipeline.cuh"
#include "stream_pass.cuh"

namespace parity::cuda {

using namespace parity::diffusion;

/// A form of the kernel: columns of a lane, steps of a warp, chains of a block, groups of rows that are
/// loaded ahead. The columns of a lane fill an odd number of 16 (else 8) bytes, so that no two lanes meet in
/// a bank.
template <class T, int columns_, int steps_, int chains_, int ahead_, bool deferred_ = false>
struct StreamForm {
  using Value = T;
  static constexpr bool deferred = deferred_;  ///< DeferredScale, for alpha = 1/32
  /// Whether a pass that applies the factor is a kernel of its own, in which every warp multiplies; else the
  /// last warp of a chain has a loop of its own. In float a pass with two loops took twice as long as one
  /// with one (jobs/results/h200/frontier/attempts.txt, section 13). In double two were faster, on another
  /// card (14).
  static constexpr bool one_loop = sizeof(T) == 4;
  using Pipeline = LanePipeline<T, columns_, steps_, deferred_>;
  static constexpr int columns = columns_, steps = steps_, chains = chains_, ahead = ahead_;
  static constexpr int compute_warps = 8, warps = compute_warps + 4, most_links = compute_warps / chains;
  static constexpr int width = 32 * columns, row_bytes = width * int(sizeof(T));
  /// Rows of a ring, and of an iteration of the loop over rows.
  static constexpr int period = (steps == 1 ? 2 : 1) * Pipeline::held;
  /// Keeps copies on boundaries of 16 bytes.
  static constexpr int overlap(int steps_of_pass) { return (2 * steps_of_pass + 3) / 4 * 4; }
  static constexpr int head_bytes = 4096;  ///< barriers of a chain
  static constexpr int shared_bytes(int links) {
    return chains * (head_bytes + (links + ahead) * period * row_bytes);
  }
};

#if PARITY_ON_HOPPER && defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define PARITY_STREAMS 1
#else
#define PARITY_STREAMS 0
#endif

#if PARITY_STREAMS
/// Rows of the tiles into the first ring, in pieces where a tile crosses the seam of the plane.
template <class Form, class T>
__device__ __forceinline__ void load_rows(const T* in, const StreamPass& p, std::uint32_t shared, int first,
                                          int stride, int rows) {
  constexpr int slots = Form::ahead * Form::period;
  const T *row = in, *top = in;
  int until_wrap = 0, whole = 0, left = 0, item = first - stride;
  std::uint32_t full = shared, to = shared + Form::head_bytes, parity = 1;
#pragma unroll 1
  for (; rows > 0; --rows) {
    if (left == 0) {
      left = p.periods * Form::period;
      item += stride;
      const StreamItem at(item, p);
      int x = at.tile * p.useful - p.overlap, y = (at.chunk * p.chunk - 2 * p.steps) % p.ny;
      if (p.extended) {
        x += p.lead;
        whole = Form::width;
      } else {
        x %= p.nx;
        if (x < 0) x += p.nx;
        whole = min(Form::width, p.nx - x);
      }
      if (y < 0) y += p.ny;
      top = in + std::size_t(at.plane) * p.ny * p.pitch + x;
      row = top + std::size_t(y) * p.pitch;
      until_wrap = p.ny - y;
    }
    --left;
    barrier_wait(full + 8, parity);
    barrier_expect_if(full, Form::row_bytes, true);
    bulk_load(to, row, whole * int(sizeof(T)), full);
    if (whole < Form::width) {
      const T* const start = row + whole - p.nx;
#pragma unroll 1
      for (int k = whole; k < Form::width;) {
        const int n = min(Form::width - k, p.nx);
        bulk_load(to + k * int(sizeof(T)), start, n * int(sizeof(T)), full);
        k += n;
      }
    }
    row += p.pitch;
    if (--until_wrap == 0) {
      until_wrap = p.ny;
      row = top;
    }
    full += 16;
    to += Form::row_bytes;
    if (full == shared + slots * 16) {
      full = shared;
      to = shared + Form::head_bytes;
      parity ^= 1;
    }
  }
}

/// The useful middle of each finished row out of the last ring.
template <class Form, class T>
__device__ __forceinline__ void store_rows(T* out, const StreamPass& p, std::uint32_t shared, int first,
                                           int stride, int rows) {
  const std::uint32_t first_full = shared + (p.links + Form::ahead - 1) * Form::period * 16,
                      first_row = shared + Form::head_bytes +
                                  (p.links + Form::ahead - 1) * Form::period * Form::row_bytes +
                                  p.overlap * int(sizeof(T));
  T* row = out;
  int done = 0, wanted = 0, bytes = 0, left = 0, item = first - stride;
  std::uint32_t full = first_full, from = first_row, release = first_full + 8, parity = 0;
  constexpr int pack = 16 / int(sizeof(T));
#pragma unroll 1
  for (int n = 0; n < rows; ++n) {
    if (left == 0) {
      left = p.periods * Form::period;
      item += stride;
      const StreamItem at(item, p);
      // The first rows that arrive are 4 steps older than the first that is wanted.
      row = out +
            (std::ptrdiff_t(at.plane) * p.ny + std::ptrdiff_t(at.chunk) * p.chunk - 4 * p.steps) * p.pitch +
            p.lead + std::ptrdiff_t(at.tile) * p.useful;
      done = -4 * p.steps;
      wanted = min(p.chunk, p.ny - at.chunk * p.chunk);
      bytes = (min(p.useful, p.nx - at.tile * p.useful) + pack - 1) / pack * 16;
    }
    --left;
    barrier_wait(full, parity);
    if (unsigned(done) < unsigned(wanted)) {
      copies_see_stores();
      bulk_store(row, from, bytes);
    }
    bulk_commit();
    ++done;
    row += p.pitch;
    full += 16;
    from += Form::row_bytes;
    if (full == first_full + Form::period * 16) {
      full = first_full;
      from = first_row;
      parity ^= 1;
    }
    if (n > 0) {  // the row before this one has left
      bulk_wait_read<1>();
      barrier_arrive(release);
      release += 16;
      if (release == first_full + Form::period * 16 + 8) release = first_full + 8;
    }
  }
  bulk_wait();
}

/// Form::steps steps of each row that comes by, in registers. scales: and the factor. A branch for it in the
/// loop would part what is scheduled across it.
template <class Form, bool scales, class T>
__device__ __forceinline__ void compute_rows(unsigned char* shared, int link, int periods, T alpha,
                                             [[maybe_unused]] T factor) {
  constexpr int P = Form::columns, S = Form::steps, U = Form::period;
  const int lane = threadIdx.x % 32;
  // The first ring holds 'ahead' periods, the others one. Of slot u the full barrier is at 16 u, the empty
  // one 8 bytes on.
  const int first_ring = link == 0 ? 0 : Form::ahead - 1 + link, rings = link == 0 ? Form::ahead : 1;
  const std::uint32_t out_full = shared_address(shared) + (link + Form::ahead) * (U * 16);
  unsigned char* const rows_in = shared + Form::head_bytes + lane * (P * int(sizeof(T)));
  unsigned char* const rows_out = rows_in + (link + Form::ahead) * (U * Form::row_bytes);
  int ring = 0, parity_in = 0, parity = 0;
  const auto in_full = [&](int u) {
    return shared_address(shared) + (first_ring + ring) * (U * 16) + u * 16;
  };

  typename Form::Pipeline pipeline;
  pipeline.clear();
  bool ready = false;
#pragma unroll 1
  for (; periods > 0; --periods) {
#pragma unroll
    for (int u = 0; u < U; ++u) {
      const int newest = pipeline.newest_of(u);
      bool room = false;
      if (!ready) barrier_wait(in_full(u), parity_in);
      read_columns(pipeline.arriving(newest),
                   reinterpret_cast<const T*>(rows_in + (first_ring + ring) * (U * Form::row_bytes) +
                                              u * Form::row_bytes));
#pragma unroll
      for (int s = 0; s < S; ++s) {
        if (s == S - 1) {  // while this row is computed, a look at the next row's barrier and the way out's
          __syncwarp();
          barrier_arrive_if(in_full(u) + 8, lane == 0);
          const int next = (u + 1) % U;
          if (next == 0 && ++ring == rings) {
            ring = 0;
            parity_in ^= 1;
          }
          ready = barrier_over(in_full(next), parity_in);
          room = barrier_over(out_full + u * 16 + 8, parity ^ 1);
        }
        pipeline.step(s, newest, alpha);
      }
      if (!room) barrier_wait(out_full + u * 16 + 8, parity ^ 1);
      if constexpr (scales) {
#pragma unroll
        for (int i = 0; i < P; ++i) pipeline.finished(newest)[i] *= factor;
      }
      write_columns(pipeline.finished(newest), reinterpret_cast<T*>(rows_out + u * Form::row_bytes));
      __syncwarp();
      barrier_arrive_if(out_full + u * 16, lane == 0);
    }
    parity ^= 1;
  }
}
#endif  // PARITY_STREAMS

/// scales: the pass applies its factor, or may where a form has two loops. Grid: as many blocks as
/// multiprocessors, or fewer.
template <class Form, bool scales>
__global__ void __launch_bounds__(32 * Form::warps, 1)
    stream_temporal(const typename Form::Value* __restrict__ in, typename Form::Value* __restrict__ out,
                    const StreamPass p, const typename Form::Value alpha) {
#if PARITY_STREAMS
  extern __shared__ __align__(128) unsigned char memory[];
  constexpr int compute = Form::compute_warps, links = Form::most_links;
  const int warp = __shfl_sync(all_lanes, threadIdx.x / 32, 0);
  const bool moves = warp >= compute;
  const int chain = moves ? (warp - compute) / 2 : warp / links, link = moves ? warp % 2 : warp % links;
  const int rings = p.links + Form::ahead;
  unsigned char* const shared = memory + chain * (Form::head_bytes + rings * Form::period * Form::row_bytes);
  if (threadIdx.x % 32 == 0 && !moves && link == 0)
    for (int b = 0; b < rings * Form::period * 2; ++b) barrier_init(shared_address(shared) + b * 8, 1);
  barrier_init_visible();
  __syncthreads();
  const int first = int(blockIdx.x) * Form::chains + chain, stride = int(gridDim.x) * Form::chains;
  const int periods =
      chain < Form::chains && first < p.items ? (p.items - first + stride - 1) / stride * p.periods : 0;
  if (moves) {
    give_registers_back<24>();
    if (periods > 0 && elected()) {
      if (link == 0)
        load_rows<Form>(in, p, shared_address(shared), first, stride, periods * Form::period);
      else
        store_rows<Form>(out, p, shared_address(shared), first, stride, periods * Form::period);
    }
  } else {
    take_registers<240>();
    using T = typename Form::Value;
    if constexpr (Form::one_loop) {
      if (link < p.links)
        compute_rows<Form, scales>(shared, link, periods, alpha, link == p.links - 1 ? T(p.factor) : T(1));
    } else {
      if (scales && p.scales && link == p.links - 1)
        compute_rows<Form, scales>(shared, link, periods, alpha, T(p.factor));
      else if (link < p.links)
        compute_rows<Form, false>(shared, link, periods, alpha, T(1));
    }
  }
#endif
}

}  // namespace parity::cuda
