// SPDX-License-Identifier: BSD-3-Clause
// The figures of the launch study, each with the method that measures it. A method takes one sample; the same
// method with a delay injected where the figure would grow by it shows that it measures what it says.
#pragma once
#include <string>
#include <vector>

#include "launch/variant.hpp"

namespace parity::launch {

/// What a method knows besides the probe.
struct Setting {
  const Problem& problem;
  double ticks_per_second;  ///< of the clock that waits spin on
  Work work;                ///< of an event that copies or computes
};

/// One row of the table of figures.
struct Quantity {
  const char* name;
  const char* summary;
  std::vector<Role> roles;  ///< of the variants that have it
  /// One sample in seconds, with 'injected' seconds more of what is measured.
  double (*sample)(Probe&, const Setting&, double injected) = nullptr;
  Kind kind = Kind::none;  ///< what its events do besides
  bool units = false;      ///< whether they are wait units
  bool several = true;     ///< whether it is the difference of two counts of launches
  /// The smaller injected delay: so long that what it competes with is over before. Null: 10 us.
  double (*delay)(const Problem&) = nullptr;
  /// What the larger is longer by, which must come back. Null: 20 us.
  double (*difference)(const Problem&) = nullptr;
};

const std::vector<Quantity>& quantities();
/// Null where no figure has the name.
const Quantity* find_quantity(const std::string& name);
bool has(const Entry& entry, const Quantity& quantity);

/// Rounds of the shorter run of a rate; a sample is the time of as many more.
int rate_rounds(bool on_device);
/// Blocks that a launch needs for the figure: as the problem says, but for 'copy' one thread for sixteen
/// bytes.
Problem with_blocks(const Problem& problem);

}  // namespace parity::launch
