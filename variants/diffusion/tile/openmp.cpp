// SPDX-License-Identifier: BSD-3-Clause
// tile, OpenMP: one thread computes one tile; the tile and its Laplacian stay in a small buffer in cache.
#include "algorithm.hpp"
#include "backend/openmp/diffusion/field.hpp"
#include "backend/openmp/diffusion/rows.hpp"

namespace parity::diffusion::tile {
namespace {

using namespace parity::openmp;

template <class T>
class Tile : public FieldPair<T> {
 public:
  Tile(const Problem& p, const Tuning& t) : FieldPair<T>(p, p.halo), ty_(t[0]), tx_(t[1]) {}

  void advance() override {
    const Problem& p = this->p_;
    const std::int64_t nx = p.nx, ny = p.ny, pitch = this->pitch_, h = p.halo, ty = ty_, tx = tx_;
    const std::int64_t tiles_x = (nx + tx - 1) / tx, tiles_y = (ny + ty - 1) / ty;
    const T alpha = T(p.alpha);
#pragma omp parallel
    {
      std::vector<T> phi(std::size_t((ty + 4) * (tx + 4)), poison<T>),
          lap(std::size_t((ty + 2) * (tx + 2)), poison<T>);
      for (std::int64_t step = 0; step < p.steps; ++step) {
        this->update_halo_in_region();
        const T* const in = this->in_.data();
        T* const out = this->out_.data();
#pragma omp for schedule(static)
        for (std::int64_t tile = 0; tile < p.nz * tiles_y * tiles_x; ++tile) {
          const std::int64_t k = tile / (tiles_y * tiles_x), j0 = tile / tiles_x % tiles_y * ty,
                             i0 = tile % tiles_x * tx;
          const std::int64_t height = std::min(ty, ny - j0), width = std::min(tx, nx - i0);
          const std::int64_t corner = (k * this->rows_ + j0 + h - 2) * pitch + i0 + h - 2;
          for (std::int64_t r = 0; r < height + 4; ++r)
            std::copy(in + corner + r * pitch, in + corner + r * pitch + width + 4,
                      phi.data() + r * (tx + 4));
          for (std::int64_t r = 0; r < height + 2; ++r) {
            const T* const c = phi.data() + (r + 1) * (tx + 4) + 1;
            laplacian_row(c - (tx + 4), c, c + (tx + 4), lap.data() + r * (tx + 2), std::int64_t(0),
                          width + 2);
          }
          for (std::int64_t r = 0; r < height; ++r) {
            const T* const c = lap.data() + (r + 1) * (tx + 2) + 1;
            update_row(phi.data() + (r + 2) * (tx + 4) + 2, alpha, c - (tx + 2), c, c + (tx + 2),
                       out + corner + (r + 2) * pitch + 2, 0, width);
          }
        }
#pragma omp single
        swap(this->in_, this->out_);
      }
      this->update_halo_in_region();
    }
  }

 private:
  std::int64_t ty_, tx_;
};

}  // namespace

Entry openmp() {
  Entry e = algorithm();
  e.tunings = {"32x256", "16x128", "64x64", "32x1024"};
  e.tuning_axes = "rows x columns of a tile";
  e.model = [](const Problem& p) { return cost_per_step(p, 3, 2, two_stage_flops); };
  return with_factories<Tile>(e);
}

}  // namespace parity::diffusion::tile
