// SPDX-License-Identifier: BSD-3-Clause
// Launch costs of a device, from records of the launch study, for results of the same device.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/records.hpp"

namespace parity::analysis {

/// Seconds with an interval; value is 0 if unknown.
struct Figure {
  double value = 0, low = 0, high = 0;
  bool known() const { return value > 0; }
};

class FigureCurve {
 public:
  void add(double x, const Figure& y) { points_[x] = y; }
  bool empty() const { return points_.empty(); }
  const std::map<double, Figure>& points() const { return points_; }
  /// Interpolates linearly in x between the points; beyond the last one it extends the last piece.
  Figure at(double x) const {
    if (points_.empty()) return {};
    const auto above = points_.lower_bound(x);
    if (above == points_.begin() || points_.size() == 1) return points_.begin()->second;
    auto b = above, a = std::prev(above);
    if (above == points_.end()) b = a--;
    const double part = (x - a->first) / (b->first - a->first);
    const auto along = [part](double from, double to) { return from + part * (to - from); };
    return {along(a->second.value, b->second.value), along(a->second.low, b->second.low),
            along(a->second.high, b->second.high)};
  }

 private:
  std::map<double, Figure> points_;
};

/// Launch costs of one family of variants: "cuda", "kokkos", "openmp".
struct FamilyCosts {
  Figure launch;    ///< null-overhead: one more launch in a stream, or one more parallel loop on a host
  Figure interval;  ///< device-interval: one more null kernel that was already in the queue
  Figure node;      ///< one more node of a graph
  Figure dependent, dependent_interval;  ///< launch and interval of programmatic dependent launches
  Figure barrier;                        ///< one pass of a grid-wide barrier
  FigureCurve graph_repeat;              ///< one more launch of a graph of null kernels, by its nodes
  FigureCurve graph_setup;               ///< making, instantiating and uploading it, by its nodes
};

struct LaunchFigures {
  std::string device;
  std::map<std::string, FamilyCosts> family;
};

/// One entry per device whose launches were measured.
std::vector<LaunchFigures> launch_figures(const std::vector<harness::Measurement>& rows);

/// A device's name for comparisons: letters and digits in lower case, without vendor and trademark words. Two
/// devices are the same only if all of it is: an A100 is no A10.
std::string plain_device_name(const std::string& name);

}  // namespace parity::analysis
