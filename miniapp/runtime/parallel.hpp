// SPDX-License-Identifier: BSD-3-Clause
// Work in pieces over all threads of the host. An error or a signal ends it between two pieces.
#pragma once
#include <atomic>
#include <cstdint>
#include <exception>

#include "runtime/signals.hpp"

namespace parity::runtime {

/// Keeps the first exception of several threads for rethrow(): no exception may leave an OpenMP region.
class FirstFailure {
 public:
  bool failed() const { return failed_.load(std::memory_order_relaxed); }
  template <class Work>
  void guard(const Work& work) {
    if (failed()) return;
    try {
      work();
    } catch (...) {
      if (!taken_.exchange(true)) failure_ = std::current_exception();
      failed_ = true;
    }
  }
  /// Call it after the region.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::atomic<bool> taken_{false}, failed_{false};
  std::exception_ptr failure_;
};

/// work(p) for every p below 'pieces', in any order.
template <class Work>
void for_pieces(std::int64_t pieces, const Work& work) {
  FirstFailure failure;
#pragma omp parallel for schedule(dynamic, 1) if (pieces > 1)
  for (std::int64_t p = 0; p < pieces; ++p)
    failure.guard([&] {
      stop_if_interrupted();
      work(p);
    });
  failure.rethrow();
}

/// work(begin, end) for [0, n) in pieces of 'piece' elements, independent of the number of threads.
template <class Work>
void for_ranges(std::int64_t n, std::int64_t piece, const Work& work) {
  for_pieces((n + piece - 1) / piece,
             [&](std::int64_t p) { work(p * piece, n - p * piece < piece ? n : (p + 1) * piece); });
}

}  // namespace parity::runtime
