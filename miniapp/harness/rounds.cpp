// SPDX-License-Identifier: BSD-3-Clause
#include "harness/rounds.hpp"

#include <algorithm>

#include "runtime/error.hpp"
#include "runtime/host_clock.hpp"
#include "runtime/signals.hpp"

namespace parity::harness {
namespace {

/// One sample, or a run without one; a trial that finds out only now that it cannot drops out.
void take(Running& c, bool timed) {
  if (!c.refused.empty()) return;
  try {
    if (!timed) return c.trial->warm_up();
    const double start = runtime::host_seconds();
    const Sample s = c.trial->sample();
    c.seconds += runtime::host_seconds_since(start);
    c.row.host_seconds.back().push_back(s.host);
    if (s.device < 0) return;
    if (c.row.device_seconds.empty()) c.row.device_seconds.emplace_back();
    c.row.device_seconds.back().push_back(s.device);
  } catch (const runtime::CannotRunError& e) {
    c.refused = e.what();
  }
}

/// Whether it has what it needs.
bool done(Running& c, const RunOptions& o) {
  if (!c.refused.empty()) return true;
  const int taken = int(c.row.host_seconds.back().size());
  c.row.stop = taken >= o.repeats_in_block()                                      ? "repeats"
               : taken >= o.least_in_block() && c.seconds > o.time_cap_in_block() ? "time cap"
                                                                                  : "";
  return !c.row.stop.empty();
}

}  // namespace

void run_rounds(const std::vector<Running*>& all, const RunOptions& o, const Note& note) {
  const auto announce = [&note](const std::string& what) {
    runtime::stop_if_interrupted();
    if (note) note(what);
  };
  for (Running* c : all) {
    c->row.host_seconds.assign(1, {});
    for (int w = 1; w < o.warmup; ++w) {
      announce("warm-up " + c->row.name());
      take(*c, false);
    }
  }
  bool more = !all.empty();
  for (std::size_t round = 0; more; ++round) {
    more = false;
    for (std::size_t k = 0; k < all.size(); ++k) {
      Running& c = *all[(k + round) % all.size()];
      if (done(c, o)) continue;
      announce(c.row.name());
      take(c, true);
      more = true;
    }
  }
}

}  // namespace parity::harness
