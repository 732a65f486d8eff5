// SPDX-License-Identifier: BSD-3-Clause
#include "diffusion/selection.hpp"

#include <fmt/format.h>
namespace parity::diffusion {

std::vector<Selected> select(const std::vector<Entry>& registry, const std::vector<std::string>& words,
                             const Tunings& tunings) {
  study::Selectable from{"diffusion", study::bases_of(registry), {}, {}};
  for (const Mechanism& m : mechanisms()) from.mechanisms.push_back(m.name);
  from.knows = [&registry](std::size_t e, std::size_t m) {
    return !why_no_mechanism(registry[e], mechanisms()[m]);
  };
  std::vector<Selected> selected;
  for (const study::Choice& c : study::select(from, words, tunings))
    selected.push_back({&registry[c.entry], &mechanisms()[c.mechanism], c.tuning});
  return selected;
}

std::optional<std::string> why_no_mechanism(const Entry& e, const Mechanism& m) {
  if (m.plain()) return std::nullopt;
  if (!e.stepped) return "its steps are no kernels of their own, so there is nothing to record";
  if (m.recorder == Recorder::kokkos_graph && e.family != Family::kokkos)
    return "Kokkos graphs hold Kokkos kernels only";
  if (m.recorder == Recorder::capture && !e.on_device()) return "only a GPU's stream can be captured";
  return std::nullopt;
}

std::optional<std::string> why_not(const Selected& s, const Problem& p) {
  if (!s.entry->unavailable.empty()) return s.entry->unavailable;
  if (const auto reason = why_no_mechanism(*s.entry, *s.mechanism)) return reason;
  // A recording of so many kernels takes gigabytes, and a host graph recurses through them.
  const double nodes = s.mechanism->schedule == Schedule::whole ? s.entry->model(p).launches : 0;
  const double most = s.entry->on_device() ? 200000 : 5000;
  if (nodes > most)
    return fmt::format("all steps in one graph would be {:.0f} kernels, more than {:.0f}", nodes, most);
  return s.entry->refuse ? s.entry->refuse(p, s.tuning) : std::nullopt;
}

}  // namespace parity::diffusion
