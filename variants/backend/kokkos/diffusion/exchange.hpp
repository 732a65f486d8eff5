// SPDX-License-Identifier: BSD-3-Clause
// How Kokkos moves and updates points of a part of the field: one kernel each.
#pragma once
#include "diffusion/exchanged.hpp"
#include "fields.hpp"

namespace parity::diffusion {

template <class T>
class PartInViews {
 public:
  static constexpr bool on_device = compat::exec_is_device();
  using Memory = Kokkos::View<T*, Exec>;

  /// Without a tuning, the tile that kokkos-fused has without one.
  PartInViews(const Problem& part, const Tuning& tile)
      : fields_(Fields<T>::padded(part)),
        tile_(!tile.empty() ? tile
              : on_device   ? Tuning{{1, 2, 128}}
                            : Tuning{{1, 16, 1024}}) {}

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
  void update(const T* in, T* out, const Region& region) const;
  void update(const RegionUpdate<T>& regions) const;

 private:
  Fields<T> fields_;
  Tuning tile_;
};

/// The entry of one of them, with the tiles of kokkos-fused.
inline Entry exchange_entry() {
  return kokkos_entry({"1x2x128", "1x4x64", "1x8x32", "1x1x128", "1x4x128", "1x1x256"},
                      {"1x16x1024", "1x4x1024", "1x1x1024", "1x8x64"}, "planes x rows x columns of a tile");
}

}  // namespace parity::diffusion
