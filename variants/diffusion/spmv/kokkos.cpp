// SPDX-License-Identifier: BSD-3-Clause
// spmv, Kokkos: computes one product of Kokkos Kernels per plane, with cuSPARSE if Kokkos Kernels was built
// with it. One product for all planes (a multivector) would save launches, but without Kokkos Kernels' own
// instantiations it takes minutes to compile.
#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#include <map>

#include "algorithm.hpp"
#include "backend/kokkos/diffusion/fields.hpp"

namespace parity::diffusion::spmv {
namespace {

/// A field that is one at a single point; a functor, because nvcc needs its execution space specifiers.
template <class T>
struct UnitImpulse {
  int dj, di;
  PARITY_INLINE T operator()(int j, int i) const { return j == dj && i == di ? T(1) : T(0); }
};

/// Weight of one of the 13 points, from the arithmetic that all kernels share: the response to a unit value.
template <class T>
T weight(T alpha, int dj, int di) {
  return update_at<T>(alpha, UnitImpulse<T>{dj, di});
}

template <class T>
struct Spmv {
  using Matrix = KokkosSparse::CrsMatrix<T, int, Exec, void, int>;
  using Plane = Kokkos::View<T*, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Fields<T> f;
  Matrix matrix;
  Spmv(const Problem& p, const Tuning&)
      : f(Fields<T>::periodic(p, /*own_instance=*/false)), matrix(plane_matrix(p)) {}
  int operator()() const {
    int from = 0;
    for (std::int64_t step = 0; step < f.p.steps; ++step, from = 1 - from)
      for (std::int64_t k = 0; k < f.p.nz; ++k)
        KokkosSparse::spmv("N", T(1), matrix, plane(from, k), T(0), plane(1 - from, k));
    return from;
  }

 private:
  Plane plane(int which, std::int64_t k) const {
    const std::int64_t points = f.p.nx * f.p.ny;
    return Plane(f[which].data() + k * points, std::size_t(points));
  }
  static Matrix plane_matrix(const Problem& p) {
    const int nx = int(p.nx), ny = int(p.ny), n = nx * ny;
    std::vector<std::pair<int, int>> offsets;
    for (int dj = -2; dj <= 2; ++dj)
      for (int di = -2; di <= 2; ++di)
        if (std::abs(dj) + std::abs(di) <= 2) offsets.emplace_back(dj, di);
    typename Matrix::row_map_type::non_const_type row_map("row map", std::size_t(n) + 1);
    const auto rows = Kokkos::create_mirror_view(row_map);
    std::vector<int> columns;
    std::vector<T> values;
    rows(0) = 0;
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) {
        // On planes of 2 or 3 points, different neighbours are the same point.
        std::map<int, T> row;
        for (const auto& [dj, di] : offsets)
          row[wrap(j + dj, ny) * nx + wrap(i + di, nx)] += weight(T(p.alpha), dj, di);
        for (const auto& [column, value] : row) {
          columns.push_back(column);
          values.push_back(value);
        }
        rows(std::size_t(j) * nx + i + 1) = int(columns.size());
      }
    typename Matrix::index_type::non_const_type entries("columns", columns.size());
    typename Matrix::values_type::non_const_type weights("values", values.size());
    using HostColumns = Kokkos::View<const int*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    using HostValues = Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Kokkos::deep_copy(row_map, rows);
    Kokkos::deep_copy(entries, HostColumns(columns.data(), columns.size()));
    Kokkos::deep_copy(weights, HostValues(values.data(), values.size()));
    return Matrix("parity::diffusion::operator", n, n, int(columns.size()), weights, row_map, entries);
  }
};

}  // namespace

Entry kokkos() { return with_run<Spmv>(algorithm()); }

}  // namespace parity::diffusion::spmv
