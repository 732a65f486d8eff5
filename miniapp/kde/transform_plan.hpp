// SPDX-License-Identifier: BSD-3-Clause
// How the fast Gauss transform meets a tolerance: terms, box width, reach.
#pragma once
#include <algorithm>
#include <cstdint>

#include "kde/expansion.hpp"

namespace parity::kde {

struct TransformPlan {
  int terms = 8;
  double half_width = 0;  ///< half a box, in units of h
  double cutoff = 0;      ///< in units of h
  double bound = 0;       ///< of the error, over the largest density
  int reach = 0;          ///< boxes to either side that are looked at
  double lower = 0;       ///< where the first box begins
  double width = 0;       ///< of a box
  std::int64_t boxes = 0;
};

/// What follows from the tolerance alone, in units of h: half of it to the series, half to the cutoff. Terms
/// 4, 8 or 12; boxes as wide as the bound allows.
struct TransformAccuracy {
  int terms;
  double half_width, cutoff, bound;
  explicit TransformAccuracy(double tolerance)
      : terms(tolerance >= 1e-4   ? 4
              : tolerance >= 1e-8 ? 8
                                  : 12),
        half_width(half_width_for(terms, tolerance / 2)),
        cutoff(cutoff_for(tolerance / 2)),
        bound(series_bound(terms, half_width) + cutoff_bound(cutoff)) {}
};

inline TransformPlan plan_transform(const TransformAccuracy& a, double lower, double upper, double h) {
  TransformPlan p;
  p.terms = a.terms;
  p.half_width = a.half_width;
  p.cutoff = a.cutoff;
  p.bound = a.bound;
  p.width = 2 * a.half_width * h;
  p.lower = lower;
  p.boxes = std::int64_t(std::min((upper - lower) / p.width, 1e18)) + 1;
  p.reach = int(std::ceil(a.cutoff * h / p.width)) + 1;
  return p;
}

/// Boxes beyond which dense arrays are refused.
constexpr std::int64_t most_boxes = std::int64_t(1) << 24;

}  // namespace parity::kde
