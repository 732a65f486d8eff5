// SPDX-License-Identifier: BSD-3-Clause
// What a device's launches, memory and arithmetic cost, gathered from records of the launch study: for
// explaining rows of the same device, and for predictions about programs that are not Parity's.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/records.hpp"

namespace parity::analysis {

/// Seconds, and an interval of them. Unknown: no value.
struct Figure {
  double value = 0, low = 0, high = 0;
  bool known() const { return value > 0; }
};

inline double along(double from, double to, double x, double length) {
  return from + x * (to - from) / length;
}
inline Figure along(const Figure& from, const Figure& to, double x, double length) {
  return {along(from.value, to.value, x, length), along(from.low, to.low, x, length),
          along(from.high, to.high, x, length)};
}

template <class T>
class CurveOf {
 public:
  void add(double x, const T& y) { points_[x] = y; }
  bool empty() const { return points_.empty(); }
  const std::map<double, T>& points() const { return points_; }
  /// Linear in x between the points; beyond the last one in proportion to the last piece.
  T at(double x) const {
    if (points_.empty()) return {};
    const auto above = points_.lower_bound(x);
    if (above == points_.begin() || points_.size() == 1) return points_.begin()->second;
    auto b = above, a = std::prev(above);
    if (above == points_.end()) b = a--;
    return along(a->second, b->second, x - a->first, b->first - a->first);
  }

 private:
  std::map<double, T> points_;
};
using Curve = CurveOf<double>;
using FigureCurve = CurveOf<Figure>;

/// What launching costs one family of variants: "cuda", "kokkos", "openmp".
struct FamilyCosts {
  Figure launch;    ///< null-overhead: one more launch of a stream, or one more parallel loop on a host
  Figure interval;  ///< device-interval: one more null kernel that was in the queue already
  Figure latency;   ///< one launch and the wait for it
  Figure node;      ///< one more node of a graph
  Figure dependent, dependent_interval;  ///< the first two of programmatic dependent launches
  Figure barrier;                        ///< one pass of a barrier of the whole grid
  FigureCurve graph_repeat;              ///< one more launch of a graph of null kernels, by its nodes
  FigureCurve graph_setup;               ///< making, instantiating and uploading it, by its nodes
  FigureCurve copy;         ///< one more kernel that copies so many bytes, on the device, by bytes
  FigureCurve copy_stream;  ///< the same as launches of a stream
  /// A kernel that touches memory but hardly moves any, with what separates it from the next.
  double kernel_floor() const { return copy.points().begin()->second.value; }
};

/// Of the device (or host) that the records come from.
struct Costs {
  std::string device;                         ///< for titles
  std::map<std::string, FamilyCosts> family;  ///< "cuda", "kokkos"; none on a host
  Curve bandwidth;                            ///< bytes a second (read and written) by bytes of a field
  Curve streams;                              ///< of a copy, by bytes of both arrays: the roofs study's
  double grid_barrier = 0;                    ///< seconds a pass
  double issue_rate = 0;                      ///< warp instructions a second
  double exponential_rate = 0;                ///< exponentials a second
  double multiprocessors = 0;                 ///< of the GPU; 0 where the records do not say
  bool gpu = false;
};

/// From rows of the launch study, on a host from copies of the roofs study: nothing of what is to be
/// explained goes in. Throws runtime::UsageError naming the plan to measure where quantities are missing, and
/// where the records of different devices are mixed.
Costs costs_of(const harness::Records& records);

struct LaunchFigures {
  std::string device;
  std::map<std::string, FamilyCosts> family;
};

/// One for each device that the records come from. Throws runtime::UsageError where they hold no quantities
/// of launches.
std::vector<LaunchFigures> launch_figures(const harness::Records& records);

/// A device's name as it is compared: letters and digits in lower case, without vendor and marks. Two are the
/// same device's if all of it is the same: an A100 is no A10.
std::string plain_device_name(const std::string& name);

}  // namespace parity::analysis
