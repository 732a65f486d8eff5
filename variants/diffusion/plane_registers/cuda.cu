// SPDX-License-Identifier: BSD-3-Clause
// plane_registers, CUDA: one block takes a plane through all steps, in one launch, or in several if not all
// planes fit the GPU at once (plane_division.hpp).
//
// A group of lanes owns 'rows' full rows, of which each lane has 'columns' columns; shuffles round the group
// are the periodic wrap in x. Groups form a ring over the plane. Even groups number their rows downwards, odd
// ones upwards, so that two neighbours either both start a sweep at their seam ('early') or both end it there
// ('late'). Rows sent early are needed when the next sweep starts, rows sent late when it ends: every
// exchange has a whole sweep to arrive, and one barrier in mid-sweep orders all.
//
// A plane that does not fill all lanes and rows ('ragged') is distributed evenly: some lanes have one column
// fewer than others, some groups up to two rows fewer. In place of the missing ones they hold and compute
// copies of the neighbour's first column or of its rows.
#include <limits>
#include <type_traits>

#include "algorithm.hpp"
#include "backend/cuda/diffusion/plane_launch.cuh"
#include "warp_plane.hpp"

namespace parity::cuda {

/// Bytes of shared memory: for each group two rows of an early and two of a late seam, all twice.
template <class T, class Form>
constexpr int register_bytes =
    4 * Form::config.most_groups() *
    2 * SharedRow<T, Form::config.columns, Form::config.lanes>::size* int(sizeof(T));

/// deferred: DeferredScale, for alpha = 1/32. Grid: turns of the launch.
template <class T, class Form, bool ragged, bool deferred>
__global__ void __launch_bounds__(Form::config.threads, 1)
    plane_registers(const T* in, T* out, PlaneDivision d, T alpha, TurnsOfLaunch turns) {
  using Row = SharedRow<T, Form::config.columns, Form::config.lanes>;
  using Scaled = DeferredScale<T>;
  using Step = PairStep<T, deferred>;
  constexpr int R = Form::config.rows, C = Form::config.columns;
  constexpr int slot_size = 2 * Row::size, kind = Form::config.most_groups() * slot_size;
  // By measurement, groups of 16 lanes have the barrier and read early rows one row earlier. Rows sent
  // early are read in the same step. In double, 32 lanes take the two sums at a row's end from the next lane.
  constexpr bool wide = Form::config.lanes == 32, hands_sums = wide && sizeof(T) == 8 && !ragged;
  constexpr int sent_early = 2, middle = R / 2 + (wide || R < 8 ? 1 : 0), read_early = wide ? R : R - 1;
  static_assert(sent_early < middle && middle < R, "what is sent is read after a meeting");

  extern __shared__ __align__(16) unsigned char memory[];
  T* const early = reinterpret_cast<T*>(memory);
  T* const late = early + 2 * kind;

  const int lane = threadIdx.x % 32, warp = __shfl_sync(all_lanes, threadIdx.x / 32, 0);
  const Place<Form, false, ragged> here(d, warp, lane, blockIdx.x);
  const RowRing<Form, ragged> ring(here);
  const SeamBarriers<Form> seams(warp, blockDim.x / 32, here.odd, false);
  const int g = here.g, steps = turns.steps_of(here.turn);

  // At the periodic wrap of the plane, the first group is the neighbour of the last.
  const int beside = here.odd ? g + 1 : g - 1;
  const int early_partner = beside < 0 ? d.groups - 1 : beside >= d.groups ? 0 : beside;
  T* const early_to = early + early_partner * slot_size + Row::first(here.lx);
  T* const late_to = late + (g ^ 1) * slot_size + Row::first(here.lx);
  const T* const early_from = early + g * slot_size + Row::first(here.lx);
  const T* const late_from = late + g * slot_size + Row::first(here.lx);

  T v[R][C], early_row[2][C], late_row[2][C];

  const auto send_early = [&](int slot) {
#pragma unroll
    for (int n = 0; n < 2; ++n) Row::write(v[n], early_to + slot * kind + n * Row::size);
  };
  const auto receive_early = [&](int slot) {
#pragma unroll
    for (int n = 0; n < 2; ++n) Row::read(early_row[n], early_from + slot * kind + n * Row::size);
  };
  const auto send_late = [&](int slot) {
    T* const to = late_to + slot * kind;
    const auto send = [&](auto skipped) {
      constexpr int last = R - 1 - decltype(skipped)::value;
      Row::write(v[last], to);
      Row::write(v[last - 1], to + Row::size);
    };
    // A partner with fewer rows holds copies of my rows next to the seam as its last.
    switch (ragged ? here.rows.missing : 0) {
      case 0:
        send(std::integral_constant<int, 0>());
        break;
      case 1:
        send(std::integral_constant<int, 1>());
        break;
      case 2:
        send(std::integral_constant<int, 2>());
        break;
      default:
        if constexpr (Form::config.most_short_rows() > 1) {
          if (here.rows.missing == 3)
            send(std::integral_constant<int, 3>());
          else
            send(std::integral_constant<int, 4>());
        }
    }
  };
  const auto receive_late = [&](int slot) {
#pragma unroll
    for (int n = 0; n < 2; ++n) Row::read(late_row[n], late_from + slot * kind + n * Row::size);
  };

  const auto step = [&](int s) {
    const int slot = s & 1, next = slot ^ 1;
    const auto phi = [&](int k, int i) -> T {
      return k == -2      ? early_row[1][i]
             : k == -1    ? early_row[0][i]
             : k == R     ? late_row[0][i]
             : k == R + 1 ? late_row[1][i]
                          : v[k < 0 || k >= R ? 0 : k][i];
    };
    // Index + 1 or + 2, because rows -1 and -2 belong to the neighbour. All indices are constants after
    // unrolling, so that these are registers of the current rows.
    T lap[R + 2][C], pair[R + 4][C + 1], lap_pair[R + 1][C + 1];
    pair[0][0] = pair_sum(ring.from_left(phi(-1, C - 1), phi(-1, C - 2)), phi(-2, 0));
#pragma unroll
    for (int i = 1; i < C; ++i) pair[0][i] = pair_sum(phi(-1, i - 1), phi(-2, i));
#pragma unroll
    for (int k = -1; k <= R; ++k) {
      if (k == middle) {
        seams.meet();
        receive_late(slot);
      }
      if (k == read_early) receive_early(next);
      pair[k + 2][0] = pair_sum(ring.from_left(phi(k + 1, C - 1), phi(k + 1, C - 2)), phi(k, 0));
      pair[k + 2][C] = hands_sums ? ring.of_right(pair[k + 2][0])
                                  : pair_sum(phi(k + 1, C - 1), ring.from_right(phi(k, 0), phi(k, 1)));
#pragma unroll
      for (int i = 1; i < C; ++i) pair[k + 2][i] = pair_sum(phi(k + 1, i - 1), phi(k, i));
#pragma unroll
      for (int i = 0; i < C; ++i)
        lap[k + 1][i] = Step::laplacian_at(phi(k, i), pair[k + 1][i], pair[k + 2][i + 1]);
      if (k >= 0) {
        lap_pair[k][0] = pair_sum(ring.from_left(lap[k + 1][C - 1], lap[k + 1][C - 2]), lap[k][0]);
        lap_pair[k][C] = hands_sums ? ring.of_right(lap_pair[k][0])
                                    : pair_sum(lap[k + 1][C - 1], ring.from_right(lap[k][0], lap[k][1]));
#pragma unroll
        for (int i = 1; i < C; ++i) lap_pair[k][i] = pair_sum(lap[k + 1][i - 1], lap[k][i]);
      }
      if (k >= 1) {
#pragma unroll
        for (int i = 0; i < C; ++i) {
          const T before = lap_pair[k - 1][i], after = lap_pair[k][i + 1];
          v[k - 1][i] = Step::template update<>(v[k - 1][i], alpha, lap[k][i], before, after);
        }
      }
      if (k == sent_early) send_early(next);
      if (k == R) send_late(next);
    }
  };

  const std::size_t plane_size = std::size_t(d.ny) * d.pitch;
  const T* const source = (turns.begins(here.turn) ? in : out) + turns.plane(here.turn) * plane_size;
#pragma unroll
  for (int r = 0; r < R; ++r) here.load(v[r], source + here.row(r));
  send_early(0);
  send_late(0);
  __syncthreads();
  receive_early(0);
  // One copy of the step, and two more of a short step, with constant slots. A deferred scale is applied
  // between an even number of steps: late rows are sent again.
  constexpr bool in_twos = R * C * int(sizeof(T)) <= 128;
#pragma unroll 1
  for (int s = 0; s < steps;) {
    const int end = deferred && steps - s > Scaled::steps ? s + Scaled::steps : steps, some = end - s;
    if constexpr (in_twos) {
#pragma unroll 1
      for (; s + 1 < end; s += 2) {
        step(0);
        step(1);
      }
      if (s < end) step(s++);
    } else {
#pragma unroll 1
      for (; s < end; ++s) step(s);
    }
    if constexpr (deferred) {
      scale_rows(v, early_row, Scaled::factor(some));
      send_late(s & 1);
    }
  }
  const auto there = here.again(d);
  T* const target = out + turns.plane(there.turn) * plane_size;
#pragma unroll
  for (int r = 0; r < R; ++r) {
    if (there.is_copy(r)) break;
    there.store(v[r], target + there.row(r));
  }
}

/// A 16 x 16 plane, rows x columns per lane, without memory between lanes and without barrier. Grid: planes.
template <class T, bool deferred>
__global__ void __launch_bounds__(32)
    plane_of_a_warp(const T* __restrict__ in, T* __restrict__ out, int pitch, T alpha, int steps) {
  constexpr int rows = 4, columns = 2;
  WarpPlane<T, rows, columns, 8> plane(WarpLanes{int(threadIdx.x)});
  const std::size_t at = (std::size_t(blockIdx.x) * plane.ny + plane.y) * pitch + plane.x;
#pragma unroll
  for (int r = 0; r < rows; ++r) read_columns(plane.v[r], in + at + std::size_t(r) * pitch);
  using Scaled = DeferredScale<T>;
  int left = steps;
#pragma unroll 1
  for (; left >= Scaled::steps; left -= Scaled::steps) {
#pragma unroll 4
    for (int s = 0; s < Scaled::steps; ++s) plane.template step<deferred>(alpha);
    if (deferred) plane.scale(T(Scaled::all));
  }
#pragma unroll 1
  for (int s = 0; s < left; ++s) plane.template step<deferred>(alpha);
  if (deferred) plane.scale(Scaled::factor(left));
#pragma unroll
  for (int r = 0; r < rows; ++r) write_columns(plane.v[r], out + at + std::size_t(r) * pitch);
}

struct RegisterConfigs {
  static constexpr PlaneConfig all[] = {{4, 2, 16, 128}, {8, 4, 16, 256}, {16, 4, 32, 256}};
};

template <class T>
class PlaneRegisters : public WholeRun<T> {
 public:
  PlaneRegisters(const Problem& p, const Tuning&);
  void advance() override;
  Turns turns() const override { return {at_once_, turns_.parts}; }
  static std::optional<std::string> refuse(const Problem& p);
  static bool defers_scaling(const Problem& p);

