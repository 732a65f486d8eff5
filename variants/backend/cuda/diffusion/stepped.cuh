// SPDX-License-Identifier: BSD-3-Clause
// Makes a variant from a step, for every mechanism that captures a stream.
#pragma once
#include <memory>

#include "diffusion/mechanism.hpp"
#include "fields.cuh"

namespace parity::cuda {

/// Makes each step, copy and end of a run a node of a Kokkos graph.
class LaunchesAsNodes : public Launches {
 public:
  /// finishes: true if the end of a run launches anything; no node may be empty.
  LaunchesAsNodes(Launches& launches, const runtime::AddNode& add, bool finishes)
      : launches_(launches), add_(add), finishes_(finishes) {}
  void step(int from) override {
    add_([&] { launches_.step(from); });
  }
  void copy_back() override {
    add_([&] { launches_.copy_back(); });
  }
  void finish(int at) override {
    if (finishes_) add_([&] { launches_.finish(at); });
  }

 private:
  Launches& launches_;
  const runtime::AddNode& add_;
  bool finishes_;
};

/// Surroundings<T> has the fields as 'f' and adds the work before a step and after the last one; 'finishes'
/// is true if there is work after the last one.
/// Step launches the kernel of a variant's file:
///   template <class T>
///   void operator()(cudaStream_t, const Problem&, const Tuning&, Field<const T> in, Field<T> out) const
/// changes_fields: true if it writes 'out'.
template <class T, template <class> class Surroundings, class Step, bool changes_fields>
class Stepped : public Variant<T>, private Launches {
 public:
  Stepped(const Problem& p, const Tuning& t) : around_(p), tuning_(t), schedule_(p.steps) {}
  void prepare(const Mechanism& mechanism) override {
    f().forks = mechanism.forks;
    schedule_.prepare(
        mechanism,
        [this, &mechanism](const Recorded& launches) {
          if (mechanism.graph_by == GraphBy::capture)
            return runtime::capture(f().stream, [&] { launches(*this); });
          return runtime::capture_into_kokkos(f().stream, [&](const runtime::AddNode& add) {
            LaunchesAsNodes nodes(*this, add, Surroundings<T>::finishes);
            launches(nodes);
          });
        },
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
    if (changes_fields) result_ = last;
  }
  void synchronise() override { f().synchronise(); }
  void store(T* padded) override { f().store(result_, padded, f().p.halo); }
  void store_interior(T* field) override { f().store(result_, field, 0); }
  runtime::DeviceClock* device_clock() override { return f().clock(); }

 private:
  void step(int from) override {
    around_.step(step_, tuning_, f()[from], f()[1 - from]);
    PARITY_CUDA(cudaGetLastError());
  }
  /// A step that writes nothing replaces the copy: field 0 still has the result.
  void copy_back() override { changes_fields ? f().copy(1, 0) : step(0); }
  void finish(int at) override {
    around_.finish(step_, f()[at]);
    PARITY_CUDA(cudaGetLastError());
  }
  Fields<T>& f() { return around_.f; }

  Surroundings<T> around_;
  const Step step_{};
  const Tuning tuning_;
  StepSchedule schedule_;
  int result_ = 0;  ///< index of the field with the result
};

/// Fills in the factories of a step's entry.
template <template <class> class Surroundings, class Step, bool changes_fields = true>
Entry with_steps(Entry e) {
  e.stepped = true;
  e.make_f32 = Entry::made<float, Stepped<float, Surroundings, Step, changes_fields>>;
  e.make_f64 = Entry::made<double, Stepped<double, Surroundings, Step, changes_fields>>;
  return e;
}

/// A halo around each plane, updated before each step.
template <class T>
struct HaloBefore {
  static constexpr bool finishes = true;
  Fields<T> f;
  explicit HaloBefore(const Problem& p) : f(Fields<T>::padded(p)) {}
  template <class Step>
  void step(const Step& step, const Tuning& tuning, T* in, T* out) const {
    f.update_halo(in);
    step(f.stream, f.p, tuning, f.template rows<const T>(in), f.template rows<T>(out));
  }
  template <class Step>
  void finish(const Step&, T* result) const {
    f.update_halo(result);
  }
};
/// No halo: neighbours wrap around.
template <class T>
struct Periodic {
  static constexpr bool finishes = false;
  Fields<T> f;
  explicit Periodic(const Problem& p, bool packed = false)
      : f(packed ? Fields<T>::packed(p) : Fields<T>::periodic(p)) {}
  template <class Step>
  void step(const Step& step, const Tuning& tuning, T* in, T* out) const {
    step(f.stream, f.p, tuning, f.template rows<const T>(in), f.template rows<T>(out));
  }
  template <class Step>
  void finish(const Step&, T*) const {}
};
/// The same with rows padded to whole packs of 16 bytes.
template <class T>
struct Packed : Periodic<T> {
  explicit Packed(const Problem& p) : Periodic<T>(p, true) {}
};

/// An algorithm's entry with tunings.
inline Entry with_tunings(Entry e, std::vector<std::string> tunings, const char* axes) {
  e.tunings = std::move(tunings);
  e.tuning_axes = axes;
  return e;
}
/// The entry with one thread per point in blocks "rows x columns", the default first.
inline Entry with_blocks(Entry e, std::vector<std::string> blocks) {
  e = with_tunings(std::move(e), std::move(blocks), "rows x columns of a block");
  e.refuse += refuse_grid;
  return e;
}
/// The same over a flat range.
inline Entry with_flat_blocks(Entry e, std::vector<std::string> blocks) {
  e = with_tunings(std::move(e), std::move(blocks), "threads of a block");
  e.refuse += refuse_many_points;
  return e;
}

}  // namespace parity::cuda
