// SPDX-License-Identifier: BSD-3-Clause
// Planes that all ranks share: rank 0 has them and hands out the parts, everybody filters one.
#pragma once
#include <memory>
#include <vector>

#include "diffusion/study.hpp"

namespace parity::filter {

template <class T>
class SharedPlanes {
 public:
  SharedPlanes(const diffusion::Problem& p, const harness::Choice& choice) : p_(p), choice_(choice) {}
  /// So many steps. Parts are handed out before the first of a plane's and collected after the last.
  struct Steps {
    std::int64_t count;
    bool first, last;
  };
  /// Rank 0, while the others are in help(): steps of planes (planes, ny, nx), in place.
  void advance(T* values, std::int64_t planes, const Steps& steps);
  /// Rank 0, at the end: the others return.
  void dismiss();
  /// Every other rank.
  void help();

 private:
  void take_part(T* values, std::int64_t planes, const Steps& steps);
  /// Between rank 0's planes and the parts, plane by plane.
  void hand_out(T* values, std::int64_t planes, bool back);

  const diffusion::Problem p_;
  const harness::Choice choice_;
  diffusion::Problem made_;  ///< what the variant was made for
  std::unique_ptr<diffusion::Variant<T>> variant_;
  std::vector<T> part_;
};

}  // namespace parity::filter
