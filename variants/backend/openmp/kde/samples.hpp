// SPDX-License-Identifier: BSD-3-Clause
// Common parts of native OpenMP KDE variants: the padded samples and the densities.
#pragma once
#include <limits>

#include "kde/refusals.hpp"
#include "kde/tile_sum.hpp"
#include "kde/variant.hpp"
#include "runtime/host_array.hpp"

namespace parity::openmp {

using namespace parity::kde;

template <class T>
class OpenmpSamples : public Variant<T> {
 public:
  explicit OpenmpSamples(const Problem& p, std::int64_t count = 0)
      : p_(p), samples_(count > 0 ? count : padded_count(p.n)), density_(p.n) {}
  void load(const T* samples) override {
    const std::vector<T> padded = padded_samples(samples, p_.n, samples_.size());
    std::copy(padded.begin(), padded.end(), samples_.data());
    density_.fill(std::numeric_limits<T>::quiet_NaN());
  }
  void synchronise() override {}
  void store(T* density) override { std::copy_n(density_.data(), p_.n, density); }

 protected:
  Problem p_;
  runtime::HostArray<T> samples_, density_;
};

}  // namespace parity::openmp
