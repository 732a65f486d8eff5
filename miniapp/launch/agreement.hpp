// SPDX-License-Identifier: BSD-3-Clause
// A quantity against what instruments make of the same calls: absolute values, within a bound that comes from
// what reading the clocks and recording costs.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/statistics.hpp"
#include "launch/quantity.hpp"

namespace parity::launch {

/// agrees: the interval of the difference reaches into the bound, and not beyond twice the bound. coarse: so
/// it does, but the bound is more than coarse_share of the quantity, which is no agreement. differs: it lies
/// beyond the bound by more than its own width. unclear: none of these, however often it was repeated.
enum class Finding { agrees, coarse, differs, unclear };
constexpr double coarse_share = 0.25;

/// What one instrument says of a quantity. In seconds.
struct Agreement {
  std::string instrument;
  harness::Summary quantity, expected;  ///< by the quantity's own method, and by its formula
  harness::Summary difference;          ///< of the two in each sample
  double bound = 0;
  bool at_least = false;  ///< the formula is what the quantity cannot fall below
  std::string wrong;      ///< what was seen that must not be, whatever the times say
  /// Of a method that takes two runs to be alike outside of their events: by how much they were not, where
  /// nothing but that is between the quantity and the instrument. Nobody is wrong then and nothing measured.
  std::optional<harness::Summary> uneven;
  std::string excuse;  ///< why a difference may be that of others who use the machine
  Finding finding = Finding::unclear;
  /// "event log 3.21 us, quantity 3.22 us (apart by 0.01 [-0.02, 0.03] us of at most 0.25)"
  std::string text() const;
};

/// The problem with no more events than an instrument needs.
Problem few_events(const Quantity& quantity, Problem problem, int most_events = 20);

/// What is compared with what.
struct Subject {
  Probe& probe;
  const Entry& entry;
  const Quantity& quantity;
  Problem problem;          ///< of few events
  double ticks_per_second;  ///< of the clock that waits spin on
  Work work;                ///< of events that copy or compute
};

/// The method's samples against the log of their events, where the formula has spans, and, unless the queue
/// is held, against their watched calls alone. Sees what did not run, ran twice, or was not over when the
/// wait returned.
std::vector<Agreement> with_event_log(const Subject& subject);
/// Against a tracer's records of the same samples, events without code included: where the formula has spans,
/// once by the kernels; and unless the queue is held, once by the calls alone. Turns it on and off. Throws
/// runtime::CannotRunError where it cannot be used.
std::vector<Agreement> with_tracer(const Subject& subject, Tracer& tracer);
/// Against the same starts and waits by the entry's plain loop, in turn with the samples.
Agreement with_bare_loop(const Subject& subject);

/// The finding, from pairs of the quantity and what was expected of it.
void judge(Agreement& agreement, const std::vector<double>& quantity, const std::vector<double>& expected);

}  // namespace parity::launch
