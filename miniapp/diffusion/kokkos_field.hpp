// SPDX-License-Identifier: BSD-3-Clause
// What the Kokkos diffusion variants share: two fields, loading, storing, the halo and the policies'
// spelling.
#pragma once
#include <memory>

#include "cuda/device.hpp"
#include "diffusion/padded_copy.hpp"
#include "diffusion/stencil.hpp"
#include "diffusion/variant.hpp"
#include "kokkos_compat.hpp"

namespace parity::diffusion {

using compat::Exec;

/// A field (nz, rows, columns), x fastest on every backend.
template <class T>
using Field = Kokkos::View<T***, Kokkos::LayoutRight, Exec>;

/// An index space over (i, j, k) = (x, y, z), for kernels that take (int i, int j, int k), with an explicit
/// tile (planes x rows x columns): default tiles differ between Kokkos versions. x comes first, because
/// Kokkos maps the first index of an MDRange to threadIdx.x whatever the iteration order says; with x last,
/// accesses do not coalesce and a tile of more than 64 columns does not launch at all.
using Range3 = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3, Kokkos::Iterate::Left, Kokkos::Iterate::Left>,
                                     Kokkos::IndexType<int>>;
inline Range3 range3(std::int64_t nz, std::int64_t ny, std::int64_t nx, const Tuning& tile) {
  return Range3({0, 0, 0}, {int(nx), int(ny), int(nz)}, {tile[2], tile[1], tile[0]});
}

/// Tiles of the halo kernels, as the native ones have their blocks: rows are long in x, columns are four
/// points wide.
inline Tuning halo_row_tile() { return compat::exec_is_device() ? Tuning{{1, 4, 64}} : Tuning{{1, 4, 1024}}; }
inline Tuning halo_column_tile() {
  return compat::exec_is_device() ? Tuning{{1, 64, 4}} : Tuning{{1, 1024, 4}};
}

/// Periodic halo: bottom and top rows, then left and right columns over the full height. Two launches.
template <class T>
void update_halo(const Problem& p, const Field<T>& f) {
  const int h = int(p.halo), nx = int(p.nx), ny = int(p.ny);
  Kokkos::parallel_for(
      "parity::diffusion::halo_rows", range3(p.nz, 2 * h, nx, halo_row_tile()),
      KOKKOS_LAMBDA(int i, int r, int k) {
        const int j = halo_coordinate(r, ny, h);
        f(k, j, h + i) = f(k, periodic_source(j, ny, h), h + i);
      });
  Kokkos::parallel_for(
      "parity::diffusion::halo_columns", range3(p.nz, p.rows(), 2 * h, halo_column_tile()),
      KOKKOS_LAMBDA(int c, int j, int k) {
        const int i = halo_coordinate(c, nx, h);
        f(k, j, i) = f(k, j, periodic_source(i, nx, h));
      });
}

/// The same halo as four array copies, the way array libraries spell it.
template <class T>
void copy_halo(const Problem& p, const Field<T>& f) {
  using Kokkos::ALL;
  using Kokkos::make_pair;
  const int h = int(p.halo), nx = int(p.nx), ny = int(p.ny);
  const auto inner = make_pair(h, nx + h);
  const Exec exec;
  const auto rows = [&](int to, int from) {
    Kokkos::deep_copy(exec, Kokkos::subview(f, ALL, make_pair(to, to + h), inner),
                      Kokkos::subview(f, ALL, make_pair(from, from + h), inner));
  };
  const auto columns = [&](int to, int from) {
    Kokkos::deep_copy(exec, Kokkos::subview(f, ALL, ALL, make_pair(to, to + h)),
                      Kokkos::subview(f, ALL, ALL, make_pair(from, from + h)));
  };
  rows(0, ny);
  rows(ny + h, h);
  columns(0, nx);
  columns(nx + h, h);
}

/// Base of the variants that keep a field and its successor; pad is the halo width, or 0 for wrap indexing.
template <class T>
class KokkosFieldPair : public Variant<T> {
 public:
  KokkosFieldPair(const Problem& p, std::int64_t pad)
      : p_(p),
        pad_(pad),
        in_("in", p.nz, p.ny + 2 * pad, p.nx + 2 * pad),
        out_("out", p.nz, p.ny + 2 * pad, p.nx + 2 * pad) {
    if (void* const stream = compat::default_stream()) clock_ = cuda::make_clock(stream);
  }

  void load(const T* field) override {
    const auto host = Kokkos::create_mirror_view(in_);
    scatter_interior(p_, pad_, field, host.data());
    Kokkos::deep_copy(in_, host);
    Kokkos::deep_copy(out_, poison<T>);
  }
  void synchronise() override { Exec().fence(); }
  void store(T* padded) override {
    const auto host = Kokkos::create_mirror_view(in_);
    Kokkos::deep_copy(host, in_);
    if (pad_ == 0)
      gather_with_halo(p_, host.data(), padded);
    else
      std::copy(host.data(), host.data() + host.size(), padded);
  }
  study::DeviceClock* device_clock() override { return clock_.get(); }

 protected:
  Problem p_;
  std::int64_t pad_;
  Field<T> in_, out_;

 private:
  std::unique_ptr<study::DeviceClock> clock_;
};

/// An entry of the portable family, with the tunings of the backend Kokkos was built for.
inline Entry kokkos_entry(const char* name, const char* summary, const char* twin,
                          std::vector<std::string> on_device, std::vector<std::string> on_host,
                          const char* axes) {
  Entry e;
  e.name = name;
  e.family = Family::kokkos;
  e.summary = summary;
  e.twin = twin;
  e.tunings = compat::exec_is_device() ? std::move(on_device) : std::move(on_host);
  e.tuning_axes = axes;
  return e;
}

/// Refuses an MDRange tile that no CUDA block can have.
inline std::optional<std::string> refuse_large_tile(const Problem&, const Tuning& t) {
  if (!compat::exec_is_device()) return std::nullopt;
  if (std::int64_t(t[0]) * t[1] * t[2] > 1024)
    return "the tile " + to_string(t) + " has more than the 1024 threads of a block";
  if (t[0] > 64) return "the tile " + to_string(t) + " has more than the 64 planes of a block";
  return std::nullopt;
}

}  // namespace parity::diffusion
