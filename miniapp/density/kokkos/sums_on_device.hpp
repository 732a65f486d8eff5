// SPDX-License-Identifier: BSD-3-Clause
// Host vectors to where Kokkos computes, and back.
#pragma once
#include <vector>

#include "density/sums.hpp"
#include "kde/kokkos/samples.hpp"

namespace parity::density {

using namespace kde;

inline Array<double> to_exec(const std::vector<double>& values) {
  using Host = Kokkos::View<const double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Array<double> array("values", values.size());
  if (!values.empty()) Kokkos::deep_copy(array, Host(values.data(), values.size()));
  return array;
}
inline std::vector<double> to_host(const Array<double>& array) {
  using Host = Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  std::vector<double> values(array.size());
  Kokkos::deep_copy(Host(values.data(), values.size()), array);
  return values;
}

/// A user's problem where Kokkos computes.
struct ExecData {
  Array<double> x, w, q, result;
  std::int64_t n, m;
  ExecData(const std::vector<double>& samples, const std::vector<double>& weights,
           const std::vector<double>& queries)
      : x(to_exec(samples)),
        w(to_exec(weights)),
        // The transform knows queries at the samples by their place.
        q(&queries == &samples ? x : to_exec(queries)),
        result("sums", queries.size()),
        n(std::int64_t(samples.size())),
        m(std::int64_t(queries.size())) {}
  const double* weights() const { return w.size() > 0 ? w.data() : nullptr; }
};

using Range64 = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;

}  // namespace parity::density
