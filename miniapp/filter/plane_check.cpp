// SPDX-License-Identifier: BSD-3-Clause
#include "filter/plane_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/error.hpp"

namespace parity::filter {
namespace {

constexpr double deviations = 8;  ///< of a projection that is right
/// A step adds up to 64 times the largest value before it cancels; one whose scale is deferred
/// (DeferredScale) holds values of 2^31 times that size meanwhile.
constexpr double largest_intermediate = 64 * 0x1p31;

}  // namespace

void refuse_overflow(runtime::Precision precision, double scale, const std::string& where) {
  const bool single = precision == runtime::Precision::f32;
  if (scale * largest_intermediate <
      (single ? double(std::numeric_limits<float>::max()) : std::numeric_limits<double>::max()))
    return;
  throw runtime::UsageError(
      fmt::format("{}: values up to {:.2g} overflow {} in the filter; scale the field down{}", where, scale,
                  single ? "float" : "double", single ? " or save it as float64" : ""));
}

template <class T>
PlaneCheck<T>::PlaneCheck(const diffusion::Problem& p, const diffusion::FourierFilter& exact, int threads)
    : nx_(p.nx), ny_(p.ny), tolerance_(diffusion::tolerance(p.precision)), threads_(threads) {
  const auto n = std::size_t(nx_ * ny_);
  const diffusion::FourierFilter::Room room(exact);
  std::vector<double> result(n);
  signs_.assign(n, 0);
  signs_[0] = 1;
  exact.apply(signs_.data(), result.data(), room);
  for (const double h : result) gain_ += std::abs(h);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < n; ++i) signs_[i] = diffusion::random_value(p.seed, i) < 0 ? -1 : 1;
  exact.apply(signs_.data(), result.data(), room);
  image_.assign(result.begin(), result.end());
}

template <class T>
template <class Weight>
PlaneSums PlaneCheck<T>::sums(const T* plane, const Weight* weights) const {
  double sum = 0, projection = 0, least = std::numeric_limits<double>::infinity(), most = -least;
  int finite = 1;
  // Rows are added up apart, so that rounding stays far below the tolerance on planes of any size.
#pragma omp parallel for reduction(+ : sum, projection) reduction(min : least, finite) reduction(max : most) \
    num_threads(threads_) schedule(static)
  for (std::int64_t j = 0; j < ny_; ++j) {
    const T* const row = plane + j * nx_;
    const Weight* const weight = weights + j * nx_;
    double s = 0, r = 0;
    T low = row[0], high = row[0];
    T zeros = 0;  // becomes NaN with the first value that is not finite
#pragma omp simd reduction(+ : s, r, zeros) reduction(min : low) reduction(max : high)
    for (std::int64_t i = 0; i < nx_; ++i) {
      const T v = row[i];
      s += double(v);
      r += double(v) * double(weight[i]);
      zeros += v * T(0);
      low = std::min(low, v);
      high = std::max(high, v);
    }
    sum += s;
    projection += r;
    least = std::min(least, double(low));
    most = std::max(most, double(high));
    finite = std::min(finite, zeros == T(0) ? 1 : 0);
  }
  return {sum, projection, least, most, finite == 1};
}

template <class T>
PlaneSums PlaneCheck<T>::input(const T* plane) const {
  return sums(plane, image_.data());
}
template <class T>
PlaneSums PlaneCheck<T>::output(const T* plane) const {
  return sums(plane, signs_.data());
}

template <class T>
std::optional<std::string> PlaneCheck<T>::wrong(const PlaneSums& in, const PlaneSums& out,
                                                const std::string& where) const {
  const double scale = std::max(std::abs(in.least), std::abs(in.most)), n = double(nx_) * double(ny_);
  // Sums of values that are finite overflow too, of the input's as of the result's.
  const bool sums_are_finite = std::isfinite(in.sum) && std::isfinite(in.projection) &&
                               std::isfinite(out.sum) && std::isfinite(out.projection);
  if (!out.finite || !sums_are_finite)
    refuse_overflow(sizeof(T) == 4 ? runtime::Precision::f32 : runtime::Precision::f64, scale, where);
  if (!out.finite) return "values that are not finite";
  const double allowed = tolerance_ * at_least_normal<T>(scale);
  if (!(std::abs(out.sum - in.sum) <= n * allowed))
    return fmt::format("the mean changed from {:.9g} to {:.9g}", in.sum / n, out.sum / n);
  const double middle = 0.5 * in.least + 0.5 * in.most, reach = 0.5 * in.most - 0.5 * in.least;
  const double beyond = std::max(out.most - middle, middle - out.least) - gain_ * (1 + 1e-6) * reach;
  if (!(beyond <= allowed))
    return fmt::format("values from {:.9g} to {:.9g}, beyond what values from {:.9g} to {:.9g} can become",
                       out.least, out.most, in.least, in.most);
  const double off = std::abs(out.projection - in.projection) / std::sqrt(n);
  if (!(off <= deviations * allowed))
    return fmt::format("a projection on random signs is off by {:.2g}, where {:.2g} is allowed", off,
                       deviations * allowed);
  return std::nullopt;
}

template class PlaneCheck<float>;
template class PlaneCheck<double>;

}  // namespace parity::filter
