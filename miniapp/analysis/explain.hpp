// SPDX-License-Identifier: BSD-3-Clause
// Splits measured times of the other studies into what they are made of, from first principles: what a
// variant's model says it does, at the rates that other records say the machine has.
#pragma once
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/costs.hpp"

namespace parity::analysis {

/// What the amount of a kernel's work is proportional to.
enum class Extent { field, edge, plane, pairs };

/// One kernel of a step, of the problem that a profiler counted: the part of a variant's model that no source
/// says.
struct KernelWork {
  double launches = 0;  ///< in one step; of a plane's kernel, for each plane
  Extent extent = Extent::field;
  double fields = 0;        ///< that the variant's steps touch
  double side = 0;          ///< points along x and y, or samples
  double planes = 0;        ///< of the field
  double threads = 0;       ///< of a block
  double blocks = 0;        ///< of a launch
  double instructions = 0;  ///< warps'
  double l1_wavefronts = 0;
  double l2_bytes = 0;      ///< between L1 and L2
  double memory_bytes = 0;  ///< of device memory
  double seconds = 0;       ///< under the profiler; 0 but for what belongs to no variant
  std::string source;       ///< file and date of the counters
};

class KernelTable {
 public:
  /// Reads a CSV file as README.md here describes it. Throws runtime::UsageError naming the line.
  static KernelTable read(const std::string& path);
  /// The kernels of a step in order: those of the tuning, else those that hold for every tuning; null where
  /// they were not counted.
  const std::vector<KernelWork>* find(const std::string& kernel, const std::string& tuning,
                                      const std::string& precision) const;
  /// Blocks that can be launched in a second: of the kernel "fill", which does nothing else. 0 where it is
  /// not there.
  double block_rate() const;
  bool empty() const { return kernels_.empty(); }
  /// Files and dates, each once.
  std::vector<std::string> sources() const;

 private:
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<KernelWork>> kernels_;
};

/// What time goes into. The order is that of a waterfall.
enum class Term { launches, memory, l2, l1, instructions, blocks, latency, around };
inline constexpr std::size_t term_count = 8;
const char* name(Term term);
/// Seconds, by Term.
using Terms = std::array<double, term_count>;

/// Seconds that no record of the machine says: fitted to rows of other algorithms than they are used for.
struct Latencies {
  double dependent = 0;  ///< an instruction that waits for the one before it
  double own = 0;        ///< an instruction of a warp alone
  double around = 0;     ///< a sample, beyond one launch and the wait for it
  std::size_t rows = 0;  ///< that they come from; 0 where there were too few
};

/// One measured row, in seconds of one sample.
struct Explained {
  std::string study, name, problem, mechanism, precision;
  std::string algorithm;  ///< twins have the same one; its rows share no fitted figure with it
  double measured = 0;
  Terms terms{};
  double memory_bytes = 0, memory_rate = 0;  ///< that it moves, and how many a second the machine could
  bool noisy = false;                        ///< its measured time: by the noise the rest may be anything
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

/// Every comparable row of the diffusion and the KDE study. Rows of a host have one term, memory.
Explanation explain(const std::vector<harness::Measurement>& rows, const Costs& costs,
                    const KernelTable& kernels);

/// Time of a diffusion step on n x n x 64 points, float, by launches and bytes a step: copying kernels that
/// move what the original work's baseline (16 launches, 33 words a point) and its best kernel (1 launch, 2
/// words) move.
struct Factorial {
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
  double stream = 0, graph = 0, dependent = 0, barrier = 0, fused = 0;
  double break_even = 0;  ///< steps from which the graph's setup pays
  /// Whether a way takes at least 10 % less than launching one by one.
  bool pays(double seconds) const { return seconds > 0 && seconds < 0.9 * stream; }
};
Advice advice_for(const Costs& costs, const FamilyCosts& family, double kernel_seconds, int kernels);
/// For steps of so many kernels, from short ones to long ones.
std::vector<Advice> guide_of(const Costs& costs, const FamilyCosts& family, int kernels);

/// A row on a GPU as its model sees it: known seconds, and how often what only other rows can tell occurs in
/// it.
struct RowModel {
  Explained row;              ///< names, measured time, bytes; its terms are made last
  double once = 0;            ///< one launch and the wait for it, beyond what follows
  double host = 0;            ///< what launching takes the host, if it is slower than the device
  double gaps = 0;            ///< between kernels on the device
  double touch = 0;           ///< the first bytes of each kernel
  Terms work{};               ///< moving and computing, already overlapped
  double chained = 0;         ///< instructions that wait for each other, of all kernels one after the other
  double alone = 0;           ///< instructions of one warp, of the same
  bool samples_wait = false;  ///< whether a sample has a beginning and an end that no launch study sees
};

/// Time of terms that overlap, each one's share of it: more than the longest, less than their sum. The
/// exponent 3 lies between 1 (one after the other) and infinity (the longest alone); see README.md here.
Terms overlapped(const Terms& alone);
double predicted(const RowModel& model, const Latencies& latencies);
/// The row with its terms; they add up to what is predicted.
Explained finished(const RowModel& model, const Latencies& latencies);

/// With which the logarithms of predicted over measured times are least in the mean, over the models of all
/// other algorithms. Zeros where fewer than 20 rows are left.
Latencies latencies_without(const std::string& algorithm, const std::vector<RowModel>& models);

/// Why a row has no model: thrown where there is no term for what it does.
struct NoModel {
  std::string why;
};
RowModel device_model(const harness::Measurement& row, const Costs& costs, const KernelTable& kernels);

}  // namespace parity::analysis
