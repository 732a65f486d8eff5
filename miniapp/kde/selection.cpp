// SPDX-License-Identifier: BSD-3-Clause
#include "kde/selection.hpp"

#include <fmt/format.h>

namespace parity::kde {

std::vector<Selected> select(const std::vector<Entry>& registry, const std::vector<std::string>& words,
                             const study::Tunings& tunings) {
  std::vector<Selected> selected;
  for (const study::Choice& c : study::select({"kde", study::bases_of(registry), {}, {}}, words, tunings))
    selected.push_back({&registry[c.entry], c.tuning});
  return selected;
}

std::optional<std::string> why_not(const Selected& s, const Problem& p) {
  if (!s.entry->unavailable.empty()) return s.entry->unavailable;
  // 1e12 pairs take a GPU a second and two cores of a host more than a minute.
  const double most = s.entry->on_device() ? 5e12 : 5e11;
  if (s.entry->direct && p.pairs() > most)
    return fmt::format("a direct sum of {:.1e} pairs takes too long here; the transform does not", p.pairs());
  // The study's own sweep waited 22 minutes for such a cell; the sum is exactly quadratic.
  if (s.entry->block_width && !s.tuning.values.empty() && s.tuning[0] < 32 && p.n > 256000)
    return "blocks below 32 threads are measured to n = 256000 only: extrapolate, the sum is exactly "
           "quadratic";
  return s.entry->refuse ? s.entry->refuse(p, s.tuning) : std::nullopt;
}

}  // namespace parity::kde
