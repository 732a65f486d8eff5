// SPDX-License-Identifier: BSD-3-Clause
// Makes a variant from a step, for every mechanism from one source.
#pragma once
#include <memory>

#include "diffusion/mechanism.hpp"
#include "diffusion/stencil.hpp"
#include "fields.hpp"
#include "runtime/kokkos/queue.hpp"

namespace parity::diffusion {

/// Launches the operations of a run into a queue.
template <class Steps, class Queue>
class StepLaunches : public Launches {
 public:
  StepLaunches(const Steps& steps, Queue& queue) : s_(steps), queue_(queue) {}
  void step(int from) override { s_.around.step(queue_, s_.one, s_.tuning, s_.f[from], s_.f[1 - from]); }
  /// A step that writes nothing replaces the copy: field 0 still has the result.
  void copy_back() override {
    if constexpr (!Steps::writes)
      step(1);
    else if constexpr (std::is_same_v<Queue, compat::StreamQueue>)
      s_.f.copy(1, 0);
    else
      copy_field(queue_, s_.f[1], s_.f[0]);
  }
  void finish(int at) override { s_.around.finish(queue_, s_.one, s_.f[at]); }

 private:
  const Steps& s_;
  Queue& queue_;
};

/// Surroundings<T> has the fields as 'f' and adds the work before a step and after the last one. Step is the
/// kernel of a variant's file; its queue is the plain stream or a graph under construction:
///   template <class T, class Queue>
///   void operator()(Queue&, const Problem&, const Tuning&, const Field<T>& in, const Field<T>& out) const
/// changes_fields: true if it writes 'out'.
template <class T, template <class> class Surroundings, class Step, bool changes_fields>
class Stepped : public Variant<T> {
 public:
  Stepped(const Problem& p, const Tuning& t) : steps_(p, t), schedule_(p.steps) {}
  void prepare(const Mechanism& mechanism) override {
    const Exec& exec = steps_.f.exec;
    if (mechanism.graph_by == GraphBy::kokkos)
      schedule_.prepare(mechanism, [&](const Recorded& recorded) {
        const auto body = [&](compat::GraphQueue& queue) {
          StepLaunches<Steps, compat::GraphQueue> launches(steps_, queue);
          recorded(launches);
        };
        return std::make_unique<compat::KokkosGraph>(exec, body, mechanism.forks);
      });
    else
      schedule_.prepare(
          mechanism,
          [&](const Recorded& recorded) {
            return runtime::capture(compat::stream_of(exec), [&] { recorded(at_once_); });
          },
          [&](std::int64_t passes, const Recorded& body, const Recorded& rest) {
            return runtime::capture_loop(
                compat::stream_of(exec), passes, [&] { body(at_once_); }, [&] { rest(at_once_); });
          });
  }
  void load(const T* field) override {
    steps_.f.load(field);
    result_ = 0;
  }
  void advance() override {
    const int last = schedule_.run(at_once_);
    if (changes_fields) result_ = last;
  }
  void synchronise() override { steps_.f.synchronise(); }
  void store(T* padded) override { steps_.f.store(result_, padded, steps_.f.p.halo); }
  void store_interior(T* field) override { steps_.f.store(result_, field, 0); }
  runtime::DeviceClock* device_clock() override { return steps_.f.clock(); }

 private:
  struct Steps {
    static constexpr bool writes = changes_fields;
    Steps(const Problem& p, const Tuning& t) : around(p), f(around.f), tuning(t) {}
    Surroundings<T> around;
    const decltype(Surroundings<T>::f)& f;
    const Tuning tuning;
    const Step one{};
  };

  Steps steps_;
  StepSchedule schedule_;
  compat::StreamQueue stream_{steps_.f.exec};
  StepLaunches<Steps, compat::StreamQueue> at_once_{steps_, stream_};
  int result_ = 0;  ///< index of the field with the result
};

/// True if a step calls Views with int; a step on pointers has a member 'on_pointers'.
template <class Step, class = void>
constexpr bool indexes_views = true;
template <class Step>
constexpr bool indexes_views<Step, std::void_t<decltype(Step::on_pointers)>> = false;

/// Fills in the factories of a step's entry.
template <template <class> class Surroundings, class Step, bool changes_fields = true>
Entry with_steps(Entry e) {
  e.stepped = true;
  if (indexes_views<Step>)
    e.refuse += [](const Problem& p, const Tuning&) { return refuse_large_views(p, int_reaches_all()); };
  e.make_f32 = Entry::made<float, Stepped<float, Surroundings, Step, changes_fields>>;
  e.make_f64 = Entry::made<double, Stepped<double, Surroundings, Step, changes_fields>>;
  return e;
}

/// A halo around each plane, updated before each step.
template <class T>
struct HaloBefore {
  Fields<T> f;
  explicit HaloBefore(const Problem& p) : f(Fields<T>::padded(p)) {}
  template <class Queue, class Step>
  void step(Queue& queue, const Step& step, const Tuning& tuning, const FieldView<T>& in,
            const FieldView<T>& out) const {
    update_halo(queue, f.p, in);
    step(queue, f.p, tuning, Field<T>{in, int(f.p.halo)}, Field<T>{out, int(f.p.halo)});
  }
  template <class Queue, class Step>
  void finish(Queue& queue, const Step&, const FieldView<T>& result) const {
    update_halo(queue, f.p, result);
  }
};
/// No halo: neighbours wrap around.
template <class T>
struct Periodic {
  Fields<T> f;
  explicit Periodic(const Problem& p, bool packed = false)
      : f(packed ? Fields<T>::packed(p) : Fields<T>::periodic(p)) {}
  template <class Queue, class Step>
  void step(Queue& queue, const Step& step, const Tuning& tuning, const FieldView<T>& in,
            const FieldView<T>& out) const {
    step(queue, f.p, tuning, Field<T>{in, 0}, Field<T>{out, 0});
  }
  template <class Queue, class Step>
  void finish(Queue&, const Step&, const FieldView<T>&) const {}
};
/// The same with rows padded to whole packs of 16 bytes.
template <class T>
struct Packed : Periodic<T> {
  explicit Packed(const Problem& p) : Periodic<T>(p, true) {}
};

}  // namespace parity::diffusion
