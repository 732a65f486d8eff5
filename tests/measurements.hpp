// SPDX-License-Identifier: BSD-3-Clause
// Measurements with known answers.
#pragma once
#include "harness/measurement.hpp"
#include "runtime/text.hpp"

namespace parity::test {

/// A verified result with one block per value, of the run "a".
inline harness::Measurement row(const std::string& study, const std::string& kernel,
                                const harness::Values& problem, const std::vector<double>& seconds,
                                const std::string& twin = "", const std::string& mechanism = "stream",
                                const std::string& tuning = "") {
  harness::Measurement m;
  m.run.id = "a";
  m.study = study;
  m.kernel = kernel;
  m.mechanism = mechanism;
  m.variant = kernel + (mechanism == "stream" ? "" : "+" + mechanism);
  m.tuning = tuning;
  m.twin = twin;
  m.family = harness::family_of(kernel.substr(0, kernel.find('-'))).value_or(harness::Family::reference);
  m.tier = runtime::ends_with(kernel, "-tuned")  ? harness::Tier::tuned
           : m.family == harness::Family::openmp ? harness::Tier::only
                                                 : harness::Tier::first;
  m.problem = problem;
  for (const double s : seconds) {
    m.host_seconds.push_back({s});
    m.processes.push_back(int(m.processes.size()) + 1);
    m.process_names.push_back(std::to_string(m.processes.back()));
  }
  m.metrics = {{"throughput", 1 / m.host().value, "1/s", harness::Better::higher}};
  return m;
}

}  // namespace parity::test
