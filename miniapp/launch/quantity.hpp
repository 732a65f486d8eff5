// SPDX-License-Identifier: BSD-3-Clause
// The quantities of the launch study, each with the method that measures it, with what an instrument that
// shares neither its brackets nor its clock expects of the same sample, and with where a delay is injected
// that it must grow by.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "launch/instrument.hpp"
#include "launch/variant.hpp"

namespace parity::launch {

/// Equation 3's terms of one sample, in seconds: of the same launches as the quantity 'other-overhead'
/// itself.
struct Parts {
  std::vector<double> total, call, execution;
};

/// What a method knows besides the probe.
struct Setting {
  const Problem& problem;
  double ticks_per_second;  ///< of the clock that waits spin on
  Work work;                ///< of an event that copies or computes; of its log where events shall stamp
  double event_delay = 0;   ///< seconds that every event waits besides
  Parts* parts = nullptr;   ///< gets the terms of equation 3
};

/// How a quantity is measured, and what it is held against.
struct Method {
  /// One sample in seconds.
  double (*sample)(Probe&, const Setting&) = nullptr;
  /// The call that a delay is injected into; none: the events themselves.
  std::optional<Step> delayed;
  /// Events that a sample asks for from one idle queue to the next, in order.
  std::vector<int> (*asked)(const Problem&) = nullptr;
  const char* formula = "";  ///< of the quantity, in the words of what an instrument sees
  /// That formula, in seconds.
  double (*expected)(const std::vector<Run>&, const Seen&, const Problem&) = nullptr;
  /// What a bracket's difference is divided by.
  double (*divisor)(const Problem&) = nullptr;
  /// Readings of the events' clock in the formula before that; 0 where it is of calls alone.
  int readings = 0;
  /// Whether the queue is filled before it runs, so that calls one after the other are something else.
  bool held = false;
  /// Seconds that R2 takes longer than R3 outside of its event, where the method takes both to be the same
  /// there; null: it does not.
  double (*uneven)(const std::vector<Run>&) = nullptr;
};

/// One row of the table of quantities.
struct Quantity {
  const char* name;
  const char* summary;
  std::vector<Role> roles;  ///< of the variants that have it
  Method method;
  Kind kind = Kind::none;  ///< what its events do besides
  bool units = false;      ///< whether they are wait units
  bool several = true;     ///< whether it is the difference of two counts of launches
  /// The smaller injected delay: so long that what it competes with is over before. Null: 10 us.
  double (*delay)(const Problem&) = nullptr;
  /// What the larger is longer by, which must come back. Null: 20 us.
  double (*difference)(const Problem&) = nullptr;
  bool updates = false;  ///< whether it replaces arguments in a graph

  /// Whether it is of messages between ranks.
  bool of_messages() const { return roles.front() == Role::message; }
};

const std::vector<Quantity>& quantities();
/// Null where no quantity has the name.
const Quantity* find_quantity(const std::string& name);
bool has(const Entry& entry, const Quantity& quantity);

/// Rounds of the shorter run of a rate; a sample is the time of as many more.
int rate_rounds(bool on_device);
/// Blocks that a launch needs for the quantity: as the problem says, but for 'copy' one thread for sixteen
/// bytes.
Problem with_blocks(const Problem& problem);

}  // namespace parity::launch
