// SPDX-License-Identifier: BSD-3-Clause
// The steps of the masked filter: Laplacian sums over valid neighbours, then the update.
#include "backend/kokkos/diffusion/fields.hpp"
#include "tools/filter/masked_filter.hpp"

namespace parity::filter {
namespace {

using diffusion::FieldView;
using diffusion::wrap;

/// target = laplacian_of_valid(source).
template <class T>
void laplacian_launch(const compat::Exec& exec, const diffusion::Problem& p, const FieldView<T>& source,
                      const FieldView<T>& target) {
  const int nx = int(p.nx), ny = int(p.ny);
  Kokkos::parallel_for(
      "parity::filter::masked_laplacian", diffusion::range3(exec, p.nz, p.ny, p.nx, {{1, 4, 64}}),
      KOKKOS_LAMBDA(int i, int j, int plane) {
        const std::int64_t k = plane;  // a 64-bit offset in Kokkos 5, too
        target(k, j, i) = diffusion::laplacian_of_valid<T>(
            source(k, j, i), source(k, j, wrap(i - 1, nx)), source(k, j, wrap(i + 1, nx)),
            source(k, wrap(j - 1, ny), i), source(k, wrap(j + 1, ny), i));
      });
}

template <class T>
void update_launch(const compat::Exec& exec, const diffusion::Problem& p, const FieldView<T>& laplacian,
                   const FieldView<T>& field) {
  const int nx = int(p.nx), ny = int(p.ny);
  const T alpha = T(p.alpha);
  Kokkos::parallel_for(
      "parity::filter::masked_update", diffusion::range3(exec, p.nz, p.ny, p.nx, {{1, 4, 64}}),
      KOKKOS_LAMBDA(int i, int j, int plane) {
        const std::int64_t k = plane;
        const T bilaplacian = diffusion::laplacian_of_valid<T>(
            laplacian(k, j, i), laplacian(k, j, wrap(i - 1, nx)), laplacian(k, j, wrap(i + 1, nx)),
            laplacian(k, wrap(j - 1, ny), i), laplacian(k, wrap(j + 1, ny), i));
        field(k, j, i) = diffusion::update<T>(field(k, j, i), alpha, bilaplacian);
      });
}

}  // namespace

template <class T>
struct MaskedFilter<T>::Fields {
  FieldView<T> field, laplacian;
};

template <class T>
MaskedFilter<T>::MaskedFilter(const diffusion::Problem& p)
    : p_(p),
      fields_(new Fields{FieldView<T>("masked field", p.nz, p.ny, p.nx),
                         FieldView<T>("masked laplacian", p.nz, p.ny, p.nx)}) {}
template <class T>
MaskedFilter<T>::~MaskedFilter() = default;

template <class T>
void MaskedFilter<T>::apply(T* planes, std::int64_t steps) {
  const compat::Exec exec;
  const Kokkos::View<T***, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(
      planes, p_.nz, p_.ny, p_.nx);
  Kokkos::deep_copy(exec, fields_->field, host);
  for (std::int64_t s = 0; s < steps; ++s) {
    laplacian_launch<T>(exec, p_, fields_->field, fields_->laplacian);
    update_launch<T>(exec, p_, fields_->laplacian, fields_->field);
  }
  Kokkos::deep_copy(exec, host, fields_->field);
  compat::synchronise(exec, "masked filter");
}

template class MaskedFilter<float>;
template class MaskedFilter<double>;

}  // namespace parity::filter
