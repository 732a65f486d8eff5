// SPDX-License-Identifier: BSD-3-Clause
// The fast Gauss transform in portable kernels: samples into moments of their boxes, moments into Taylor
// series of the neighbouring boxes, series evaluated at the queries. No sort; O(n terms).
//
// On a GPU, one thread per term adds a sample's moments in fixed point, so that the result does not depend on
// the order. On a host, every thread has its own moments, which are added in order.
#pragma once
#include <utility>

#include "backend/kokkos/kde/samples.hpp"
#include "kde/expansion.hpp"
#include "runtime/messages.hpp"

namespace parity::kde {

/// Weighted samples and queries in memory of the execution space. If weights is null, all weights are 1.
template <class T>
struct TransformData {
  const T* samples;
  const T* weights;
  std::int64_t n;
  double total_weight;
  const T* queries;
  std::int64_t m;
};

/// A sample's or query's box and its coordinate there, in [-1, 1].
struct BoxPlace {
  std::int64_t box;
  double t;
};
struct BoxOf {
  double lower, inverse_width;
  std::int64_t boxes;
  PARITY_INLINE BoxPlace operator()(double x) const {
    const double at = (x - lower) * inverse_width;
    std::int64_t box = std::int64_t(at);
    // The outermost sample may round up to the end; queries may lie outside.
    box = box < 0 ? 0 : box < boxes ? box : boxes - 1;
    return {box, 2 * (at - double(box)) - 1};
  }
};

/// The summation of moments. plain: on a host in double, with one partial sum per copy. exact: in fixed point
/// everywhere, independent of the order and of the number of threads. of_all_ranks: the same over all ranks'
/// samples, also independent of the number of ranks.
enum class Moments { plain, exact, of_all_ranks };

/// density[i] = norm sum_j w_j exp(-(q_i - x_j)^2 / (2 h^2)) for queries inside the boxes; queries outside
/// all boxes get 0.
template <class T, int P>
class GaussTransform {
 public:
  GaussTransform(const Exec& exec, const TransformPlan& plan, double h, Moments how = Moments::plain)
      : exec_(exec),
        how_(how),
        // With few boxes many threads of a GPU would contend for the same sums.
        copies_(compat::exec_is_device() ? std::clamp<std::int64_t>(65536 / plan.boxes, 1, 64)
                                         : compat::concurrency(exec)),
        moments_("moments", std::size_t(plan.boxes * P)),
        local_("local series", std::size_t(plan.boxes * P)),
        table_("translations", std::size_t(2 * plan.reach + 1) * P * P),
        host_table_(Kokkos::create_mirror_view(table_)) {
    if (compat::exec_is_device())
      fixed_ = Array<compat::AtomicSum>("fixed-point moments", std::size_t(copies_ * plan.boxes * P));
    else if (how == Moments::plain)
      own_ = Array<double>("moments of each thread", std::size_t(copies_ * plan.boxes * P));
    else
      low_ = Array<std::int64_t>("fixed-point moments, rest", std::size_t(copies_ * plan.boxes * P));
    if (how == Moments::of_all_ranks || (how == Moments::exact && !compat::exec_is_device()))
      high_ = Array<std::int64_t>("fixed-point moments",
                                  std::size_t((compat::exec_is_device() ? 1 : copies_) * plan.boxes * P));
    place(plan, h);
  }
  std::int64_t boxes() const { return plan_.boxes; }

  /// Moves the boxes and recomputes the tables. 'plan' must have the same accuracy and number of boxes.
  void place(const TransformPlan& plan, double h) {
    plan_ = plan;
    box_of_ = {plan.lower, 1 / plan.width, plan.boxes};
    for (int d = -plan.reach; d <= plan.reach; ++d) {
      const auto a = translation(P, plan.half_width, d * plan.width / h);
      std::copy(a.begin(), a.end(), host_table_.data() + std::size_t(d + plan.reach) * P * P);
    }
    Kokkos::deep_copy(exec_, table_, host_table_);
  }

  /// Enqueues everything on the instance; may return before it is done.
  void run(const TransformData<T>& data, T* density, double norm) const {
    prepare(data);
    evaluate(data, density, norm);
  }
  /// Computes the series of all boxes.
  void prepare(const TransformData<T>& data) const {
    collect(data);
    // With weights, a box of samples of weight 0 still needs its series for the queries.
    translate(data.queries == data.samples && !data.weights);
  }

