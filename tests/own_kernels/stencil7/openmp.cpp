// SPDX-License-Identifier: BSD-3-Clause
// Loops over planes, or over blocks of rows that fit in a cache.
#include <parity/openmp.hpp>

#include "stencil7.hpp"

namespace boxes {

template <class T, bool blocked>
struct Openmp7 : parity::openmp::Version<Stencil7, T> {
  const T* in = this->input(this->data.in);
  T* out = this->output(this->problem.points());
  void run(const Stencil7& p) {
    const auto from = p.box(in);
    const auto to = p.box(out);
    const int rows = blocked ? this->tuning[0] : p.ny;
#pragma omp parallel for collapse(2)
    for (int block = 0; block < p.ny; block += rows)
      for (int k = 0; k < p.nz; ++k)
        for (int j = block; j < block + rows; ++j)
          for (int i = 0; i < p.nx; ++i) to(k, j, i) = p.update(from, k, j, i);
  }
  auto result() { return out; }
  static std::optional<std::string> refuse(const Stencil7& p, const parity::Tuning& t) {
    if (blocked && p.ny % t[0] != 0) return "ny is no multiple of the rows of a block";
    return std::nullopt;
  }
};
template <class T>
using Openmp7First = Openmp7<T, false>;
template <class T>
using Openmp7Tuned = Openmp7<T, true>;
PARITY_VERSION(Openmp7First, "sweep", first);
PARITY_VERSION(Openmp7Tuned, "sweep", tuned).tunings("rows of a block", {"16", "48"});

}  // namespace boxes
