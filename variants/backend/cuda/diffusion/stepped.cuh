// SPDX-License-Identifier: BSD-3-Clause
// Makes a variant of a step: under every mechanism that captures a stream.
#pragma once
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
  /// A step that writes nothing (writes is false) stands for its own copy: field 0 has the result.
  void copy_back() override { writes ? f().copy(1, 0) : step(0); }
  void finish(int at) override { step_.finish(f()[at]); }
  Fields<T>& f() { return step_.f; }

  Step<T> step_;
  StepSchedule schedule_;
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
  void before(T* in) const { f.update_halo(in); }
  void finish(T* result) const { f.update_halo(result); }
};
/// No halo: neighbours wrap around.
template <class T>
struct Periodic {
  Fields<T> f;
  explicit Periodic(const Problem& p) : f(Fields<T>::periodic(p)) {}
  void before(T*) const {}
  void finish(T*) const {}
};
/// The same with rows filled up to whole packs of 16 bytes.
template <class T>
struct Packed {
  Fields<T> f;
  explicit Packed(const Problem& p) : f(Fields<T>::packed(p)) {}
  void before(T*) const {}
  void finish(T*) const {}
};

/// A free function of a variant's file as its step; Call::call calls it.
template <template <class> class Surroundings, class Call>
struct FreeStep {
  template <class T>
  struct Step : Surroundings<T> {
    Tuning tuning;
    Step(const Problem& p, const Tuning& t) : Surroundings<T>(p), tuning(t) {}
    void operator()(T* in, T* out) const {
      const Fields<T>& f = this->f;
      this->before(in);
      Call::call(0, f.stream, f.p, tuning, f.template rows<const T>(in), f.template rows<T>(out));
      PARITY_CUDA(cudaGetLastError());
    }
  };
};

/// An algorithm's entry with what its variants on one backend add.
inline Entry with_tunings(Entry e, std::vector<std::string> tunings, const char* axes) {
  e.tunings = std::move(tunings);
  e.tuning_axes = axes;
  return e;
}
/// With one thread a point in blocks "rows x columns", the usual one first.
inline Entry with_blocks(Entry e, std::vector<std::string> blocks) {
  e = with_tunings(std::move(e), std::move(blocks), "rows x columns of a block");
  e.refuse = refuse_grid;
  return e;
}
/// The same over a flat range.
inline Entry with_flat_blocks(Entry e, std::vector<std::string> blocks) {
  e = with_tunings(std::move(e), std::move(blocks), "threads of a block");
  e.refuse = refuse_many_points;
  return e;
}

}  // namespace parity::cuda

namespace parity::diffusion {

/// Registers a variant whose step is the function template of namespace parity::cuda
///   template <class T>
///   void step(cudaStream_t, const Problem&, Field<const T> in, Field<T> out)    or with const Tuning& after
///   Problem
/// function: the cell as in algorithms.def, in the algorithm's namespace. The last argument is the
/// algorithm's Entry.
#define PARITY_CUDA_VARIANT(function, Surroundings, step_function, ...) \
  PARITY_CUDA_STEPS(function, true, Surroundings, step_function, __VA_ARGS__)
/// The same of a step that leaves the fields alone.
#define PARITY_CUDA_FLOOR(function, Surroundings, step_function, ...) \
  PARITY_CUDA_STEPS(function, false, Surroundings, step_function, __VA_ARGS__)

#define PARITY_CUDA_STEPS(function, writes, Surroundings, step_function, ...)                            \
  namespace {                                                                                            \
  struct function##_step {                                                                               \
    template <class In, class Out>                                                                       \
    static auto call(int, cudaStream_t stream, const Problem& p, const Tuning& tuning, const In& in,     \
                     const Out& out) -> decltype(cuda::step_function(stream, p, tuning, in, out)) {      \
      cuda::step_function(stream, p, tuning, in, out);                                                   \
    }                                                                                                    \
    template <class In, class Out>                                                                       \
    static void call(long, cudaStream_t stream, const Problem& p, const Tuning&, const In& in,           \
                     const Out& out) {                                                                   \
      cuda::step_function(stream, p, in, out);                                                           \
    }                                                                                                    \
  };                                                                                                     \
  }                                                                                                      \
  Entry function() {                                                                                     \
    return cuda::with_steps<cuda::FreeStep<cuda::Surroundings, function##_step>::template Step, writes>( \
        __VA_ARGS__);                                                                                    \
  }

}  // namespace parity::diffusion
