// SPDX-License-Identifier: BSD-3-Clause
#include "harness/variant.hpp"

#include <charconv>

#include "runtime/device.hpp"
#include "runtime/stream.hpp"
#include "runtime/text.hpp"

namespace parity::harness {
namespace {

constexpr const char* family_names[] = {"reference", "openmp", "kokkos", "cuda", "cupy"};
constexpr const char* tier_names[] = {"first", "tuned", "further", "only"};

template <class Named, std::size_t n>
std::optional<Named> named(const std::string& word, const char* const (&names)[n]) {
  for (std::size_t k = 0; k < n; ++k)
    if (word == names[k]) return Named(k);
  return std::nullopt;
}

}  // namespace

const char* name(Family family) { return family_names[int(family)]; }
std::optional<Family> family_of(const std::string& word) { return named<Family>(word, family_names); }
const char* name(Tier tier) { return tier_names[int(tier)]; }
std::optional<Tier> tier_of(const std::string& word) { return named<Tier>(word, tier_names); }

bool makes_pair(Tier portable, Tier native) {
  if (portable == Tier::further) return native == Tier::first || native == Tier::only;
  return native == portable || native == Tier::only;
}

std::optional<Tuning> parse_tuning(const std::string& text) {
  Tuning tuning;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    int value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc() || value < 1 || value > 1048576) return std::nullopt;
    tuning.values.push_back(value);
    at = next;
    if (at == end) return tuning;
    if (*at++ != 'x') return std::nullopt;
  }
  return std::nullopt;
}

std::string to_string(const Tuning& tuning) {
  std::string text;
  for (const int value : tuning.values) text += (text.empty() ? "" : "x") + std::to_string(value);
  return text;
}

bool Entry::on_device() const {
  return family == Family::cuda || family == Family::cupy ||
         (family == Family::kokkos && runtime::portable_on_device());
}

std::string Entry::why_unavailable() const {
  if (family != Family::cuda) return unavailable;
  if (const auto why = runtime::why_no_cuda()) return *why;
  std::string why;
  return runtime::device(&why) ? unavailable : why;
}

Tuning standard_tuning(const Entry& entry) {
  return entry.tunings.empty() ? Tuning() : parse_tuning(entry.tunings.front()).value();
}

void describe_cell(Entry& entry, const char* algorithm, const std::string& cell, Tier tier,
                   const char* sentence) {
  const std::string backend = cell.substr(0, cell.find('_'));
  entry.algorithm = runtime::with_dashes(algorithm);
  entry.tier = tier;
  entry.family = family_of(backend).value();
  entry.name = backend + "-" + entry.algorithm + runtime::with_dashes(cell.substr(backend.size()));
  entry.summary = sentence;
}

const Entry* twin_of(const Entry& portable, const std::vector<const Entry*>& all) {
  if (portable.family != Family::kokkos || portable.algorithm.empty()) return nullptr;
  const Family native = runtime::portable_on_device() ? Family::cuda : Family::openmp;
  for (const Entry* e : all)
    if (e->family == native && e->algorithm == portable.algorithm && makes_pair(portable.tier, e->tier))
      return e;
  return nullptr;
}

}  // namespace parity::harness
