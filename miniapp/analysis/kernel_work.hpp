// SPDX-License-Identifier: BSD-3-Clause
// What a variant's kernels do in one step, as a profiler counted it: the part of a variant's model that no
// source says. jobs/report/kernel_work.py makes the table from raw counters.
#pragma once
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace parity::analysis {

/// What the amount of a kernel's work is proportional to.
enum class Extent { field, edge, plane, pairs };

/// One kernel of a step of the problem that was counted.
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

/// Of one device.
class KernelTable {
 public:
  /// Reads the CSV file of jobs/report/kernel_work.py. Throws runtime::UsageError naming the line.
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

}  // namespace parity::analysis
