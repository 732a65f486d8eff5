// SPDX-License-Identifier: BSD-3-Clause
// diffusion/reference-loop: the filter as a newcomer would write it: one thread, one loop nest after the
// other. The baseline for "faster than a plain loop"; Parity verifies it like every other variant.
#include "diffusion/padded_copy.hpp"
#include "diffusion/stencil.hpp"
#include "diffusion/variant.hpp"

namespace parity::diffusion {
namespace {

template <class T>
class ReferenceLoop : public Variant<T> {
 public:
  ReferenceLoop(const Problem& p, const Tuning&)
      : p_(p), in_(std::size_t(p.padded_points())), out_(in_.size()), tmp_(in_.size()) {}

  void load(const T* field) override {
    scatter_interior(p_, p_.halo, p_.pitch(), field, in_.data());
    out_.assign(out_.size(), poison<T>);
    tmp_.assign(tmp_.size(), poison<T>);
  }
  void advance() override {
    for (std::int64_t step = 0; step < p_.steps; ++step) {
      update_halo(in_);
      laplacian_of(in_, tmp_, 1);
      laplacian_of(tmp_, out_, 0);
      const T alpha = T(p_.alpha);
      for (std::int64_t k = 0; k < p_.nz; ++k)
        for (std::int64_t j = p_.halo; j < p_.ny + p_.halo; ++j)
          for (std::int64_t i = p_.halo; i < p_.nx + p_.halo; ++i) {
            const std::size_t c = index(k, j, i);
            out_[c] = update(in_[c], alpha, out_[c]);
          }
      std::swap(in_, out_);
    }
    update_halo(in_);
  }
  void synchronise() override {}
  void store(T* padded) override { gather_padded(p_, p_.halo, p_.pitch(), in_.data(), p_.halo, padded); }
  void store_interior(T* field) override { extract_interior(p_, in_.data(), field); }

 private:
  std::size_t index(std::int64_t k, std::int64_t j, std::int64_t i) const {
    return std::size_t((k * p_.rows() + j) * p_.pitch() + i);
  }
  void update_halo(std::vector<T>& f) const {
    const std::int64_t h = p_.halo, nx = p_.nx, ny = p_.ny;
    for (std::int64_t k = 0; k < p_.nz; ++k) {
      for (std::int64_t r = 0; r < 2 * h; ++r) {
        const std::int64_t j = halo_coordinate(r, ny, h);
        for (std::int64_t i = h; i < nx + h; ++i)
          f[index(k, j, i)] = f[index(k, periodic_source(j, ny, h), i)];
      }
      for (std::int64_t j = 0; j < p_.rows(); ++j)
        for (std::int64_t c = 0; c < 2 * h; ++c) {
          const std::int64_t i = halo_coordinate(c, nx, h);
          f[index(k, j, i)] = f[index(k, j, periodic_source(i, nx, h))];
        }
    }
  }
  void laplacian_of(const std::vector<T>& from, std::vector<T>& to, std::int64_t ring) const {
    const std::int64_t h = p_.halo - ring;
    for (std::int64_t k = 0; k < p_.nz; ++k)
      for (std::int64_t j = h; j < p_.rows() - h; ++j)
        for (std::int64_t i = h; i < p_.pitch() - h; ++i)
          to[index(k, j, i)] =
              laplacian_at(from[index(k, j, i)], from[index(k, j, i - 1)], from[index(k, j, i + 1)],
                           from[index(k, j - 1, i)], from[index(k, j + 1, i)]);
  }

  Problem p_;
  std::vector<T> in_, out_, tmp_;
};

}  // namespace

Entry reference_loop() {
  Entry e;
  e.name = "reference-loop";
  e.family = Family::reference;
  e.summary = "plain loop nests on one thread";
  e.fields = 3;
  e.model = [](const Problem& p) { return cost_per_step(p, 0, 7, two_stage_flops); };
  return with_factories<ReferenceLoop>(e);
}

}  // namespace parity::diffusion
