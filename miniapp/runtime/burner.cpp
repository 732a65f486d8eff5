// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/burner.hpp"

namespace parity::runtime {
namespace {

class HostBurner : public Burner {
 public:
  void start() override {
#pragma omp parallel
    {
      // A map whose values never settle, so that no bit stands still.
      double x[8];
      for (int k = 0; k < 8; ++k) x[k] = 0.1 + 0.05 * k;
      for (int i = 0; i < steps; ++i)
        for (double& v : x) v = 1 - 1.9 * v * v;
      double sum = 0;
      for (const double v : x) sum += v;
      [[maybe_unused]] volatile const double result = sum;
    }
  }
  void wait() override {}

 private:
  static constexpr int steps = 500000;
};

}  // namespace

std::unique_ptr<Burner> host_burner() { return std::make_unique<HostBurner>(); }

}  // namespace parity::runtime
