// SPDX-License-Identifier: BSD-3-Clause
// Kokkos variants whose steps are launches of their own: under every mechanism, from one source.
#pragma once
#include "cuda/graph.hpp"
#include "diffusion/kokkos_field.hpp"
#include "diffusion/schedule.hpp"
#include "kokkos_graph.hpp"

namespace parity::diffusion {

/// Derived gives, for a queue that is the plain stream or a graph under construction,
///   template <class Queue> void enqueue_step(Queue&, const Field<T>& in, const Field<T>& out) const;
/// and may replace enqueue_finish and the copies. All are public: nvcc asks that of functions with device
/// lambdas.
template <class T, class Derived>
class KokkosSteps : public KokkosFieldPair<T>, private Launches {
 public:
  KokkosSteps(const Problem& p, std::int64_t pad, std::int64_t pitch = 0)
      : KokkosFieldPair<T>(p, pad, pitch), schedule_(p.steps) {}

  void prepare(const Mechanism& mechanism) override {
    using Body = std::function<void(Launches&)>;
    if (mechanism.recorder == Recorder::kokkos_graph) {
      schedule_.prepare(mechanism.schedule, [this](const Body& body) {
        return std::make_unique<compat::GraphRecording>(this->exec_, [&](compat::GraphQueue& queue) {
          Recorded launches(*this, queue);
          body(launches);
        });
      });
    } else {
      schedule_.prepare(mechanism.schedule, [this](const Body& body) {
        return cuda::capture(compat::stream_of(this->exec_), [&] { body(*this); });
      });
    }
  }
  void advance() override { this->result_ = schedule_.run(*this); }

  template <class Queue>
  void enqueue_finish(Queue& queue, const Field<T>& f) const {
    if (this->pad_ > 0) update_halo(queue, this->p_, f);
  }
  void copy_field(const Field<T>& from, const Field<T>& to) const {
    Kokkos::deep_copy(this->exec_, to, from);
  }
  /// As a kernel, because not every Kokkos graph has copy nodes.
  template <class Queue>
  void enqueue_copy(Queue& queue, const Field<T>& from, const Field<T>& to) const {
    const T* const source = from.data();
    T* const target = to.data();
    queue.parallel_for(
        "parity::diffusion::copy", Range1<std::int64_t>(queue.exec(), 0, std::int64_t(from.size())),
        KOKKOS_LAMBDA(std::int64_t n) { target[n] = source[n]; });
  }

 private:
  /// The same launches, added to a graph.
  class Recorded : public Launches {
   public:
    Recorded(const KokkosSteps& variant, compat::GraphQueue& queue) : v_(variant), queue_(queue) {}
    void step(int from) override { v_.derived().enqueue_step(queue_, v_.field_[from], v_.field_[1 - from]); }
    void copy_back() override { v_.derived().enqueue_copy(queue_, v_.field_[1], v_.field_[0]); }
    void finish(int at) override { v_.derived().enqueue_finish(queue_, v_.field_[at]); }

   private:
    const KokkosSteps& v_;
    compat::GraphQueue& queue_;
  };

  const Derived& derived() const { return static_cast<const Derived&>(*this); }
  void step(int from) override {
    compat::StreamQueue queue(this->exec_);
    derived().enqueue_step(queue, this->field_[from], this->field_[1 - from]);
  }
  void copy_back() override { derived().copy_field(this->field_[1], this->field_[0]); }
  void finish(int at) override {
    compat::StreamQueue queue(this->exec_);
    derived().enqueue_finish(queue, this->field_[at]);
  }

  StepSchedule schedule_;
};

/// An entry whose variant derives from KokkosSteps.
template <template <class> class V>
Entry with_steps(Entry entry) {
  entry.stepped = true;
  return with_factories<V>(std::move(entry));
}

}  // namespace parity::diffusion
