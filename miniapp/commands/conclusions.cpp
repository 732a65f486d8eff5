// SPDX-License-Identifier: BSD-3-Clause
// The original works' conclusions, as tables of measured values next to the published ones.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/findings.hpp"
#include "analysis/published.hpp"
#include "commands/commands.hpp"

namespace parity::commands {

std::vector<Conclusion> conclusions_of(const analysis::DiffusionFindings& found) {
  const auto or_ = [](const std::optional<std::int64_t>& value, const std::string& otherwise) {
    return value ? std::to_string(*value) : otherwise;
  };
  const auto published = [](const char* name) {
    return fmt::format("{:g}", analysis::published::of_filter(name)->value);
  };
  std::vector<Conclusion> all = {
      {"Grid size from which a kernel beats the baseline's graph versions (Table 4)",
       {"kernel", "precision", "nz", "steps", "from n", "certain from", "published (P100)"},
       {}},
      {fmt::format(
           "Steps from which a graph pays for its capture (Figure 3; published for the baseline: {} in "
           "section 3.1, about {} in section 4); capture and what a step saves in \u00b5s",
           published("break-even"), published("break-even, again")),
       {"variant", "grid", "type", "capture", "saved", "model", "found", "certain"},
       {}},
      {fmt::format(
           "Largest speed-up over a baseline, by the lower end of its interval (published: {} over CuPy "
           "on a {})",
           published("speed-up"), analysis::published::filter_device),
       {"variant", "baseline", "problem", "times"},
       {}},
      {fmt::format(
           "Grid size up to which a graph is faster than launches one by one, capture left out (left of "
           "Figures 2 and 4; published: {} for the fused kernel in CuPy on a {})",
           published("graph reach"), analysis::published::filter_device),
       {"variant", "N", "nz", "type", "up to n", "certain up to"},
       {}},
      {"Time of N steps per grid point on the largest grid, in \u00b5s (right of Figure 2)",
       {"variant", "N", "grid", "type", "measured",
        fmt::format("published ({})", analysis::published::filter_device)},
       {}}};
  for (const analysis::Threshold& t : found.thresholds) {
    const std::string not_to = fmt::format("not to {}", t.largest);
    all[0].rows.push_back({t.kernel, t.precision, std::to_string(t.nz), std::to_string(t.steps),
                           or_(t.from, not_to),
                           or_(t.certain_from, t.has_intervals ? not_to : "no intervals"), t.published});
  }
  for (const analysis::BreakEven& b : found.break_even)
    all[1].rows.push_back({b.variant, b.grid, b.precision, fmt::format("{:.1f}", 1e6 * b.capture_seconds),
                           fmt::format("{:.3f}", 1e6 * b.saved_per_step),
                           b.steps ? fmt::format("{:.0f}", *b.steps) : "-", or_(b.measured_at, "never"),
                           or_(b.certain_at, b.has_intervals ? "never" : "no intervals")});
  for (const analysis::SpeedUp& s : found.speed_ups)
    all[2].rows.push_back({s.variant, s.baseline, s.problem, harness::text_of(s.factor, {})});
  for (const analysis::GraphReach& g : found.reaches)
    all[3].rows.push_back({g.variant, std::to_string(g.steps), std::to_string(g.nz), g.precision,
                           or_(g.to, "nowhere"),
                           or_(g.certain_to, g.has_intervals ? "nowhere" : "no intervals")});
  for (const analysis::Plateau& p : found.plateaus)
    all[4].rows.push_back({p.variant, std::to_string(p.steps), p.grid, p.precision,
                           fmt::format("{:.4g}", 1e6 * p.seconds),
                           p.is_published ? published("plateau") : ""});
  all.erase(std::remove_if(all.begin(), all.end(), [](const Conclusion& c) { return c.rows.empty(); }),
            all.end());
  return all;
}

std::vector<Conclusion> conclusions_of(const analysis::WidthTable& t) {
  static const analysis::WidthTable before = analysis::published_widths();
  using Value = std::optional<analysis::Cell> (analysis::WidthTable::*)(std::int64_t, int) const;
  // Speed-ups over different widths cannot be compared.
  const bool is_like = t.widths.front() == before.widths.front();
  const auto table = [&t](const std::string& title, const char* form, Value value, bool compare) {
    Conclusion made{fmt::format("{} ({}): {}", t.variant, t.problem, title), {"n \\ width"}, {}};
    for (const int w : t.widths) made.columns.push_back(std::to_string(w));
    for (const std::int64_t n : t.sizes) {
      made.rows.push_back({std::to_string(n)});
      for (const int w : t.widths) {
        const auto measured = (t.*value)(n, w), known = compare ? (before.*value)(n, w) : std::nullopt;
        std::string text = "-";
        if (measured)
          text = fmt::format(fmt::runtime(form), measured->seconds) + (measured->extrapolated ? "*" : "");
        if (known) text += " (" + fmt::format(fmt::runtime(form), known->seconds) + ")";
        made.rows.back().push_back(text);
      }
    }
    return made;
  };
  std::vector<Conclusion> all = {
      table(fmt::format(
                "seconds of the kernel (Figure 1 of DeRosa, whose n is labelled 10000 times too large); in "
                "brackets published ({}); *: extrapolated by n^2 from the largest size of that width",
                analysis::published::density_device),
            "{:.3g}", &analysis::WidthTable::at, true),
      table("speed-up over the narrowest block (Figure 2)", "{:.3g}", &analysis::WidthTable::speed_up,
            is_like),
      table("efficiency: speed-up over the width (Figure 3); the narrowest block has 1 / width by definition",
            "{:.3g}", &analysis::WidthTable::efficiency, is_like)};
  std::vector<std::string> shares = {"occupancy"};
  for (const int w : t.widths) shares.push_back(fmt::format("{:.0f} %", 100 * t.occupancy.at(w)));
  const bool known = t.occupancy.begin()->second > 0;  // Kokkos does not report it
  if (known) all.front().rows.insert(all.front().rows.begin(), shares);
  return all;
}

}  // namespace parity::commands
