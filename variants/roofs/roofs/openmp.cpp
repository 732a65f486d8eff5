// SPDX-License-Identifier: BSD-3-Clause
// roofs, OpenMP: a part of the values for each thread.
#include <omp.h>

#include <algorithm>
#include <limits>

#include "roofs/variant.hpp"
#include "runtime/host_array.hpp"

namespace parity::roofs::roofs {
namespace {

template <class T>
class OpenmpRoofs : public Variant<T> {
 public:
  OpenmpRoofs(const Problem& p, const harness::Tuning&)
      : kind_(p.kind()),
        a_(p.values()),
        b_(arrays_of(kind_) > 1 ? p.values() : 0),
        c_(arrays_of(kind_) > 2 ? p.values() : 0),
        sums_(omp_get_max_threads()),
        d_{a_.data(), b_.data(), c_.data(), p.values(), p.passes()} {}
  void load(const T* a, const T* b) override {
    std::copy(a, a + d_.values, a_.data());
    if (kind_ == Kind::copy) b_.fill(std::numeric_limits<T>::quiet_NaN());
    if (kind_ == Kind::triad) std::copy(b, b + d_.values, b_.data());
    c_.fill(std::numeric_limits<T>::quiet_NaN());
    sums_.fill(std::numeric_limits<T>::quiet_NaN());
  }
  void advance() override {
    with_kind(kind_, [this](auto kind) {
      T* const sums = sums_.data();
      sums_.fill(0);
#pragma omp parallel
      {
        const Arrays<T> d = d_;  // each thread's own: nothing that is stored changes it
        const int me = omp_get_thread_num();
        const Part part = part_of(d.values, omp_get_num_threads(), me);
        sums[me] = all_passes<kind()>(d, part.begin, part.end, 1);
      }
    });
  }
  void synchronise() override {}
  std::vector<T> store() override {
    if (kind_ == Kind::read) return {sums_.data(), sums_.data() + sums_.size()};
    const T* const from = this->result_of(d_, kind_);
    return {from, from + d_.values};
  }

 private:
  Kind kind_;
  runtime::HostArray<T> a_, b_, c_, sums_;
  Arrays<T> d_;
};

}  // namespace

Entry openmp() { return harness::with_factories<OpenmpRoofs>(Entry()); }

}  // namespace parity::roofs::roofs
