// SPDX-License-Identifier: BSD-3-Clause
// Splits measured times of the other studies into what they are made of, from first principles: what a
// variant's model says it does, at the rates that other records say the machine has.
#pragma once
#include <array>
#include <map>
#include <string>
#include <vector>

#include "analysis/costs.hpp"
#include "analysis/kernel_work.hpp"

namespace parity::analysis {

/// What time goes into. The order is that of a waterfall.
enum class Term { launches, memory, l2, l1, instructions, blocks, latency, around };
inline constexpr std::size_t term_count = 8;
/// "launches", "memory", …
const char* name(Term term);
/// Seconds, by Term.
using Terms = std::array<double, term_count>;

/// What no record of the machine says and other rows must: seconds. Fitted to rows of other algorithms than
/// the one that they are used for.
struct Latencies {
  double dependent = 0;  ///< an instruction that waits for the one before it
  double own = 0;        ///< an instruction of a warp alone
  double around = 0;     ///< a sample, beyond one launch and the wait for it
  std::size_t rows = 0;  ///< that they come from; 0 where there were too few
};

/// What one row moves and computes in one sample, and how fast the machine could, for rooflines. 0 where
/// unknown.
struct Traffic {
  double flops = 0;
  double memory_bytes = 0, l2_bytes = 0, l1_bytes = 0;
  double memory_rate = 0, l2_rate = 0, l1_rate = 0;  ///< bytes a second
  double instructions = 0, instruction_rate = 0;     ///< warps' on a GPU
};

/// One measured row, in seconds of one sample.
struct Explained {
  std::string study, name, problem, mechanism, precision;
  std::string algorithm;  ///< twins have the same one; its rows share no fitted figure with it
  double measured = 0;
  Terms terms{};
  Traffic traffic;
  bool noisy = false;    ///< its measured time: by the noise the rest may be anything
  bool clamped = false;  ///< its working set or graph is beyond what was measured: the last rate stands in
  double modelled() const;
  /// The part of the measured time that no term stands for; below zero where the terms are more than it.
  double rest() const { return measured - modelled(); }
  double rest_share() const { return rest() / measured; }
  /// The term that dominates.
  Term reason() const;
};

/// Rows that the model has no term for.
struct NotExplained {
  std::string study, name;
  std::string why;
  std::size_t rows = 0;
};

struct Explanation {
  std::vector<Explained> rows;
  std::vector<NotExplained> others;            ///< of the same studies
  std::map<std::string, Latencies> latencies;  ///< by algorithm
};

/// Every comparable row of the diffusion and the KDE study. Rows of a host have one term, memory: what their
/// bytes take at the bandwidth measured for their working set.
Explanation explain(const std::vector<harness::Measurement>& rows, const Costs& costs,
                    const KernelTable& kernels);

/// Time of a diffusion step on a small grid, by launches and bytes a step: copying kernels that move what the
/// original work's baseline (16 launches, 33 words a point) and its best kernel (1 launch, 2 words) move.
struct Factorial {
  std::int64_t n = 0;  ///< n x n x 64, float
  bool graph = false;
  double many_launches_many_bytes = 0, many_launches_few_bytes = 0, few_launches_many_bytes = 0,
         few_launches_few_bytes = 0;
  /// What fewer launches save, averaged over both amounts of bytes; and the reverse.
  double by_launches() const {
    return 0.5 * (many_launches_many_bytes - few_launches_many_bytes + many_launches_few_bytes -
                  few_launches_few_bytes);
  }
  double by_bytes() const {
    return 0.5 * (many_launches_many_bytes - many_launches_few_bytes + few_launches_many_bytes -
                  few_launches_few_bytes);
  }
};
Factorial factorial_of(const FamilyCosts& costs, std::int64_t n, bool graph);

/// One line of the guide: a step of kernels of this duration, in seconds.
struct Advice {
  double kernel = 0;  ///< what a kernel takes by itself
  int kernels = 0;    ///< of a step
  double stream = 0, graph = 0, dependent = 0, barrier = 0, fused = 0;
  double break_even = 0;  ///< steps from which the graph's setup pays
  /// Whether a way takes at least 10 % less than launching one by one.
  bool pays(double seconds) const { return seconds > 0 && seconds < 0.9 * stream; }
};
Advice advice_for(const Costs& costs, const FamilyCosts& family, double kernel_seconds, int kernels);
/// For steps of so many kernels, from short ones to long ones.
std::vector<Advice> guide_of(const Costs& costs, const FamilyCosts& family, int kernels);

}  // namespace parity::analysis
