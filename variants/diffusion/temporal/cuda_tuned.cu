// SPDX-License-Identifier: BSD-3-Clause
// temporal, CUDA, tuned: makes 16 steps a pass (one chain of eight warps per block) or 8 (two chains of
// four), for planes of any size on compute capability 9.0; shorter passes make the remaining steps.
//
// A tile is 32 x columns points wide and streams down y. The warps of a chain follow each other in time: each
// makes 'steps' steps of a row and passes the row to the next warp through a ring of rows in shared memory,
// with a full and an empty barrier per row and no barrier of the block. A fourth warpgroup moves rows: its
// first warp loads them by bulk copies, its second stores the useful middle; it gives its registers to the
// other warpgroups. Tiles overlap by two columns a step on either side, chunks of rows by two rows. Blocks
// are persistent: the rows of the next tile follow those of the last without a pause. The loop over rows is
// unrolled by the period in which registers rotate, so that no value moves from register to register. Warps
// are chained in time as in FastStencil (SC 2026).
#include <vector>

#include "algorithm.hpp"
#include "backend/cuda/current_device.cuh"
#include "backend/cuda/diffusion/exchange.cuh"
#include "backend/cuda/hopper.cuh"
#include "lane_pipeline.hpp"
#include "passes.cuh"

namespace parity::cuda {
namespace {

/// Compile-time parameters of the kernel: columns per lane, steps per warp, chains per block, groups of rows
/// that are loaded ahead. The columns of a lane fill an odd number of 16 (else 8) bytes, so that lanes have
/// no bank conflicts.
struct StreamConfig {
  int columns, steps, chains, ahead;
};
/// One or two chains of warps with two steps each, whose columns fill a lane's registers, and one chain of a
/// single step, for an odd last step.
enum StreamKind { one_chain, two_chains, single_step };
template <class T>
constexpr StreamConfig stream_configs[] = {
    {72 / int(sizeof(T)), 2, 1, 3}, {72 / int(sizeof(T)), 2, 2, 3}, {80 / int(sizeof(T)), 1, 1, 1}};

/// deferred: DeferredScale, for alpha = 1/32.
template <class T, StreamKind kind, bool deferred_>
struct StreamForm {
  using Value = T;
  static constexpr StreamConfig config = stream_configs<T>[kind];
  static constexpr int columns = config.columns, steps = config.steps, chains = config.chains,
                       ahead = config.ahead;
  static constexpr bool deferred = deferred_;
  using SingleStep = StreamForm<T, single_step, deferred_>;
  /// True if passes that apply the factor have their own kernel, in which every warp multiplies and releases
  /// a row after its first step. Otherwise the loop has a branch, and a row is released as soon as it is
  /// read. With the own kernel, passes are 6 % shorter in float and 6 % longer in double.
  static constexpr bool own_scaling = sizeof(T) == 4;
  using Pipeline = LanePipeline<T, columns, steps, deferred>;
  static constexpr int compute_warps = 8, warps = compute_warps + 4, most_links = compute_warps / chains;
  static constexpr int width = 32 * columns, row_bytes = width * int(sizeof(T));
  /// Rows per ring, and per iteration of the loop over rows.
  static constexpr int period = (steps == 1 ? 2 : 1) * Pipeline::held;
  /// Columns of overlap, rounded so that copies begin at multiples of 16 bytes.
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
template <class Form, class T>
__device__ __forceinline__ void load_rows(const T* in, const StreamPass& p, std::uint32_t shared, int first,
                                          int stride, int rows);
template <class Form, class T>
__device__ __forceinline__ void store_rows(T* out, const StreamPass& p, std::uint32_t shared, int first,
                                           int stride, int rows);
template <class Form, bool scales, class T>
__device__ __forceinline__ void compute_rows(unsigned char* shared, int link, int periods, T alpha, T factor,
                                             bool due);
#endif

/// scales: the pass applies its factor, or may do so if that has no kernel of its own. Grid: at most one
/// block per multiprocessor.
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
    if (link < p.links)
      compute_rows<Form, scales>(shared, link, periods, alpha,
                                 !Form::own_scaling || link == p.links - 1 ? T(p.factor) : T(1),
                                 p.scales && link == p.links - 1);
  }
#endif
}

#if PARITY_STREAMS
/// Loads the rows of the tiles into the first ring, in pieces if a tile crosses the seam of the plane.
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
      int x = at.tile * p.useful - p.overlap, y = (p.top + at.chunk * p.chunk - 2 * p.steps) % p.rows;
      if (p.extended) {
        x += p.lead;
        whole = Form::width;
      } else {
        x %= p.nx;
        if (x < 0) x += p.nx;
        whole = min(Form::width, p.nx - x);
      }
      if (y < 0) y += p.rows;
      top = in + std::size_t(at.plane) * p.rows * p.pitch + x;
      row = top + std::size_t(y) * p.pitch;
      until_wrap = p.rows - y;
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
      until_wrap = p.rows;
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

/// Stores the useful middle of each finished row from the last ring.
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
      // The first rows that arrive are 4 rows per step before the first wanted one.
      row = out +
            (std::ptrdiff_t(at.plane) * p.rows + p.top + std::ptrdiff_t(at.chunk) * p.chunk - 4 * p.steps) *
                p.pitch +
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
    if (n > 0) {  // release the previous row once it has been read
      bulk_wait_read<1>();
      barrier_arrive(release);
      release += 16;
      if (release == first_full + Form::period * 16 + 8) release = first_full + 8;
    }
  }
  bulk_wait();
}

