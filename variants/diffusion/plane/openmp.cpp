// SPDX-License-Identifier: BSD-3-Clause
// plane, OpenMP: one thread takes a plane through all steps while the plane stays in the core's cache. It
// updates in place: Laplacian rows run one chunk ahead of the updated rows in a small ring of rows.
#include "algorithm.hpp"
#include "backend/openmp/diffusion/field.hpp"
#include "backend/openmp/diffusion/rows.hpp"

namespace parity::diffusion::plane {
namespace {

using namespace parity::openmp;

template <class T>
class Plane : public FieldPair<T> {
 public:
  Plane(const Problem& p, const Tuning& t) : FieldPair<T>(p, 0), chunk_(t[0]) {}

  void advance() override {
    const Problem& p = this->p_;
    const std::int64_t nx = p.nx, ny = p.ny, chunk = std::min<std::int64_t>(chunk_, ny);
    const T alpha = T(p.alpha);
#pragma omp parallel
    {
      // Ghost columns at lead-1 and lead+nx make the wrap in x two stores a row; 'lead' keeps rows aligned.
      const std::int64_t lead = 64 / std::int64_t(sizeof(T)),
                         pitch = (nx + 2 * lead - 1) / lead * lead + lead;
      const std::int64_t ring = chunk + 2;
      Workspace<T> space(pitch * (ny + ring + 2));
      T* const field = space.data() + lead;
      T* const laps = field + ny * pitch;    // Laplacian row r lives in slot (r + 1) % ring
      T* const first = laps + ring * pitch;  // Laplacian of row 0 and of row ny-1, which the
      T* const last = first + pitch;         // periodic seam needs after those rows were updated
      // r in [j0-1, j0+chunk]; one remainder a chunk, because a 64-bit one costs as much as a dozen points.
      const auto slots_from = [=](std::int64_t j0) {
        return [=, base = j0 % ring](std::int64_t r) {
          const std::int64_t s = base + r - j0 + 1;
          return laps + (s < ring ? s : s - ring) * pitch;
        };
      };
      const auto close = [nx](T* row) {
        row[-1] = row[nx - 1];
        row[nx] = row[0];
      };
      const auto lap = [=](std::int64_t r, T* to) {
        laplacian_row(field + wrap(r - 1, ny) * pitch, field + r * pitch, field + wrap(r + 1, ny) * pitch, to,
                      std::int64_t(0), nx);
        close(to);
      };
      const auto copy = [=](const T* from, T* to) { std::copy(from - 1, from + nx + 1, to - 1); };
#pragma omp for schedule(static)
      for (std::int64_t k = 0; k < p.nz; ++k) {
        T* const plane = this->in_.data() + k * ny * nx;
        for (std::int64_t j = 0; j < ny; ++j) {
          std::copy(plane + j * nx, plane + (j + 1) * nx, field + j * pitch);
          close(field + j * pitch);
        }
        for (std::int64_t step = 0; step < p.steps; ++step) {
          lap(0, first);
          lap(ny - 1, last);
          copy(last, slots_from(0)(-1));
          copy(first, slots_from(0)(0));
          for (std::int64_t j0 = 0; j0 < ny; j0 += chunk) {
            const std::int64_t j1 = std::min(j0 + chunk, ny);
            const auto slot = slots_from(j0);
            for (std::int64_t r = j0 + 1; r <= j1; ++r) {
              if (r < ny - 1)
                lap(r, slot(r));
              else
                copy(r == ny ? first : last, slot(r));
            }
            for (std::int64_t j = j0; j < j1; ++j) {
              T* const row = field + j * pitch;
              update_row(row, alpha, slot(j - 1), slot(j), slot(j + 1), row, 0, nx);
              close(row);
            }
          }
        }
        for (std::int64_t j = 0; j < ny; ++j)
          std::copy(field + j * pitch, field + j * pitch + nx, plane + j * nx);
      }
    }
  }

 private:
  /// One thread's plane and rows; private to the thread, so they need no parallel first touch.
  template <class U>
  class Workspace {
   public:
    explicit Workspace(std::int64_t n) : values_(std::size_t(n) + 64 / sizeof(U), poison<U>) {
      data_ = values_.data();
      while (reinterpret_cast<std::uintptr_t>(data_) % 64 != 0) ++data_;
    }
    U* data() { return data_; }

   private:
    std::vector<U> values_;
    U* data_;
  };

  std::int64_t chunk_;
};

}  // namespace

Entry openmp() {
  Entry e = algorithm();
  e.tunings = {"16", "1", "2", "4", "8", "32"};
  e.tuning_axes = "rows a chunk";
  return with_factories<Plane>(e);
}

}  // namespace parity::diffusion::plane
