// SPDX-License-Identifier: BSD-3-Clause
#include "study/runner.hpp"

#include <algorithm>
#include <chrono>

#include "study/signals.hpp"
#include "study/statistics.hpp"

namespace parity::study {
namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void sample(const Candidate& c, Samples& into) {
  c.reset();
  c.execution->synchronise();
  DeviceClock* const device = c.execution->device_clock();
  const auto start = Clock::now();
  if (device) device->start();
  c.execution->advance();
  if (device) device->stop();
  c.execution->synchronise();
  into.host_seconds.push_back(since(start));
  if (device) into.device_seconds.push_back(device->seconds());
}

bool all_tight(const std::vector<Samples>& all, double tight) {
  return std::all_of(all.begin(), all.end(), [tight](const Samples& s) {
    return summarise(s.host_seconds).relative_half_width() <= tight;
  });
}

}  // namespace

std::vector<Samples> run(const std::vector<Candidate>& candidates, const RunOptions& o,
                         const std::function<void(const std::string&)>& before) {
  std::vector<Samples> all(candidates.size());
  for (const Candidate& c : candidates)
    for (int w = 0; w < o.warmup; ++w) {
      stop_if_interrupted();
      if (before) before("warm-up " + c.label);
      c.reset();
      c.execution->advance();
      c.execution->synchronise();
    }
  const auto start = Clock::now();
  const char* stop = "repeats";
  for (int round = 0; round < o.repeats; ++round) {
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      const std::size_t which = (k + std::size_t(round)) % candidates.size();
      stop_if_interrupted();
      if (before) before(candidates[which].label);
      sample(candidates[which], all[which]);
    }
    if (since(start) > o.time_cap && round + 1 < o.repeats) {
      stop = "time cap";
      break;
    }
    if (round + 1 >= o.enough && round + 1 < o.repeats && all_tight(all, o.tight)) {
      stop = "tight";
      break;
    }
  }
  for (Samples& s : all) s.stop = stop;
  return all;
}

}  // namespace parity::study
