// SPDX-License-Identifier: BSD-3-Clause
// direct, Kokkos, tuned: one thread per query, in blocks of a chosen size; a host has no blocks.
#include "algorithm.hpp"
#include "backend/kokkos/kde/samples.hpp"
#include "runtime/kokkos/blocks.hpp"

namespace parity::kde::direct {
namespace {

constexpr int widest = compat::most_tile_threads;

template <class T>
struct DirectBlocks {
  const T* samples;
  LibraryTerm<T> term;
  int count;
  T* density;
  std::int64_t n;
  double norm;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, std::int64_t) const {
    if (i >= n) return;
    const auto* const packs = reinterpret_cast<const Pack<T>*>(samples);
    const T q = samples[i];
    double total = 0;
    for (int first = 0; first < count; first += flush_packs) {
      T sum = 0;
      PARITY_UNROLL_BY(1)
      for (int k = 0; k < flush_packs; ++k) sum = add_pack(term, q, packs[first + k], sum);
      total += double(sum);
    }
    density[i] = T(total * norm);
  }
  /// Called by a host's range.
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const { (*this)(i, 0); }
};

template <class T>
struct DirectTuned {
  Samples<T> s;
  int width;
  DirectTuned(const Problem& p, const Tuning& t) : s(p), width(t.empty() ? widest : int(t[0])) {}
  void operator()() const {
    constexpr const char* label = "parity::kde::direct_tuned";
    const DirectBlocks<T> kernel{
        s.data(), LibraryTerm<T>(s.p.bandwidth), int(s.size() / pack_width), s.density(), s.p.n, s.p.norm()};
    if constexpr (compat::exec_is_device())
      Kokkos::parallel_for(
          label,
          compat::blocks_of_threads<widest, 1, std::int64_t>(s.exec, (s.p.n + width - 1) / width, width),
          kernel);
    else
      Kokkos::parallel_for(
          label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(s.exec, 0, s.p.n), kernel);
  }
};

}  // namespace

Entry kokkos_tuned() {
  Entry e = algorithm();
  if (compat::exec_is_device()) {
    e = with_block_widths(e);
    e.tunings = {"512", "2", "4", "8", "16", "32", "64", "128", "256"};
    if (widest >= 1024) e.tunings.insert(e.tunings.begin(), "1024");
    e.refuse += [](const Problem&, const Tuning& t) -> std::optional<std::string> {
      if (t.empty() || t[0] <= widest) return std::nullopt;
      return "blocks of more than the " + std::to_string(widest) + " threads that Kokkos " +
             compat::kokkos_version() + " lets a tile have";
    };
  }
  return with_sum<DirectTuned>(e);
}

}  // namespace parity::kde::direct
