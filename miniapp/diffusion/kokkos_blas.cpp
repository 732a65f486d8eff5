// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-blas: the elementary operations as calls of Kokkos Kernels BLAS (scal, axpy, axpby), the
// halo as four deep copies: what a library user writes without a kernel of his own.
#include <KokkosBlas1_axpby.hpp>
#include <KokkosBlas1_scal.hpp>

#include "diffusion/kokkos_field.hpp"

namespace parity::diffusion {
namespace {

/// Kokkos Kernels before 4.0 knows the default instance only, so this variant has no other.
template <class T>
class KokkosBlas1 : public KokkosFieldPair<T> {
 public:
  using Flat = Kokkos::View<T*, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  KokkosBlas1(const Problem& p, const Tuning&)
      : KokkosFieldPair<T>(p, p.halo, 0, /*own_instance=*/false),
        tmp_("laplacian", p.nz, p.rows(), p.pitch()) {}

  void load(const T* field) override {
    KokkosFieldPair<T>::load(field);
    Kokkos::deep_copy(tmp_, poison<T>);
  }
  void advance() override {
    int from = 0;
    for (std::int64_t step = 0; step < this->p_.steps; ++step, from = 1 - from) {
      const Field<T>&in = this->field_[from], &out = this->field_[1 - from];
      copy_halo(in);
      laplacian_by_blas(in, tmp_);
      laplacian_by_blas(tmp_, out);
      KokkosBlas::axpby(T(1), part(in, 0, 0), T(-this->p_.alpha), part(out, 0, 0));
    }
    copy_halo(this->field_[from]);
    this->result_ = from;
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
  void copy_halo(const Field<T>& f) const {
    using Kokkos::ALL;
    using Kokkos::make_pair;
    const int h = int(this->p_.halo), nx = int(this->p_.nx), ny = int(this->p_.ny);
    const auto inner = make_pair(h, nx + h);
    const Exec& exec = this->exec_;
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

  Field<T> tmp_;
};

}  // namespace

Entry kokkos_blas() {
  Entry e =
      kokkos_entry("kokkos-blas", "Kokkos Kernels scal, axpy and axpby, halo by deep copies", "", {}, {}, "");
  e.fields = 3;
  e.model = [](const Problem& p) { return cost_per_step(p, 15, 31, 20); };
  return with_factories<KokkosBlas1>(e);
}

}  // namespace parity::diffusion
