// SPDX-License-Identifier: BSD-3-Clause
// kde/kokkos-transform: the fast Gauss transform at all samples to the problem's tolerance.
#include "kde/kokkos/transform.hpp"

#include <fmt/format.h>

#include "kde/kokkos/ends.hpp"

namespace parity::kde {
namespace {

/// Everything from samples to densities is timed: their ends, the boxes, the tables, the series.
template <class T>
struct Transform {
  Samples<T> s;
  TransformAccuracy accuracy;
  std::unique_ptr<GaussTransform<T, 4>> small;
  std::unique_ptr<GaussTransform<T, 8>> middle;
  std::unique_ptr<GaussTransform<T, 12>> large;
  Transform(const Problem& p, const Tuning&) : s(p), accuracy(p.tolerance) {}
  void operator()() {
    const auto ends = ends_of(s);
    const TransformPlan plan =
        plan_transform(accuracy, double(ends.min_val), double(ends.max_val), s.p.bandwidth);
    if (plan.terms == 4) return transform(plan, small);
    if (plan.terms == 8) return transform(plan, middle);
    transform(plan, large);
  }
  template <int P>
  void transform(const TransformPlan& plan, std::unique_ptr<GaussTransform<T, P>>& place) {
    // The arrays are kept while there are as many boxes: allocation is no part of a repeated run.
    if (place && place->boxes() == plan.boxes)
      place->place(plan, s.p.bandwidth);
    else
      place = std::make_unique<GaussTransform<T, P>>(s.exec, plan, s.p.bandwidth);
    place->prepare(data());
    evaluate();
  }
  void evaluate() const {
    if (small) return small->evaluate(data(), s.density(), s.p.norm());
    if (middle) return middle->evaluate(data(), s.density(), s.p.norm());
    large->evaluate(data(), s.density(), s.p.norm());
  }
  TransformData<T> data() const { return {s.data(), nullptr, s.p.n, double(s.p.n), s.data(), s.p.n}; }
};

TransformPlan plan_of(const Problem& p) {
  return plan_transform(TransformAccuracy(p.tolerance), 0, span_of(p), p.bandwidth);
}

}  // namespace

Entry kokkos_transform() {
  Entry e = kokkos_entry("kokkos-transform", "fast Gauss transform to the problem's tolerance: O(n)", "", "");
  e.accuracy = Accuracy::approximate;
  e.exponentials = Exponentials::none;
  e.direct = false;
  e.operations = 80;
  e.launches = compat::exec_is_device() ? 6 : 5;
  e.extra_bytes = [](const Problem& p) {
    return transform_bytes(plan_of(p), compat::exec_is_device() ? 1 : double(compat::concurrency(Exec())));
  };
  e.refuse = [](const Problem& p, const Tuning&) -> std::optional<std::string> {
    const TransformPlan plan = plan_of(p);
    if (plan.boxes > most_boxes)
      return fmt::format("the samples span {:.1e} boxes, more than its dense arrays hold: kokkos-window",
                         double(plan.boxes));
    return std::nullopt;
  };
  return with_prepared_sum<Transform>(e, "ends, boxes, tables and series");
}

}  // namespace parity::kde
