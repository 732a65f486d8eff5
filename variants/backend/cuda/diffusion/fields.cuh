// SPDX-License-Identifier: BSD-3-Clause
// What a native CUDA diffusion variant has: a stream, two fields, loading, storing and the halo kernel.
#pragma once
#include <memory>

#include "backend/cuda/buffer.cuh"
#include "diffusion/column.hpp"
#include "diffusion/field_rows.hpp"
#include "diffusion/padded_copy.hpp"
#include "diffusion/stencil.hpp"
#include "diffusion/tile_configs.hpp"
#include "diffusion/variant.hpp"
#include "runtime/clock.hpp"
#include "runtime/plane_copy.hpp"
#include "runtime/stream.hpp"

namespace parity::cuda {

using namespace parity::diffusion;

/// A block of rows x columns threads as CUDA writes it.
inline dim3 block_of(const Tuning& t) { return dim3(unsigned(t[1]), unsigned(t[0])); }

/// The grid (x, y, nz) over planes of width x height points for blocks that share 'overlap' points with the
/// next one in each direction.
inline dim3 plane_grid(std::int64_t width, std::int64_t height, std::int64_t nz, dim3 block,
                       unsigned overlap = 0) {
  return dim3(blocks_for(width, block.x - overlap), blocks_for(height, block.y - overlap), unsigned(nz));
}

/// A field by (plane, row, column).
template <class T>
using Field = FieldRows<T>;

/// A field and its successor, which take turns as input and output.
template <class T>
class Fields {
 public:
  /// With a halo around each plane.
  static Fields padded(const Problem& p) { return Fields(p, p.halo, p.pitch()); }
  /// The same and a third field, for the Laplacian.
  static Fields with_laplacian(const Problem& p) { return Fields(p, p.halo, p.pitch(), p.padded_points()); }
  /// Without one: neighbours wrap around.
  static Fields periodic(const Problem& p) { return Fields(p, 0, p.nx); }
  /// The same with rows filled up to whole packs of 16 bytes.
  static Fields packed(const Problem& p) { return Fields(p, 0, packs_in_row<T>(p.nx) * pack_width<T>); }
  /// Rows of 'pitch' elements with column 0 at 'lead', and points around each plane that are written by
  /// others.
  static Fields led(const Problem& p, const Margin& around, int lead, std::int64_t pitch) {
    return Fields(p, around, pitch, 0, lead);
  }

  void load(const T* field) {
    field_[0].poison_on(stream);
    copy_around(host_planes(const_cast<T*>(field), 0), planes(0), 0);
    field_[1].poison_on(stream);
    if (laplacian_.size() > 0) laplacian_.poison_on(stream);
    PARITY_CUDA(cudaStreamSynchronize(stream));
  }
  void synchronise() const { PARITY_CUDA(cudaStreamSynchronize(stream)); }
  /// With h points around each plane: the field's own, or the periodic ones where it has none.
  void store(int result, T* padded, std::int64_t h) const {
    const Margin own = pad_.least(h);
    copy_around(planes(result), host_planes(padded, h), own);
    synchronise();
    fill_halo(p, h, padded, own);
  }
  runtime::DeviceClock* clock() const { return clock_.get(); }

  T* operator[](int which) const { return field_[which].data(); }
  /// One of them for a kernel; without its halo, if it has one.
  template <class Value>
  Field<Value> rows(T* field) const {
    return {field, int(pitch), int(p.ny + 2 * pad_.y), int(pad_.y)};
  }
  T* laplacian() const { return laplacian_.data(); }
  std::int64_t size() const { return field_[0].size(); }
  int lead() const { return int(lead_); }
  void copy(int from, int to) const {
    PARITY_CUDA(cudaMemcpyAsync(field_[to].data(), field_[from].data(), field_[from].bytes(),
                                cudaMemcpyDeviceToDevice, stream));
  }
  /// Defined in variants/diffusion/halo_update/cuda_tuned.cu, with its kernel.
  void update_halo(T* f) const;

 private:
  Fields(const Problem& problem, const Margin& pad, std::int64_t row_pitch, std::int64_t laplacian_points = 0,
         std::int64_t lead = -1)
      : p(problem),
        pitch(row_pitch),
        stream(static_cast<cudaStream_t>(owned_stream_.get())),
        pad_(pad),
        lead_(lead < 0 ? pad.x : lead),
        field_{Buffer<T>(pitch * (p.ny + 2 * pad.y) * p.nz), Buffer<T>(pitch * (p.ny + 2 * pad.y) * p.nz)},
        laplacian_(laplacian_points),
        clock_(runtime::make_clock(stream)) {}

  /// A field (nz, ny+2 pad.y, pitch).
  struct Planes {
    T* origin;  ///< point (0, 0, 0) of the interior
    std::int64_t pitch;
    Margin pad;
  };
  Planes planes(int which) const { return {field_[which].data() + pad_.y * pitch + lead_, pitch, pad_}; }
  /// The host's layout with h points around each plane, (nz, ny+2h, nx+2h).
  Planes host_planes(T* field, std::int64_t h) const {
    return {field + h * (p.nx + 2 * h + 1), p.nx + 2 * h, h};
  }
  /// Interiors with h points around them.
  void copy_around(const Planes& from, const Planes& to, const Margin& h) const {
    constexpr auto word = std::int64_t(sizeof(T));
    const auto around = [&](const Planes& f) -> runtime::Planes {
      return {f.origin - h.y * f.pitch - h.x, f.pitch * word, p.ny + 2 * f.pad.y};
    };
    runtime::copy_planes(around(from), around(to), (p.nx + 2 * h.x) * word, p.ny + 2 * h.y, p.nz, stream);
  }

  runtime::Stream owned_stream_;

 public:
  const Problem p;
  const std::int64_t pitch;
  const cudaStream_t stream;

 private:
  const Margin pad_;
  const std::int64_t lead_;  ///< elements before column 0
  Buffer<T> field_[2], laplacian_;
  std::unique_ptr<runtime::DeviceClock> clock_;
};

/// Refuses what a (x, y, plane) grid cannot hold.
inline std::optional<std::string> refuse_planes(const Problem& p, const Tuning&) {
  if (p.nz > 65535) return "more than 65535 planes do not fit the z axis of a CUDA grid";
  return std::nullopt;
}
/// Refuses blocks of rows x columns that no device has, too.
inline std::optional<std::string> refuse_grid(const Problem& p, const Tuning& t) {
  if (std::int64_t(t[0]) * t[1] > 1024) return "the block " + to_string(t) + " has more than 1024 threads";
  if ((p.rows() + t[0] - 1) / t[0] > 65535)
    return "more than 65535 blocks of rows do not fit the y axis of a CUDA grid";
  if (const auto why = refuse_many_halo_cells(p)) return why;
  return refuse_planes(p, t);
}
/// Refuses what a flat index of 32 bits cannot count.
inline std::optional<std::string> refuse_many_points(const Problem& p, const Tuning& t) {
  if (t[0] > 1024) return "the block " + to_string(t) + " has more than 1024 threads";
  if (p.padded_points() > (std::int64_t(1) << 31) - 1 - 1024)
    return "more than 2^31 - 1 points: its flat index has 32 bits";
  return refuse_many_halo_cells(p);
}

}  // namespace parity::cuda
