// SPDX-License-Identifier: BSD-3-Clause
#include "diffusion/reference.hpp"

#include <fftw3.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <new>

#include "diffusion/halo.hpp"
#include "diffusion/problem.hpp"

namespace parity::diffusion {
namespace {

/// The factor of N steps for each Fourier mode of a plane: (1 - alpha lambda^2)^N / (nx ny), for the half
/// plane (ny, nx/2 + 1) of modes of a real transform. The operator is linear and periodic with constant
/// coefficients, so modes do not mix.
std::vector<double> propagator(const Problem& p) {
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
  for (std::int64_t ky = 0; ky <= p.ny / 2; ++ky) {
    double* const row = factor.data() + ky * half;
    for (std::int64_t kx = 0; kx < half; ++kx) {
      // lambda = -4 (sin^2 + sin^2) avoids the cancellation of the sum of cosines for long waves.
      const long double lambda = -4 * (x[std::size_t(kx)] + y[std::size_t(ky)]),
                        decay = p.alpha * lambda * lambda;
      const long double magnitude =
          decay < 1 ? std::exp((long double)(p.steps) * std::log1p(-decay))
                    : std::pow(std::abs(1 - decay), (long double)(p.steps)) * (p.steps % 2 == 0 ? 1 : -1);
      row[kx] = double(magnitude / (long double)(p.nx * p.ny));
    }
    // The response is even in ky.
    if (ky > 0 && 2 * ky != p.ny) std::copy(row, row + half, factor.data() + (p.ny - ky) * half);
  }
  return factor;
}

/// Row length in values: real rows of an in-place transform have room for their modes.
std::int64_t row_of(std::int64_t nx) { return 2 * (nx / 2 + 1); }

}  // namespace

/// Plans for one row and for 'columns' adjacent columns, so that threads can divide a 2D transform.
struct FourierFilter::Plans {
  Plans(std::int64_t nx, std::int64_t ny, double* values) {
    auto* const waves = reinterpret_cast<fftw_complex*>(values);
    const int n = int(ny), half = int(nx / 2 + 1);
    rows_forward = fftw_plan_dft_r2c_1d(int(nx), values, waves, FFTW_ESTIMATE);
    rows_backward = fftw_plan_dft_c2r_1d(int(nx), waves, values, FFTW_ESTIMATE);
    const auto columns_plan = [&](int count, int sign) {
      return fftw_plan_many_dft(1, &n, count, waves, nullptr, half, 1, waves, nullptr, half, 1, sign,
                                FFTW_ESTIMATE);
    };
    columns = std::min(half, 16);
    rest = half % columns;
    for (const int sign : {FFTW_FORWARD, FFTW_BACKWARD}) {
      (sign == FFTW_FORWARD ? columns_forward : columns_backward) = columns_plan(columns, sign);
      if (rest > 0) (sign == FFTW_FORWARD ? rest_forward : rest_backward) = columns_plan(rest, sign);
    }
  }
  ~Plans() {
    for (const fftw_plan p :
         {rows_forward, rows_backward, columns_forward, columns_backward, rest_forward, rest_backward})
      if (p) fftw_destroy_plan(p);
  }
  Plans(const Plans&) = delete;
  Plans& operator=(const Plans&) = delete;

  fftw_plan rows_forward = nullptr, rows_backward = nullptr, columns_forward = nullptr,
            columns_backward = nullptr, rest_forward = nullptr, rest_backward = nullptr;
  int columns = 1, rest = 0;
};

FourierFilter::FourierFilter(const Problem& p) : nx_(p.nx), ny_(p.ny), factor_(propagator(p)) {
  const Room room(*this);
  plans_ = std::make_unique<Plans>(nx_, ny_, room.data());
}
FourierFilter::~FourierFilter() = default;
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
  const std::int64_t row = row_of(nx_), half = row / 2, columns = plans_->columns,
                     blocks = (half + columns - 1) / columns;
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (std::int64_t j = 0; j < ny_; ++j) {
      for (std::int64_t i = 0; i < nx_; ++i) values[j * row + i] = double(plane[j * nx_ + i]);
      fftw_execute_dft_r2c(plans_->rows_forward, values + j * row, waves + j * half);
    }
#pragma omp for schedule(static)
    for (std::int64_t b = 0; b < blocks; ++b) {
      const std::int64_t first = b * columns, count = std::min(columns, half - first);
      const bool whole = count == columns;
      fftw_execute_dft(whole ? plans_->columns_forward : plans_->rest_forward, waves + first, waves + first);
      for (std::int64_t j = 0; j < ny_; ++j)
        for (std::int64_t m = j * half + first; m < j * half + first + count; ++m) {
          waves[m][0] *= factor_[std::size_t(m)];
          waves[m][1] *= factor_[std::size_t(m)];
        }
      fftw_execute_dft(whole ? plans_->columns_backward : plans_->rest_backward, waves + first,
                       waves + first);
    }
#pragma omp for schedule(static)
    for (std::int64_t j = 0; j < ny_; ++j) {
      fftw_execute_dft_c2r(plans_->rows_backward, waves + j * half, values + j * row);
      std::copy(values + j * row, values + j * row + nx_, result + j * nx_);
    }
  }
}
template void FourierFilter::apply<float>(const float*, double*, const Room&) const;
template void FourierFilter::apply<std::int8_t>(const std::int8_t*, double*, const Room&) const;
template void FourierFilter::apply<double>(const double*, double*, const Room&) const;

namespace {
/// True if each thread transforms whole planes; false if all threads share each plane, because there are few.
bool takes_planes(const Problem& p) { return p.nz >= omp_get_max_threads(); }
}  // namespace

double fourier_solution_bytes(const Problem& p) {
  return FourierFilter::bytes(p) +
         (takes_planes(p) ? double(omp_get_max_threads()) : 1.0) * FourierFilter::room_bytes(p);
}

template <class T>
std::vector<double> fourier_solution(const Problem& p, const T* field) {
  const FourierFilter filter(p);
  const std::int64_t plane = p.nx * p.ny;
  std::vector<double> result(std::size_t(p.points()));
#pragma omp parallel if (takes_planes(p))
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

/// Largest deviation of a padded result from 'expected' (interior), divided by the largest input value.
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
                        const T* padded, double gate) {
  return {relative_error(p, field, expected.data(), padded), gate, "exact Fourier modes (FFTW)"};
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
                                        const float*, double);
template harness::Verdict verify<double>(const Problem&, const double*, const std::vector<double>&,
                                         const double*, double);

}  // namespace parity::diffusion
