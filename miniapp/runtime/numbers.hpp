// SPDX-License-Identifier: BSD-3-Clause
// Large arrays of doubles: one whose elements start uninitialised, and a view.
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <new>
#include <utility>
#include <vector>

namespace parity::runtime {

/// An allocator that leaves new elements uninitialised: filling 1e8 of them with zeros costs as much time as
/// reading them from a file. Large arrays request huge pages.
template <class T>
struct Untouched {
  using value_type = T;
  Untouched() = default;
  template <class U>
  Untouched(const Untouched<U>&) {}
  T* allocate(std::size_t n) {
    constexpr std::size_t page = std::size_t(2) << 20;
    // The size rounded up to whole pages must still be a valid object size.
    if (n > (std::size_t(std::numeric_limits<std::ptrdiff_t>::max()) - page) / sizeof(T))
      throw std::bad_alloc();
    const bool large = n * sizeof(T) >= 8 * page;
    const std::size_t unit = large ? page : 64, bytes = (n * sizeof(T) + unit - 1) / unit * unit;
    void* const memory = std::aligned_alloc(unit, bytes > 0 ? bytes : unit);
    if (!memory) throw std::bad_alloc();
    if (large) madvise(memory, bytes, MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) { std::free(memory); }
  template <class U>
  void construct(U* place) {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }
  template <class U>
  bool operator==(const Untouched<U>&) const {
    return true;
  }
  template <class U>
  bool operator!=(const Untouched<U>&) const {
    return false;
  }
};

using Numbers = std::vector<double, Untouched<double>>;

/// A view of doubles.
class Values {
 public:
  Values() = default;
  Values(const double* data, std::size_t size) : data_(data), size_(size) {}
  template <class A>
  Values(const std::vector<double, A>& numbers) : data_(numbers.data()), size_(numbers.size()) {}
  /// For arguments only: the list's storage ends with the full expression.
  Values(std::initializer_list<double> list)
      : Values(list.size() > 0 ? &*list.begin() : nullptr, list.size()) {}

  const double* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const double* begin() const { return data_; }
  const double* end() const { return data_ + size_; }
  double operator[](std::size_t i) const { return data_[i]; }
  /// True if both are the same array.
  bool is(const Values& other) const { return data_ == other.data_ && size_ == other.size_; }

 private:
  const double* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace parity::runtime
