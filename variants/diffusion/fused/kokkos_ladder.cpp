// SPDX-License-Identifier: BSD-3-Clause
// fused, Kokkos, the ladder: each version runs the step of the first version (kokkos.cpp) with one decision
// more or fewer. A competent user of Kokkos 5, too, writes LayoutRight with Iterate::Right.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/stepped.hpp"

namespace parity::diffusion::fused {
namespace {

using Kokkos::Iterate;
using Kokkos::MDRangePolicy;
using Kokkos::Rank;
constexpr const char* label = "parity::diffusion::fused_ladder";

#ifdef KOKKOS_ENABLE_IMPL_MDSPAN
template <class T>
using IntSpan = Kokkos::mdspan<T, Kokkos::dextents<int, 3>>;
constexpr const char* why_no_mdspan = "";
#else
template <class T>
using IntSpan = Kokkos::View<T***, Kokkos::LayoutRight, Exec>;
constexpr const char* why_no_mdspan = "this Kokkos has no mdspan; 4.6 and newer do";
#endif

/// The first version without Iterate::Right: x is then the slowest index on a GPU.
struct DefaultIteration {
  template <class T, class Queue>
  void operator()(Queue& queue, const Problem& p, const Tuning&, const Field<T>& in,
                  const Field<T>& out) const {
    const T alpha = T(p.alpha);
    Kokkos::parallel_for(
        queue, label, MDRangePolicy<Exec, Rank<3>>(queue.exec(), {0, 0, 0}, {p.nz, p.ny, p.nx}),
        KOKKOS_LAMBDA(int k, int j, int i) { out(k, j, i) = update_at(alpha, in, k, j, i); });
  }
};

/// Fields in the default layout of Views: on a GPU the plane is the fastest index.
template <class T>
struct OwnFields {
  using View = Kokkos::View<T***, Exec>;
  explicit OwnFields(const Problem& problem) : right(Fields<T>::padded(problem)) {}
  View own(const FieldView<T>& memory) const { return View(memory.data(), p.nz, p.rows(), p.pitch()); }
  void load(const T* field) const {
    right.load(field);
    Kokkos::deep_copy(own(memory[0]), right[0]);
    Kokkos::deep_copy(memory[1], poison<T>);
  }
  void store(int result, T* padded, std::int64_t h) const {
    Kokkos::deep_copy(right[0], own(memory[result]));
    right.store(0, padded, h);
  }
  void synchronise() const { right.synchronise(); }
  void copy(int from, int to) const { Kokkos::deep_copy(exec, memory[to], memory[from]); }
  runtime::DeviceClock* clock() const { return right.clock(); }
  const FieldView<T>& operator[](int which) const { return memory[which]; }

