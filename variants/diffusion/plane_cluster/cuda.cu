// SPDX-License-Identifier: BSD-3-Clause
// plane_cluster, CUDA: a cluster of blocks takes a plane through all steps, in one launch, or in several if
// not all planes fit the GPU at once (plane_division.hpp).
//
// A group of 32 lanes owns 'rows' full rows, 'columns' columns per lane; shuffles round the group are the
// periodic wrap in x. Groups form a ring over the plane, block after block. Even groups number their rows
// downwards, odd ones upwards, so that two neighbours either both start a sweep at their seam ('early') or
// both end it there ('late'); seams between blocks are early ones. Rows cross them by asynchronous stores
// that count on a barrier there, into two buffers in turn; the loop over steps has no cluster barrier.
#include <limits>
#include <type_traits>

#include "algorithm.hpp"
#include "backend/cuda/architecture.cuh"
#include "backend/cuda/cluster.cuh"
#include "backend/cuda/diffusion/plane_launch.cuh"
#include "backend/cuda/hopper.cuh"
#include "cluster_overlapping.cuh"

namespace parity::cuda {

/// The kernel of whole planes with long rows (8 rows of 64 bytes per lane) and DeferredScale: each side of a
/// seam computes the Laplacian of its own rows only and hands one row of it over. That is less work, but two
/// exchanges a step. A row is first updated without the neighbour's Laplacian, which is added on arrival (the
/// step is linear); then the finished row crosses the seam. Each row has about a third of a sweep to
/// arrive, and two barriers a sweep order all exchanges:
///   first row       sends its Laplacian early; the last row's was sent late, when the previous sweep ended
///   first barrier   both are added to the rows that lacked them, and these rows are sent
///   second barrier  the neighbours' rows have arrived: the late one for the last row, the early one for the
///                   next sweep
template <class T, class Form>
__global__ void __launch_bounds__(Form::config.threads, 1)
    cluster_handing_over(const T* in, T* out, PlaneDivision d, T alpha, TurnsOfLaunch turns) {
#if PARITY_ON_HOPPER
  using Row = ClusterRow<T, Form>;
  using A = Access<T, Form::config.columns>;
  using Scaled = DeferredScale<T>;
  using Step = PairStep<T, true>;
  using Side = RowSideBySide<T, Form::config.columns, 32>;
  constexpr int R = Form::config.rows, C = Form::config.columns;
  constexpr int first_meeting = (R + 1) / 3, second_meeting = first_meeting + 4;  // 4 by measurement
  static_assert(first_meeting >= 2 && second_meeting <= R - 1, "too few rows");
  constexpr bool hand_pairs = C >= 16;

  // Slots of each group, which its neighbours fill: early row, its Laplacian, late row, its Laplacian.
  extern __shared__ __align__(16) unsigned char memory[];
  constexpr int kind = Form::config.most_groups() * Row::size, phi_slot = 0, lap_slot = kind;
  constexpr int through = 4 * kind + 64 / int(sizeof(T));  // for exchanges at loads and stores
  static_assert((through + kind) * int(sizeof(T)) <= cluster_bytes<T, Form>, "too little shared memory");
  T* const slots = reinterpret_cast<T*>(memory);
  std::uint64_t* const arrived = reinterpret_cast<std::uint64_t*>(slots + 4 * kind);

  const int lane = threadIdx.x % 32, warp = __shfl_sync(all_lanes, threadIdx.x / 32, 0),
            warps = blockDim.x / 32;
  const Place<Form, true, false> here(d, warp, lane, blockIdx.x);
  const RowRing<Form, false> ring(here);
  const int lx = here.lx, g = here.g, rank = here.rank;
  const bool odd = here.odd;
  const int steps = turns.steps_of(here.turn);

  // Seams. At the plane's periodic wrap, the first group of the first block meets the last of the last block.
  const int beside = odd ? g + 1 : g - 1;
  const bool remote = beside < 0 || beside >= d.groups;
  const int early_partner = beside < 0 ? d.groups - 1 : beside >= d.groups ? 0 : beside;
  T* const early_to = slots + early_partner * Row::size + Row::first(lx);  // in either block
  T* const early_from = slots + g * Row::size + Row::first(lx);
  T* const late_to = slots + 2 * kind + (g ^ 1) * Row::size + Row::first(lx);
  const T* const late_from = slots + 2 * kind + g * Row::size + Row::first(lx);
  const std::uint32_t my_arrived = shared_address(arrived + (odd ? 2 : 0));
  const std::uint32_t bytes = 32u * C * unsigned(sizeof(T));
  const int there_rank = odd ? (rank + 1) % d.blocks : (rank + d.blocks - 1) % d.blocks;
  const std::uint32_t remote_rows = address_in_block(shared_address(early_to), unsigned(there_rank));
  const std::uint32_t remote_arrived =
      address_in_block(shared_address(arrived + (odd ? 0 : 2)), unsigned(there_rank));
  if (threadIdx.x < 4) barrier_init(shared_address(arrived + threadIdx.x), 1);
  barrier_init_visible();
  __syncwarp();
  cluster_barrier();

  T v[R][C], early_row[C], late_row[C];
  T late_weight = T(0);  // of the previous step, of which the last row still lacks a part

  // Sends one access of a row, or of its Laplacian, over an early seam. Rows that go access by access are
  // sent under predicates: the compiler schedules nothing across if and else branches, which cost 11 %.
  constexpr bool predicated = !sends_together<T, Form>;
  const auto send_access = [&](const T(&row)[C], int a, int slot, bool more) {
    const int at = slot + Row::access(a);
    if (predicated || remote)
      store_async_if<A::width>(remote_rows + at * int(sizeof(T)), &row[a * A::width],
                               remote_arrived + (slot == phi_slot ? 8 : 0), remote && more);
    if (!remote) write_access(row, a, early_to + at);
  };
  const auto send_early = [&](const T(&row)[C], int slot, bool more) {
#pragma unroll
    for (int a = 0; a < A::count; ++a) send_access(row, a, slot, more);
  };
  // Waits for the n-th row that arrives in a slot of an early seam.
  const auto await_early = [&](int slot, int n) {
    if (remote) {
      const std::uint32_t barrier = my_arrived + (slot == phi_slot ? 8 : 0);
      barrier_expect_if(barrier, bytes, lane == 0);
      barrier_wait(barrier, unsigned(n) & 1u);
    }
  };
  const auto receive_early = [&](int n) {
    await_early(phi_slot, n);
    Row::read(early_row, early_from + phi_slot);
  };
  const SeamBarriers<Form> seams(warp, warps, odd, remote);

  const auto step = [&](auto s) {  // generic: nvcc warns of a plain one that v is used before it is set
    const bool more = s + 1 < steps;
    constexpr T weight = T(Scaled::weight);
    const auto phi = [&](int k, int i) -> T {
      return k < 0 ? early_row[i] : k == R ? late_row[i] : v[k < 0 || k >= R ? 0 : k][i];
    };
    // All indices are constants after unrolling, so that these are registers of the current rows: sums of a
    // row with the row before it, its Laplacian, sums of the latter. A row is finished in place, by columns.
    T pair[C], lap[C], lap_pair[C];
    // Adds one access of a neighbour's Laplacian, which a row has lacked so far.
    const auto add_access = [&](T(&row)[C], int a, const T* beyond, T by) {
      T part[C];
      read_access(part, a, beyond + Row::access(a));
#pragma unroll
      for (int i = a * A::width; i < (a + 1) * A::width; ++i) row[i] = update(row[i], by, part[i]);
    };
    const T first_left = ring.from_left(v[0][C - 1], v[0][C - 2]);
#pragma unroll
    for (int i = 0; i < C; ++i)
      pair[i] = pair_sum(i > 0 ? v[0][i > 0 ? i - 1 : 0] : first_left, early_row[i]);
#pragma unroll
    for (int k = 0; k < R; ++k) {
      if (k == first_meeting) {
        seams.meet();
#pragma unroll
        for (int a = 0; a < A::count; ++a) {
          add_access(v[R - 1], a, late_from + kind, late_weight);
          write_access(v[R - 1], a, late_to + Row::access(a));
        }
        await_early(lap_slot, s);
#pragma unroll
        for (int a = 0; a < A::count; ++a) {
          add_access(v[0], a, early_from + lap_slot, weight);
          if (!sends_together<T, Form>) send_access(v[0], a, phi_slot, more);
        }
        if (sends_together<T, Form>) send_early(v[0], phi_slot, more);
      }
      if (k == second_meeting) {
        seams.meet();
        Row::read(late_row, late_from);
      }
      if (k == R - 1 && more) receive_early(s + 1);
      const T left = ring.from_left(phi(k + 1, C - 1), phi(k + 1, C - 2));
      T pair_before = pair[0];
      pair[0] = pair_sum(left, phi(k, 0));
      const T last_pair = hand_pairs ? ring.of_right(pair[0])
                                     : pair_sum(phi(k + 1, C - 1), ring.from_right(phi(k, 0), phi(k, 1)));
      const T first_lap = k > 0 ? lap[0] : T(0);
      const T lap_right = k > 0 && !hand_pairs ? ring.from_right(lap[0], lap[1]) : T(0);
      T first_lap_pair = T(0), lap_pair_before = k > 0 ? lap_pair[0] : T(0);
#pragma unroll
      for (int i = 0; i < C; ++i) {
        const int next = i < C - 1 ? i + 1 : 0;
        const T pair_after = next > 0 ? pair_sum(phi(k + 1, i), phi(k, next)) : last_pair;
        const T now = Step::laplacian_at(v[k][i], pair_before, pair_after);
        pair_before = pair[next];
        if (next > 0) pair[next] = pair_after;
        if (next == 0) {
          const T lap_left = ring.from_left(now, lap[C - 2]);
          first_lap_pair = k > 0 ? pair_sum(lap_left, first_lap) : lap_left;
        }
        T lap_pair_after = now;  // for the first row, which lacks a part
        if (k > 0) {
          lap_pair_after = next > 0     ? pair_sum(now, lap[next])
                           : hand_pairs ? ring.of_right(first_lap_pair)
                                        : pair_sum(now, lap_right);
          T& to = v[k > 0 ? k - 1 : 0][i];
          to = Step::update(to, alpha, lap[i], lap_pair_before, lap_pair_after);
          lap_pair_before = lap_pair[next];
        }
        if (next > 0) lap_pair[next] = lap_pair_after;
        lap[i] = now;
      }
      lap_pair[0] = first_lap_pair;
      if (k == 0) send_early(lap, lap_slot, true);
      if (k == R - 1) Row::write(lap, late_to + kind);
    }
    const T lap_right = ring.from_right(lap[0], lap[1]);
#pragma unroll
    for (int i = 0; i < C; ++i) {
      const T after = i < C - 1 ? lap[i < C - 1 ? i + 1 : 0] : lap_right;
      T& to = v[R - 1][i];
      to = Step::update(to, alpha, lap[i], lap_pair[i], after);
    }
    late_weight = weight;
  };

  const std::size_t plane_size = std::size_t(d.ny) * d.pitch;
  const T* const source = (turns.begins(here.turn) ? in : out) + turns.plane(here.turn) * plane_size;
#pragma unroll
  for (int r = 0; r < R; ++r) Side::read(v[r], source + here.row(r), lx);
#pragma unroll
  for (int r = 0; r < R; ++r) Side::to_owners(v[r], slots + through + g * Row::size, lx);
  send_early(v[0], phi_slot, steps > 0);
  T none[C];
#pragma unroll
  for (int i = 0; i < C; ++i) none[i] = T(0);
  Row::write(none, late_to + kind);  // so that the first step adds nothing
  __syncthreads();
  if (steps > 0) receive_early(0);
#pragma unroll 1
  for (int s = 0; s < steps;) {  // one copy of the step: the deferred scale is applied between steps
    const int end = steps - s > Scaled::steps ? s + Scaled::steps : steps;
    const T factor = Scaled::factor(end - s);
#pragma unroll 1
    for (; s < end; ++s) step(s);
#pragma unroll
    for (int i = 0; i < C; ++i) {
#pragma unroll
      for (int r = 0; r < R; ++r) v[r][i] *= factor;
      early_row[i] *= factor;
    }
    late_weight *= factor;
  }
  seams.meet();
  T beyond[C];
  Row::read(beyond, late_from + kind);
#pragma unroll
  for (int i = 0; i < C; ++i) v[R - 1][i] = update(v[R - 1][i], late_weight, beyond[i]);
  const auto there = here.again(d);
  T* const target = out + turns.plane(there.turn) * plane_size;
#pragma unroll
  for (int r = 0; r < R; ++r) {
    Side::from_owners(v[r], slots + through + there.g * Row::size, there.lx);
    Side::write(v[r], target + there.row(r), there.lx);
  }
#endif
}

/// Rows x columns per lane: 128 floats or 64 doubles are half of a lane's registers. Nine rows serve planes
/// a little too large for eight, such as those of 129 rows.
template <class T>
struct ClusterConfigs;
template <>
struct ClusterConfigs<float> {
  static constexpr PlaneConfig all[] = {{8, 4, 32, 256, false}, {16, 4}, {16, 8}, {4, 16}, {8, 16}, {8, 8},
                                        {9, 4, 32, 256, false}, {9, 8}};
};
template <>
struct ClusterConfigs<double> {
  static constexpr PlaneConfig all[] = {{8, 4}, {4, 8}, {8, 8}, {9, 4}, {9, 8}};
};

template <class T>
class PlaneCluster : public WholeRun<T> {
 public:
  PlaneCluster(const Problem& p, const Tuning& t);
  void advance() override;
  Turns turns() const override { return {at_once_, turns_.parts}; }
  static std::optional<std::string> refuse(const Problem& p, const Tuning& t);
  static bool defers_scaling(const Problem& p, const Tuning& t) { return launch_of(p, t).defers_scaling; }

