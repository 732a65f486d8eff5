// SPDX-License-Identifier: BSD-3-Clause
// A rank's part of the field in Kokkos: one kernel packs its halo, one unpacks it, one updates its frame.
#pragma once
#include "diffusion/exchanged.hpp"
#include "fields.hpp"

namespace parity::diffusion {

template <class T>
class PartInViews {
 public:
  static constexpr bool on_device = compat::exec_is_device();
  using Memory = Kokkos::View<T*, Exec>;

  /// Without a tuning, uses kokkos-fused's default tile.
  PartInViews(const Problem& part, const Tuning& tile)
      : fields_(Fields<T>::padded(part)),
        tile_(!tile.empty() ? tile
              : on_device   ? Tuning{{1, 2, 128}}
                            : Tuning{{1, 16, 1024}}) {}
  /// For passes, with 'depth' points around each plane.
  PartInViews(const Problem& part, const Margin& depth) : fields_(Fields<T>::surrounded(part, depth)) {}

  T* operator[](int which) const { return fields_[which].data(); }
  Memory memory(std::int64_t values) const {
    return Memory(Kokkos::view_alloc("messages", Kokkos::WithoutInitializing), std::size_t(values));
  }
  void load(const T* field) const { fields_.load(field); }
  void store(int which, T* padded, std::int64_t h) const { fields_.store(which, padded, h); }
  void synchronise() const { fields_.synchronise(); }
  void* stream() const { return compat::stream_of(fields_.exec); }
  runtime::DeviceClock* clock() const { return fields_.clock(); }

  void move(const char* what, const Moves<T>& moves) const;
  void update(const RegionUpdate<T>& regions) const;

 protected:
  Fields<T> fields_;
  Tuning tile_;
};

/// The same with the 13-point update of a region, which variants/diffusion/fused_exchange/kokkos.cpp defines.
template <class T>
struct UpdatedPart : PartInViews<T> {
  using PartInViews<T>::PartInViews;
  using PartInViews<T>::update;
  void update(const T* in, T* out, const Region& r) const;
};

/// The same for passes, which treat a part with its halo as periodic planes. make(exec) returns the pass.
template <class T>
class PartInPasses : public PartInViews<T> {
 public:
  template <class Make>
  PartInPasses(const Problem& part, const Margin& depth, const Make& make)
      : PartInViews<T>(part, depth), shape_(part, depth), pass_(make(this->fields_.exec)) {}
  const FieldShape& shape() const { return shape_; }
  int pass(int at, int left) const { return pass_(left, (*this)[at], (*this)[1 - at]); }

 private:
  const FieldShape shape_;
  const PassOf<T> pass_;
};

/// The pass of kokkos-temporal with its default tuning, except for the steps.
template <class T>
PassOf<T> temporal_pass(const Problem& p, int most_steps, const Exec& exec);
/// The pass of kokkos-temporal-tuned over a part. Other code writes the points around each plane before it.
/// spare: multiprocessors to leave free.
template <class T>
PassOf<T> temporal_tuned_pass(const Problem& part, const Margin& around, const Exec& exec, int spare);

/// The entry of an algorithm that updates, with the tiles of kokkos-fused.
inline Entry with_part_tiles(Entry e) {
  e = with_tunings(e, {"1x2x128", "1x4x64", "1x8x32", "1x1x128", "1x4x128", "1x1x256"},
                   {"1x16x1024", "1x4x1024", "1x1x1024", "1x8x64"}, "planes x rows x columns of a tile");
  e.refuse += refuse_large_tile;
  return e;
}

}  // namespace parity::diffusion
