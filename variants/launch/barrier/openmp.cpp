// SPDX-License-Identifier: BSD-3-Clause
// launch/openmp-barrier: one parallel region passes omp barrier many times.
#include <omp.h>

#include "algorithm.hpp"

namespace parity::launch::barrier {
namespace {

class OpenmpBarrier : public Probe {
 public:
  explicit OpenmpBarrier(const Problem& p) : threads_(p.threads) {}
  void start(int count, const Work& work) override {
#pragma omp parallel num_threads(threads_)
    for (int k = 0; k < count; ++k) {
      if (work.kind == Kind::wait) perform<Kind::wait>(work, omp_get_thread_num());
#pragma omp barrier
    }
  }
  void synchronise() override {}

 private:
  int threads_;
};

}  // namespace

Entry openmp() {
  Entry e = algorithm();
  e.refuse = [](const Problem& p) -> std::optional<std::string> {
    if (p.threads > omp_get_max_threads() || p.blocks > 1)
      return "one team of as many threads as OpenMP at most; give --blocks 1 and reduce --threads or raise "
             "OMP_NUM_THREADS";
    return std::nullopt;
  };
  return with_probe<OpenmpBarrier>(e);
}

}  // namespace parity::launch::barrier
