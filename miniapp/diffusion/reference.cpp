// SPDX-License-Identifier: BSD-3-Clause
#include "diffusion/reference.hpp"

#include <fftw3.h>

#include <algorithm>
#include <cmath>
#include <new>

#include "diffusion/halo.hpp"

namespace parity::diffusion {
namespace {

/// (1 - alpha lambda^2)^N / (nx ny) for the half plane of modes that a real transform keeps.
std::vector<double> multipliers(const Problem& p) {
  const std::int64_t half = p.nx / 2 + 1;
  std::vector<double> factor(std::size_t(p.ny * half));
  const auto sines2 = [](std::int64_t n, std::int64_t modes) {
    std::vector<long double> all(static_cast<std::size_t>(modes));
    for (std::int64_t k = 0; k < modes; ++k) {
      const long double s =
          std::sin(3.141592653589793238462643383279502884L * (long double)(k) / (long double)(n));
      all[std::size_t(k)] = s * s;
    }
    return all;
  };
  const std::vector<long double> x = sines2(p.nx, half), y = sines2(p.ny, p.ny);
#pragma omp parallel for
  for (std::int64_t ky = 0; ky < p.ny; ++ky)
    for (std::int64_t kx = 0; kx < half; ++kx) {
      // lambda = -4 (sin^2 + sin^2) has no cancellation at the long waves, unlike the sum of cosines.
      const long double lambda = -4 * (x[std::size_t(kx)] + y[std::size_t(ky)]),
                        decay = p.alpha * lambda * lambda;
      const long double magnitude =
          decay < 1 ? std::exp((long double)(p.steps) * std::log1p(-decay))
                    : std::pow(std::abs(1 - decay), (long double)(p.steps)) * (p.steps % 2 == 0 ? 1 : -1);
      factor[std::size_t(ky * half + kx)] = double(magnitude / (long double)(p.nx * p.ny));
    }
  return factor;
}

/// Real rows of an in-place transform have room for their modes.
std::int64_t row_of(std::int64_t nx) { return 2 * (nx / 2 + 1); }

}  // namespace

struct FourierFilter::Plans {
  fftw_plan forward, backward;
};

FourierFilter::FourierFilter(const Problem& p)
    : nx_(p.nx), ny_(p.ny), factor_(multipliers(p)), plans_(std::make_unique<Plans>()) {
  const Room room(*this);
  auto* const waves = reinterpret_cast<fftw_complex*>(room.data());
  plans_->forward = fftw_plan_dft_r2c_2d(int(ny_), int(nx_), room.data(), waves, FFTW_ESTIMATE);
  plans_->backward = fftw_plan_dft_c2r_2d(int(ny_), int(nx_), waves, room.data(), FFTW_ESTIMATE);
}
FourierFilter::~FourierFilter() {
  fftw_destroy_plan(plans_->forward);
  fftw_destroy_plan(plans_->backward);
}
FourierFilter::Room::Room(const FourierFilter& f)
    : values_(static_cast<double*>(fftw_malloc(std::size_t(f.ny_ * row_of(f.nx_)) * sizeof(double)))) {
  if (!values_) throw std::bad_alloc();
}
FourierFilter::Room::~Room() { fftw_free(values_); }
double FourierFilter::bytes(const Problem& p) { return 8.0 * double(p.ny) * double(p.nx / 2 + 1); }
double FourierFilter::room_bytes(const Problem& p) { return 2 * bytes(p); }

template <class T>
void FourierFilter::apply(const T* plane, double* result, const Room& room) const {
  double* const values = room.data();
  auto* const waves = reinterpret_cast<fftw_complex*>(values);
  const std::int64_t row = row_of(nx_);
  for (std::int64_t j = 0; j < ny_; ++j)
    for (std::int64_t i = 0; i < nx_; ++i) values[j * row + i] = double(plane[j * nx_ + i]);
  fftw_execute_dft_r2c(plans_->forward, values, waves);
  for (std::size_t m = 0; m < factor_.size(); ++m) {
    waves[m][0] *= factor_[m];
    waves[m][1] *= factor_[m];
  }
  fftw_execute_dft_c2r(plans_->backward, waves, values);
  for (std::int64_t j = 0; j < ny_; ++j)
    std::copy(values + j * row, values + j * row + nx_, result + j * nx_);
}
template void FourierFilter::apply<float>(const float*, double*, const Room&) const;
template void FourierFilter::apply<std::int8_t>(const std::int8_t*, double*, const Room&) const;
template void FourierFilter::apply<double>(const double*, double*, const Room&) const;

template <class T>
std::vector<double> fourier_solution(const Problem& p, const T* field) {
  const FourierFilter filter(p);
  const std::int64_t plane = p.nx * p.ny;
  std::vector<double> result(std::size_t(p.points()));
#pragma omp parallel
  {
    const FourierFilter::Room room(filter);
#pragma omp for
    for (std::int64_t k = 0; k < p.nz; ++k) filter.apply(field + k * plane, result.data() + k * plane, room);
  }
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
