// SPDX-License-Identifier: BSD-3-Clause
// parity compare: which rows changed between two files of records, beyond their noise.
#include <fmt/format.h>

#include <memory>

#include "analysis/compare.hpp"
#include "commands/commands.hpp"
#include "harness/records.hpp"
#include "runtime/error.hpp"

namespace parity::commands {
namespace {

using analysis::Change;

struct Options {
  std::string before, after;
  double factor = 1.1;
};

int run(const Options& o) {
  const auto changes = analysis::compare(harness::read_records({o.before}).measurements,
                                         harness::read_records({o.after}).measurements, o.factor);
  int faster = 0, slower = 0, too_slow = 0, wrong = 0;
  for (const analysis::Changed& c : changes) {
    if (c.change == Change::wrong) fmt::print("WRONG     {}\n", c.key);
    faster += c.change == Change::faster;
    slower += c.change == Change::slower || c.change == Change::too_slow;
    too_slow += c.change == Change::too_slow;
    wrong += c.change == Change::wrong;
    if (c.change == Change::wrong || c.change == Change::none) continue;
    fmt::print("{:<9} {}  {:.4g} ms -> {:.4g} ms (x{:.3f})\n",
               c.change == Change::too_slow ? "TOO SLOW"
               : c.change == Change::slower ? "slower"
                                            : "faster",
               c.key, 1e3 * c.before, 1e3 * c.after, c.after / c.before);
  }
  if (changes.empty())
    throw runtime::UsageError(fmt::format("{} and {} have no row in common", o.before, o.after));
  fmt::print(
      "{} rows in common: {} faster, {} slower beyond their noise, {} of them by more than x{}; {} wrong\n",
      changes.size(), faster, slower, too_slow, o.factor, wrong);
  return too_slow + wrong > 0 ? runtime::exit_check_failed : runtime::exit_ok;
}

}  // namespace

Action add_compare(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c =
      app.add_subcommand("compare", "Rows that changed between two files of records, beyond their noise");
  c->add_option("before", o->before, "Records to compare with")->required();
  c->add_option("after", o->after, "Records to judge")->required();
  c->add_option("--factor", o->factor,
                "A row slower by more than this, beyond its noise, fails (exit code 1)")
      ->check(CLI::Range(1.0, 1e6))
      ->capture_default_str();
  return [o] { return run(*o); };
}

}  // namespace parity::commands
