// SPDX-License-Identifier: BSD-3-Clause
// Makes a variant of a step: under every mechanism, from one source.
#pragma once
#include <memory>

#include "diffusion/field_rows.hpp"
#include "diffusion/schedule.hpp"
#include "fields.hpp"
#include "runtime/kokkos/queue.hpp"

namespace parity::diffusion {

/// A step's launches, into a queue. writes: whether a step changes a field.
template <class T, class Step, class Queue, bool writes>
class StepLaunches : public Launches {
 public:
  StepLaunches(const Step& step, Queue& queue) : step_(step), queue_(queue) {}
  void step(int from) override { step_(queue_, step_.f[from], step_.f[1 - from]); }
  /// A step that writes nothing (writes is false) stands for its own copy: field 0 has the result.
  void copy_back() override {
    if constexpr (!writes)
      step(1);
    else if constexpr (std::is_same_v<Queue, compat::StreamQueue>)
      step_.f.copy(1, 0);
    else
      copy_field<T>(queue_, step_.f[1], step_.f[0]);
  }
  void finish(int at) override { step_.finish(queue_, step_.f[at]); }

 private:
  const Step& step_;
  Queue& queue_;
};

/// Step<T> is made of a problem and a tuning, has the fields as 'f' and launches through a queue, which is
/// the plain stream or a graph under construction:
///   template <class Queue> void operator()(Queue&, const Field<T>& in, const Field<T>& out) const   one step
///   template <class Queue> void finish(Queue&, const Field<T>& result) const   what is left to do, its halo
template <class T, template <class> class Step, bool writes = true>
class Stepped : public Variant<T> {
 public:
  Stepped(const Problem& p, const Tuning& t) : step_(p, t), schedule_(p.steps) {}
  void prepare(const Mechanism& mechanism) override {
    if (mechanism.graph_by == GraphBy::kokkos)
      schedule_.prepare(mechanism, [this](const Recorded& recorded) {
        return std::make_unique<compat::KokkosGraph>(step_.f.exec, [&](compat::GraphQueue& queue) {
          Into<compat::GraphQueue> launches(step_, queue);
          recorded(launches);
        });
      });
    else
      schedule_.prepare(
          mechanism,
          [this](const Recorded& recorded) {
            return runtime::capture(compat::stream_of(step_.f.exec), [&] { recorded(at_once_); });
          },
          [this](std::int64_t passes, const Recorded& body, const Recorded& rest) {
            return runtime::capture_loop(
                compat::stream_of(step_.f.exec), passes, [&] { body(at_once_); }, [&] { rest(at_once_); });
          });
  }
  void load(const T* field) override {
    step_.f.load(field);
    result_ = 0;
  }
  void advance() override {
    const int last = schedule_.run(at_once_);
    if (writes) result_ = last;
  }
  void synchronise() override { step_.f.synchronise(); }
  void store(T* padded) override { step_.f.store(result_, padded, step_.f.p.halo); }
  void store_interior(T* field) override { step_.f.store(result_, field, 0); }
  runtime::DeviceClock* device_clock() override { return step_.f.clock(); }

 private:
  template <class Queue>
  using Into = StepLaunches<T, Step<T>, Queue, writes>;

