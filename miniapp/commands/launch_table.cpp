// SPDX-License-Identifier: BSD-3-Clause
#include "commands/launch_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "launch/quantity.hpp"

namespace parity::commands {
namespace {

using study::Row;

const Row* twin_of(const Row& r, const std::vector<Row>& rows) {
  for (const Row& other : rows)
    if (!r.twin.empty() && other.variant == r.twin && !other.samples.host_seconds.empty()) return &other;
  return nullptr;
}

}  // namespace

void print_launch_table(const launch::Problem& p, const study::Measured& m) {
  if (m.rows.empty() && m.skipped.empty()) return;
  fmt::print("{}: {}\n", launch::describe(p), launch::find_quantity(p.quantity)->summary);
  for (const auto& [reason, names] : study::by_reason(m))
    fmt::print("  skipped {}: {}\n", fmt::join(names, " "), reason);
  if (!m.rows.empty())
    fmt::print("  {:<24} {:>11} {:>24} {:>28}  {}\n", "variant", "us", "95 % interval", "ns over its twin",
               "check");
  for (const Row& r : m.rows) {
    if (!r.verdict.passed()) {
      fmt::print("  {:<24} {:>11} {:>24} {:>28}  FAILED: {} (off by {:.1e}, tolerance {:.0e})\n", r.name(),
                 "-", "", "", r.verdict.reference, r.verdict.error, r.verdict.tolerance);
      continue;
    }
    const study::Summary s = r.host();
    std::string over = "";
    if (const Row* const twin = twin_of(r, m.rows)) {
      const study::Ratio d = study::difference_of_medians(r.samples.host_seconds, twin->samples.host_seconds);
      over = fmt::format("{:+.0f} [{:+.0f}, {:+.0f}]", 1e9 * d.value, 1e9 * d.low, 1e9 * d.high);
    }
    fmt::print("  {:<24} {:>11.4f} {:>24} {:>28}  {}\n", r.name(), 1e6 * s.median,
               fmt::format("[{:.4f}, {:.4f}]", 1e6 * s.low, 1e6 * s.high), over, r.verdict.reference);
  }
  std::fflush(stdout);
}

std::string launch_csv(const std::vector<Row>& rows) {
  std::string text =
      "study,variant,family,quantity,blocks,threads,argument_bytes,launches,units,unit_ns,unit,topology,"
      "devices,"
      "bytes,median_s,low_s,high_s,samples,error,tolerance,passed\n";
  for (const Row& r : rows) {
    const auto& p = r.problem;
    const study::Summary s = r.host();
    text += fmt::format("{},{},{},{}", r.study, r.variant, study::name(r.family),
                        p["quantity"].get<std::string>());
    for (const char* key : {"blocks", "threads", "argument_bytes", "launches", "units", "unit_ns"})
      text += fmt::format(",{}", p[key].get<std::int64_t>());
    text += fmt::format(",{},{},{},{},{},{},{},{},{},{},{}\n", p["unit"].get<std::string>(),
                        p["topology"].get<std::string>(), p["devices"].get<int>(),
                        p["bytes"].get<std::int64_t>(), s.median, s.low, s.high, s.count, r.verdict.error,
                        r.verdict.tolerance, int(r.verdict.passed()));
  }
  return text;
}

}  // namespace parity::commands