  const Fields<T> right;  ///< for loads and stores
  const Problem& p = right.p;
  const Exec& exec = right.exec;
  const FieldView<T> memory[2] = {FieldView<T>("field 0", p.nz, p.rows(), p.pitch()),
                                  FieldView<T>("field 1", p.nz, p.rows(), p.pitch())};
};

/// HaloBefore for Views in the default layout.
template <class T>
struct OwnLayout {
  OwnFields<T> f;
  explicit OwnLayout(const Problem& p) : f(p) {}
  template <class Queue, class Step>
  void step(Queue& queue, const Step& step, const Tuning&, const FieldView<T>& in,
            const FieldView<T>& out) const {
    finish(queue, step, in);
    step(queue, f.p, f.own(in), f.own(out));
  }
  template <class Queue, class Step>
  void finish(Queue& queue, const Step&, const FieldView<T>& result) const {
    const int h = int(f.p.halo), nx = int(f.p.nx), ny = int(f.p.ny);
    const auto field = f.own(result);
    Kokkos::parallel_for(
        queue, label, MDRangePolicy<Exec, Rank<2>>(queue.exec(), {0, 0}, {f.p.nz, halo_cells(nx, ny, h)}),
        KOKKOS_LAMBDA(int k, int n) {
          const auto c = halo_cell(n, nx, ny, h);
          field(k, c.row, c.column) = field(k, c.from_row, c.from_column);
        });
  }
};

/// Names neither a layout nor an iteration order.
struct AllDefaults {
  template <class View, class Queue>
  void operator()(Queue& queue, const Problem& p, const View& in, const View& out) const {
    using T = typename View::value_type;
    const T alpha = T(p.alpha);
    const int h = int(p.halo);
    Kokkos::parallel_for(
        queue, label, MDRangePolicy<Exec, Rank<3>>(queue.exec(), {0, 0, 0}, {p.nz, p.ny, p.nx}),
        KOKKOS_LAMBDA(int k, int j, int i) {
          out(k, j + h, i + h) =
              update_at(alpha, [&](int dj, int di) { return in(k, j + h + dj, i + h + di); });
        });
  }
};

/// Views (i, j, k) in a GPU's default layout, with the matching iteration order.
struct LeftLayout {
  template <class T, class Queue>
  void operator()(Queue& queue, const Problem& p, const Tuning&, const Field<T>& in,
                  const Field<T>& out) const {
    const T alpha = T(p.alpha);
    const std::int64_t h = p.halo;
    const Kokkos::View<const T***, Kokkos::LayoutLeft, Exec> from(in.data(), p.pitch(), p.rows(), p.nz);
    const Kokkos::View<T***, Kokkos::LayoutLeft, Exec> to(out.data(), p.pitch(), p.rows(), p.nz);
    Kokkos::parallel_for(
        queue, label,
        MDRangePolicy<Exec, Rank<3, Iterate::Left, Iterate::Left>>(queue.exec(), {h, h, 0},
                                                                   {h + p.nx, h + p.ny, p.nz}),
        KOKKOS_LAMBDA(int i, int j, int k) {
          to(i, j, k) = update_at(alpha, [&](int dj, int di) { return from(i + di, j + dj, k); });
        });
  }
};

/// Makes x the first index, which is threadIdx.x, and sets a tile "planes x rows x columns".
struct ExplicitTile {
  template <class T, class Queue>
  void operator()(Queue& queue, const Problem& p, const Tuning& tuning, const Field<T>& in,
                  const Field<T>& out) const {
    const T alpha = T(p.alpha);
    Kokkos::parallel_for(
        queue, label,
        MDRangePolicy<Exec, Rank<3, Iterate::Left, Iterate::Left>>(
            queue.exec(), {0, 0, 0}, {p.nx, p.ny, p.nz}, {tuning[2], tuning[1], tuning[0]}),
        KOKKOS_LAMBDA(int i, int j, int k) { out(k, j, i) = update_at(alpha, in, k, j, i); });
  }
};

/// ExplicitTile with 32-bit indices.
using Range3Int = MDRangePolicy<Exec, Rank<3, Iterate::Left, Iterate::Left>, Kokkos::IndexType<int>>;
struct IntIndex {
  template <class T, class Queue>
  void operator()(Queue& queue, const Problem& p, const Tuning& tuning, const Field<T>& in,
                  const Field<T>& out) const {
    const T alpha = T(p.alpha);
    Kokkos::parallel_for(
        queue, label,
        Range3Int(queue.exec(), {0, 0, 0}, {int(p.nx), int(p.ny), int(p.nz)},
                  {tuning[2], tuning[1], tuning[0]}),
        KOKKOS_LAMBDA(int i, int j, int k) { out(k, j, i) = update_at(alpha, in, k, j, i); });
  }
};

/// IntIndex with 32-bit extents, through mdspans.
struct IntExtents {
  template <class T, class Queue>
  void operator()(Queue& queue, const Problem& p, const Tuning& tuning, const Field<T>& in,
                  const Field<T>& out) const {
    const T alpha = T(p.alpha);
    const int h = int(p.halo);
    const IntSpan<const T> from(in.data(), int(p.nz), int(p.rows()), int(p.pitch()));
    const IntSpan<T> to(out.data(), int(p.nz), int(p.rows()), int(p.pitch()));
    Kokkos::parallel_for(
        queue, label,
        Range3Int(queue.exec(), {0, 0, 0}, {int(p.nx), int(p.ny), int(p.nz)},
                  {tuning[2], tuning[1], tuning[0]}),
        KOKKOS_LAMBDA(int i, int j, int k) {
          to(k, j + h, i + h) =
              update_at(alpha, [&](int dj, int di) { return from(k, j + h + dj, i + h + di); });
        });
  }
};

/// IntExtents with pointers in place of Views.
struct Pointers {
  static constexpr bool on_pointers = true;
  template <class T, class Queue>
  void operator()(Queue& queue, const Problem& p, const Tuning& tuning, const Field<T>& in,
                  const Field<T>& out) const {
    const T alpha = T(p.alpha);
    const int pitch = int(p.pitch()), rows = int(p.rows()), h = int(p.halo);
    const T* const from = in.data() + h * pitch + h;
    T* const to = out.data() + h * pitch + h;
    Kokkos::parallel_for(
        queue, label,
        Range3Int(queue.exec(), {0, 0, 0}, {int(p.nx), int(p.ny), int(p.nz)},
                  {tuning[2], tuning[1], tuning[0]}),
        KOKKOS_LAMBDA(int i, int j, int k) {
          const std::size_t centre = (std::size_t(k) * rows + j) * pitch + i;
          to[centre] = update_at(alpha, FlatNeighbours<T>{from + centre, pitch});
        });
  }
};

/// One team per row, of the size that Kokkos chooses.
struct TeamOfARow {
  template <class T, class Queue>
  void operator()(Queue& queue, const Problem& p, const Tuning&, const Field<T>& in,
                  const Field<T>& out) const {
    using Policy = Kokkos::TeamPolicy<Exec>;
    const T alpha = T(p.alpha);
    const int nx = int(p.nx), ny = int(p.ny);
    Kokkos::parallel_for(
        queue, label, Policy(queue.exec(), int(p.nz) * ny, Kokkos::AUTO),
        KOKKOS_LAMBDA(const typename Policy::member_type& team) {
          const int k = team.league_rank() / ny, j = team.league_rank() - k * ny;
          Kokkos::parallel_for(Kokkos::TeamVectorRange(team, nx),
                               [&](int i) { out(k, j, i) = update_at(alpha, in, k, j, i); });
        });
  }
};

std::optional<std::string> refuse_many_rows(const Problem& p, const Tuning&) {
  if (p.nz * p.ny > std::numeric_limits<int>::max())
    return "more than 2^31 - 1 rows: a team's rank has 32 bits";
  return std::nullopt;
}

Entry tiled() {
  Entry e =
      with_tunings(algorithm(), {"1x2x128", "1x4x64", "1x8x32", "1x1x128", "1x4x128", "1x1x256"},
                   {"1x16x1024", "1x4x1024", "1x1x1024", "1x8x64"}, "planes x rows x columns of a tile");
  e.refuse += refuse_large_tile;
  return e;
}

}  // namespace

Entry kokkos_default_iteration() { return with_steps<HaloBefore, DefaultIteration>(algorithm()); }
Entry kokkos_own_layout() {
  Entry e = algorithm();
  e.fields = 4;  // two of them for loads and stores
  return with_steps<OwnLayout, AllDefaults>(e);
}
Entry kokkos_left_layout() { return with_steps<HaloBefore, LeftLayout>(algorithm()); }
Entry kokkos_tile() { return with_steps<HaloBefore, ExplicitTile>(tiled()); }
Entry kokkos_int() { return with_steps<HaloBefore, IntIndex>(tiled()); }
Entry kokkos_mdspan() {
  Entry e = tiled();
  e.unavailable = why_no_mdspan;
  e.refuse += refuse_many_points;
  return with_steps<HaloBefore, IntExtents>(e);
}
Entry kokkos_pointers() { return with_steps<HaloBefore, Pointers>(tiled()); }
Entry kokkos_team() {
  Entry e = algorithm();
  e.refuse += refuse_many_rows;
  return with_steps<HaloBefore, TeamOfARow>(e);
}

}  // namespace parity::diffusion::fused
