// SPDX-License-Identifier: BSD-3-Clause
// kde/openmp-symmetric: each unordered pair once, 64 vector lanes, fixed-point sums of each thread added at
// the end: bitwise repeatable for any number of threads. Twin of kokkos-symmetric.
#include <omp.h>

#include "backend/openmp/kde/samples.hpp"
#include "kde/symmetric.hpp"

namespace parity::openmp {
namespace {

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
      const auto add = [sums](std::int64_t place, double sum) { sums[place] += to_fixed(sum); };
      Pack<float> stage[1], others[1];
#pragma omp for schedule(static)
      for (int work = 0; work < strips_.tiles * strips_.strips; ++work)
        add_strip<1, lanes>(
            term, samples_.data(), strips_, work % strips_.tiles, work / strips_.tiles, stage, others, 0,
            [] {}, add);
#pragma omp for schedule(static)
      for (std::int64_t i = 0; i < p_.n; ++i) {
        std::int64_t total = 0;
        for (int t = 0; t < omp_get_num_threads(); ++t) total += sums_[std::size_t(t)][std::size_t(i)];
        density_.data()[i] = float(double(total) * norm);
      }
    }
  }

 private:
  Strips strips_;
  std::vector<std::vector<std::int64_t>> sums_;
};

}  // namespace
}  // namespace parity::openmp

namespace parity::kde {

Entry symmetric_openmp() {
  Entry e;
  e.exponentials = 0.5;
  e.operations = 4;
  e.chain = symmetric_additions;
  e.tunings = {"16", "64"};
  e.tuning_axes = "tiles of a strip";
  e.refuse = refuse_symmetric;
  e.extra_bytes = [](const Problem& p) { return 8.0 * omp_get_max_threads() * (double(p.n) + 4096); };
  e.make_f32 = [](const Problem& p, const Tuning& t) -> std::unique_ptr<Variant<float>> {
    return std::make_unique<openmp::Symmetric>(p, t);
  };
  return e;
}

}  // namespace parity::kde
