// SPDX-License-Identifier: BSD-3-Clause
// Transfers between a user's arrays and Kokkos' memory: on a host the arrays themselves, on a GPU copies
// through page-locked memory, which all threads fill while the GPU fetches the previous block.
#pragma once
#include <algorithm>
#include <cstring>

#include "backend/kokkos/kde/samples.hpp"
#include "runtime/parallel.hpp"
#include "tools/density/sums.hpp"

namespace parity::density {

using compat::Exec;
using kde::Array;
using Range64 = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;

/// Two blocks of page-locked memory: one is filled or emptied while the other is transferred.
class Ferry {
 public:
  void to_device(const double* from, double* to, std::int64_t n) {
    if (n < few) return Kokkos::deep_copy(There(to, std::size_t(n)), Plain(from, std::size_t(n)));
    board();
    for (std::int64_t k = 0; k * block < n; ++k) {
      const std::int64_t first = k * block, count = std::min(block, n - first);
      copy(from + first, place(k), count);
      exec_.fence();  // waits for the previous copy, whose block is filled next
      Kokkos::deep_copy(exec_, There(to + first, std::size_t(count)), Here(place(k), std::size_t(count)));
    }
    exec_.fence();
  }
  void to_host(const double* from, double* to, std::int64_t n) {
    if (n < few)
      return Kokkos::deep_copy(View<double, Kokkos::HostSpace>(to, std::size_t(n)),
                               View<const double, Exec>(from, std::size_t(n)));
    board();
    std::int64_t last = -1;
    for (std::int64_t k = 0; k * block < n; last = k++) {
      const std::int64_t first = k * block, count = std::min(block, n - first);
      Kokkos::deep_copy(exec_, Here(place(k), std::size_t(count)),
                        View<const double, Exec>(from + first, std::size_t(count)));
      if (last >= 0) copy(place(last), to + last * block, block);
      exec_.fence();
    }
    copy(place(last), to + last * block, n - last * block);
  }

 private:
  using Locked = compat::HostPinned;
  template <class T, class Space>
  using View = Kokkos::View<T*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using There = View<double, Exec>;
  using Here = View<double, Locked>;
  using Plain = View<const double, Kokkos::HostSpace>;
  static constexpr std::int64_t few = 1 << 17, block = std::int64_t(1) << 21;  // 1 MiB, 16 MiB

  void board() { blocks_ = Blocks(Kokkos::ViewAllocateWithoutInitializing("ferry"), std::size_t(2 * block)); }
  double* place(std::int64_t k) const { return blocks_.data() + k % 2 * block; }
  static void copy(const double* from, double* to, std::int64_t n) {
    runtime::for_ranges(n, few, [&](std::int64_t begin, std::int64_t end) {
      std::memcpy(to + begin, from + begin, std::size_t(end - begin) * sizeof(double));
    });
  }

  using Blocks = Kokkos::View<double*, Locked>;
  Exec exec_;
  Blocks blocks_;
};

/// Values in Kokkos' memory.
class PlacedValues {
 public:
  PlacedValues() = default;
  explicit PlacedValues(Values values)
      : data_(values.empty() ? nullptr : values.data()), size_(std::int64_t(values.size())) {
    if (!compat::exec_is_device() || values.empty()) return;
    copy_ = Array<double>(Kokkos::ViewAllocateWithoutInitializing("values"), values.size());
    data_ = copy_.data();
    Ferry().to_device(values.data(), copy_.data(), size_);
  }
  const double* data() const { return data_; }  ///< null if empty
  std::int64_t size() const { return size_; }

 private:
  Array<double> copy_;
  const double* data_ = nullptr;
  std::int64_t size_ = 0;
};

struct SampleSet::Placed {
  PlacedValues x, w;
  explicit Placed(const SampleSet& s) : x(s.x()), w(s.w()) {}
};

/// Sums on Kokkos' execution space, and the array for the results.
class PlacedSums {
 public:
  explicit PlacedSums(std::size_t n) : values_(n) {
    if (compat::exec_is_device()) array_ = Array<double>(Kokkos::ViewAllocateWithoutInitializing("sums"), n);
  }
  double* data() { return compat::exec_is_device() ? array_.data() : values_.data(); }
  /// Waits for all kernels, then returns the sums on the host.
  Numbers take(const SampleSet& s) {
    Kokkos::fence();
    if (compat::exec_is_device() && !values_.empty()) {
      s.begin_stage("copy back");
      Ferry().to_host(array_.data(), values_.data(), std::int64_t(values_.size()));
    }
    return std::move(values_);
  }

 private:
  Numbers values_;
  Array<double> array_;
};

/// A user's problem in Kokkos' memory. Queries at the samples alias the samples, so that the transform
/// recognises them by address.
struct PlacedProblem {
  const SampleSet::Placed& samples;
  PlacedValues own_queries;
  const double *x, *w, *q;
  std::int64_t n, m;
  PlacedSums sums;
  PlacedProblem(const SampleSet& s, Values queries, const char* stage)
      : samples(s.placed()),
        own_queries(queries.is(s.x()) ? Values() : queries),
        x(samples.x.data()),
        w(samples.w.data()),
        q(queries.is(s.x()) ? x : own_queries.data()),
        n(samples.x.size()),
        m(std::int64_t(queries.size())),
        sums(queries.size()) {
    s.begin_stage(stage);
  }
};

/// Runs tile(begin, end) over m queries, in parts of as many pairs as a machine computes in about a tenth of
/// a second; a signal ends it between two parts.
template <class Tile>
void for_tiles(const SampleSet& s, std::int64_t m, double pairs_a_query, const Tile& tile) {
  const double pairs = compat::exec_is_device() ? 0x1p33 : 0x1p27;
  const auto step = std::int64_t(
      std::clamp(pairs / std::max(pairs_a_query, 1.0), compat::exec_is_device() ? 4096.0 : 64.0, 1e9));
  for (std::int64_t begin = 0; begin < m; begin += step) {
    tile(begin, std::min(m, begin + step));
    if (step < m) Kokkos::fence();
    s.reached(double(std::min(m, begin + step)), double(m), "points");
  }
}

}  // namespace parity::density
