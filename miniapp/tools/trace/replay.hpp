// SPDX-License-Identifier: BSD-3-Clause
// A step of a traced program without the program: spinning kernels, copies and fills of the same size, and
// the host's own time between its calls. This machine's GPU plays it as recorded and in other ways.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace parity::replay {

enum class Action { kernel, copy, fill, wait };
enum class Direction { on_device, to_device, from_device };

/// An item that the host starts or waits for, in the host's order.
struct Item {
  Action action = Action::kernel;
  double gap = 0;      ///< seconds of host work before the call
  double seconds = 0;  ///< duration of a kernel, which spins
  unsigned blocks = 1, threads = 1;
  std::int64_t bytes = 0;
  Direction direction = Direction::on_device;
  bool pageable = false;  ///< the host memory of the copy is pageable
  bool waits = false;     ///< the host blocks until this is finished
  bool fuses = false;     ///< a kernel that can be fused with the item before it
  int stream = 0;         ///< numbered from 0
  std::vector<std::size_t>
      after;  ///< items of other streams that it waits for; later items: of the previous step
};

using Skeleton = std::vector<Item>;

/// One way of launching a step.
struct Plan {
  std::string name, means;
  Skeleton skeleton;
  bool graph = false;      ///< captures the items between two waits
  bool dependent = false;  ///< after a kernel on its stream, a kernel starts while that one ends
  int steps = 1;           ///< per graph
};

struct Timing {
  std::vector<double> samples;  ///< seconds per step
  double setup = 0;             ///< seconds to create its graphs
  std::string refused;          ///< the reason for having no samples
};

/// Prefix of the names of the kernels that replace the step's; no other kernel has it.
constexpr const char* kernel_name = "replayed";

/// Plays all plans in rounds for about so many seconds; the first plan is the step as recorded. Throws
/// std::runtime_error with CUDA's reason.
std::vector<Timing> play(const std::vector<Plan>& plans, double seconds);

}  // namespace parity::replay
