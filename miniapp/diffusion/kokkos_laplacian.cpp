// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-laplacian: a written Laplacian kernel (MDRange); halo and field update stay elementary
// operations.
#include <KokkosBlas1_axpby.hpp>

#include "diffusion/kokkos_field.hpp"

namespace parity::diffusion {
namespace {

template <class T>
class KokkosLaplacian : public KokkosFieldPair<T> {
 public:
  KokkosLaplacian(const Problem& p, const Tuning& tile)
      : KokkosFieldPair<T>(p, p.halo), tmp_("tmp", p.nz, p.rows(), p.pitch()), tile_(tile) {}

  void load(const T* field) override {
    KokkosFieldPair<T>::load(field);
    Kokkos::deep_copy(tmp_, poison<T>);
  }
  void advance() override {
    for (std::int64_t step = 0; step < this->p_.steps; ++step) {
      copy_halo(this->p_, this->in_);
      laplacian_of(this->in_, tmp_, int(this->p_.halo) - 1);
      laplacian_of(tmp_, this->out_, int(this->p_.halo));
      using Flat = Kokkos::View<T*, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
      KokkosBlas::axpby(T(1), Flat(this->in_.data(), this->in_.size()), T(-this->p_.alpha),
                        Flat(this->out_.data(), this->out_.size()));
      std::swap(this->in_, this->out_);
    }
    copy_halo(this->p_, this->in_);
  }
  /// Laplacian everywhere but in a margin of 'm' points around each plane.
  void laplacian_of(const Field<T>& from, const Field<T>& to, int m) const {
    const Kokkos::View<const T***, Kokkos::LayoutRight, Exec> f = from;
    Kokkos::parallel_for(
        "parity::diffusion::laplacian",
        range3(this->p_.nz, this->p_.rows() - 2 * m, this->p_.pitch() - 2 * m, tile_),
        KOKKOS_LAMBDA(int ii, int jj, int k) {
          const int j = jj + m, i = ii + m;
          to(k, j, i) = laplacian(f(k, j, i), f(k, j, i - 1), f(k, j, i + 1), f(k, j - 1, i), f(k, j + 1, i));
        });
  }

 private:
  Field<T> tmp_;
  Tuning tile_;
};

}  // namespace

Entry kokkos_laplacian() {
  Entry e =
      kokkos_entry("kokkos-laplacian", "written Laplacian (MDRange), elementary halo and field update",
                   "openmp-laplacian", {"1x2x128", "1x4x64", "1x8x32", "1x1x256"},
                   {"1x16x1024", "1x4x1024", "1x1x1024", "1x8x64"}, "planes x rows x columns of a tile");
  e.fields = 3;
  e.refuse = refuse_large_tile;
  e.model = [](const Problem& p) { return cost_per_step(p, 7, 7, two_stage_flops); };
  return with_factories<KokkosLaplacian>(e);
}

}  // namespace parity::diffusion
