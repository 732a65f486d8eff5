// SPDX-License-Identifier: BSD-3-Clause
// Host memory for native variants and for checks.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>

namespace parity::runtime {

/// Memory aligned to a cache line, initialised to NaN by the threads that will use it (first touch).
template <class T>
class HostArray {
 public:
  explicit HostArray(std::int64_t n) : size_(n) {
    const std::size_t bytes = (std::size_t(std::max<std::int64_t>(n, 1)) * sizeof(T) + 63) / 64 * 64;
    data_.reset(static_cast<T*>(std::aligned_alloc(64, bytes)));
    if (!data_) throw std::bad_alloc();
    fill(std::numeric_limits<T>::quiet_NaN());
  }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::int64_t size() const { return size_; }
  void fill(T value) {
    T* const values = data_.get();
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < size_; ++i) values[i] = value;
  }
  friend void swap(HostArray& a, HostArray& b) { std::swap(a.data_, b.data_); }

 private:
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  std::int64_t size_;
  std::unique_ptr<T[], Free> data_;
};

}  // namespace parity::runtime