 private:
  using Kernel = void (*)(const T*, T*, PlaneDivision, T, TurnsOfLaunch);
  static PlaneLaunch<Kernel> launch_of(const Problem& p);
  static bool in_a_warp(const Problem& p) { return p.nx == 16 && p.ny == 16; }

  PlaneLaunch<Kernel> launch_;
  PlaneTurns turns_{0, 1, 0};
  int at_once_ = 0;
};

/// The first form that the plane fits, with DeferredScale if it is exact and the form has it. It did not
/// speed up the smallest kernel in float, whose one warp per scheduler waits for its own results.
template <class T>
auto PlaneRegisters<T>::launch_of(const Problem& p) -> PlaneLaunch<Kernel> {
  PlaneLaunch<Kernel> launch;
  find_form<RegisterConfigs>([&](auto form) {
    using Form = decltype(form);
    constexpr PlaneConfig c = Form::config;
    constexpr bool defers = c.rows * c.columns * int(sizeof(T)) > 32;
    if (p.nx > c.columns * c.lanes || p.ny > c.rows * c.most_groups()) return false;
    const PlaneDivision d = divide_plane(c, int(p.nx), int(p.ny), packed_pitch<T>(p), 1);
    if (d.groups == 0) return false;
    launch = {plane_registers<T, Form, true, false>, d, d.groups / c.groups_a_warp() * 32,
              register_bytes<T, Form>, defers};
    const bool deferred = defers && p.alpha == DeferredScale<T>::alpha;
    if (is_whole(c, d)) launch.kernel = plane_registers<T, Form, false, false>;
    if constexpr (defers) {
      if (deferred)
        launch.kernel =
            is_whole(c, d) ? plane_registers<T, Form, false, true> : plane_registers<T, Form, true, true>;
    }
    return true;
  });
  return launch;
}

template <class T>
PlaneRegisters<T>::PlaneRegisters(const Problem& p, const Tuning&)
    : WholeRun<T>([&p] { return Fields<T>::packed(p); }) {
  if (in_a_warp(p)) return;
  launch_ = launch_of(p);
  at_once_ = launch_.blocks_resident();
  turns_ = turns_of(int(p.nz), int(p.steps), at_once_);
}

template <class T>
void PlaneRegisters<T>::advance() {
  const auto& f = this->f_;
  const T alpha = T(f.p.alpha);
  if (in_a_warp(f.p)) {
    const auto kernel =
        f.p.alpha == DeferredScale<T>::alpha ? plane_of_a_warp<T, true> : plane_of_a_warp<T, false>;
    kernel<<<unsigned(f.p.nz), 32, 0, f.stream>>>(f[0], f[1], int(f.pitch), alpha, int(f.p.steps));
  } else {
    for_launches(turns_, at_once_, [&](unsigned planes, const TurnsOfLaunch& turns) {
      launch_.kernel<<<planes, launch_.threads, launch_.shared_bytes, f.stream>>>(f[0], f[1], launch_.d,
                                                                                  alpha, turns);
    });
  }
  PARITY_CUDA(cudaGetLastError());
  this->result_ = 1;
}

template <class T>
std::optional<std::string> PlaneRegisters<T>::refuse(const Problem& p) {
  if (p.nz > std::numeric_limits<int>::max()) return "more than 2^31 - 1 planes";
  if (in_a_warp(p)) return std::nullopt;
  const auto launch = launch_of(p);
  if (launch.kernel) return launch.why_not_shared();
  return "a plane of " + std::to_string(p.nx) + "x" + std::to_string(p.ny) +
         " does not fit the registers of a block: 128x128 at most, 2x6 at least, and not every size between "
         "them can be shared out";
}

template <class T>
bool PlaneRegisters<T>::defers_scaling(const Problem& p) {
  return in_a_warp(p) || launch_of(p).defers_scaling;
}

PARITY_INSTANTIATE(PlaneRegisters)

}  // namespace parity::cuda

#ifndef PARITY_IN_DOUBLE
namespace parity::diffusion::plane_registers {

Entry cuda() {
  Entry e;
  e.refuse = [](const Problem& p, const Tuning&) {
    return p.precision == Precision::f32 ? cuda::PlaneRegisters<float>::refuse(p)
                                         : cuda::PlaneRegisters<double>::refuse(p);
  };
  e.model = [](const Problem& p) {
    return plane_registers::cost(p, p.precision == Precision::f32
                                        ? cuda::PlaneRegisters<float>::defers_scaling(p)
                                        : cuda::PlaneRegisters<double>::defers_scaling(p));
  };
  return with_factories<cuda::PlaneRegisters>(e);
}

}  // namespace parity::diffusion::plane_registers
#endif
