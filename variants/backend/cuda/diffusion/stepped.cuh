// SPDX-License-Identifier: BSD-3-Clause
// Makes a variant of a step: under every mechanism that captures a stream.
#pragma once
#include <functional>
#include <memory>

#include "diffusion/schedule.hpp"
#include "fields.cuh"

namespace parity::cuda {

/// Step<T> is made of a problem and a tuning, has the fields as 'f' and launches on f.stream:
///   void operator()(T* in, T* out)   one step; may complete the halo of 'in'
///   void finish(T* result)           what the result still needs, its halo
/// writes: whether a step changes a field.
template <class T, template <class> class Step, bool writes = true>
class Stepped : public Variant<T>, private Launches {
 public:
  Stepped(const Problem& p, const Tuning& t) : step_(p, t), schedule_(p.steps) {}
  void prepare(const Mechanism& mechanism) override {
    schedule_.prepare(
        mechanism,
        [this](const Recorded& launches) { return runtime::capture(f().stream, [&] { launches(*this); }); },
        [this](std::int64_t passes, const Recorded& body, const Recorded& rest) {
          return runtime::capture_loop(
              f().stream, passes, [&] { body(*this); }, [&] { rest(*this); });
        });
  }
  void load(const T* field) override {
    f().load(field);
    result_ = 0;
  }
  void advance() override {
    const int last = schedule_.run(*this);
    if (writes) result_ = last;
  }
  void synchronise() override { f().synchronise(); }
  void store(T* padded) override { f().store(result_, padded, f().p.halo); }
  void store_interior(T* field) override { f().store(result_, field, 0); }
  runtime::DeviceClock* device_clock() override { return f().clock(); }

 private:
  void step(int from) override { step_(f()[from], f()[1 - from]); }
  /// Even this copy must leave field 0 alone where steps do.
  void copy_back() override { writes ? f().copy(1, 0) : step(0); }
  void finish(int at) override { step_.finish(f()[at]); }
  Fields<T>& f() { return step_.f; }

  Step<T> step_;
  StepSchedule schedule_;
  int result_ = 0;  ///< the field that holds the result
};

/// The entry of a native variant; name and summary stand in variants.def.
template <template <class> class Step, bool writes = true>
Entry stepped_entry(std::vector<std::string> tunings, const char* axes) {
  Entry e;
  e.tunings = std::move(tunings);
  e.tuning_axes = axes;
  e.stepped = true;
  e.make_f32 = [](const Problem& p, const Tuning& t) -> std::unique_ptr<Variant<float>> {
    return std::make_unique<Stepped<float, Step, writes>>(p, t);
  };
  e.make_f64 = [](const Problem& p, const Tuning& t) -> std::unique_ptr<Variant<double>> {
    return std::make_unique<Stepped<double, Step, writes>>(p, t);
  };
  return e;
}

}  // namespace parity::cuda