  // Public because nvcc requires it of functions that contain device lambdas.
  void collect(const TransformData<T>& d) const {
    const BoxOf box_of = box_of_;
    const T *const samples = d.samples, *const weights = d.weights;
    double* const moments = moments_.data();
    const std::int64_t n = d.n, values = plan_.boxes * P, copies = copies_;
    if (compat::exec_is_device()) {
      Kokkos::deep_copy(exec_, fixed_, compat::AtomicSum(0));
      compat::AtomicSum* const fixed = fixed_.data();
      const double unit = fixed_unit(d.total_weight);
      Kokkos::parallel_for(
          "parity::kde::moments", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec_, 0, n * P),
          KOKKOS_LAMBDA(std::int64_t i) {
            const std::int64_t j = i / P;
            const int k = int(i - j * P);
            const BoxPlace at = box_of(double(samples[j]));
            double power = weights ? double(weights[j]) : 1.0, square = at.t;
            for (int bits = k; bits > 0; bits >>= 1, square *= square)
              if (bits & 1) power *= square;
            Kokkos::atomic_add(&fixed[(j / 64 % copies) * values + at.box * P + k],
                               static_cast<compat::AtomicSum>(static_cast<std::int64_t>(rint(power * unit))));
          });
      std::int64_t* const high = how_ == Moments::of_all_ranks ? high_.data() : nullptr;
      Kokkos::parallel_for(
          "parity::kde::moments_to_double",
          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec_, 0, values),
          KOKKOS_LAMBDA(std::int64_t i) {
            compat::AtomicSum sum = 0;
            for (std::int64_t c = 0; c < copies; ++c) sum += fixed[c * values + i];
            if (high)
              high[i] = static_cast<std::int64_t>(sum);
            else
              moments[i] = double(static_cast<std::int64_t>(sum)) / unit;
          });
      if (!high) return;
      add_over_ranks(high_, values);
      Kokkos::parallel_for(
          "parity::kde::moments_of_all_ranks",
          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec_, 0, values),
          KOKKOS_LAMBDA(std::int64_t i) { moments[i] = double(high[i]) / unit; });
    } else if (how_ != Moments::plain) {
      collect_exactly(d);
    } else {
      double* const own = own_.data();
      Kokkos::parallel_for(
          "parity::kde::moments",
          Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Static>>(exec_, 0, copies),
          KOKKOS_LAMBDA(int c) {
            double* const mine = own + c * values;
            for (std::int64_t i = 0; i < values; ++i) mine[i] = 0;
            for (std::int64_t j = n * c / copies; j < n * (c + 1) / copies; ++j) {
              const BoxPlace at = box_of(double(samples[j]));
              double* const m = mine + at.box * P;
              double power = weights ? double(weights[j]) : 1.0;
              for (int k = 0; k < P; ++k, power *= at.t) m[k] += power;
            }
          });
      Kokkos::parallel_for(
          "parity::kde::add_moments",
          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec_, 0, values),
          KOKKOS_LAMBDA(std::int64_t i) {
            double sum = 0;
            for (std::int64_t c = 0; c < copies; ++c) sum += own[c * values + i];
            moments[i] = sum;
          });
    }
  }

  /// On a host: adds in units of 2^-61 of the total weight, and the remainders in units of 2^-91.
  void collect_exactly(const TransformData<T>& d) const {
    const BoxOf box_of = box_of_;
    const T *const samples = d.samples, *const weights = d.weights;
    double* const moments = moments_.data();
    std::int64_t *const high = high_.data(), *const low = low_.data();
    const std::int64_t n = d.n, values = plan_.boxes * P, copies = copies_;
    const double unit = fixed_unit(d.total_weight), finer = 1073741824.0;
    Kokkos::parallel_for(
        "parity::kde::exact_moments",
        Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Static>>(exec_, 0, copies), KOKKOS_LAMBDA(int c) {
          for (std::int64_t i = c * values; i < (c + 1) * values; ++i) high[i] = low[i] = 0;
          for (std::int64_t j = n * c / copies; j < n * (c + 1) / copies; ++j) {
            const BoxPlace at = box_of(double(samples[j]));
            const std::int64_t first = c * values + at.box * P;
            double power = (weights ? double(weights[j]) : 1.0) * unit;
            for (int k = 0; k < P; ++k, power *= at.t) {
              const double coarse = rint(power);
              high[first + k] += static_cast<std::int64_t>(coarse);
              low[first + k] += static_cast<std::int64_t>(rint((power - coarse) * finer));
            }
          }
        });
    Kokkos::parallel_for(
        "parity::kde::add_exact_moments",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec_, 0, values),
        KOKKOS_LAMBDA(std::int64_t i) {
          for (std::int64_t c = 1; c < copies; ++c) {
            high[i] += high[c * values + i];
            low[i] += low[c * values + i];
          }
        });
    if (how_ == Moments::of_all_ranks) {
      add_over_ranks(high_, values);
      add_over_ranks(low_, values);
    }
    Kokkos::parallel_for(
        "parity::kde::moments_of_all",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec_, 0, values),
        KOKKOS_LAMBDA(std::int64_t i) { moments[i] = (double(high[i]) + double(low[i]) / finer) / unit; });
  }

  /// Boxes without samples need no series if the queries are the samples (at_samples).
  void translate(bool at_samples) const {
    const double *const moments = moments_.data(), *const table = table_.data();
    double* const local = local_.data();
    const int reach = plan_.reach;
    const std::int64_t boxes = plan_.boxes;
    constexpr int coefficients = compat::exec_is_device() ? 1 : P;  // per index
    Kokkos::parallel_for(
        "parity::kde::translate",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec_, 0, boxes * (P / coefficients)),
        KOKKOS_LAMBDA(std::int64_t i) {
          const std::int64_t to = i * coefficients / P;
          const int first = int(i * coefficients - to * P);
          if (at_samples && moments[to * P] == 0) return;
          double series[coefficients];
          for (int k = 0; k < coefficients; ++k) series[k] = 0;
          const std::int64_t begin = to - reach > 0 ? to - reach : 0,
                             end = to + reach < boxes ? to + reach + 1 : boxes;
          for (std::int64_t from = begin; from < end; ++from) {
            const double* const m = moments + from * P;
            if (m[0] == 0) continue;
            const double* const a = table + ((to - from + reach) * P + first) * P;
            for (int k = 0; k < coefficients; ++k) {
              double sum = 0;
              PARITY_UNROLL
              for (int l = 0; l < P; ++l) sum = multiply_add(a[k * P + l], m[l], sum);
              series[k] += sum;
            }
          }
          for (int k = 0; k < coefficients; ++k) local[to * P + first + k] = series[k];
        });
  }

  void evaluate(const TransformData<T>& d, T* density, double norm) const {
    const BoxOf box_of = box_of_;
    const T* const queries = d.queries;
    const double* const local = local_.data();
    Kokkos::parallel_for(
        "parity::kde::evaluate", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec_, 0, d.m),
        KOKKOS_LAMBDA(std::int64_t i) {
          const BoxPlace at = box_of(double(queries[i]));
          const double* const l = local + at.box * P;
          double sum = l[P - 1];
          PARITY_UNROLL
          for (int k = P - 2; k >= 0; --k) sum = multiply_add(sum, at.t, l[k]);
          // Outside all boxes the series is not valid.
          density[i] = T(at.t >= -1.0000001 && at.t <= 1.0000001 ? sum * norm : 0.0);
        });
  }

 private:
  /// A power of two as scale factor, with which no sum of this total weight exceeds 2^61.
  static double fixed_unit(double total_weight) {
    return std::exp2(std::floor(61 - std::log2(total_weight)));
  }
  /// Adds the first 'values' sums over all ranks, through host memory.
  void add_over_ranks(const Array<std::int64_t>& sums, std::int64_t values) const {
    const auto some = Kokkos::subview(sums, std::make_pair(std::int64_t(0), values));
    const auto host = Kokkos::create_mirror_view(some);
    exec_.fence();
    Kokkos::deep_copy(host, some);
    runtime::add_over_ranks(host.data(), values);
    Kokkos::deep_copy(some, host);
  }

  Exec exec_;
  Moments how_;
  TransformPlan plan_ = {};
  BoxOf box_of_ = {};
  std::int64_t copies_;
  Array<double> moments_, local_, table_;
  /// By decltype, because Kokkos 5.0 renamed this type.
  decltype(Kokkos::create_mirror_view(std::declval<const Array<double>&>())) host_table_;
  Array<double> own_;
  Array<compat::AtomicSum> fixed_;
  Array<std::int64_t> high_, low_;
};

/// Bytes of the transform's arrays, without samples.
inline double transform_bytes(const TransformPlan& p, double copies) {
  return double(p.boxes) * p.terms * 8 * (2 + copies);
}

}  // namespace parity::kde
