// SPDX-License-Identifier: BSD-3-Clause
// Planes that all ranks share: rank 0 holds them and distributes the parts, and every rank filters one part.
#pragma once
#include <memory>
#include <vector>

#include "diffusion/study.hpp"

namespace parity::filter {

template <class T>
class SharedPlanes {
 public:
  SharedPlanes(const diffusion::Problem& p, const harness::Choice& choice) : p_(p), choice_(choice) {}
  /// A number of steps. The first call for a plane distributes the parts, the last one collects them.
  struct Steps {
    std::int64_t count;
    bool first, last;
  };
  /// Rank 0 calls it while the others are in help(): steps of planes (planes, ny, nx), in place.
  void advance(T* values, std::int64_t planes, const Steps& steps);
  /// Rank 0 calls it at the end; help() then returns on the other ranks.
  void dismiss();
  /// Called by every other rank.
  void help();

 private:
  void take_part(T* values, std::int64_t planes, const Steps& steps);
  /// Copies between rank 0's planes and the parts, plane by plane.
  void hand_out(T* values, std::int64_t planes, bool back);

  const diffusion::Problem p_;
  const harness::Choice choice_;
  diffusion::Problem made_;  ///< the problem that the variant was created for
  std::unique_ptr<diffusion::Variant<T>> variant_;
  std::vector<T> part_;
};

}  // namespace parity::filter
