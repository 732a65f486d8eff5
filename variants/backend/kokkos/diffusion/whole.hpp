// SPDX-License-Identifier: BSD-3-Clause
// Makes a variant of a run whose steps are no launches that other mechanisms could start.
#pragma once
#include <memory>

#include "fields.hpp"

namespace parity::diffusion {

/// Run<T> is made of a problem and a tuning, has the fields as 'f', and does all steps when it is called;
/// int operator()() const returns the field with the result.
template <class T, template <class> class Run>
class Whole : public Variant<T> {
 public:
  Whole(const Problem& p, const Tuning& t) : run_(p, t) {}
  void load(const T* field) override { run_.f.load(field); }
  void advance() override { result_ = run_(); }
  void synchronise() override { run_.f.synchronise(); }
  void store(T* padded) override { run_.f.store(result_, padded, run_.f.p.halo); }
  void store_interior(T* field) override { run_.f.store(result_, field, 0); }
  runtime::DeviceClock* device_clock() override { return run_.f.clock(); }

 private:
  Run<T> run_;
  int result_ = 0;
};

/// Fills in the factories of a run's entry.
template <template <class> class Run>
Entry with_run(Entry e) {
  e.make_f32 = Entry::made<float, Whole<float, Run>>;
  e.make_f64 = Entry::made<double, Whole<double, Run>>;
  return e;
}

}  // namespace parity::diffusion
