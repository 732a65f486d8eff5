// SPDX-License-Identifier: BSD-3-Clause
// Common parts of Kokkos diffusion variants: two fields, loading, storing, the halo and the policies.
#pragma once
#include <memory>

#include "diffusion/column.hpp"
#include "diffusion/padded_copy.hpp"
#include "diffusion/stencil.hpp"
#include "diffusion/variant.hpp"
#include "kokkos_compat.hpp"
#include "runtime/clock.hpp"

namespace parity::diffusion {

using compat::Exec;

/// The memory of a field (nz, rows, columns), its halo included, x fastest on every backend.
template <class T>
using FieldView = Kokkos::View<T***, Kokkos::LayoutRight, Exec>;

/// A field indexed by (plane, row, column), as in native kernels: (k, 0, 0) is the first point inside a
/// margin of 'margin' points around each plane.
template <class T>
struct Field {
  FieldView<T> view;
  int margin;
  KOKKOS_INLINE_FUNCTION T& operator()(int k, int j, int i) const { return view(k, j + margin, i + margin); }
  T* data() const { return view.data(); }
  /// Sizes inside the margin.
  int ny() const { return int(view.extent(1)) - 2 * margin; }
  int nx() const { return int(view.extent(2)) - 2 * margin; }
};

/// An index space over (i, j, k) = (x, y, z), for kernels that take (int i, int j, int k), with an explicit
/// tile (planes x rows x columns): default tiles differ between Kokkos versions. x comes first, because
/// Kokkos maps the first index of an MDRange to threadIdx.x regardless of the iteration order; with x last,
/// accesses do not coalesce and a tile of more than 64 columns does not launch at all.
using Range3 = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3, Kokkos::Iterate::Left, Kokkos::Iterate::Left>,
                                     Kokkos::IndexType<int>>;
inline Range3 range3(const Exec& exec, std::int64_t nz, std::int64_t ny, std::int64_t nx,
                     const Tuning& tile) {
  return Range3(exec, {0, 0, 0}, {int(nx), int(ny), int(nz)}, {tile[2], tile[1], tile[0]});
}

/// A flat index space.
template <class I>
using Range1 = Kokkos::RangePolicy<Exec, Kokkos::IndexType<I>>;

/// Cells of every plane, for kernels that take (int cell, int plane).
using Range2 = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2, Kokkos::Iterate::Left, Kokkos::Iterate::Left>,
                                     Kokkos::IndexType<int>>;
inline Range2 range2(const Exec& exec, std::int64_t nz, std::int64_t cells) {
  return Range2(exec, {0, 0}, {int(cells), int(nz)}, {256, 1});
}

/// Periodic halo, corners included, in one launch. Queue: compat::StreamQueue or GraphQueue.
template <class T, class Queue>
void update_halo(Queue& queue, const Problem& p, const FieldView<T>& f);

/// Copies a field with a kernel, because not every Kokkos graph has copy nodes.
template <class T, class Queue>
void copy_field(Queue& queue, const FieldView<T>& from, const FieldView<T>& to);

/// Two fields that alternate as input and output. Defined in fields.cpp, so that variants do not compile
/// Kokkos' copies and allocations again.
template <class T>
class Fields {
 public:
  /// With a halo around each plane.
  static Fields padded(const Problem& p) { return Fields(p, p.halo, p.pitch()); }
  /// The same with a third field, for the Laplacian.
  static Fields with_laplacian(const Problem& p, bool own_instance = true) {
    return Fields(p, p.halo, p.pitch(), /*third=*/true, own_instance);
  }
  /// Without a halo: neighbours wrap around.
  static Fields periodic(const Problem& p, bool own_instance = true) {
    return Fields(p, 0, p.nx, /*third=*/false, own_instance);
  }
  /// The same with rows padded to whole packs of 16 bytes.
  static Fields packed(const Problem& p) { return Fields(p, 0, packs_in_row<T>(p.nx) * pack_width<T>); }

  /// With points around each plane that other code writes.
  static Fields surrounded(const Problem& p, const Margin& by) { return Fields(p, by, p.nx + 2 * by.x); }

