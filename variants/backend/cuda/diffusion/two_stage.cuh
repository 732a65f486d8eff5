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

/// The same with the Laplacian by a kernel: first version, in variants/diffusion/laplacian/cuda.cu, and
/// tuned, in cuda_tuned.cu.
struct LaplacianOfPoints : ElementaryOperations {
  template <class T>
  static void apply_laplacian(const Fields<T>& f, const Tuning& block, Field<const T> from, Field<T> to);
};
struct LaplacianOfTiles : TunedElementaryOperations {
  template <class T>
  static void apply_laplacian(const Fields<T>& f, const Tuning& tile, Field<const T> from, Field<T> to);
};

/// Algorithm 1 of the original work; its step is such operations.
template <class T>
struct TwoStage {
  static constexpr bool finishes = true;
  Fields<T> f;
  explicit TwoStage(const Problem& p) : f(Fields<T>::with_laplacian(p)) {}
  template <class Operations>
  void step(const Operations& o, const Tuning& tuning, T* in, T* out) const {
    const int h = int(f.p.halo);
    o.update_halo(f, in);
    o.apply_laplacian(f, tuning, field<const T>(in, h - 1), field<T>(f.laplacian(), h - 1));
    o.apply_laplacian(f, tuning, field<const T>(f.laplacian(), h), field<T>(out, h));
    o.update_field(f, tuning, field<const T>(in, h), field<T>(out, h));
  }
  template <class Operations>
  void finish(const Operations& o, T* result) const {
    o.update_halo(f, result);
  }

 private:
  /// Without a margin of so many points around each plane.
  template <class Value>
  Field<Value> field(T* data, int margin) const {
    return {data, int(f.p.pitch()), int(f.p.rows()), margin};
  }
};

}  // namespace parity::cuda
