// SPDX-License-Identifier: BSD-3-Clause
// A step of a traced program without the program: kernels that spin, copies and fills of the same size, and
// the host's own time between its calls. It is played on this machine's GPU as recorded and in other ways.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace parity::replay {

enum class Action { kernel, copy, fill, wait };
enum class Direction { on_device, to_device, from_device };

/// What the host starts, or waits for, in its order.
struct Item {
  Action action = Action::kernel;
  double gap = 0;      ///< seconds of the host before the call
  double seconds = 0;  ///< a kernel spins
  unsigned blocks = 1, threads = 1;
  std::int64_t bytes = 0;
  Direction direction = Direction::on_device;
  bool pageable = false;  ///< the copy's side on the host
  bool waits = false;     ///< the host goes on when this is over
  bool fuses = false;     ///< a kernel that may be one with the item before it
  int stream = 0;         ///< from 0 on
  std::vector<std::size_t>
      after;  ///< items of other streams that it waits for; later ones of the step before
};

using Skeleton = std::vector<Item>;

/// One way of launching.
struct Plan {
  std::string name, means;
  Skeleton skeleton;
  bool graph = false;      ///< what lies between two waits
  bool dependent = false;  ///< a kernel whose stream's last work is a kernel begins while that ends
  int steps = 1;           ///< in one graph
};

struct Timing {
  std::vector<double> samples;  ///< seconds of a step
  double setup = 0;             ///< seconds that making its graphs takes
  std::string refused;          ///< why it has no samples
};

/// Begins the name of the kernels that stand for the step's, and of no other.
constexpr const char* kernel_name = "replayed";

/// In rounds of all plans, for so many seconds about, the first one's plan is the step as recorded. Throws
/// std::runtime_error with CUDA's reason.
std::vector<Timing> play(const std::vector<Plan>& plans, double seconds);

}  // namespace parity::replay
