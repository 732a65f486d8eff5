// SPDX-License-Identifier: BSD-3-Clause
// ring: ranks share the samples. Each has the densities at its own to find; blocks of samples pass round, the
// next on its way while one is added up, as register_tile adds. Every rank meets the blocks in another order:
// sums are exact (kde/exact_sum.hpp), so that neither that order nor the number of ranks changes a bit. A
// rank computes n^2 / ranks exponentials; at most 2^26 samples. A backend says how a block is added; the
// order is the same for all.
#pragma once
#include <memory>

#include "kde/exact_sum.hpp"
#include "kde/shared_samples.hpp"
#include "kde/variant.hpp"

namespace parity::kde::ring {

/// Where a team's totals go: to the queries' sums, or to its chunk's row of partial sums (chunks, n).
template <class T>
struct RingSink {
  using Total = ExactSum;
  ExactSum* sums;
  ExactSum* partial;  ///< null where there is one chunk
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

/// The last pass, as a kernel of a query: sums become densities.
template <class T>
struct RingDensity {
  const ExactSum* sums;
  T* density;
  double norm;
  PARITY_INLINE void operator()(std::int64_t query) const { density[query] = T(sums[query].value() * norm); }
};

/// Values of a block: of the largest share of samples, padded to whole flushes.
inline std::int64_t ring_block(const Problem& whole) { return padded_count(samples_of(whole, 0).size); }

/// How a block's work is dealt out to the tiles of so many queries.
inline Split ring_split(Split of_block, std::int64_t queries, int queries_per_tile) {
  of_block.tiles = int((queries + queries_per_tile - 1) / queries_per_tile);
  return of_block;
}

/// Works is made of the own part as a problem, the values of a block and a tuning:
///   void load(const T*), store(T*), synchronise(), void* stream(), DeviceClock* clock(), bool on_device
///   T* block(int)               0: the own samples, padded to a block; 1, 2: room for others
///   void clear()                sums of nothing, in order on the stream
///   void add(const T* block)    the terms of a block's samples to the own queries' sums
///   void finish(double norm)    the densities
template <class T, class Works>
class Ring : public Variant<T> {
 public:
  Ring(const Problem& whole, const Tuning& tuning)
      : blocks_(int(whole.ranks)), norm_(whole.norm()), works_(own_part(whole), ring_block(whole), tuning) {
    if (blocks_ == 1) return;
    const int rank = runtime::place().rank, next = (rank + 1) % blocks_,
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
        works_.synchronise();  // what is sent is there, and who read the room that is received into is done
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

/// Refuses more samples than add up exactly.
inline std::optional<std::string> refuse_long_ring(const Problem& p, const Tuning&) {
  if (p.n <= most_exact_samples) return std::nullopt;
  return "its sums are exact up to " + std::to_string(most_exact_samples) + " samples";
}

/// What it allocates besides a rank's samples and densities: room for two blocks, and sums.
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
