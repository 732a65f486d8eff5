// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-fused-column-tuned: each lane updates a pack of columns over several rows from
// registers, neighbours in x by shuffles, as the native twin does; warps of a flat range. A host has no
// warps: there it is rows with a vector loop between the seams.
#include "diffusion/column_strip.hpp"
#include "backend/kokkos/diffusion/stepped.hpp"
#include "backend/kokkos/diffusion/tiled_operations.hpp"
#include "diffusion/points.hpp"

namespace parity::diffusion {
namespace {

/// Rows a lane x threads of a team.
template <int rows_, int threads_>
struct Strips {
  static constexpr int rows = rows_, threads = threads_;
  static std::string name() { return std::to_string(rows) + "x" + std::to_string(threads); }
};
using StripForms = FormList<Strips<12, 32>, Strips<12, 64>, Strips<8, 32>, Strips<8, 64>, Strips<4, 64>>;

/// Warps along x, chunks of rows, planes.
template <class Form, bool whole, class T>
struct StripThreads {
  static constexpr int warps_of_team = Form::threads / 32;
  const T* in;
  T* out;
  int nx, ny, pitch;
  T alpha;
  runtime::FastDivide by_row, by_chunks;

  static std::int64_t across(const Problem& p) {
    return ceil_divide(warps_in_row(packs_in_row<T>(p.nx)), warps_of_team);
  }
  static std::int64_t chunks(const Problem& p) { return ceil_divide(p.ny, Form::rows); }

  KOKKOS_INLINE_FUNCTION void operator()(unsigned at) const {
    const unsigned n = unsigned(at / Form::threads), line = by_row(n), k = by_chunks(line),
                   thread = unsigned(at % Form::threads);
    const std::size_t first = std::size_t(k) * (unsigned(ny) * unsigned(pitch));
    update_strip<Form::rows, whole>(in + first, out + first, nx, ny, pitch,
                                    int(by_row.remainder(n, line) * warps_of_team + thread / 32),
                                    int(thread % 32), int(by_chunks.remainder(line, k)) * Form::rows, alpha);
  }
};

template <class T>
struct FusedColumnShuffle {
  Fields<T> f;
  Tuning tuning;
  FusedColumnShuffle(const Problem& p, const Tuning& t) : f(Fields<T>::packed(p)), tuning(t) {}

  template <class Queue>
  void operator()(Queue& queue, const Field<T>& from, const Field<T>& to) const {
    const Problem& p = f.p;
    if constexpr (compat::exec_is_device()) {
      StripForms::with(tuning, [&](auto form) {
        if (p.nx % pack_width<T> == 0)
          strips<decltype(form), true>(queue, from, to);
        else
          strips<decltype(form), false>(queue, from, to);
      });
    } else {
      const WrapPoints<T> points{from.data(), to.data(), int(p.nx), int(p.ny), int(f.pitch), T(p.alpha)};
      for_points<FlatMap<1>>(queue, label, {p.nz, p.ny, p.nx}, points);
    }
  }
  template <class Form, bool whole, class Queue>
  void strips(Queue& queue, const Field<T>& from, const Field<T>& to) const {
    using Functor = StripThreads<Form, whole, T>;
    const Problem& p = f.p;
    const std::int64_t across = Functor::across(p), chunks = Functor::chunks(p);
    launch_threads<Form::threads, least_teams(Form::threads, 4 * Form::rows)>(
        queue, label, across * chunks * p.nz,
        Functor{from.data(), to.data(), int(p.nx), int(p.ny), int(f.pitch), T(p.alpha),
                runtime::FastDivide(across), runtime::FastDivide(chunks)});
  }
  template <class Queue>
  void finish(Queue&, const Field<T>&) const {}

  static constexpr const char* label = "parity::diffusion::fused_column_shuffle";
};

}  // namespace

Entry fused_column_kokkos_tuned() {
  Entry e =
      expert_entry<StripForms>("rows a lane x threads of a team");
  e.model = [](const Problem& p) { return cost_per_step(p, 1, 2, direct_flops); };
  return with_steps<FusedColumnShuffle>(e);
}

}  // namespace parity::diffusion
