// SPDX-License-Identifier: BSD-3-Clause
// kde/openmp-ring: samples shared by ranks, blocks of them pass round; a block's sums as openmp-polynomial's.
// Twin of kokkos-ring.
#include <vector>

#include "backend/openmp/kde/samples.hpp"
#include "kde/ring.hpp"

namespace parity::openmp {
namespace {

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
    const RingSink<T> sink{sums_.data(), nullptr, p_.n};
#pragma omp parallel for schedule(static)
    for (int tile = 0; tile < split_.tiles; ++tile) {
      T q[lanes];
      ExactSum total[lanes] = {};
      load_queries(queries, sink.n, tile, 0, 1, q);
      add_packs<1, lanes>(term, q, reinterpret_cast<const Pack<T>*>(block), split_.packs, total);
      for (int r = 0; r < lanes; ++r) sink.put(0, query_of(tile, r, 0, 1, lanes), total[r]);
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

template <class T>
std::unique_ptr<Variant<T>> make(const Problem& p, const Tuning& t) {
  return make_ring<T, RingPart<T>>(p, t);
}

}  // namespace
}  // namespace parity::openmp

namespace parity::kde {

Entry ring_openmp() {
  Entry e = ring_entry(Entry());
  e.operations = 22;
  e.launches = 3;
  e.extra_bytes = ring_bytes;
  e.make_f32 = openmp::make<float>;
  e.make_f64 = openmp::make<double>;
  return e;
}

}  // namespace parity::kde
