// SPDX-License-Identifier: BSD-3-Clause
#include "diffusion/reference.hpp"

#include <fftw3.h>

#include <cmath>
#include <memory>

#include "diffusion/halo.hpp"

namespace parity::diffusion {
namespace {

struct FftwFree {
  void operator()(void* p) const { fftw_free(p); }
};
template <class X>
using FftwArray = std::unique_ptr<X[], FftwFree>;
template <class X>
FftwArray<X> fftw_array(std::size_t n) {
  return FftwArray<X>(static_cast<X*>(fftw_malloc(n * sizeof(X))));
}

/// (1 - alpha lambda^2)^N / (nx ny) for the half plane of modes that a real transform keeps.
std::vector<double> multipliers(const Problem& p) {
  const std::int64_t half = p.nx / 2 + 1;
  std::vector<double> factor(std::size_t(p.ny * half));
  const auto sine2 = [](std::int64_t k, std::int64_t n) {
    const long double s =
        std::sin(3.141592653589793238462643383279502884L * (long double)(k) / (long double)(n));
    return s * s;
  };
#pragma omp parallel for
  for (std::int64_t ky = 0; ky < p.ny; ++ky)
    for (std::int64_t kx = 0; kx < half; ++kx) {
      // lambda = -4 (sin^2 + sin^2) has no cancellation at the long waves, unlike the sum of cosines.
      const long double lambda = -4 * (sine2(kx, p.nx) + sine2(ky, p.ny)), decay = p.alpha * lambda * lambda;
      const long double magnitude =
          decay < 1 ? std::exp((long double)(p.steps) * std::log1p(-decay))
                    : std::pow(std::abs(1 - decay), (long double)(p.steps)) * (p.steps % 2 == 0 ? 1 : -1);
      factor[std::size_t(ky * half + kx)] = double(magnitude / (long double)(p.nx * p.ny));
    }
  return factor;
}

}  // namespace

template <class T>
std::vector<double> fourier_solution(const Problem& p, const T* field) {
  const std::int64_t plane = p.nx * p.ny, modes = p.ny * (p.nx / 2 + 1);
  const std::vector<double> factor = multipliers(p);
  std::vector<double> result(std::size_t(p.points()));
  auto real = fftw_array<double>(std::size_t(plane));
  auto wave = fftw_array<fftw_complex>(std::size_t(modes));
  const fftw_plan forward =
      fftw_plan_dft_r2c_2d(int(p.ny), int(p.nx), real.get(), wave.get(), FFTW_ESTIMATE | FFTW_DESTROY_INPUT);
  const fftw_plan backward =
      fftw_plan_dft_c2r_2d(int(p.ny), int(p.nx), wave.get(), real.get(), FFTW_ESTIMATE | FFTW_DESTROY_INPUT);
#pragma omp parallel
  {
    auto r = fftw_array<double>(std::size_t(plane));
    auto w = fftw_array<fftw_complex>(std::size_t(modes));
#pragma omp for
    for (std::int64_t k = 0; k < p.nz; ++k) {
      for (std::int64_t i = 0; i < plane; ++i) r[i] = double(field[k * plane + i]);
      fftw_execute_dft_r2c(forward, r.get(), w.get());
      for (std::int64_t m = 0; m < modes; ++m) {
        w[m][0] *= factor[std::size_t(m)];
        w[m][1] *= factor[std::size_t(m)];
      }
      fftw_execute_dft_c2r(backward, w.get(), r.get());
      for (std::int64_t i = 0; i < plane; ++i) result[std::size_t(k * plane + i)] = r[i];
    }
  }
  fftw_destroy_plan(forward);
  fftw_destroy_plan(backward);
  return result;
}

template <class T>
std::vector<double> long_double_solution(const Problem& p, const T* field) {
  const std::int64_t nx = p.nx, ny = p.ny;
  std::vector<long double> phi(field, field + p.points()), lap(phi.size());
  const auto at = [&](const std::vector<long double>& f, std::int64_t k, std::int64_t j, std::int64_t i) {
    return f[std::size_t((k * ny + (j + ny) % ny) * nx + (i + nx) % nx)];
  };
  const auto laplacian_at = [&](const std::vector<long double>& f, std::int64_t k, std::int64_t j,
                                std::int64_t i) {
    return at(f, k, j, i - 1) + at(f, k, j, i + 1) + at(f, k, j - 1, i) + at(f, k, j + 1, i) -
           4 * at(f, k, j, i);
  };
  for (std::int64_t step = 0; step < p.steps; ++step) {
    for (std::int64_t n = 0; n < p.points(); ++n)
      lap[std::size_t(n)] = laplacian_at(phi, n / (nx * ny), n / nx % ny, n % nx);
    for (std::int64_t n = 0; n < p.points(); ++n)
      phi[std::size_t(n)] -= (long double)(p.alpha) * laplacian_at(lap, n / (nx * ny), n / nx % ny, n % nx);
  }
  return std::vector<double>(phi.begin(), phi.end());
}

double tolerance(Precision precision) { return precision == Precision::f32 ? 2e-5 : 1e-13; }

namespace {

/// Largest deviation of a padded result from 'expected' (interior), over the largest value of the input.
template <class T, class Expected>
double relative_error(const Problem& p, const T* field, const Expected* expected, const T* padded) {
  double scale = 0, worst = 0;
#pragma omp parallel for reduction(max : scale)
  for (std::int64_t i = 0; i < p.points(); ++i) scale = std::max(scale, std::abs(double(field[i])));
#pragma omp parallel for reduction(max : worst)
  for (std::int64_t row = 0; row < p.nz * p.rows(); ++row) {
    const std::int64_t k = row / p.rows(), j = wrap(row % p.rows() - p.halo, p.ny);
    for (std::int64_t i = 0; i < p.pitch(); ++i) {
      const double want = double(expected[(k * p.ny + j) * p.nx + wrap(i - p.halo, p.nx)]);
      const double deviation = std::abs(double(padded[row * p.pitch() + i]) - want);
      worst = std::max(worst, deviation == deviation ? deviation : std::numeric_limits<double>::infinity());
    }
  }
  return scale > 0 ? worst / scale : worst;
}

}  // namespace

template <class T>
harness::Verdict verify(const Problem& p, const T* field, const std::vector<double>& expected,
                        const T* padded) {
  return {relative_error(p, field, expected.data(), padded), tolerance(p.precision),
          "exact Fourier modes (FFTW)"};
}

template <class T>
harness::Verdict verify_unchanged(const Problem& p, const T* field, const T* padded) {
  return {relative_error(p, field, field, padded), 0, "the input itself"};
}

template harness::Verdict verify_unchanged<float>(const Problem&, const float*, const float*);
template harness::Verdict verify_unchanged<double>(const Problem&, const double*, const double*);
template std::vector<double> fourier_solution<float>(const Problem&, const float*);
template std::vector<double> fourier_solution<double>(const Problem&, const double*);
template std::vector<double> long_double_solution<float>(const Problem&, const float*);
template std::vector<double> long_double_solution<double>(const Problem&, const double*);
template harness::Verdict verify<float>(const Problem&, const float*, const std::vector<double>&,
                                        const float*);
template harness::Verdict verify<double>(const Problem&, const double*, const std::vector<double>&,
                                         const double*);

}  // namespace parity::diffusion
