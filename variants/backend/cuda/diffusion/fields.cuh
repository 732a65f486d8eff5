// SPDX-License-Identifier: BSD-3-Clause
// Common parts of native CUDA diffusion variants: a stream, two fields, loading, storing and the halo kernel.
#pragma once
#include <memory>

#include "backend/cuda/buffer.cuh"
#include "diffusion/column.hpp"
#include "diffusion/device_copy.hpp"
#include "diffusion/field_rows.hpp"
#include "diffusion/stencil.hpp"
#include "diffusion/tile_configs.hpp"
#include "diffusion/variant.hpp"
#include "runtime/clock.hpp"
#include "runtime/fast_divide.hpp"
#include "runtime/stream.hpp"

namespace parity::cuda {

using namespace parity::diffusion;

/// A block of rows x columns threads as dim3(x, y).
inline dim3 block_of(const Tuning& t) { return dim3(unsigned(t[1]), unsigned(t[0])); }

/// The grid (x, y, nz) over planes of width x height points, for blocks that overlap the next block by
/// 'overlap' points in each direction.
inline dim3 plane_grid(std::int64_t width, std::int64_t height, std::int64_t nz, dim3 block,
                       unsigned overlap = 0) {
  return dim3(blocks_for(width, block.x - overlap), blocks_for(height, block.y - overlap), unsigned(nz));
}

/// A field indexed by (plane, row, column).
template <class T>
using Field = FieldRows<T>;

/// Updates the halo cells of all planes with one thread per cell. 'field' is indexed with its halo.
constexpr int halo_threads = 256;
template <class T>
__global__ void __launch_bounds__(halo_threads, least_teams(halo_threads, int(sizeof(T) / 4)))
    update_halo_cells(Field<T> field, int nz, int ny, int nx, int h, runtime::FastDivide by_cells,
                      runtime::FastDivide by_pitch, runtime::FastDivide by_sides) {
  const unsigned n = blockIdx.x * halo_threads + threadIdx.x, k = by_cells(n);
  if (k >= unsigned(nz)) return;
  const auto c = halo_cell(int(by_cells.remainder(n, k)), nx, ny, h, by_pitch, by_sides);
  field(int(k), c.row, c.column) = field(int(k), c.from_row, c.from_column);
}

/// Two fields that alternate as input and output.
template <class T>
class Fields {
 public:
  /// With a halo around each plane.
  static Fields padded(const Problem& p) { return Fields(p, p.halo, p.pitch()); }
  /// The same with a third field, for the Laplacian.
  static Fields with_laplacian(const Problem& p) { return Fields(p, p.halo, p.pitch(), p.padded_points()); }
  /// Without a halo: neighbours wrap around.
  static Fields periodic(const Problem& p) { return Fields(p, 0, p.nx); }
  /// The same with rows padded to whole packs of 16 bytes.
  static Fields packed(const Problem& p) { return Fields(p, 0, packs_in_row<T>(p.nx) * pack_width<T>); }
  /// Rows of 'pitch' elements with column 0 at 'lead', and points around each plane that other code writes.
  static Fields led(const Problem& p, const Margin& around, int lead, std::int64_t pitch) {
    return Fields(p, around, pitch, 0, lead);
  }

  void load(const T* field) {
    field_[0].poison_on(stream);
    load_interior(p, field, planes(0), stream);
    field_[1].poison_on(stream);
    if (laplacian_.size() > 0) laplacian_.poison_on(stream);
    PARITY_CUDA(cudaStreamSynchronize(stream));
  }
  void synchronise() const { PARITY_CUDA(cudaStreamSynchronize(stream)); }
  /// Stores the result with h points around each plane: the field's own, or periodic ones if it has none.
  void store(int result, T* padded, std::int64_t h) const {
    store_padded(p, planes(result), h, padded, stream, [this] { synchronise(); });
  }
  runtime::DeviceClock* clock() const { return clock_.get(); }

  T* operator[](int which) const { return field_[which].data(); }
  /// One of the fields for a kernel, indexed inside its margin.
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
  void update_halo(T* f) const {
    const int nz = int(p.nz), ny = int(p.ny), nx = int(p.nx), h = int(p.halo);
    const std::int64_t cells = halo_cells(nx, ny, h);
    update_halo_cells<<<blocks_for(cells * nz, halo_threads), halo_threads, 0, stream>>>(
        Field<T>{f, nx + 2 * h, ny + 2 * h, 0}, nz, ny, nx, h, runtime::FastDivide(cells),
        runtime::FastDivide(nx + 2 * h), runtime::FastDivide(2 * h));
    PARITY_CUDA(cudaGetLastError());
  }

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

  FieldPlanes<T> planes(int which) const {
    return {field_[which].data() + pad_.y * pitch + lead_, pitch, pad_};
  }

  runtime::Stream owned_stream_;

 public:
  const Problem p;
  const std::int64_t pitch;
  const cudaStream_t stream;
  bool forks = false;  ///< true if independent launches are on branches

 private:
  const Margin pad_;
  const std::int64_t lead_;  ///< elements before column 0
  Buffer<T> field_[2], laplacian_;
  std::unique_ptr<runtime::DeviceClock> clock_;
};

/// Refuses problems with too many planes for an (x, y, plane) grid.
inline std::optional<std::string> refuse_planes(const Problem& p, const Tuning&) {
  if (p.nz > 65535) return "more than 65535 planes do not fit the z axis of a CUDA grid";
  return std::nullopt;
}
/// Also refuses blocks of rows x columns that exceed CUDA's limits.
inline std::optional<std::string> refuse_grid(const Problem& p, const Tuning& t) {
  if (std::int64_t(t[0]) * t[1] > 1024) return "the block " + to_string(t) + " has more than 1024 threads";
  if ((p.rows() + t[0] - 1) / t[0] > 65535)
    return "more than 65535 blocks of rows do not fit the y axis of a CUDA grid";
  if (const auto why = refuse_many_halo_cells(p)) return why;
  return refuse_planes(p, t);
}
/// Refuses problems whose points overflow a flat 32-bit index.
inline std::optional<std::string> refuse_many_points(const Problem& p, const Tuning& t) {
  if (t[0] > 1024) return "the block " + to_string(t) + " has more than 1024 threads";
  if (p.padded_points() > (std::int64_t(1) << 31) - 1 - 1024)
    return "more than 2^31 - 1 points: its flat index has 32 bits";
  return refuse_many_halo_cells(p);
}

/// load() fills field 0; advance() sets result_.
template <class T>
class WholeRun : public Variant<T> {
 public:
  /// make() constructs the fields in place, because they cannot be moved.
  template <class MakeFields>
  explicit WholeRun(MakeFields make) : f_(make()) {}
  void load(const T* field) override {
    f_.load(field);
    result_ = 0;
  }
  void synchronise() override { f_.synchronise(); }
  void store(T* padded) override { f_.store(result_, padded, f_.p.halo); }
  void store_interior(T* field) override { f_.store(result_, field, 0); }
  runtime::DeviceClock* device_clock() override { return f_.clock(); }

 protected:
  Fields<T> f_;
  int result_ = 0;  ///< index of the field with the result
};

}  // namespace parity::cuda