/// Makes Form::steps steps of each arriving row in registers. scales: also multiplies by the factor, if it is
/// due or has a kernel of its own: a branch would keep the compiler from scheduling across it.
template <class Form, bool scales, class T>
__device__ __forceinline__ void compute_rows(unsigned char* shared, int link, int periods, T alpha,
                                             [[maybe_unused]] T factor, [[maybe_unused]] bool due) {
  constexpr int P = Form::columns, S = Form::steps, U = Form::period;
  constexpr bool gives_back_late = Form::own_scaling;
  const int lane = threadIdx.x % 32;
  // The first ring holds 'ahead' periods, the others one. The full barrier of slot u is at 16 u, the empty
  // one 8 bytes after it.
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
  const auto give_back = [&](int u) {
    __syncwarp();
    barrier_arrive_if(in_full(u) + 8, lane == 0);
  };
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
      if (!gives_back_late) give_back(u);
#pragma unroll
      for (int s = 0; s < S; ++s) {
        if (s == S - 1) {  // meanwhile, poll the next row's full and this row's empty barrier
          if (gives_back_late) give_back(u);
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
      if (scales && (Form::own_scaling || due)) {
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

/// True if rows begin at multiples of 16 bytes.
bool fills_packs(const Problem& p) { return p.nx * std::int64_t(runtime::bytes_of(p.precision)) % 16 == 0; }

/// True if a row has only the columns of a periodic plane, and copies of whole packs can wrap around.
bool copies_wrap(const Problem& p, const Margin& around) { return around.x == 0 && fills_packs(p); }

/// Writes the periodic continuation of rows, one thread per position; grid (positions, rows).
template <class T>
__global__ void extend_rows(T* f, int nx, int pitch, int lead, long long rows) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x, at = n < lead ? n : n + nx;
  if (at >= pitch) return;
  int from = (at - lead) % nx;
  if (from < 0) from += nx;
  for (long long row = blockIdx.y; row < rows; row += gridDim.y)
    f[row * pitch + at] = f[row * pitch + lead + from];
}

/// Makes the passes over planes that have a margin.
template <class T>
struct PassMaker {
  using Pass = cuda::Pass<T, StreamPass>;
  const Problem& p;
  const Margin& around;
  int pitch, lead, processors;

  template <bool deferred>
  std::vector<Pass> passes_of(const Tuning& t) const {
    return t[0] == 1 ? passes_of<StreamForm<T, one_chain, deferred>>()
                     : passes_of<StreamForm<T, two_chains, deferred>>();
  }

 private:
  /// The kernel, with permission for the most shared memory that any of its passes needs.
  template <class Form, class Kernel>
  static Kernel with_shared_memory(Kernel kernel) {
    PARITY_CUDA(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                     cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     Form::shared_bytes(Form::most_links)));
    return kernel;
  }
  template <class Form>
  Pass pass_of(int links, std::int64_t times) const {
    Pass pass{};
    constexpr bool may_scale = Form::deferred && !Form::own_scaling;
    pass.kernel = with_shared_memory<Form>(stream_temporal<Form, may_scale>);
    pass.scaling = pass.kernel;
    if constexpr (Form::deferred && Form::own_scaling)
      pass.scaling = with_shared_memory<Form>(stream_temporal<Form, true>);
    pass.divided = stream_pass<Form>(int(p.nx), int(p.ny), int(p.nz), pitch, lead, !copies_wrap(p, around),
                                     links, processors);
    pass.divided.top = int(around.y);
    pass.divided.rows = int(p.ny + 2 * around.y);
    pass.blocks = unsigned(std::min((pass.divided.items + Form::chains - 1) / Form::chains, processors));
    pass.threads = 32 * Form::warps;
    pass.shared_bytes = Form::shared_bytes(links);
    pass.times = times;
    return pass;
  }
  /// Full passes, one with fewer warps, and one for an odd last step.
  template <class Form>
  std::vector<Pass> passes_of() const {
    static_assert(Form::steps == 2, "EvenPasses has passes of even numbers of steps");
    const EvenPasses cut(p.steps, Form::steps * Form::most_links);
    std::vector<Pass> all;
    if (cut.whole > 0) all.push_back(pass_of<Form>(Form::most_links, cut.whole));
    if (cut.even > 0) all.push_back(pass_of<Form>(cut.even_steps / Form::steps, 1));
    if (cut.odd > 0) all.push_back(pass_of<typename Form::SingleStep>(1, 1));
    return all;
  }
};

template <class T>
std::vector<Pass<T, StreamPass>> passes_around(const Problem& p, const Tuning& t, const Margin& around,
                                               int pitch, int lead, int spare) {
  const PassMaker<T> make{p, around, pitch, lead, attribute(cudaDevAttrMultiProcessorCount) - spare};
  return p.alpha == DeferredScale<T>::alpha ? make.template passes_of<true>(t)
                                            : make.template passes_of<false>(t);
}

template <class T>
struct StreamPasses {
  using Pass = cuda::Pass<T, StreamPass>;
  static Fields<T> fields(const Problem& p, const Tuning& t) { return stream_fields<T>(p, t, 0); }
  static std::vector<Pass> passes(const Problem& p, const Tuning& t, int pitch, int lead) {
    return passes_around<T>(p, t, 0, pitch, lead, 0);
  }
  static void before(const Fields<T>& f, T* in, const StreamPass& divided) {
    if (!divided.extended) return;
    const int more = int(f.pitch - f.p.nx);
    const long long rows = (long long)(f.p.nz) * divided.rows;
    extend_rows<<<dim3(blocks_for(more, 128), unsigned(std::min(rows, 65535LL))), 128, 0, f.stream>>>(
        in, int(f.p.nx), int(f.pitch), f.lead(), rows);
    PARITY_CUDA(cudaGetLastError());
  }
};

template <class T>
using StreamTemporal = InPasses<T, StreamPasses<T>>;

}  // namespace

template <class T>
Fields<T> stream_fields(const Problem& p, const Tuning& t, const Margin& around) {
  if (copies_wrap(p, around)) return Fields<T>::led(p, around, 0, p.nx);
  const auto in_packs = [](std::int64_t columns) { return int((columns + 3) / 4 * 4); };
  int lead = in_packs(around.x), end = in_packs(p.nx + around.x);
  for (const auto& pass : passes_around<T>(p, t, around, 0, 0, 0)) {
    const StreamPass& d = pass.divided;
    lead = std::max(lead, d.overlap);
    end = std::max(end, d.tiles * d.useful + d.overlap);
  }
  return Fields<T>::led(p, around, lead, lead + end);
}

template <class T>
std::function<int(int, int)> stream_passes(const Fields<T>& f, const Tuning& t, const Margin& around,
                                           int spare) {
  return [&f, wraps = around.x == 0, passes = passes_around<T>(f.p, t, around, int(f.pitch), f.lead(), spare),
          deferred = DeferredFactors<T>()](int at, int left) mutable {
    if (left == f.p.steps) deferred = {};
    auto next = passes.begin();  // longest first
    while (next->divided.steps > left) ++next;
    if (wraps) StreamPasses<T>::before(f, f[at], next->divided);
    launch_pass(*next, f, at, deferred, next->divided.steps == left);
    return next->divided.steps;
  };
}

template Fields<float> stream_fields<float>(const Problem&, const Tuning&, const Margin&);
template Fields<double> stream_fields<double>(const Problem&, const Tuning&, const Margin&);
template std::function<int(int, int)> stream_passes(const Fields<float>&, const Tuning&, const Margin&, int);
template std::function<int(int, int)> stream_passes(const Fields<double>&, const Tuning&, const Margin&, int);

std::optional<std::string> why_no_stream(const Problem& p, const Tuning& t) {
  if (t[0] > 2) return "a block has one chain of eight warps or two of four";
  if (p.nz * p.ny > std::numeric_limits<int>::max() || p.nx > (1 << 28))
    return "more than 2^31 - 1 rows, or rows of more than 2^28 points";
#if defined(PARITY_SM_90A)
  if (attribute(cudaDevAttrComputeCapabilityMajor) != 9 || attribute(cudaDevAttrComputeCapabilityMinor) != 0)
    return "it hands registers from warp to warp, which compute capability 9.0 alone can";
  return std::nullopt;
#else
  return "it needs a build for compute capability 9.0 (-DCMAKE_CUDA_ARCHITECTURES=90) by CUDA 12.1 or newer";
#endif
}

}  // namespace parity::cuda

namespace parity::diffusion::temporal {

Entry cuda_tuned() {
  Entry e;
  e.tunings = {"1", "2"};
  e.tuning_axes = "chains of warps in a block";
  e.refuse = cuda::why_no_stream;
  e.model = [](const Problem& p, const Tuning& t) {
    // Each pass is a launch, after one that extends rows if they do not fill packs.
    return cost_of_passes(p, EvenPasses(p.steps, t[0] == 1 ? 16 : 8).count(), cuda::fills_packs(p) ? 1 : 2,
                          flops_by_pairs(p));
  };
  e.extra_bytes = [](const Problem& p) {
    if (cuda::fills_packs(p)) return 0.0;
    // Rows with their continuation are at most two tiles longer.
    return 2.0 * 1280 * double(p.ny * p.nz) * double(runtime::bytes_of(p.precision));
  };
  return with_factories<cuda::StreamTemporal>(e);
}

}  // namespace parity::diffusion::temporal
