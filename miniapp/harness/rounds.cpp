// SPDX-License-Identifier: BSD-3-Clause
#include "harness/rounds.hpp"

#include <algorithm>

#include "runtime/error.hpp"
#include "runtime/host_clock.hpp"
#include "runtime/signals.hpp"

namespace parity::harness {
namespace {

/// One sample, kept if 'timed'; a trial that finds out only now that it cannot drops out.
void take(Running& c, bool timed) {
  if (!c.refused.empty()) return;
  try {
    const Sample s = c.trial->sample();
    if (!timed) return;
    c.row.host_seconds.push_back(s.host);
    if (s.device >= 0) c.row.device_seconds.push_back(s.device);
  } catch (const runtime::CannotRunError& e) {
    c.refused = e.what();
  }
}

bool all_tight(const std::vector<Running*>& all, double tight) {
  return std::all_of(all.begin(), all.end(), [tight](const Running* c) {
    return !c->refused.empty() || c->row.host().relative_half_width() <= tight;
  });
}

}  // namespace

void run_rounds(const std::vector<Running*>& all, const RunOptions& o, const Note& note) {
  const auto announce = [&note](const std::string& what) {
    runtime::stop_if_interrupted();
    if (note) note(what);
  };
  for (Running* c : all)
    for (int w = 1; w < o.warmup; ++w) {
      announce("warm-up " + c->row.name());
      take(*c, false);
    }
  const double start = runtime::host_seconds();
  const char* stop = "repeats";
  for (int round = 0; round < o.repeats; ++round) {
    for (std::size_t k = 0; k < all.size(); ++k) {
      Running& c = *all[(k + std::size_t(round)) % all.size()];
      announce(c.row.name());
      take(c, true);
    }
    const double seconds = runtime::host_seconds() - start;
    if (seconds > o.time_cap && round + 1 < o.repeats) {
      stop = "time cap";
      break;
    }
    if (round + 1 >= o.enough && round + 1 < o.repeats && all_tight(all, o.tight)) {
      stop = "tight";
      break;
    }
  }
  for (Running* c : all) c->row.stop = stop;
}

}  // namespace parity::harness