 private:
  using Kernel = void (*)(const T*, T*, PlaneDivision, T, TurnsOfLaunch);
  using Launch = PlaneLaunch<Kernel>;
  static Launch launch_of(const Problem& p, const Tuning& t);
#if PARITY_HAS_HOPPER_WORDS
  static ClusterLaunch clusters(const Launch& launch, unsigned planes, cudaStream_t stream = nullptr) {
    const auto blocks = unsigned(launch.d.blocks);
    return ClusterLaunch(dim3(planes * blocks), unsigned(launch.threads), dim3(blocks), launch.shared_bytes,
                         stream);
  }
  static int resident(const Launch& launch) {
    launch.allow_shared();
    allow_large_clusters(launch.function());
    return clusters_resident(launch.function(), clusters(launch, 1));
  }
#endif

  Launch launch_;
  PlaneTurns turns_{0, 1, 0};
  int at_once_ = 0;
};

/// Chooses the smallest cluster of at least t[0] blocks that the plane fits, and its first form that fits,
/// with DeferredScale if it is exact and the form has it.
template <class T>
auto PlaneCluster<T>::launch_of(const Problem& p, const Tuning& t) -> Launch {
  Launch launch;
  for (const int blocks : {2, 4, 8, 16}) {
    if (blocks < t[0] || launch.kernel) continue;
    find_form<ClusterConfigs<T>>([&](auto form) {
      using Form = decltype(form);
      constexpr PlaneConfig c = Form::config;
      if (p.nx > c.columns * c.lanes || p.ny > std::int64_t(c.rows) * c.most_groups() * blocks) return false;
      const PlaneDivision d = divide_plane(c, int(p.nx), int(p.ny), packed_pitch<T>(p), blocks);
      if (d.groups == 0) return false;
      const bool deferred = p.alpha == DeferredScale<T>::alpha, whole = c.rows % 2 == 0 && is_whole(c, d);
      launch = {cluster_overlapping<T, Form, true, false>, d, d.groups * 32, cluster_bytes<T, Form>,
                whole || c.defers_ragged()};
      if constexpr (c.defers_ragged()) {
        if (deferred) launch.kernel = cluster_overlapping<T, Form, true, true>;
      }
      if constexpr (c.rows % 2 == 0) {
        if (whole) launch.kernel = cluster_overlapping<T, Form, false, false>;
        if constexpr (c.rows == 8 && c.columns * sizeof(T) == 64) {
          if (whole && deferred) launch.kernel = cluster_handing_over<T, Form>;
        } else {
          if (whole && deferred) launch.kernel = cluster_overlapping<T, Form, false, true>;
        }
      }
      return true;
    });
  }
  return launch;
}

template <class T>
PlaneCluster<T>::PlaneCluster(const Problem& p, const Tuning& t)
    : WholeRun<T>([&p] { return Fields<T>::packed(p); }), launch_(launch_of(p, t)) {
#if PARITY_HAS_HOPPER_WORDS
  at_once_ = resident(launch_);
  turns_ = turns_of(int(p.nz), int(p.steps), at_once_);
#endif
}

template <class T>
void PlaneCluster<T>::advance() {
#if PARITY_HAS_HOPPER_WORDS
  const auto& f = this->f_;
  for_launches(turns_, at_once_, [&](unsigned planes, const TurnsOfLaunch& turns) {
    const ClusterLaunch launch = clusters(launch_, planes, f.stream);
    PARITY_CUDA(cudaLaunchKernelEx(&launch.config, launch_.kernel, static_cast<const T*>(f[0]), f[1],
                                   launch_.d, T(f.p.alpha), turns));
  });
#endif
  this->result_ = 1;
}

template <class T>
std::optional<std::string> PlaneCluster<T>::refuse(const Problem& p, const Tuning& t) {
  if (p.nz * 16 > std::numeric_limits<int>::max()) return "more than 2^27 planes";
  const Launch launch = launch_of(p, t);
  if (!launch.kernel)
    return "a plane of " + std::to_string(p.nx) + "x" + std::to_string(p.ny) +
           " does not fit the registers of a cluster of " + std::to_string(t[0]) +
           " blocks or more, or cannot be shared out among them";
#if PARITY_HAS_HOPPER_WORDS
  if (const auto why = why_not_sm_90(launch.kernel, "thread block clusters")) return why;
  if (const auto why = launch.why_not_shared()) return why;
  if (resident(launch) == 0)
    return "no cluster of " + std::to_string(launch.d.blocks) + " blocks fits this GPU";
  return std::nullopt;
#else
  return "asynchronous stores to another block need CUDA 12.1 or newer";
#endif
}

PARITY_INSTANTIATE(PlaneCluster)

}  // namespace parity::cuda

#ifndef PARITY_IN_DOUBLE
namespace parity::diffusion::plane_cluster {

Entry cuda() {
  Entry e;
  e.tunings = {"2", "4", "8", "16"};
  e.tuning_axes = "blocks of a cluster, more where a plane needs them";
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (t[0] != 2 && t[0] != 4 && t[0] != 8 && t[0] != 16) return "clusters have 2, 4, 8 or 16 blocks here";
    return p.precision == Precision::f32 ? cuda::PlaneCluster<float>::refuse(p, t)
                                         : cuda::PlaneCluster<double>::refuse(p, t);
  };
  e.model = [](const Problem& p, const Tuning& t) {
    return plane_cluster::cost(p, p.precision == Precision::f32
                                      ? cuda::PlaneCluster<float>::defers_scaling(p, t)
                                      : cuda::PlaneCluster<double>::defers_scaling(p, t));
  };
  return with_factories<cuda::PlaneCluster>(e);
}

}  // namespace parity::diffusion::plane_cluster
#endif
