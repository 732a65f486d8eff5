// SPDX-License-Identifier: BSD-3-Clause
// Common parts of Kokkos KDE variants: an execution space instance, the padded samples, the densities.
#pragma once
#include <memory>

#include "kde/refusals.hpp"
#include "kde/tile_sum.hpp"
#include "kde/variant.hpp"
#include "kokkos_compat.hpp"
#include "runtime/clock.hpp"
#include "runtime/kokkos/team_hints.hpp"

namespace parity::kde {

using compat::Exec;
template <class T>
using Array = Kokkos::View<T*, Exec>;

/// 'count': values the sample array holds, padding included. Defined in samples.cpp, so that variants do not
/// compile Kokkos' copies and allocations again.
template <class T>
class Samples {
 public:
  explicit Samples(const Problem& problem, std::int64_t count = 0);
  void load(const T* samples) const;
  void store(T* density) const;
  void synchronise() const { compat::synchronise(exec, "Kokkos KDE"); }
  runtime::DeviceClock* clock() const { return clock_.get(); }

  const T* data() const { return samples_.data(); }
  std::int64_t size() const { return std::int64_t(samples_.size()); }
  T* density() const { return density_.data(); }
  /// Both arrays as Views.
  const Array<T>& samples() const { return samples_; }
  const Array<T>& densities() const { return density_; }
  /// The destination of a kernel's sums; partial: memory for the sums of several chunks.
  Sink<T> sink(double* partial = nullptr) const { return {density(), partial, p.n, p.norm()}; }

 private:
  const compat::OwnInstance own_;

 public:
  const Problem p;
  const Exec exec;

 private:
  Array<T> samples_, density_;
  std::unique_ptr<runtime::DeviceClock> clock_;
};

/// Makes a variant from a sum, which is constructed from a problem and a tuning, has the samples as 's' and
/// launches on s.exec when called.
template <class T, class Sum>
class Summed : public Variant<T> {
 public:
  Summed(const Problem& p, const Tuning& t) : sum_(p, t) {}
  void load(const T* samples) override { sum_.s.load(samples); }
  void advance() override { sum_(); }
  void synchronise() override { sum_.s.synchronise(); }
  void store(T* density) override { sum_.s.store(density); }
  runtime::DeviceClock* device_clock() override { return sum_.s.clock(); }

 protected:
  Sum sum_;
};

/// The same for a sum with reusable preparations: evaluate() is a call without them.
template <class T, class Sum>
class PreparedSum : public Summed<T, Sum> {
 public:
  using Summed<T, Sum>::Summed;
  void advance_prepared() override { this->sum_.evaluate(); }
};

/// A factory for an entry. Made: the class that makes a variant from the sum.
template <class T, class Sum, template <class, class> class Made = Summed>
std::unique_ptr<Variant<T>> make_sum(const Problem& p, const Tuning& t) {
  return std::make_unique<Made<T, Sum>>(p, t);
}
/// Adds the factories of both precisions of a sum to the entry.
template <template <class> class Sum, template <class, class> class Made = Summed>
Entry with_sum(Entry e) {
  e.make_f32 = make_sum<float, Sum<float>, Made>;
  e.make_f64 = make_sum<double, Sum<double>, Made>;
  return e;
}
/// The same for a sum with reusable preparations; 'preparation' describes them.
template <template <class> class Sum>
Entry with_prepared_sum(Entry e, const char* preparation) {
  e.preparation = preparation;
  return with_sum<Sum, PreparedSum>(e);
}

/// Number of teams that are resident at once, with this many blocks per multiprocessor on a device.
inline std::int64_t resident_teams(const Exec& exec, int team_size, int blocks_a_multiprocessor) {
  return compat::exec_is_device() ? std::int64_t(compat::multiprocessors(exec)) * blocks_a_multiprocessor
                                  : std::int64_t(compat::concurrency(exec)) / team_size;
}

using compat::scratch_of;

}  // namespace parity::kde
