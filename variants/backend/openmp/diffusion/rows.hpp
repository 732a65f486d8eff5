// SPDX-License-Identifier: BSD-3-Clause
// Row loops, explicitly vectorised. They only apply the shared arithmetic along x.
#pragma once
#include <cstdint>

#include "diffusion/stencil.hpp"

namespace parity::openmp {

/// out[i] = Laplacian of the middle row, i in [first, last). Reads one point beyond on both sides.
template <class T>
inline void laplacian_row(const T* __restrict__ south, const T* __restrict__ centre,
                          const T* __restrict__ north, T* __restrict__ out, std::int64_t first,
                          std::int64_t last) {
#pragma omp simd
  for (std::int64_t i = first; i < last; ++i)
    out[i] = diffusion::laplacian_at(centre[i], centre[i - 1], centre[i + 1], south[i], north[i]);
}

/// out[i] = in[i] - alpha Lap(lap)[i], i in [first, last). in and out may be the same row.
template <class T>
inline void update_row(const T* in, T alpha, const T* __restrict__ south, const T* __restrict__ centre,
                       const T* __restrict__ north, T* out, std::int64_t first, std::int64_t last) {
#pragma omp simd
  for (std::int64_t i = first; i < last; ++i)
    out[i] = diffusion::update(
        in[i], alpha, diffusion::laplacian_at(centre[i], centre[i - 1], centre[i + 1], south[i], north[i]));
}

}  // namespace parity::openmp
