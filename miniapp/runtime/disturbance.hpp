// SPDX-License-Identifier: BSD-3-Clause
// What took processors away from this process: what a time that comes out wrong may be excused with. Tests
// put a count of their own in its place, so that no check of theirs depends on how busy a machine is.
#pragma once
#include <cstdint>
#include <optional>

namespace parity::runtime {

/// How often threads of this process had to make room for others, so far.
std::int64_t times_preempted();

/// Processor seconds that a hypervisor gave to others since this machine was started, in steps of some
/// milliseconds; nothing where the system does not say.
std::optional<double> stolen_seconds();

/// Where times_preempted() takes them from, for the lifetime of this object; stolen_seconds() says nothing.
class ReplacedPreemptions {
 public:
  explicit ReplacedPreemptions(std::int64_t (*times)());
  ~ReplacedPreemptions();
  ReplacedPreemptions(const ReplacedPreemptions&) = delete;
  ReplacedPreemptions& operator=(const ReplacedPreemptions&) = delete;
};

}  // namespace parity::runtime
