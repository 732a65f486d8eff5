// SPDX-License-Identifier: BSD-3-Clause
// launch/openmp-kernel: a parallel region with a static loop over the range.
#include <omp.h>

#include "algorithm.hpp"

namespace parity::launch::kernel {
namespace {

class OpenmpKernel : public Probe {
 public:
  explicit OpenmpKernel(const Problem& p) : indices_(p.indices()) {}
  void start(int count, const Work& work) override {
    for (int k = 0; k < count; ++k) {
      if (work.kind == Kind::none)
        nothing();
      else
        with_kind(work.kind, [&](auto kind) { something<kind()>(work); });
    }
  }
  void synchronise() override {}

 private:
  void nothing() const {
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < indices_; ++i) asm volatile("");  // keeps the region in the code
  }
  template <Kind kind>
  void something(const Work& work) const {
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
      for (std::int64_t i = 0; i < indices_; ++i) compute<kind>(work, i);
      if (omp_get_thread_num() == 0) {
        wait_units<kind>(work);
        count_event(work);
      }
    }
  }
  std::int64_t indices_;
};

}  // namespace

Entry openmp() { return with_probe<OpenmpKernel>(algorithm(/*on_device=*/false)); }

}  // namespace parity::launch::kernel
