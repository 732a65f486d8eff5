// SPDX-License-Identifier: BSD-3-Clause
// ring: ranks share the samples, and each computes the densities at its own. Blocks of samples travel round
// the ranks; the next one is under way while a rank adds the current one as register_tile does. Each rank
// adds the blocks in another order, but sums are exact (kde/exact_sum.hpp): neither the order nor the number
// of ranks changes a bit. A rank computes n^2 / ranks exponentials; at most 2^26 samples. Backends implement
// the addition of a block and share the order.
#pragma once
#include <memory>

#include "kde/exact_sum.hpp"
#include "kde/shared_samples.hpp"
#include "kde/variant.hpp"

namespace parity::kde::ring {

/// Destination of a team's totals: the queries' sums, or its chunk's row of partial sums (chunks, n).
template <class T>
struct RingSink {
  using Total = ExactSum;
  ExactSum* sums;
  ExactSum* partial;  ///< null if there is one chunk
  std::int64_t n;

  PARITY_INLINE void put(int chunk, std::int64_t query, const ExactSum& total) const {
    if (query >= n) return;
    if (partial)
      partial[chunk * n + query] = total;
    else
      sums[query] += total;
  }
  PARITY_INLINE void finish(int chunks, std::int64_t query) const {
    for (int c = 0; c < chunks; ++c) sums[query] += partial[c * n + query];
  }
};

/// Last pass, one index per query: turns sums into densities.
template <class T>
struct RingDensity {
  const ExactSum* sums;
  T* density;
  double norm;
  PARITY_INLINE void operator()(std::int64_t query) const { density[query] = T(sums[query].value() * norm); }
};

/// Values per block: the largest share of samples, padded to whole flushes.
inline std::int64_t ring_block(const Problem& whole) { return padded_count(samples_of(whole, 0).size); }

/// Splits the work of a block for 'queries' queries.
inline Split ring_split(Split of_block, std::int64_t queries, int queries_per_tile) {
  of_block.tiles = int((queries + queries_per_tile - 1) / queries_per_tile);
  return of_block;
}

/// Works is constructed from the rank's part as a problem, the number of values per block and a tuning:
///   void load(const T*), store(T*), synchronise(), void* stream(), DeviceClock* clock(), bool on_device
///   T* block(int)               0: the rank's samples, padded to a block; 1, 2: receive buffers
///   void clear()                zeroes the sums, in stream order
///   void add(const T* block)    adds a block's samples to the sums of the rank's queries
///   void finish(double norm)    computes the densities
template <class T, class Works>
class Ring : public Variant<T> {
 public:
  Ring(const Problem& whole, const Tuning& tuning)
      : blocks_(int(whole.ranks)), norm_(whole.norm()), works_(own_part(whole), ring_block(whole), tuning) {
    if (blocks_ == 1) return;
    const int rank = runtime::rank_info().rank, next = (rank + 1) % blocks_,
              last = (rank + blocks_ - 1) % blocks_;
    const std::int64_t bytes = ring_block(whole) * std::int64_t(sizeof(T));
    using Path = runtime::Messages::Path;
    const Path path = !Works::on_device                 ? Path::host
                      : runtime::device_messages_work() ? Path::device
                                                        : Path::staged;
    const auto hop = [&](int from, int to) {
      using Ends = std::vector<runtime::Message>;
      return std::make_unique<runtime::Messages>(Ends{{last, works_.block(to), bytes}},
                                                 Ends{{next, works_.block(from), bytes}}, path);
    };
    first_ = hop(0, 1);
    there_ = hop(1, 2);
    back_ = hop(2, 1);
  }

  void load(const T* samples) override { works_.load(samples); }
  void advance() override {
    works_.clear();
    for (int step = 0; step < blocks_; ++step) {
      runtime::Messages* const hop = hop_after(step);
      if (hop) {
        hop->stage(works_.stream());
        works_.synchronise();  // the data to send is ready, and the receive buffer no longer read
        hop->start();
      }
      works_.add(works_.block(room_of(step)));
      if (hop) hop->wait(works_.stream());
    }
    works_.finish(norm_);
  }
  void synchronise() override { works_.synchronise(); }
  void store(T* density) override { works_.store(density); }
  runtime::DeviceClock* device_clock() override { return works_.clock(); }

 private:
  static int room_of(int step) { return step == 0 ? 0 : 1 + (step - 1) % 2; }
  runtime::Messages* hop_after(int step) const {
    if (step + 1 == blocks_) return nullptr;
    return step == 0 ? first_.get() : room_of(step) == 1 ? there_.get() : back_.get();
  }

  const int blocks_;
  const double norm_;
  Works works_;
  std::unique_ptr<runtime::Messages> first_, there_, back_;
};

/// Refuses more samples than exact sums allow.
inline std::optional<std::string> refuse_long_ring(const Problem& p, const Tuning&) {
  if (p.n <= most_exact_samples) return std::nullopt;
  return "its sums are exact up to " + std::to_string(most_exact_samples) + " samples";
}

/// Bytes allocated besides a rank's samples and densities: two receive buffers, and sums.
inline double ring_bytes(const Problem& p) {
  const double own = double(ring_block(p));
  return own * (2.0 * double(bytes_of(p.precision)) + sizeof(ExactSum));
}

inline Entry algorithm() {
  Entry e;
  e.ranks = Ranks::several;
  e.refuse += refuse_long_ring;
  e.extra_bytes = ring_bytes;
  return e;
}

}  // namespace parity::kde::ring
