// SPDX-License-Identifier: BSD-3-Clause
// The step with a Laplacian field, and its elementary operations, which the original work's custom kernels
// replace one after the other.
#pragma once
#include "tuned.cuh"

namespace parity::cuda {

/// A field indexed with its halo: no margin.
template <class T>
Field<T> padded(const Fields<T>& f, T* field) {
  return {field, int(f.p.pitch()), int(f.p.rows()), 0};
}

/// Operations of a step, first versions, defined in variants/diffusion/baseline/cuda.cu. An algorithm with
/// its own kernel hides one of them.
struct ElementaryOperations {
  /// The halo as four array copies: bottom and top rows without corners, then left and right columns over the
  /// full height.
  template <class T>
  static void update_halo(const Fields<T>& f, T* field);
  /// Covers the points inside both margins; baseline: the flat field except one row at each end.
  template <class T>
  static void apply_laplacian(const Fields<T>& f, const Tuning&, Field<const T> from, Field<T> to);
  /// out = in - alpha out, as a scaling and an addition.
  template <class T>
  static void update_field(const Fields<T>& f, const Tuning&, Field<const T> in, Field<T> out);
};

/// The tuned operations, defined in variants/diffusion/baseline/cuda_tuned.cu.
struct TunedElementaryOperations {
  template <class T>
  static void update_halo(const Fields<T>& f, T* field);
  template <class T>
  static void apply_laplacian(const Fields<T>& f, const Tuning& elements, Field<const T> from, Field<T> to);
  template <class T>
  static void update_field(const Fields<T>& f, const Tuning&, Field<const T> in, Field<T> out);
};

/// The same operations with a custom Laplacian kernel: the first version in
/// variants/diffusion/laplacian/cuda.cu and the tuned one in cuda_tuned.cu.
struct LaplacianOfPoints : ElementaryOperations {
  template <class T>
  static void apply_laplacian(const Fields<T>& f, const Tuning& block, Field<const T> from, Field<T> to);
};
struct LaplacianOfTiles : TunedElementaryOperations {
  template <class T>
  static void apply_laplacian(const Fields<T>& f, const Tuning& tile, Field<const T> from, Field<T> to);
};

/// Algorithm 1 of the original work, composed of these operations.
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
  /// A field indexed inside a margin of 'margin' points around each plane.
  template <class Value>
  Field<Value> field(T* data, int margin) const {
    return {data, int(f.p.pitch()), int(f.p.rows()), margin};
  }
};

}  // namespace parity::cuda
