// SPDX-License-Identifier: BSD-3-Clause
// Helpers for variants that do several steps in one pass over the field.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "diffusion/problem.hpp"
#include "diffusion/stencil.hpp"

namespace parity::diffusion {

/// N steps as passes of 'most' steps; the last pass has the rest.
struct Passes {
  std::int64_t steps;
  int most;
  std::int64_t count() const { return (steps + most - 1) / most; }
  int steps_of(std::int64_t pass) const { return int(std::min<std::int64_t>(most, steps - pass * most)); }
};

/// N steps as passes of 'most' steps ('whole'), then at most one pass of the remaining even number of steps
/// ('even') and at most one of a last single step ('odd').
struct EvenPasses {
  std::int64_t whole, even, odd;  ///< number of passes of each kind
  int even_steps;                 ///< steps of the 'even' pass
  EvenPasses(std::int64_t steps, int most)
      : whole(steps / most),
        even(steps % most >= 2 ? 1 : 0),
        odd(steps % most % 2),
        even_steps(int(steps % most / 2 * 2)) {}
  std::int64_t count() const { return whole + even + odd; }
};

/// Division of a plane's rows into chunks for a pass of 'steps' steps that streams down planes. Each chunk
/// also reads two rows per step on each side. The division minimises the rows that the busiest worker reads.
/// columns: work items of a chunk, over all planes; period: rows that are read together.
struct RowChunks {
  int rows = 0, count = 0, periods = 0;  ///< rows that a chunk completes; chunks; periods that a chunk reads
  double queue = 0;                      ///< rows that the busiest worker reads
  RowChunks(int ny, int steps, int period, double columns, double workers) {
    double least = std::numeric_limits<double>::infinity();
    for (int n = 1; n <= 64 && n <= std::max(1, ny / (4 * steps)); ++n) {
      const int chunk = (ny + n - 1) / n, reads = (chunk + 4 * steps + period - 1) / period;
      const double cost = std::ceil(columns * n / workers) * reads;
      if (cost >= 0.999 * least) continue;
      least = cost;
      rows = chunk, count = (ny + chunk - 1) / chunk, periods = reads, queue = cost * period;
    }
  }
};

/// Steps per pass: the tuning's first number, but at most the problem's steps.
inline int steps_a_pass(const Problem& p, const harness::Tuning& t) {
  return int(std::min<std::int64_t>(t[0], p.steps));
}

/// The scale factors that passes with DeferredScale defer, as long as values stay in the allowed range.
template <class T>
struct DeferredFactors {
  static constexpr int most = DeferredScale<T>::steps_of_passes;
  int behind = 0;  ///< steps whose factor is still deferred
  /// The factor that the next pass, of 'steps' steps, applies after them: that of all deferred steps, or 1.
  /// No pass may be longer than the previous one, which leaves room for as many steps as it did itself.
  double factor_after(int steps, bool is_last) {
    behind += steps;
    if (behind > most) throw std::logic_error("a pass defers more steps than the one before left");
    if (!is_last && behind + steps <= most) return 1;
    const double factor = std::ldexp(1.0, -behind);  // DeferredScale's scale is 1/2
    behind = 0;
    return factor;
  }
};

/// Traffic and operations of a variant with passes: each pass reads and writes each point once.
inline harness::CostModel cost_of_passes(const Problem& p, std::int64_t passes, double launches_a_pass,
                                         double flops) {
  return {launches_a_pass * double(passes),
          2 * double(runtime::bytes_of(p.precision)) * double(p.points()) * double(passes),
          flops * p.point_steps()};
}
/// The same with one launch per pass.
inline harness::CostModel cost_per_pass(const Problem& p, int most, double flops) {
  return cost_of_passes(p, Passes{p.steps, most}.count(), 1, flops);
}

}  // namespace parity::diffusion
