// SPDX-License-Identifier: BSD-3-Clause
// The step with a Laplacian field and the elementary operations that it is made of, which the original work's
// custom kernels replace one after the other.
#pragma once
#include "stepped.hpp"
#include "team.hpp"
#include "tuned.hpp"

namespace parity::diffusion {

constexpr bool on_device = compat::exec_is_device();

/// Operations of a step, first versions. Defined in variants/diffusion/baseline/kokkos.cpp, whose kernels
/// they are; an algorithm with a kernel of its own hides one of them.
struct ElementaryOperations {
  /// The halo as four array copies: bottom and top rows without corners, then left and right columns over the
  /// full height.
  template <class T, class Queue>
  static void update_halo(Queue& queue, const Problem& p, const Field<T>& field);
  /// Everywhere but in a margin of m points around each plane; baseline: over the flat field without a row at
  /// each end.
  template <class T, class Queue>
  static void apply_laplacian(Queue& queue, const Problem& p, const Tuning&, const Field<T>& from,
                              const Field<T>& to, int m);
  /// out = in - alpha out, as scale and add.
  template <class T, class Queue>
  static void update_field(Queue& queue, const Problem& p, const Tuning&, const Field<T>& in,
                           const Field<T>& out);
};

/// The same tuned, in variants/diffusion/baseline/kokkos_tuned.cpp.
struct TunedElementaryOperations {
  template <class T, class Queue>
  static void update_halo(Queue& queue, const Problem& p, const Field<T>& field);
  template <class T, class Queue>
  static void apply_laplacian(Queue& queue, const Problem& p, const Tuning& elements, const Field<T>& from,
                              const Field<T>& to, int m);
  template <class T, class Queue>
  static void update_field(Queue& queue, const Problem& p, const Tuning&, const Field<T>& in,
                           const Field<T>& out);
};

/// Algorithm 1 of the original work.
template <class Operations>
struct TwoStage {
  template <class T>
  struct Step {
    Fields<T> f;
    Tuning tuning;
    Step(const Problem& p, const Tuning& t) : f(Fields<T>::with_laplacian(p)), tuning(t) {}
    template <class Queue>
    void operator()(Queue& queue, const Field<T>& in, const Field<T>& out) const {
      const int h = int(f.p.halo);
      Operations::update_halo(queue, f.p, in);
      Operations::apply_laplacian(queue, f.p, tuning, in, f.laplacian, h - 1);
      Operations::apply_laplacian(queue, f.p, tuning, f.laplacian, out, h);
      Operations::update_field(queue, f.p, tuning, in, out);
    }
    template <class Queue>
    void finish(Queue& queue, const Field<T>& result) const {
      Operations::update_halo(queue, f.p, result);
    }
  };
};

/// Fills in the factories of such a step's entry.
template <class Operations>
Entry with_operations(Entry e) {
  return with_steps<TwoStage<Operations>::template Step>(std::move(e));
}

/// The entry of tuned tiles in shared memory. A host has no such memory: there a tile is a team's, of any
/// size.
inline Entry with_shared_tiles(Entry e) {
  if (compat::exec_is_device()) return with_configs<SharedTileConfigs>(std::move(e), tile_axes);
  e.tunings = {"16x128", "8x64"};
  e.tuning_axes = "rows x columns of a tile";
  e.refuse = [](const Problem&, const Tuning& t) -> std::optional<std::string> {
    if (t[0] < 3 || t[1] < 3) return "its tiles need at least 3 x 3 points";
    if (scratch_level(scratch_bytes<double>(std::int64_t(t[0] + 2) * (t[1] + 2))) != 0)
      return "the tile " + to_string(t) + " does not fit the scratch memory of a team";
    return std::nullopt;
  };
  return e;
}

}  // namespace parity::diffusion
