// SPDX-License-Identifier: BSD-3-Clause
#include "commands/launch_findings.hpp"

#include <fmt/format.h>

#include <set>

#include "harness/estimate_text.hpp"

namespace parity::commands {
namespace {

std::string cell(const analysis::LaunchFunction& function, const std::string& quantity) {
  const auto row = function.rows.find(quantity);
  if (row == function.rows.end()) return "-";
  const harness::Estimate e = row->second->host();
  const char* const mark = !harness::why_lost(e).empty()         ? "n.m. "
                           : row->second->verdict.caveat.empty() ? ""
                                                                 : "(!) ";
  return mark + harness::text_of(e, {1e6, 2});
}

void print_functions(const std::vector<analysis::LaunchFunction>& functions) {
  fmt::print(
      "\nthe figures of Zhang, Wahib and Matsuoka: us, with 95 % intervals (null kernels of one block; "
      "kernels of wait "
      "units)\n");
  fmt::print("  {:<22} {:<10} {:>26} {:>26} {:>26} {:>26} {:>26} {:>26}\n", "launch function", "unit",
             "Fig 2: null kernel", "CPU launch", "Fig 3: execution", "Fig 4: other", "total of one launch",
             "launch and wait, empty");
  for (const auto& f : functions)
    fmt::print("  {:<22} {:<10} {:>26} {:>26} {:>26} {:>26} {:>26} {:>26}\n", f.variant, f.unit,
               cell(f, "null-overhead"), cell(f, "dispatch"), cell(f, "fusion-overhead"),
               cell(f, "other-overhead"), cell(f, "total-overhead"), cell(f, "latency"));
  fmt::print(
      "  n.m.: not measurable here, the 95 % interval holds 0 or is wider than the quantity; (!): "
      "unreliable, an "
      "injected delay did not come back\n");
  fmt::print(
      "  published (V100, CUDA 10; bars without numbers): null kernel overhead about the CPU launch; "
      "execution overhead\n"
      "  above it; multi-device a little above cooperative, cooperative a little above traditional. "
      "Elsewhere, asynchronous\n"
      "  and synchronous launch: P100 2.2 and 6.6, V100 1.83 and 7.15, A100 2.7 and 9.65 us (CSCS ReFrame "
      "checks)\n");
}

void print_equation_3(const std::vector<analysis::Equation3>& functions) {
  if (functions.empty()) return;
  fmt::print(
      "\nequation 3: total less CPU launch, execution and other, each from rows of its own, start by start; "
      "us\n");
  for (const auto& e : functions)
    fmt::print("  {:<22} {:<10} {:>30}: {}\n", e.variant, e.unit, harness::text_of(e.rest, {1e6, 2}),
               !e.holds()    ? "does not hold within the interval"
               : e.decides() ? "holds"
                             : "undecided: the interval is wider than a tenth of the total on either side");
}

void print_node_costs(const std::vector<analysis::NodeCost>& costs) {
  if (costs.empty()) return;
  fmt::print(
      "\na node of a graph by its kind, us: one more kernel, and what a node of another kind after each "
      "kernel "
      "adds, start by\nstart\n  {:>8} {:<8}\n",
      "nodes", "kind");
  for (const analysis::NodeCost& c : costs)
    fmt::print("  {:>8} {:<8} {:>30}\n", c.nodes, c.kind, harness::text_of(c.cost, {1e6, 3}));
}

void print_sweeps(const analysis::SweepsOver& over) {
  fmt::print("\n{}, us\n", over.title);
  for (const auto& s : over.sweeps) {
    std::set<std::string> columns;
    for (const auto& [x, quantities] : s.rows)
      for (const auto& [quantity, f] : quantities) columns.insert(quantity);
    fmt::print("  {} {}\n  {:>8}", s.variant, s.title, over.axis);
    for (const std::string& c : columns) fmt::print(" {:>18}", c);
    fmt::print("\n");
    for (const auto& [x, quantities] : s.rows) {
      fmt::print("  {:>8}", x);
      for (const std::string& c : columns) {
        const auto f = quantities.find(c);
        fmt::print(" {:>18}",
                   f == quantities.end() ? "-" : fmt::format("{:.3f}", 1e6 * f->second->host().value));
      }
      fmt::print("\n");
    }
  }
}

}  // namespace

void print_launch_findings(const analysis::LaunchFindings& found) {
  if (!found.functions.empty()) print_functions(found.functions);
  print_equation_3(analysis::equation_3(found));
  print_node_costs(analysis::node_costs(found));
  for (const analysis::SweepsOver& over : found.sweeps) print_sweeps(over);
}

}  // namespace parity::commands
