// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-temporal-tuned: 16 steps a pass over device memory (one chain of eight warps a block) or 8
// (two chains of four), for planes of any size; what is left of the steps by shorter passes.
#include <vector>

#include "backend/cuda/current_device.cuh"
#include "diffusion/passes.hpp"
#include "runtime/error.hpp"
#include "stream_temporal.cuh"
#include "backend/cuda/diffusion/whole.cuh"

namespace parity::cuda {
namespace {

/// Whether rows begin at packs of 16 bytes.
bool fills_packs(const Problem& p) { return p.nx * std::int64_t(runtime::bytes_of(p.precision)) % 16 == 0; }

/// Columns of a lane that fill its registers at two steps a warp.
template <class T>
constexpr int wide = sizeof(T) == 4 ? 18 : 9;
template <class T, bool deferred>
using OneChain = StreamForm<T, wide<T>, 2, 1, 3, deferred>;
template <class T, bool deferred>
using TwoChains = StreamForm<T, wide<T>, 2, 2, 3, deferred>;
/// One step a warp, for the last odd step.
template <class T, bool deferred>
using Single = StreamForm<T, sizeof(T) == 4 ? 20 : 10, 1, 1, 1, deferred>;

/// Completes the periodic continuation of rows. One thread a position; grid (positions, rows).
template <class T>
__global__ void extend_rows(T* f, int nx, int pitch, int lead, long long rows) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x, at = n < lead ? n : n + nx;
  if (at >= pitch) return;
  int from = (at - lead) % nx;
  if (from < 0) from += nx;
  for (long long row = blockIdx.y; row < rows; row += gridDim.y)
    f[row * pitch + at] = f[row * pitch + lead + from];
}

template <class T>
struct StreamPasses {
  using Pass = cuda::Pass<T, StreamPass>;

  static std::vector<Pass> passes(const Problem& p, const Tuning& t, int pitch, int lead) {
    if (p.alpha == DeferredScale<T>::alpha) return passes_of<true>(p, t, pitch, lead);
    return passes_of<false>(p, t, pitch, lead);
  }
  /// Where the columns of a plane do not fill packs, a row of device memory holds 'lead' columns of its
  /// periodic continuation before column 0, and enough behind the last for the tiles of every pass.
  static Fields<T> fields(const Problem& p, const Tuning& t) {
    if (fills_packs(p)) return Fields<T>::periodic(p);
    int lead = 0, behind = 0;
    for (const Pass& pass : passes(p, t, 0, 0)) {
      const StreamPass& d = pass.divided;
      lead = std::max(lead, d.overlap);
      behind = std::max(behind, d.tiles * d.useful + d.overlap);
    }
    return Fields<T>::led(p, lead, lead + behind);
  }
  static void before(const Fields<T>& f, T* in, const StreamPass& divided) {
    if (!divided.extended) return;
    const int more = int(f.pitch - f.p.nx);
    const long long rows = (long long)(f.p.nz) * f.p.ny;
    extend_rows<<<dim3(blocks_for(more, 128), unsigned(std::min(rows, 65535LL))), 128, 0, f.stream>>>(
        in, int(f.p.nx), int(f.pitch), f.lead(), rows);
    PARITY_CUDA(cudaGetLastError());
  }

 private:
  /// The kernel, which may have the most shared memory that any pass of it takes.
  template <class Form, class Kernel>
  static Kernel with_shared_memory(Kernel kernel) {
    PARITY_CUDA(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                     cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     Form::shared_bytes(Form::most_links)));
    return kernel;
  }
  template <class Form>
  static Pass pass_of(const Problem& p, int pitch, int lead, int links, std::int64_t times) {
    const int processors = attribute(cudaDevAttrMultiProcessorCount);
    Pass pass{};
    constexpr bool may_scale = Form::deferred && !Form::one_loop;
    pass.kernel = with_shared_memory<Form>(stream_temporal<Form, may_scale>);
    pass.scaling = pass.kernel;
    if constexpr (Form::deferred && Form::one_loop)
      pass.scaling = with_shared_memory<Form>(stream_temporal<Form, true>);
    pass.divided =
        stream_pass<Form>(int(p.nx), int(p.ny), int(p.nz), pitch, lead, !fills_packs(p), links, processors);
    pass.blocks = unsigned(std::min((pass.divided.items + Form::chains - 1) / Form::chains, processors));
    pass.threads = 32 * Form::warps;
    pass.shared_bytes = Form::shared_bytes(links);
    pass.times = times;
    return pass;
  }
  template <bool deferred>
  static std::vector<Pass> passes_of(const Problem& p, const Tuning& t, int pitch, int lead) {
    return t[0] == 1 ? passes_of<OneChain<T, deferred>>(p, pitch, lead)
                     : passes_of<TwoChains<T, deferred>>(p, pitch, lead);
  }
  /// Whole passes, one with fewer warps, and one for an odd last step.
  template <class Form>
  static std::vector<Pass> passes_of(const Problem& p, int pitch, int lead) {
    static_assert(Form::steps == 2, "EvenPasses has passes of even numbers of steps");
    const EvenPasses cut(p.steps, Form::steps * Form::most_links);
    std::vector<Pass> all;
    if (cut.whole > 0) all.push_back(pass_of<Form>(p, pitch, lead, Form::most_links, cut.whole));
    if (cut.even > 0) all.push_back(pass_of<Form>(p, pitch, lead, cut.even_steps / Form::steps, 1));
    if (cut.odd > 0) all.push_back(pass_of<Single<T, Form::deferred>>(p, pitch, lead, 1, 1));
    return all;
  }
};

template <class T>
using StreamTemporal = InPasses<T, StreamPasses<T>>;

std::optional<std::string> why_not(const Problem& p, const Tuning& t) {
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

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion {

Entry temporal_cuda_tuned() {
  Entry e;
  e.tunings = {"1", "2"};
  e.tuning_axes = "chains of warps in a block";
  e.refuse = cuda::why_not;
  e.model = [](const Problem& p, const Tuning& t) {
    // Each pass is a launch, after one that extends rows where they do not fill packs.
    return cost_of_passes(p, EvenPasses(p.steps, t[0] == 1 ? 16 : 8).count(), cuda::fills_packs(p) ? 1 : 2,
                          flops_by_pairs(p));
  };
  e.extra_bytes = [](const Problem& p) {
    if (cuda::fills_packs(p)) return 0.0;
    // Rows with their continuation, at most two tiles longer.
    return 2.0 * 1280 * double(p.ny * p.nz) * double(runtime::bytes_of(p.precision));
  };
  return with_factories<cuda::StreamTemporal>(e);
}

}  // namespace parity::diffusion
