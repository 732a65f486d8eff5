// SPDX-License-Identifier: BSD-3-Clause
// Common code of Kokkos KDE variants, compiled once instead of in every variant.
#include "backend/kokkos/kde/samples.hpp"

namespace parity::kde {

template <class T>
Samples<T>::Samples(const Problem& problem, std::int64_t count)
    : p(problem),
      exec(own_.exec),
      samples_("samples", std::size_t(count > 0 ? count : padded_count(p.n))),
      density_("density", std::size_t(p.n)) {
  if (void* const stream = compat::stream_of(exec)) clock_ = runtime::make_clock(stream);
}

template <class T>
void Samples<T>::load(const T* samples) const {
  const std::vector<T> padded = padded_samples(samples, p.n, size());
  using Host = Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::deep_copy(samples_, Host(padded.data(), padded.size()));
  Kokkos::deep_copy(density_, std::numeric_limits<T>::quiet_NaN());
}

template <class T>
void Samples<T>::store(T* density) const {
  using Host = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::deep_copy(Host(density, density_.size()), density_);
}

template class Samples<float>;
template class Samples<double>;

}  // namespace parity::kde
