// SPDX-License-Identifier: BSD-3-Clause
// What native variants have in common whose launches do several steps, so that no mechanism starts them a
// step at a time.
#pragma once
#include <cstdint>
#include <vector>

#include "diffusion/passes.hpp"
#include "fields.cuh"

namespace parity::cuda {

/// Field 0 takes what is loaded; advance() says where its result is.
template <class T>
class WholeRun : public Variant<T> {
 public:
  /// make() returns the fields, which nobody moves.
  template <class MakeFields>
  explicit WholeRun(MakeFields make) : f_(make()) {}
  void load(const T* field) override {
    f_.load(field);
    result_ = 0;
  }
  void synchronise() override { f_.synchronise(); }
  void store(T* padded) override { f_.store(result_, padded, f_.p.halo); }
  void store_interior(T* field) override { f_.store(result_, field, 0); }
  runtime::DeviceClock* device_clock() override { return f_.clock(); }

 protected:
  Fields<T> f_;
  int result_ = 0;  ///< the field that holds it
};

/// Launches of several steps each, out of one field into the other.
template <class T, class Division>
struct Pass {
  void (*kernel)(const T*, T*, Division, T);
  void (*scaling)(const T*, T*, Division, T);  ///< with Division::factor; null where none is put off
  Division divided;
  unsigned blocks;
  int threads, shared_bytes;
  std::int64_t times;
};

/// A variant of such passes, one kind after the other. Form: its passes(p, tuning, pitch, lead), fields(p,
/// tuning), and before(fields, in, divided), which is called before each launch.
template <class T, class Form>
class InPasses : public WholeRun<T> {
 public:
  InPasses(const Problem& p, const Tuning& t)
      : WholeRun<T>([&] { return Form::fields(p, t); }),
        passes_(Form::passes(p, t, int(f_.pitch), f_.lead())) {}
  void advance() override {
    result_ = 0;
    PutOff<T> put_off;
    for (const auto& pass : passes_)
      for (std::int64_t n = 0; n < pass.times; ++n) {
        auto divided = pass.divided;
        if (divided.deferred)
          divided.factor =
              put_off.factor_after(divided.steps, &pass == &passes_.back() && n + 1 == pass.times);
        divided.scales = divided.factor != 1;
        Form::before(f_, f_[result_], divided);
        const auto kernel = divided.scales ? pass.scaling : pass.kernel;
        kernel<<<pass.blocks, pass.threads, pass.shared_bytes, f_.stream>>>(f_[result_], f_[1 - result_],
                                                                            divided, T(f_.p.alpha));
        PARITY_CUDA(cudaGetLastError());
        result_ = 1 - result_;
      }
  }

 private:
  using WholeRun<T>::f_;
  using WholeRun<T>::result_;
  std::vector<typename Form::Pass> passes_;
};

}  // namespace parity::cuda
