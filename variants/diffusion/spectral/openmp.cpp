// SPDX-License-Identifier: BSD-3-Clause
// spectral, OpenMP: a transform of each plane by FFTW, one multiplication, and back. One thread a plane.
#include <fftw3.h>
#include <omp.h>

#include <memory>
#include <new>
#include <type_traits>
#include <vector>

#include "algorithm.hpp"
#include "backend/openmp/diffusion/field.hpp"

namespace parity::diffusion::spectral {
namespace {

using namespace parity::openmp;

/// FFTW's functions of a precision. Plans are estimated, so that every run has the same bits.
template <class T>
struct Fftw;
template <>
struct Fftw<double> {
  using Complex = fftw_complex;
  using Plan = std::remove_pointer_t<fftw_plan>;
  static void destroy(Plan* p) { fftw_destroy_plan(p); }
  static double* allocate(std::size_t n) { return fftw_alloc_real(n); }
  static void free(double* values) { fftw_free(values); }
  static Plan* forward(int ny, int nx, double* in, Complex* out) {
    return fftw_plan_dft_r2c_2d(ny, nx, in, out, FFTW_ESTIMATE);
  }
  static Plan* back(int ny, int nx, Complex* in, double* out) {
    return fftw_plan_dft_c2r_2d(ny, nx, in, out, FFTW_ESTIMATE);
  }
  static void run(Plan* p, double* in, Complex* out) { fftw_execute_dft_r2c(p, in, out); }
  static void run(Plan* p, Complex* in, double* out) { fftw_execute_dft_c2r(p, in, out); }
};
#ifdef PARITY_HAS_FFTW_FLOAT
template <>
struct Fftw<float> {
  using Complex = fftwf_complex;
  using Plan = std::remove_pointer_t<fftwf_plan>;
  static void destroy(Plan* p) { fftwf_destroy_plan(p); }
  static float* allocate(std::size_t n) { return fftwf_alloc_real(n); }
  static void free(float* values) { fftwf_free(values); }
  static Plan* forward(int ny, int nx, float* in, Complex* out) {
    return fftwf_plan_dft_r2c_2d(ny, nx, in, out, FFTW_ESTIMATE);
  }
  static Plan* back(int ny, int nx, Complex* in, float* out) {
    return fftwf_plan_dft_c2r_2d(ny, nx, in, out, FFTW_ESTIMATE);
  }
  static void run(Plan* p, float* in, Complex* out) { fftwf_execute_dft_r2c(p, in, out); }
  static void run(Plan* p, Complex* in, float* out) { fftwf_execute_dft_c2r(p, in, out); }
};
#endif

template <class T>
class Spectral : public FieldPair<T> {
  using F = Fftw<T>;
  using Complex = typename F::Complex;

 public:
  Spectral(const Problem& p, const Tuning&) : FieldPair<T>(p, 0), row_(2 * (p.nx / 2 + 1)) {
    for (const double f : propagator(p)) factor_.push_back(T(f));
    for (int t = 0; t < omp_get_max_threads(); ++t) {
      rooms_.emplace_back(F::allocate(std::size_t(p.ny * row_)));
      if (!rooms_.back()) throw std::bad_alloc();
    }
    T* const any = rooms_.front().get();
    forward_.reset(F::forward(int(p.ny), int(p.nx), any, waves(any)));
    back_.reset(F::back(int(p.ny), int(p.nx), waves(any), any));
  }
  void load(const T* field) override {
    FieldPair<T>::load(field);
    for (const Room& room : rooms_) std::fill_n(room.get(), this->p_.ny * row_, poison<T>);
  }
  void advance() override {
    const std::int64_t nx = this->p_.nx, ny = this->p_.ny;
#pragma omp parallel
    {
      T* const room = rooms_[std::size_t(omp_get_thread_num())].get();
#pragma omp for schedule(static)
      for (std::int64_t k = 0; k < this->p_.nz; ++k) {
        T* const plane = this->in_.data() + k * ny * nx;
        for (std::int64_t j = 0; j < ny; ++j) std::copy_n(plane + j * nx, nx, room + j * row_);
        F::run(forward_.get(), room, waves(room));
        const T* const factor = factor_.data();
#pragma omp simd
        for (std::int64_t m = 0; m < ny * row_; ++m) room[m] *= factor[m / 2];
        F::run(back_.get(), waves(room), room);
        for (std::int64_t j = 0; j < ny; ++j) std::copy_n(room + j * row_, nx, plane + j * nx);
      }
    }
  }

 private:
  struct Free {
    void operator()(T* values) const { F::free(values); }
    void operator()(typename F::Plan* plan) const { F::destroy(plan); }
  };
  using Room = std::unique_ptr<T, Free>;
  static Complex* waves(T* room) { return reinterpret_cast<Complex*>(room); }

  std::int64_t row_;       ///< values of a row, of points or of modes
  std::vector<T> factor_;  ///< of a mode
  std::vector<Room> rooms_;
  std::unique_ptr<typename F::Plan, Free> forward_, back_;
};

}  // namespace

Entry openmp() {
  Entry e = algorithm();
  e.model = [](const Problem& p) { return cost_of_propagator(p, 1); };
  e.extra_bytes = [](const Problem& p) {
    return double(omp_get_max_threads() + 1) * double(p.ny) * double(p.nx + 2) *
           double(runtime::bytes_of(p.precision));
  };
  e.make_f64 = Entry::made<double, Spectral<double>>;
#ifdef PARITY_HAS_FFTW_FLOAT
  e.make_f32 = Entry::made<float, Spectral<float>>;
#else
  e.refuse += [](const Problem& p, const Tuning&) -> std::optional<std::string> {
    if (p.precision == Precision::f64) return std::nullopt;
    return "this build found FFTW in double only: install its single-precision library (fftw3f), or take "
           "--precision double";
  };
#endif
  return e;
}

}  // namespace parity::diffusion::spectral
