// SPDX-License-Identifier: BSD-3-Clause
double solver_dot(long n, const double* x, const double* y) {
  double sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
  for (long i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}
