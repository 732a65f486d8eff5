// SPDX-License-Identifier: BSD-3-Clause
// Input and verification of a field that several ranks share: each checks whole planes, which it puts
// together from the parts of those that computed them.
#pragma once
#include <optional>
#include <vector>

#include "diffusion/decomposition.hpp"
#include "harness/variant.hpp"
#include "runtime/host_array.hpp"

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
  /// Whole planes that this rank checks of one rank's part.
  struct Piece {
    Part part;
    int rank;
    Share planes;
    runtime::HostArray<T> values;  ///< padded; of another rank
  };
  /// Memory that checks of planes which are put together need, all of it used again by the next.
  struct Room {
    std::vector<Piece> pieces;
    runtime::HostArray<T> interior, padded;
  };
  Room room() const;
  const T* planes_of(const T* padded);

  const Problem whole_;
  const int rank_;
  const Share planes_;     ///< that this rank checks
  const Problem checked_;  ///< they alone
  std::vector<T> input_;   ///< of whole planes; empty where the part is these planes
  std::vector<double> expected_;
  std::optional<Room> room_;
};

}  // namespace parity::diffusion
