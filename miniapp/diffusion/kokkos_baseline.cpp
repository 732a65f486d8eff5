// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-baseline: elementary operations only, the first study's baseline.
// Kokkos Kernels BLAS scales and adds the flat padded field, shifted by one neighbour at a time; what lands
// in the halo is garbage and is overwritten by the next halo copies.
#include <KokkosBlas1_axpby.hpp>
#include <KokkosBlas1_scal.hpp>

#include "diffusion/kokkos_field.hpp"

namespace parity::diffusion {
namespace {

template <class T>
class KokkosBaseline : public KokkosFieldPair<T> {
 public:
  using Flat = Kokkos::View<T*, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  KokkosBaseline(const Problem& p, const Tuning&)
      : KokkosFieldPair<T>(p, p.halo), tmp_("tmp", p.nz, p.rows(), p.pitch()) {}

  void load(const T* field) override {
    KokkosFieldPair<T>::load(field);
    Kokkos::deep_copy(tmp_, poison<T>);
  }
  void advance() override {
    for (std::int64_t step = 0; step < this->p_.steps; ++step) {
      copy_halo(this->p_, this->in_);
      laplacian_by_blas(this->in_, tmp_);
      laplacian_by_blas(tmp_, this->out_);
      KokkosBlas::axpby(T(1), part(this->in_, 0, 0), T(-this->p_.alpha), part(this->out_, 0, 0));
      std::swap(this->in_, this->out_);
    }
    copy_halo(this->p_, this->in_);
  }

 private:
  /// The flat field without 'margin' elements at each end, shifted by 'shift'.
  static Flat part(const Field<T>& f, std::int64_t margin, std::int64_t shift) {
    return Flat(f.data() + margin + shift, f.size() - 2 * std::size_t(margin));
  }
  void laplacian_by_blas(const Field<T>& from, const Field<T>& to) {
    const std::int64_t pitch = this->p_.pitch();
    const Flat sum = part(to, pitch, 0);
    KokkosBlas::scal(sum, T(laplacian_centre_weight), part(from, pitch, 0));
    for (const std::int64_t shift : {std::int64_t(-1), std::int64_t(1), -pitch, pitch})
      KokkosBlas::axpy(T(1), part(from, pitch, shift), sum);
  }

  Field<T> tmp_;
};

}  // namespace

Entry kokkos_baseline() {
  Entry e =
      kokkos_entry("kokkos-baseline", "elementary operations: Kokkos Kernels scal and axpby, halo by copies",
                   "openmp-baseline", {}, {}, "");
  e.fields = 3;
  e.model = [](const Problem& p) { return cost_per_step(p, 15, 31, 20); };
  return with_factories<KokkosBaseline>(e);
}

}  // namespace parity::diffusion
