// SPDX-License-Identifier: BSD-3-Clause
// kde/kokkos-transform: the fast Gauss transform at all samples to the problem's tolerance.
#include "kde/kokkos_transform.hpp"

#include <fmt/format.h>

namespace parity::kde {
namespace {

template <class T>
struct Ends {
  const T* samples;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, Kokkos::MinMaxScalar<T>& ends) const {
    if (samples[i] < ends.min_val) ends.min_val = samples[i];
    if (samples[i] > ends.max_val) ends.max_val = samples[i];
  }
};

/// Everything from samples to densities is timed: the ends of the samples, the boxes, the sums.
template <class T>
class KokkosTransform : public KokkosSamples<T> {
 public:
  KokkosTransform(const Problem& p, const Tuning&) : KokkosSamples<T>(p), accuracy_(p.tolerance) {}
  void advance() override {
    const Problem& p = this->p_;
    Kokkos::MinMaxScalar<T> ends;
    Kokkos::parallel_reduce("parity::kde::ends",
                            Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(this->exec_, 0, p.n),
                            Ends<T>{this->samples_.data()}, Kokkos::MinMax<T>(ends));
    const TransformPlan plan =
        plan_transform(accuracy_, double(ends.min_val), double(ends.max_val), p.bandwidth);
    switch (plan.terms) {
      case 4:
        return transform<4>(plan, small_);
      case 8:
        return transform<8>(plan, middle_);
      default:
        return transform<12>(plan, large_);
    }
  }

 private:
  template <int P>
  void transform(const TransformPlan& plan, std::unique_ptr<GaussTransform<T, P>>& place) {
    // The arrays are kept while the boxes stay the same: allocation is no part of a repeated run.
    if (!place || plan.lower != plan_.lower || plan.boxes != plan_.boxes)
      place = std::make_unique<GaussTransform<T, P>>(this->exec_, plan, this->p_.bandwidth);
    plan_ = plan;
    const T* const x = this->samples_.data();
    place->run({x, nullptr, this->p_.n, double(this->p_.n), x, this->p_.n}, this->density_.data(),
               this->p_.norm());
  }

  TransformAccuracy accuracy_;
  TransformPlan plan_;
  std::unique_ptr<GaussTransform<T, 4>> small_;
  std::unique_ptr<GaussTransform<T, 8>> middle_;
  std::unique_ptr<GaussTransform<T, 12>> large_;
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
  return with_factories<KokkosTransform>(e);
}

}  // namespace parity::kde
