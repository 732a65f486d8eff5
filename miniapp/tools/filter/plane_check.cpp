// SPDX-License-Identifier: BSD-3-Clause
#include "tools/filter/plane_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/error.hpp"
#include "tools/filter/masked_filter.hpp"

namespace parity::filter {
namespace {

constexpr double deviations = 8;  ///< of a correct projection
/// A step adds up to 64 times the largest value before it cancels; one with deferred scaling (DeferredScale)
/// temporarily holds values 2^31 times larger.
constexpr double largest_intermediate = 64 * 0x1p31;

std::int8_t sign(std::uint64_t seed, std::uint64_t k) {
  return diffusion::random_value(seed, k) < 0 ? -1 : 1;
}

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

Tile::Tile(const diffusion::Problem& plane, std::int64_t edge)
    : problem(plane), plane_nx(plane.nx), plane_ny(plane.ny) {
  // A step reads two points each way. The influence of N steps beyond 10 sqrt(N) points is below rounding.
  const auto reach =
      std::int64_t(std::ceil(std::min(2.0 * double(plane.steps), 10 * std::sqrt(double(plane.steps)))));
  const std::int64_t most =
      plane.nx * plane.ny <= edge * edge ? plane.nx * plane.ny : std::max(edge / 2, 8 * reach);
  for (std::int64_t* n : {&problem.nx, &problem.ny}) *n /= (*n + most - 1) / most;
  margin_x = problem.nx < plane_nx ? reach : 0;
  margin_y = problem.ny < plane_ny ? reach : 0;
}

std::vector<diffusion::Region> Tile::windows(std::int64_t ranks) const {
  const std::int64_t ny = problem.ny, nx = problem.nx, count = whole() ? 1 : (8 + ranks - 1) / ranks * ranks;
  std::vector<diffusion::Region> all;
  for (std::int64_t k = 0; k < count; ++k)
    all.push_back({ny < plane_ny ? (k * plane_ny / count - ny / 2 + plane_ny) % plane_ny : 0,
                   nx < plane_nx ? (3 * k % 8 * plane_nx / 8 - nx / 2 + plane_nx) % plane_nx : 0, ny, nx});
  return all;
}

template <class T>
std::vector<T> Tile::cut(const T* plane, const diffusion::Region& w) const {
  std::vector<T> points(std::size_t(w.cells()));
  const std::int64_t before_edge = std::min(w.columns, plane_nx - w.column);
  for (std::int64_t j = 0; j < w.rows; ++j) {
    const T* const row = plane + (w.row + j) % plane_ny * plane_nx;
    T* const to = std::copy_n(row + w.column, before_edge, points.data() + j * w.columns);
    std::copy_n(row, w.columns - before_edge, to);
  }
  return points;
}

template <class T>
double error_of(const Tile& tile, const diffusion::FourierFilter& exact,
                const diffusion::FourierFilter::Room* room, bool gaps, const std::vector<T>& input,
                const std::vector<T>& result, double scale) {
  std::vector<double> expected(input.size());
  if (gaps)
    expected = masked_solution(tile.problem, input.data());
  else
    exact.apply(input.data(), expected.data(), *room);
  double worst = 0;
#pragma omp parallel for reduction(max : worst) schedule(static)
  for (std::size_t at = 0; at < result.size(); ++at) {
    // Points missing in both count as equal; the check of every plane has already compared their positions.
    if (tile.in_margin(std::int64_t(at) / tile.problem.nx, std::int64_t(at) % tile.problem.nx) ||
        (gaps && std::isnan(expected[at]) && std::isnan(result[at])))
      continue;
    const double off = std::abs(double(result[at]) - expected[at]);
    worst = std::max(worst, off == off ? off : std::numeric_limits<double>::infinity());
  }
  return worst / at_least_normal<T>(scale);
}

template <class T>
PlaneCheck<T>::PlaneCheck(const Tile& tile, const diffusion::FourierFilter& exact, int threads)
    : tile_(tile), tolerance_(diffusion::tolerance(tile.problem.precision)), threads_(threads) {
  const diffusion::Problem& p = tile.problem;
  const auto n = std::size_t(p.points());
  const diffusion::FourierFilter::Room room(exact);
  std::vector<double> result(n);
  signs_.assign(n, 0);
  signs_[0] = 1;
  exact.apply(signs_.data(), result.data(), room);
  for (const double h : result) gain_ += std::abs(h);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < n; ++i)
    signs_[i] = tile.in_margin(std::int64_t(i) / p.nx, std::int64_t(i) % p.nx) ? 0 : sign(p.seed, i);
  const auto inside = std::count_if(signs_.begin(), signs_.end(), [](std::int8_t s) { return s != 0; });
  weighted_ = double(inside) * double(tile.plane_nx / p.nx) * double(tile.plane_ny / p.ny);
  exact.apply(signs_.data(), result.data(), room);
  image_.assign(result.begin(), result.end());
}

template <class T>
template <class Weight>
PlaneSums PlaneCheck<T>::sums(const T* plane, const Weight* weights) const {
  const std::int64_t nx = tile_.problem.nx, ny = tile_.problem.ny;
  double sum = 0, projection = 0, least = std::numeric_limits<double>::infinity(), most = -least;
  int finite = 1;
  // Each row has its own sum, so that rounding stays far below the tolerance on planes of any size.
#pragma omp parallel for reduction(+ : sum, projection) reduction(min : least, finite) reduction(max : most) \
    num_threads(threads_) schedule(static)
  for (std::int64_t row = 0; row < tile_.plane_ny; ++row) {
    // Tiles are shifted by half a tile, so that tiles cover the plane's edges and the seams between ranks.
    const std::int64_t j = (row + tile_.shift_y()) % tile_.plane_ny;
    const Weight* const weight_row = weights + j % ny * nx;
    double s = 0;
    T low = plane[row * tile_.plane_nx], high = low;
    T zeros = 0;  // becomes NaN at the first value that is not finite
    for (std::int64_t first = 0, count = 0; first < tile_.plane_nx; first += count) {
      const std::int64_t column = (first + tile_.shift_x()) % tile_.plane_nx;
      count = std::min({nx - column % nx, tile_.plane_nx - column, tile_.plane_nx - first});
      const T* const values = plane + row * tile_.plane_nx + first;
      const Weight* const weight = weight_row + column % nx;
      double r = 0;
#pragma omp simd reduction(+ : s, r, zeros) reduction(min : low) reduction(max : high)
      for (std::int64_t i = 0; i < count; ++i) {
        const T v = values[i];
        s += double(v);
        r += double(v) * double(weight[i]);
        zeros += v * T(0);
        low = std::min(low, v);
        high = std::max(high, v);
      }
      // The plane's remainder beyond its last whole tile has no weight.
      if (column / nx < tile_.plane_nx / nx && j / ny < tile_.plane_ny / ny)
        projection += r * sign(tile_.problem.seed + 1, std::uint64_t(j / ny * tile_.plane_nx + column / nx));
    }
    sum += s;
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
  const double scale = std::max(std::abs(in.least), std::abs(in.most)),
               n = double(tile_.plane_nx) * double(tile_.plane_ny);
  // Sums of finite values can overflow, in the input and in the result.
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
  const double off = std::abs(out.projection - in.projection) / std::sqrt(weighted_);
  if (!(off <= deviations * allowed))
    return fmt::format("a projection on random signs is off by {:.2g}, where {:.2g} is allowed", off,
                       deviations * allowed);
  return std::nullopt;
}

template class PlaneCheck<float>;
template class PlaneCheck<double>;
template std::vector<float> Tile::cut(const float*, const diffusion::Region&) const;
template std::vector<double> Tile::cut(const double*, const diffusion::Region&) const;
template double error_of(const Tile&, const diffusion::FourierFilter&, const diffusion::FourierFilter::Room*,
                         bool, const std::vector<float>&, const std::vector<float>&, double);
template double error_of(const Tile&, const diffusion::FourierFilter&, const diffusion::FourierFilter::Room*,
                         bool, const std::vector<double>&, const std::vector<double>&, double);

}  // namespace parity::filter
