// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/host_copy.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

namespace parity::runtime {

double host_copy_bandwidth(std::int64_t bytes) {
  const std::int64_t n = std::max<std::int64_t>(bytes / 8, 1);
  const std::unique_ptr<double[]> from(new double[std::size_t(n)]), to(new double[std::size_t(n)]);
  double* const a = from.get();
  double* const b = to.get();
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) a[i] = b[i] = double(i & 1023);
  const int copies = int(std::clamp<std::int64_t>((std::int64_t(1) << 27) / bytes, 1, 4096));
  std::vector<double> seconds;
  for (int repeat = 0; repeat < 9; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
#pragma omp parallel
    for (int c = 0; c < copies; ++c) {
#pragma omp for simd schedule(static)
      for (std::int64_t i = 0; i < n; ++i) b[i] = a[i];
    }
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() /
                      copies);
  }
  std::nth_element(seconds.begin(), seconds.begin() + 4, seconds.end());
  return 2.0 * double(n) * 8.0 / seconds[4];
}

}  // namespace parity::runtime
