// SPDX-License-Identifier: BSD-3-Clause
// blas, Kokkos: calls Kokkos Kernels and deep_copy of subviews; it has no kernel.
#include <KokkosBlas1_axpby.hpp>
#include <KokkosBlas1_scal.hpp>

#include "algorithm.hpp"
#include "backend/kokkos/diffusion/fields.hpp"

namespace parity::diffusion::blas {
namespace {

/// Uses the default instance, the only one that Kokkos Kernels before 4.0 supports.
template <class T>
struct Blas1 {
  using Flat = Kokkos::View<T*, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Fields<T> f;
  Blas1(const Problem& p, const Tuning&) : f(Fields<T>::with_laplacian(p, /*own_instance=*/false)) {}
  int operator()() const {
    int from = 0;
    for (std::int64_t step = 0; step < f.p.steps; ++step, from = 1 - from) {
      const FieldView<T>&in = f[from], &out = f[1 - from];
      copy_halo(in);
      laplacian_by_blas(in, f.laplacian);
      laplacian_by_blas(f.laplacian, out);
      KokkosBlas::axpby(T(1), part(in, 0, 0), T(-f.p.alpha), part(out, 0, 0));
    }
    copy_halo(f[from]);
    return from;
  }

 private:
  /// The flat field without 'margin' elements at each end, shifted by 'shift'.
  static Flat part(const FieldView<T>& field, std::int64_t margin, std::int64_t shift) {
    return Flat(field.data() + margin + shift, field.size() - 2 * std::size_t(margin));
  }
  void laplacian_by_blas(const FieldView<T>& from, const FieldView<T>& to) const {
    const std::int64_t pitch = f.p.pitch();
    const Flat sum = part(to, pitch, 0);
    KokkosBlas::scal(sum, T(laplacian_centre_weight), part(from, pitch, 0));
    for (const std::int64_t shift : {std::int64_t(-1), std::int64_t(1), -pitch, pitch})
      KokkosBlas::axpy(T(1), part(from, pitch, shift), sum);
  }
  void copy_halo(const FieldView<T>& field) const {
    using Kokkos::ALL;
    using Kokkos::make_pair;
    const int h = int(f.p.halo), nx = int(f.p.nx), ny = int(f.p.ny);
    const auto inner = make_pair(h, nx + h);
    const Exec& exec = f.exec;
    const auto rows = [&](int to, int from) {
      Kokkos::deep_copy(exec, Kokkos::subview(field, ALL, make_pair(to, to + h), inner),
                        Kokkos::subview(field, ALL, make_pair(from, from + h), inner));
    };
    const auto columns = [&](int to, int from) {
      Kokkos::deep_copy(exec, Kokkos::subview(field, ALL, ALL, make_pair(to, to + h)),
                        Kokkos::subview(field, ALL, ALL, make_pair(from, from + h)));
    };
    rows(0, ny);
    rows(ny + h, h);
    columns(0, nx);
    columns(nx + h, h);
  }
};

}  // namespace

Entry kokkos() { return with_run<Blas1>(algorithm()); }

}  // namespace parity::diffusion::blas
