// SPDX-License-Identifier: BSD-3-Clause
#include "launch/selection.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cuda/device.hpp"
#include "launch/quantity.hpp"

namespace parity::launch {

std::vector<Selected> select(const std::vector<Entry>& registry, const std::vector<std::string>& words) {
  std::vector<Selected> selected;
  for (const study::Choice& c : study::select({"launch", study::bases_of(registry), {}, {}}, words, {})) {
    const Entry& e = registry[c.entry];
    const bool named = std::any_of(words.begin(), words.end(), [&e](const std::string& w) {
      return w == e.name || w == "launch/" + e.name;
    });
    selected.push_back({&e, named});
  }
  return selected;
}

std::vector<Selected> those_for(const std::vector<Selected>& selected, const Problem& p) {
  const Quantity* const q = find_quantity(p.quantity);
  std::vector<Selected> found;
  for (const Selected& s : selected)
    if (q && (s.named || has(*s.entry, *q))) found.push_back(s);
  return found;
}

std::optional<std::string> why_not(const Selected& s, const Problem& p) {
  const Entry& e = *s.entry;
  if (!e.unavailable.empty()) return e.unavailable;
  const Quantity& q = *find_quantity(p.quantity);
  if (!has(e, q)) return fmt::format("it has no '{}'", p.quantity);
  if (q.kind == Kind::exponentials && !e.on_device()) return "the exponential unit is a GPU's";
  if (q.units && p.unit == Unit::nanosleep) {
    if (!e.on_device()) return "nanosleep is a GPU's; give --unit spin";
    if (cuda::device()->major < 7) return "nanosleep needs compute capability 7.0; give --unit spin";
  }
  if (q.several && p.launches < 2) return "the figure is a difference; give --launches of at least 2";
  if (p.argument_bytes > e.most_argument_bytes)
    return fmt::format("it is built for arguments of at most {} bytes", e.most_argument_bytes);
  if (p.argument_bytes > 0 && (q.kind == Kind::copy || q.kind == Kind::multiply_adds))
    return "events that copy or compute have no other arguments; leave --argument-bytes away";
  if (p.topology == Topology::fork && !e.forks) return "it does not fork; give --topology line";
  if (p.devices > 1 && !e.many_devices) return "it uses one GPU; give --devices 1";
  // A stream takes about a thousand launches before it makes the host wait, for good if the stream is held.
  if (p.quantity == "device-interval" && p.launches > 500)
    return "a held stream takes no more than 500 launches; reduce --launches";
  return e.refuse ? e.refuse(p) : std::nullopt;
}

}  // namespace parity::launch
