// SPDX-License-Identifier: BSD-3-Clause
// The fast Gauss transform of the study's samples, in one process or shared by ranks.
#pragma once
#include <memory>

#include "backend/kokkos/kde/ends.hpp"
#include "backend/kokkos/kde/transform.hpp"
#include "kde/shared_samples.hpp"
#include "runtime/text.hpp"

namespace parity::kde {

/// The timing covers everything from samples to densities: their ends, the boxes, the tables, the series.
/// how: of_all_ranks if ranks share the samples.
template <class T, Moments how>
struct Transform {
  static constexpr bool shared = how == Moments::of_all_ranks;
  Samples<T> s;
  TransformAccuracy accuracy;
  double all, norm;  ///< number of samples of all ranks; factor from their sums to densities
  std::unique_ptr<GaussTransform<T, 4>> small;
  std::unique_ptr<GaussTransform<T, 8>> middle;
  std::unique_ptr<GaussTransform<T, 12>> large;
  Transform(const Problem& p, const Tuning&)
      : s(shared ? own_part(p) : p), accuracy(p.tolerance), all(double(p.n)), norm(p.norm()) {}
  void operator()() {
    const auto ends = ends_of(s);
    double least = double(ends.min_val), most = double(ends.max_val);
    if (shared) {
      least = runtime::smallest(least);
      most = runtime::largest(most);
    }
    const TransformPlan plan = plan_transform(accuracy, least, most, s.p.bandwidth);
    if (plan.terms == 4) return transform(plan, small);
    if (plan.terms == 8) return transform(plan, middle);
    transform(plan, large);
  }
  template <int P>
  void transform(const TransformPlan& plan, std::unique_ptr<GaussTransform<T, P>>& place) {
    // Keeps the arrays while the number of boxes is the same, so that repetitions do not allocate.
    if (place && place->boxes() == plan.boxes)
      place->place(plan, s.p.bandwidth);
    else
      place = std::make_unique<GaussTransform<T, P>>(s.exec, plan, s.p.bandwidth, how);
    place->prepare(data());
    evaluate();
  }
  void evaluate() const {
    if (small) return small->evaluate(data(), s.density(), norm);
    if (middle) return middle->evaluate(data(), s.density(), norm);
    large->evaluate(data(), s.density(), norm);
  }
  TransformData<T> data() const {
    TransformData<T> d;
    d.samples = d.queries = s.data();
    d.weights = nullptr;
    d.n = d.m = s.p.n;
    d.total_weight = all;
    return d;
  }
};

inline TransformPlan plan_of(const Problem& p) {
  return plan_transform(TransformAccuracy(p.tolerance), 0, span_of(p), p.bandwidth);
}

/// The common properties of both entries.
inline Entry transform_entry() {
  Entry e;
  e.accuracy = Accuracy::approximate;
  e.exponentials = 0;
  e.direct = false;
  e.operations = 80;
  e.launches = compat::exec_is_device() ? 6 : 5;
  e.extra_bytes = [](const Problem& p) {
    return transform_bytes(plan_of(p), compat::exec_is_device() ? 1 : double(compat::concurrency(Exec())));
  };
  e.refuse += [](const Problem& p, const Tuning&) -> std::optional<std::string> {
    const TransformPlan plan = plan_of(p);
    if (plan.boxes > most_boxes)
      return "the samples span " + runtime::three_digits(double(plan.boxes)) +
             " boxes, more than its dense arrays hold";
    return std::nullopt;
  };
  return e;
}

}  // namespace parity::kde
