// SPDX-License-Identifier: BSD-3-Clause
// Input and verification of a field that several ranks share: each rank checks whole planes, which it
// assembles from the parts of the ranks that computed them.
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
  /// Computes this rank's part of the input, and the exact solution of the planes that it checks.
  DistributedCheck(const Problem& whole, int rank);

  /// The verdict on all ranks' padded parts (nz, ny+2h, nx+2h), halos included; the same on every rank. All
  /// ranks call it together.
  harness::Verdict verdict(const T* padded, bool unchanged, double gate);

  const Part own;
  const std::vector<T> field;  ///< the part's input

 private:
  /// One rank's part of the planes that this rank checks.
  struct Piece {
    Part part;
    int rank;
    Share planes;
    runtime::HostArray<T> values;  ///< padded; received from another rank
  };
  /// Memory for assembling planes; every check reuses it.
  struct Room {
    std::vector<Piece> pieces;
    runtime::HostArray<T> interior, padded;
  };
  Room room() const;
  const T* planes_of(const T* padded);

  const Problem whole_;
  const int rank_;
  const Share planes_;     ///< planes that this rank checks
  const Problem checked_;  ///< these planes as a problem
  std::vector<T> input_;   ///< input of these planes; empty if the part consists of them
  std::vector<double> expected_;
  std::optional<Room> room_;
};

}  // namespace parity::diffusion
