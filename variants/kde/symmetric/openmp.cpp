// SPDX-License-Identifier: BSD-3-Clause
// symmetric, OpenMP: 64 vector lanes are a tile. Each thread has its own sums, which are added at the end:
// any number of threads gives the same bits.
#include <omp.h>

#include "algorithm.hpp"
#include "backend/openmp/kde/samples.hpp"

namespace parity::kde::symmetric {
namespace {

using namespace parity::openmp;

constexpr int lanes = 64;

class Symmetric : public OpenmpSamples<float> {
 public:
  Symmetric(const Problem& p, const Tuning& t)
      : OpenmpSamples<float>(p, symmetric_count(p.n, 1, lanes)),
        strips_(strips_for(samples_.size(), 1, lanes, t[0])),
        sums_(std::size_t(omp_get_max_threads()), std::vector<std::int64_t>(std::size_t(samples_.size()))) {}

  void advance() override {
    const HardwareTerm<float> term(p_.bandwidth);
    const double norm = p_.norm() / fixed_one;
#pragma omp parallel
    {
      std::int64_t* const sums = sums_[std::size_t(omp_get_thread_num())].data();
      std::fill_n(sums, samples_.size(), std::int64_t(0));
#pragma omp for schedule(static)
      for (int work = 0; work < strips_.tiles * strips_.strips; ++work)
        add_strip(term, work % strips_.tiles, work / strips_.tiles, sums);
#pragma omp for schedule(static)
      for (std::int64_t i = 0; i < p_.n; ++i) {
        std::int64_t total = 0;
        for (int t = 0; t < omp_get_num_threads(); ++t) total += sums_[std::size_t(t)][std::size_t(i)];
        density_.data()[i] = float(double(total) * norm);
      }
    }
  }

 private:
  /// Adds the pairs of a strip's tiles to the sums of both sides.
  void add_strip(const HardwareTerm<float>& term, int tile, int strip, std::int64_t* sums) const {
    const float* const samples = samples_.data();
    const float* const q = samples + std::int64_t(tile) * lanes;
    double total[lanes] = {};
    for (int offset = strips_.first(strip); offset < strips_.last(strip); ++offset) {
      if (!strips_.meets(tile, offset)) continue;
      const int other = tile + offset < strips_.tiles ? tile + offset : tile + offset - strips_.tiles;
      for (int first = 0; first < lanes; first += pack_width) {
        const std::int64_t from = std::int64_t(other) * lanes + first;
        // Both float sums stay short: a lane's is flushed after four terms, the mirrored one adds 64 at once.
        float part[lanes], mirrored[pack_width];
        for (int e = 0; e < pack_width; ++e) {
          const float x = samples[from + e];
          float v[lanes], column = 0;
#pragma omp simd
          for (int r = 0; r < lanes; ++r) {
            v[r] = term.value(0, q[r], x);
            part[r] = e == 0 ? v[r] : part[r] + v[r];
          }
#pragma omp simd reduction(+ : column)
          for (int r = 0; r < lanes; ++r) column += v[r];
          mirrored[e] = column;
        }
#pragma omp simd
        for (int r = 0; r < lanes; ++r) total[r] += double(part[r]);
        // A tile meets itself in full: the mirrored half is already in its sums.
        if (offset == 0) continue;
        for (int e = 0; e < pack_width; ++e) sums[from + e] += to_fixed(double(mirrored[e]));
      }
    }
    for (int r = 0; r < lanes; ++r) sums[std::int64_t(tile) * lanes + r] += to_fixed(total[r]);
  }

  Strips strips_;
  std::vector<std::vector<std::int64_t>> sums_;
};

}  // namespace

Entry openmp() {
  Entry e = algorithm();
  e.tunings = {"16", "64"};
  e.tuning_axes = "tiles of a strip";
  e.extra_bytes = [](const Problem& p) { return 8.0 * omp_get_max_threads() * (double(p.n) + 4096); };
  e.make_f32 = Entry::made<float, Symmetric>;
  return e;
}

}  // namespace parity::kde::symmetric
