// SPDX-License-Identifier: BSD-3-Clause
// ring, OpenMP: 64 of the rank's queries at a time are vector lanes; a polynomial computes 2^x.
#include "algorithm.hpp"

#include <vector>

#include "backend/openmp/kde/samples.hpp"

namespace parity::kde::ring {
namespace {

using namespace parity::openmp;

constexpr int lanes = 64;

template <class T>
class RingPart {
 public:
  static constexpr bool on_device = false;

  RingPart(const Problem& part, std::int64_t block, const Tuning&)
      : p_(part),
        split_(ring_split(split_into(block, lanes, 1), part.n, lanes)),
        blocks_{runtime::HostArray<T>(block), runtime::HostArray<T>(block), runtime::HostArray<T>(block)},
        density_(part.n),
        sums_(std::size_t(part.n)) {}

  void load(const T* samples) {
    const std::vector<T> padded = padded_samples(samples, p_.n, blocks_[0].size());
    std::copy(padded.begin(), padded.end(), blocks_[0].data());
    density_.fill(std::numeric_limits<T>::quiet_NaN());
  }
  void store(T* density) const { std::copy_n(density_.data(), p_.n, density); }
  void synchronise() const {}
  void* stream() const { return nullptr; }
  runtime::DeviceClock* clock() const { return nullptr; }
  T* block(int which) { return blocks_[which].data(); }

  void clear() {
    ExactSum* const sums = sums_.data();
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < p_.n; ++i) sums[i] = {};
  }
  void add(const T* block) {
    const PolynomialTerm<T> term(p_.bandwidth);
    const T* const queries = blocks_[0].data();
    const auto* const packs = reinterpret_cast<const Pack<T>*>(block);
    const RingSink<T> sink{sums_.data(), nullptr, p_.n};
#pragma omp parallel for schedule(static)
    for (int tile = 0; tile < split_.tiles; ++tile) {
      const auto query = [&](int r) { return std::int64_t(tile) * lanes + r; };
      T q[lanes];
      ExactSum total[lanes] = {};
#pragma omp simd
      for (int r = 0; r < lanes; ++r) q[r] = queries[query(r) < sink.n ? query(r) : sink.n - 1];
      for (int first = 0; first < split_.packs; first += flush_packs) {
        T sum[lanes] = {};
        for (int k = 0; k < flush_packs; ++k) add_pack(term, q, packs[first + k], sum);
#pragma omp simd
        for (int r = 0; r < lanes; ++r) total[r] += double(sum[r]);
      }
      for (int r = 0; r < lanes; ++r) sink.put(0, query(r), total[r]);
    }
  }
  void finish(double norm) {
    const RingDensity<T> density{sums_.data(), density_.data(), norm};
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < p_.n; ++i) density(i);
  }

 private:
  const Problem p_;
  const Split split_;
  runtime::HostArray<T> blocks_[3], density_;
  std::vector<ExactSum> sums_;
};

}  // namespace

Entry openmp() {
  Entry e = algorithm();
  e.operations = 22;
  e.launches = 3;
  e.make_f32 = Entry::made<float, Ring<float, RingPart<float>>>;
  e.make_f64 = Entry::made<double, Ring<double, RingPart<double>>>;
  return e;
}

}  // namespace parity::kde::ring
