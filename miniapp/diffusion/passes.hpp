// SPDX-License-Identifier: BSD-3-Clause
// Variants that take several steps in one pass over the field.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "diffusion/problem.hpp"
#include "diffusion/stencil.hpp"

namespace parity::diffusion {

/// N steps as passes of 'most' steps; the last pass has what is left.
struct Passes {
  std::int64_t steps;
  int most;
  std::int64_t count() const { return (steps + most - 1) / most; }
  int steps_of(std::int64_t pass) const { return int(std::min<std::int64_t>(most, steps - pass * most)); }
};

/// N steps as passes of 'most' steps, most of them even: what is left is one pass of an even number, and one
/// of the last odd step. Of how many passes each kind has, in this order.
struct EvenPasses {
  std::int64_t whole, even, odd;  ///< passes
  int even_steps;                 ///< of the one
  EvenPasses(std::int64_t steps, int most)
      : whole(steps / most),
        even(steps % most >= 2 ? 1 : 0),
        odd(steps % most % 2),
        even_steps(int(steps % most / 2 * 2)) {}
  std::int64_t count() const { return whole + even + odd; }
};

/// How a pass of so many steps that streams down planes cuts their rows into chunks, which overlap by two
/// rows a step: those for which the longest queue of a worker reads the fewest rows. columns: pieces of work
/// of a chunk, of all planes; period: rows that are read together.
struct RowChunks {
  int rows = 0, count = 0, periods = 0;  ///< a chunk completes; chunks; periods that one reads
  double queue = 0;                      ///< rows that the longest queue reads
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

/// Steps a pass: what the tuning's first number says, and no more than there are.
inline int steps_a_pass(const Problem& p, const harness::Tuning& t) {
  return int(std::min<std::int64_t>(t[0], p.steps));
}

/// The factors that passes with DeferredScale defer until values would leave the range that it allows.
template <class T>
struct DeferredFactors {
  static constexpr int most = DeferredScale<T>::steps_of_passes;
  int behind = 0;  ///< steps whose factor no pass has applied yet
  /// What the next pass, of so many steps, applies after its steps: the factor of all of them, or 1. No pass
  /// is longer than the one before: each leaves as much of the range as it took itself.
  double factor_after(int steps, bool is_last) {
    behind += steps;
    if (behind > most) throw std::logic_error("a pass defers more steps than the one before left");
    if (!is_last && behind + steps <= most) return 1;
    const double factor = std::ldexp(1.0, -behind);  // DeferredScale's scale is 1/2
    behind = 0;
    return factor;
  }
};

/// Traffic and operations of such a variant: each pass reads and writes each point once.
inline harness::CostModel cost_of_passes(const Problem& p, std::int64_t passes, double launches_a_pass,
                                         double flops) {
  return {launches_a_pass * double(passes),
          2 * double(runtime::bytes_of(p.precision)) * double(p.points()) * double(passes),
          flops * p.point_steps()};
}
/// A launch a pass.
inline harness::CostModel cost_per_pass(const Problem& p, int most, double flops) {
  return cost_of_passes(p, Passes{p.steps, most}.count(), 1, flops);
}

}  // namespace parity::diffusion
