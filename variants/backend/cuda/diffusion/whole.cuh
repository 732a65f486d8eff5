// SPDX-License-Identifier: BSD-3-Clause
// What native variants have in common whose launches do several steps, so that no mechanism starts them a
// step at a time.
#pragma once
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

}  // namespace parity::cuda
