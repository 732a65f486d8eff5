// SPDX-License-Identifier: BSD-3-Clause
// Sorting by Kokkos where it has sort_by_key (4.3), elsewhere by the host.
#include <parallel/algorithm>
#include <vector>

#include "backend/kokkos/kde/samples.hpp"
#ifdef PARITY_KOKKOS_SORTS_BY_KEY
#include <Kokkos_Sort.hpp>
#endif

namespace parity::kde {

template <class T>
void sort_with_places(const Exec& exec, const T* values, std::int64_t n, const Array<T>& sorted,
                      const Array<int>& places) {
  using Given = Kokkos::View<const T*, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const Given given(values, std::size_t(n));
#ifdef PARITY_KOKKOS_SORTS_BY_KEY
  if constexpr (compat::exec_is_device()) {
    Kokkos::deep_copy(exec, sorted, given);
    int* const place = places.data();
    Kokkos::parallel_for(
        "parity::kde::places", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
        KOKKOS_LAMBDA(std::int64_t i) { place[i] = int(i); });
    Kokkos::Experimental::sort_by_key(exec, sorted, places);
    return;
  }
#endif
  const auto host_values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), given);
  const auto host_sorted = Kokkos::create_mirror_view(sorted);
  const auto host_places = Kokkos::create_mirror_view(places);
  std::vector<std::pair<T, int>> pairs(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) pairs[std::size_t(i)] = {host_values[i], int(i)};
  __gnu_parallel::sort(pairs.begin(), pairs.end());
  for (std::int64_t i = 0; i < n; ++i) {
    host_sorted[i] = pairs[std::size_t(i)].first;
    host_places[i] = pairs[std::size_t(i)].second;
  }
  if constexpr (compat::exec_is_device()) {
    Kokkos::deep_copy(exec, sorted, host_sorted);
    Kokkos::deep_copy(exec, places, host_places);
    exec.fence();
  }
}
template void sort_with_places(const Exec&, const float*, std::int64_t, const Array<float>&,
                               const Array<int>&);
template void sort_with_places(const Exec&, const double*, std::int64_t, const Array<double>&,
                               const Array<int>&);

}  // namespace parity::kde
