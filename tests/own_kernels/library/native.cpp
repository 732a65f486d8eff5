// SPDX-License-Identifier: BSD-3-Clause
// A function that is compiled separately, on pointers.
#include <parity/openmp.hpp>

#include "dot.hpp"

double solver_dot(long n, const double* x, const double* y);

template <class T>
struct SolverDot : parity::openmp::Version<Dot, T> {
  const T *x = this->input(this->data.x), *y = this->input(this->data.y);
  T sum;
  void load() { sum = NAN; }
  void run(const Dot& p) { sum = solver_dot(long(p.n), x, y); }
  auto result() { return sum; }
};
PARITY_VERSION(SolverDot, "dot", first);
