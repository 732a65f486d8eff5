// SPDX-License-Identifier: BSD-3-Clause
// The step with a Laplacian field and the elementary operations that it is made of, which the original work's
// custom kernels replace one after the other.
#pragma once
#include "tuned.cuh"

namespace parity::cuda {

/// A field with its halo.
template <class T>
Field<T> padded(const Fields<T>& f, T* field) {
  return {field, int(f.p.pitch()), int(f.p.rows()), 0};
}

/// Operations of a step, first versions. Defined in variants/diffusion/baseline/cuda.cu, whose kernels they
/// are; an algorithm with a kernel of its own hides one of them.
struct ElementaryOperations {
  /// The halo as four array copies: bottom and top rows without corners, then left and right columns over the
  /// full height.
  template <class T>
  static void update_halo(const Fields<T>& f, T* field);
  /// Inside the margin of both; baseline: over the flat field without a row at each end.
  template <class T>
  static void apply_laplacian(const Fields<T>& f, const Tuning&, Field<const T> from, Field<T> to);
  /// out = in - alpha out, as scale and add.
  template <class T>
  static void update_field(const Fields<T>& f, const Tuning&, Field<const T> in, Field<T> out);
};

/// The same tuned, in variants/diffusion/baseline/cuda_tuned.cu.
struct TunedElementaryOperations {
  template <class T>
  static void update_halo(const Fields<T>& f, T* field);
  template <class T>
  static void apply_laplacian(const Fields<T>& f, const Tuning& elements, Field<const T> from, Field<T> to);
  template <class T>
  static void update_field(const Fields<T>& f, const Tuning&, Field<const T> in, Field<T> out);
};

/// Algorithm 1 of the original work.
template <class Operations>
struct TwoStage {
  template <class T>
  struct Step {
    Fields<T> f;
    Tuning tuning;
    Step(const Problem& p, const Tuning& t) : f(Fields<T>::with_laplacian(p)), tuning(t) {}
    void operator()(T* in, T* out) const {
      const int h = int(f.p.halo);
      Operations::update_halo(f, in);
      Operations::apply_laplacian(f, tuning, field<const T>(in, h - 1), field<T>(f.laplacian(), h - 1));
      Operations::apply_laplacian(f, tuning, field<const T>(f.laplacian(), h), field<T>(out, h));
      Operations::update_field(f, tuning, field<const T>(in, h), field<T>(out, h));
      PARITY_CUDA(cudaGetLastError());
    }
    void finish(T* result) const {
      Operations::update_halo(f, result);
      PARITY_CUDA(cudaGetLastError());
    }

   private:
    /// Without a margin of so many points around each plane.
    template <class Value>
    Field<Value> field(T* data, int margin) const {
      return {data, int(f.p.pitch()), int(f.p.rows()), margin};
    }
  };
};

/// Fills in the factories of such a step's entry.
template <class Operations>
Entry with_operations(Entry e) {
  return with_steps<TwoStage<Operations>::template Step>(std::move(e));
}

}  // namespace parity::cuda