  void load(const T* field) const;
  // Public because nvcc requires it of functions that contain device lambdas.
  void load_on_device(const T* field) const;
  void store_on_device(int result, T* padded, std::int64_t h) const;
  /// Stores the result with h points around each plane: the field's own, or periodic ones if it has none.
  void store(int result, T* padded, std::int64_t h) const;
  void synchronise() const { compat::synchronise(exec, "Kokkos diffusion"); }
  void copy(int from, int to) const;
  runtime::DeviceClock* clock() const { return clock_.get(); }

  const FieldView<T>& operator[](int which) const { return field_[which]; }

 private:
  Fields(const Problem& problem, const Margin& pad, std::int64_t row_pitch, bool third = false,
         bool own_instance = true);

  const compat::OwnInstance own_;

 public:
  const Problem p;
  const std::int64_t pitch;
  const Exec exec;
  FieldView<T> laplacian;  ///< empty unless made by with_laplacian()

 private:
  const Margin pad_;
  FieldView<T> field_[2];
  std::unique_ptr<runtime::DeviceClock> clock_;
};

/// An algorithm's entry with the tunings of the backend that Kokkos was built for.
inline Entry with_tunings(Entry e, std::vector<std::string> on_device, std::vector<std::string> on_host,
                          const char* axes) {
  e.tunings = compat::exec_is_device() ? std::move(on_device) : std::move(on_host);
  e.tuning_axes = axes;
  return e;
}
inline Entry kokkos_entry(std::vector<std::string> on_device, std::vector<std::string> on_host,
                          const char* axes) {
  return with_tunings(Entry(), std::move(on_device), std::move(on_host), axes);
}

/// Refuses an MDRange tile that exceeds the limits of a CUDA block.
inline std::optional<std::string> refuse_large_tile(const Problem&, const Tuning& t) {
  if (!compat::exec_is_device()) return std::nullopt;
  if (std::int64_t(t[0]) * t[1] * t[2] > compat::most_tile_threads)
    return "the tile " + to_string(t) + " has more than the " + std::to_string(compat::most_tile_threads) +
           " threads that Kokkos " + compat::kokkos_version() + " lets a tile have";
  if (t[0] > 64) return "the tile " + to_string(t) + " has more than the 64 planes of a block";
  return std::nullopt;
}

/// True if this Kokkos' Views reach elements beyond 2^31 - 1 when called with int. The Views of Kokkos 5
/// (mdspan) compute an offset in the type of the indices.
bool int_reaches_all();

/// Refuses problems whose points overflow a flat 32-bit index.
inline std::optional<std::string> refuse_many_points(const Problem& p, const Tuning&) {
  if (p.padded_points() > std::numeric_limits<int>::max())
    return "more than 2^31 - 1 points: its flat index has 32 bits";
  return std::nullopt;
}

/// Refuses a field whose View offsets would overflow and address memory outside the View.
inline std::optional<std::string> refuse_large_views(const Problem& p, bool int_reaches_all) {
  if (int_reaches_all || !refuse_many_points(p, {})) return std::nullopt;
  return "more than 2^31 - 1 points: Views called with int compute their place in 32 bits since Kokkos 5; "
         "take a "
         "tuned version, or Kokkos 4";
}

/// Run<T> is constructed from a problem and a tuning, has the fields as 'f', and runs all steps when called;
/// int operator()() const returns the index of the field with the result.
template <class T, template <class> class Run>
class Whole : public Variant<T> {
 public:
  Whole(const Problem& p, const Tuning& t) : run_(p, t) {}
  void load(const T* field) override { run_.f.load(field); }
  void advance() override { result_ = run_(); }
  void synchronise() override { run_.f.synchronise(); }
  void store(T* padded) override { run_.f.store(result_, padded, run_.f.p.halo); }
  void store_interior(T* field) override { run_.f.store(result_, field, 0); }
  runtime::DeviceClock* device_clock() override { return run_.f.clock(); }

 private:
  Run<T> run_;
  int result_ = 0;
};

/// Fills in the factories of a run's entry.
template <template <class> class Run>
Entry with_run(Entry e) {
  e.make_f32 = Entry::made<float, Whole<float, Run>>;
  e.make_f64 = Entry::made<double, Whole<double, Run>>;
  return e;
}

}  // namespace parity::diffusion
