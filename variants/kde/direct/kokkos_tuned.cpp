// SPDX-License-Identifier: BSD-3-Clause
// kde/kokkos-range-blocks: one query a thread, the library's exp, in blocks of a size of one's own, where
// kokkos-range has Kokkos' choice. A host has no blocks. Twin of cuda-register-sum, openmp-direct.
#include "query_range.hpp"
#include "runtime/kokkos/blocks.hpp"

namespace parity::kde {
namespace {

constexpr int widest = 1024;

/// The last block has threads without a query.
template <class T>
struct BlockedQueries {
  QuerySum<T> query;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, std::int64_t) const {
    if (i < query.sink.n) query(i);
  }
};

template <class T>
struct RangeBlocks {
  Samples<T> s;
  int width;
  RangeBlocks(const Problem& p, const Tuning& t) : s(p), width(t.empty() ? widest : int(t[0])) {}
  void operator()() const {
    constexpr const char* label = "parity::kde::range_blocks";
    if constexpr (compat::exec_is_device())
      Kokkos::parallel_for(
          label,
          compat::blocks_of_threads<widest, 1, std::int64_t>(s.exec, (s.p.n + width - 1) / width, width),
          BlockedQueries<T>{QuerySum<T>(s)});
    else
      sum_by_range(label, s);
  }
};

}  // namespace

Entry direct_kokkos_tuned() {
  Entry e;
  if (compat::exec_is_device()) {
    e.tunings = {"1024", "512", "256", "128"};
    e.tuning_axes = "threads of a block: 1 to 1024";
    e.refuse = refuse_wide_blocks;
  }
  return with_sum<RangeBlocks>(e);
}

}  // namespace parity::kde
