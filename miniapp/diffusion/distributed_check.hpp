// SPDX-License-Identifier: BSD-3-Clause
// Input and verification of a field that several ranks share: each checks whole planes, which it puts
// together from the parts of those that computed them.
#pragma once
#include <vector>

#include "diffusion/decomposition.hpp"
#include "harness/verification.hpp"

namespace parity::diffusion {

template <class T>
class DistributedCheck {
 public:
  /// Makes this rank's part of the input, and the exact solution of the planes that it checks.
  DistributedCheck(const Problem& whole, int rank);

  /// The verdict on all ranks' padded parts (nz, ny+2h, nx+2h), halos included; the same on every rank. All
  /// ranks call it together.
  harness::Verdict verdict(const T* padded, bool unchanged, double gate);

  const Part own;
  const std::vector<T> field;  ///< of the part

 private:
  const T* planes_of(const T* padded);

  const Problem whole_;
  const int rank_;
  const Share planes_;     ///< that this rank checks
  const Problem checked_;  ///< they alone
  std::vector<T> input_;   ///< of whole planes; empty where the part is these planes
  std::vector<double> expected_;
  std::vector<T> assembled_;
};

}  // namespace parity::diffusion
