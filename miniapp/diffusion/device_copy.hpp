// SPDX-License-Identifier: BSD-3-Clause
// Moves fields between the host's layouts and a GPU's, for native and portable variants, without an
// intermediate field on the host.
#pragma once
#include "diffusion/padded_copy.hpp"
#include "runtime/device_memory.hpp"

namespace parity::diffusion {

/// A field (nz, ny+2 pad.y, pitch).
template <class T>
struct FieldPlanes {
  T* origin;  ///< point (0, 0, 0) of the interior
  std::int64_t pitch;
  Margin pad;
  /// The planes with h points around each.
  runtime::Planes around(const Problem& p, const Margin& h) const {
    return {origin - h.y * pitch - h.x, pitch * std::int64_t(sizeof(T)), p.ny + 2 * pad.y};
  }
};

/// The host's layout of a field with h points around each plane, (nz, ny+2h, nx+2h).
template <class T>
FieldPlanes<T> host_planes(const Problem& p, T* field, std::int64_t h) {
  return {field + h * (p.nx + 2 * h + 1), p.nx + 2 * h, h};
}

/// Copies interiors with h points around them, in stream order.
template <class T>
void copy_around(const Problem& p, const FieldPlanes<T>& from, const FieldPlanes<T>& to, const Margin& h,
                 void* stream) {
  runtime::copy_planes(from.around(p, h), to.around(p, h), (p.nx + 2 * h.x) * std::int64_t(sizeof(T)),
                       p.ny + 2 * h.y, p.nz, stream);
}

/// Copies a host field (nz, ny, nx) into an interior.
template <class T>
void load_interior(const Problem& p, const T* field, const FieldPlanes<T>& to, void* stream) {
  copy_around(p, host_planes(p, const_cast<T*>(field), 0), to, 0, stream);
}

/// Copies a field into a host array (nz, ny+2h, nx+2h) and waits for it: with the field's halo, or with the
/// periodic one on axes without a halo (pad 0). synchronise() waits for the stream.
template <class T, class Synchronise>
void store_padded(const Problem& p, const FieldPlanes<T>& from, std::int64_t h, T* padded, void* stream,
                  const Synchronise& synchronise) {
  const Margin own = from.pad.least(h);
  copy_around(p, from, host_planes(p, padded, h), own, stream);
  synchronise();
  fill_halo(p, h, padded, own);
}

}  // namespace parity::diffusion
