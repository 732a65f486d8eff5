// SPDX-License-Identifier: BSD-3-Clause
// The step with a Laplacian field, and its elementary operations, which the original work's custom kernels
// replace one after the other.
#pragma once
#include "stepped.hpp"
#include "team.hpp"
#include "tuned.hpp"

namespace parity::diffusion {

constexpr bool on_device = compat::exec_is_device();

/// Operations of a step, first versions, defined in variants/diffusion/baseline/kokkos.cpp. An algorithm with
/// its own kernel hides one of them.
struct ElementaryOperations {
  /// The halo as four array copies: bottom and top rows without corners, then left and right columns over the
  /// full height.
  template <class T, class Queue>
  static void update_halo(Queue& queue, const Problem& p, const FieldView<T>& field);
  /// Covers the points inside both margins; baseline: the flat field except one row at each end.
  template <class T, class Queue>
  static void apply_laplacian(Queue& queue, const Problem& p, const Tuning&, const Field<T>& from,
                              const Field<T>& to);
  /// out = in - alpha out, as a scaling and an addition.
  template <class T, class Queue>
  static void update_field(Queue& queue, const Problem& p, const Tuning&, const Field<T>& in,
                           const Field<T>& out);
};

/// The tuned operations, defined in variants/diffusion/baseline/kokkos_tuned.cpp.
struct TunedElementaryOperations {
  static constexpr bool on_pointers = true;
  template <class T, class Queue>
  static void update_halo(Queue& queue, const Problem& p, const FieldView<T>& field);
  template <class T, class Queue>
  static void apply_laplacian(Queue& queue, const Problem& p, const Tuning& elements, const Field<T>& from,
                              const Field<T>& to);
  template <class T, class Queue>
  static void update_field(Queue& queue, const Problem& p, const Tuning&, const Field<T>& in,
                           const Field<T>& out);
};

/// The same operations with a custom Laplacian kernel: the first version in
/// variants/diffusion/laplacian/kokkos.cpp and the tuned one in kokkos_tuned.cpp.
struct LaplacianOfPoints : ElementaryOperations {
  template <class T, class Queue>
  static void apply_laplacian(Queue& queue, const Problem& p, const Tuning&, const Field<T>& from,
                              const Field<T>& to);
};
struct LaplacianOfTiles : TunedElementaryOperations {
  template <class T, class Queue>
  static void apply_laplacian(Queue& queue, const Problem& p, const Tuning& tile, const Field<T>& from,
                              const Field<T>& to);
};

/// Algorithm 1 of the original work, composed of these operations.
template <class T>
struct TwoStage {
  Fields<T> f;
  explicit TwoStage(const Problem& p) : f(Fields<T>::with_laplacian(p)) {}
  template <class Queue, class Operations>
  void step(Queue& queue, const Operations& o, const Tuning& tuning, const FieldView<T>& in,
            const FieldView<T>& out) const {
    const int h = int(f.p.halo);
    const Field<T> inner_in{in, h}, inner_out{out, h};
    o.update_halo(queue, f.p, in);
    o.apply_laplacian(queue, f.p, tuning, Field<T>{in, h - 1}, Field<T>{f.laplacian, h - 1});
    o.apply_laplacian(queue, f.p, tuning, Field<T>{f.laplacian, h}, inner_out);
    o.update_field(queue, f.p, tuning, inner_in, inner_out);
  }
  template <class Queue, class Operations>
  void finish(Queue& queue, const Operations& o, const FieldView<T>& result) const {
    o.update_halo(queue, f.p, result);
  }
};

/// The entry of tuned tiles in shared memory. A host has no such memory: there a team has a tile of any size.
inline Entry with_shared_tiles(Entry e) {
  if (on_device) return with_configs<SharedTileConfigs>(std::move(e), tile_axes);
  e.tunings = {"16x128", "8x64"};
  e.tuning_axes = "rows x columns of a tile";
  e.refuse += [](const Problem&, const Tuning& t) -> std::optional<std::string> {
    if (t[0] < 3 || t[1] < 3) return "its tiles need at least 3 x 3 points";
    if (scratch_level(scratch_bytes<double>(std::int64_t(t[0] + 2) * (t[1] + 2))) != 0)
      return "the tile " + to_string(t) + " does not fit the scratch memory of a team";
    return std::nullopt;
  };
  return e;
}

}  // namespace parity::diffusion