  Step<T> step_;
  StepSchedule schedule_;
  compat::StreamQueue stream_{step_.f.exec};
  Into<compat::StreamQueue> at_once_{step_, stream_};
  int result_ = 0;  ///< the field that holds the result
};

/// Fills in the factories of a step's entry.
template <template <class> class Step, bool writes = true>
Entry with_steps(Entry e) {
  e.stepped = true;
  e.make_f32 = [](const Problem& p, const Tuning& t) -> std::unique_ptr<Variant<float>> {
    return std::make_unique<Stepped<float, Step, writes>>(p, t);
  };
  e.make_f64 = [](const Problem& p, const Tuning& t) -> std::unique_ptr<Variant<double>> {
    return std::make_unique<Stepped<double, Step, writes>>(p, t);
  };
  return e;
}

/// What surrounds the steps of a variant: its fields, what comes before each step and what the result still
/// needs. Here a halo around each plane, updated before each step.
template <class T>
struct HaloBefore {
  Fields<T> f;
  explicit HaloBefore(const Problem& p) : f(Fields<T>::padded(p)) {}
  template <class Queue>
  void before(Queue& queue, const Field<T>& in) const {
    update_halo(queue, f.p, in);
  }
  template <class Queue>
  void finish(Queue& queue, const Field<T>& result) const {
    update_halo(queue, f.p, result);
  }
};
/// No halo: neighbours wrap around.
template <class T>
struct Periodic {
  Fields<T> f;
  explicit Periodic(const Problem& p) : f(Fields<T>::periodic(p)) {}
  template <class Queue>
  void before(Queue&, const Field<T>&) const {}
  template <class Queue>
  void finish(Queue&, const Field<T>&) const {}
};
/// The same with rows filled up to whole packs of 16 bytes.
template <class T>
struct Packed {
  Fields<T> f;
  explicit Packed(const Problem& p) : f(Fields<T>::packed(p)) {}
  template <class Queue>
  void before(Queue&, const Field<T>&) const {}
  template <class Queue>
  void finish(Queue&, const Field<T>&) const {}
};

/// An algorithm's entry with what its variants on one backend add.
inline Entry with_tunings(Entry e, std::vector<std::string> on_device, std::vector<std::string> on_host,
                          const char* axes) {
  e.tunings = compat::exec_is_device() ? std::move(on_device) : std::move(on_host);
  e.tuning_axes = axes;
  return e;
}
inline Entry with_limit(Entry e, std::optional<std::string> (*refuse)(const Problem&, const Tuning&)) {
  e.refuse = refuse;
  return e;
}

/// A free function of a variant's file as its step. Call::call calls it.
template <template <class> class Surroundings, class Call>
struct FreeStep {
  template <class T>
  struct Step : Surroundings<T> {
    Tuning tuning;
    Step(const Problem& p, const Tuning& t) : Surroundings<T>(p), tuning(t) {}
    template <class Queue>
    void operator()(Queue& queue, const Field<T>& in, const Field<T>& out) const {
      this->before(queue, in);
      Call::call(0, queue, this->f.p, tuning, in, out);
    }
  };
};

/// Registers a variant whose step is the function template
///   template <class T, class Queue>
///   void step(Queue&, const Problem&, const Field<T>& in, const Field<T>& out)    or with const Tuning&
///   after Problem
/// function: the cell as in algorithms.def, in the algorithm's namespace. The last argument is the
/// algorithm's Entry.
#define PARITY_KOKKOS_VARIANT(function, Surroundings, step_function, ...) \
  PARITY_KOKKOS_STEPS(function, true, Surroundings, step_function, __VA_ARGS__)
/// The same of a step that leaves the fields alone.
#define PARITY_KOKKOS_FLOOR(function, Surroundings, step_function, ...) \
  PARITY_KOKKOS_STEPS(function, false, Surroundings, step_function, __VA_ARGS__)

#define PARITY_KOKKOS_STEPS(function, writes, Surroundings, step_function, ...)                            \
  namespace {                                                                                              \
  struct function##_step {                                                                                 \
    template <class Queue, class F>                                                                        \
    static auto call(int, Queue& queue, const Problem& p, const Tuning& tuning, const F& in, const F& out) \
        -> decltype(step_function(queue, p, tuning, in, out)) {                                            \
      step_function(queue, p, tuning, in, out);                                                            \
    }                                                                                                      \
    template <class Queue, class F>                                                                        \
    static void call(long, Queue& queue, const Problem& p, const Tuning&, const F& in, const F& out) {     \
      step_function(queue, p, in, out);                                                                    \
    }                                                                                                      \
  };                                                                                                       \
  }                                                                                                        \
  Entry function() {                                                                                       \
    return with_steps<FreeStep<Surroundings, function##_step>::template Step, writes>(__VA_ARGS__);        \
  }

}  // namespace parity::diffusion
