// SPDX-License-Identifier: BSD-3-Clause
// Base of versions that use pointers, on a host or a GPU. Backend provides allocate(bytes), copy_in, copy_out
// and poison.
#pragma once
#include "parity/study.hpp"

namespace parity::detail {

template <class P, class T, class Backend>
class Pointers : public VersionBase<P, T> {
 public:
  /// A copy of 'from', which must be in Data.
  template <class U>
  const U* input(const std::vector<U>& from) {
    return inout(from);
  }
  template <class U>
  U* inout(const std::vector<U>& from) {
    U* const values = room<U>(std::int64_t(from.size()));
    this->reloads.push_back(
        [this, values, &from] { self().copy_in(values, from.data(), from.size() * sizeof(U)); });
    return values;
  }
  template <class U>
  const U* input(const std::vector<U>&& from) = delete;  // a temporary would dangle: put it into Data
  template <class U>
  U* inout(const std::vector<U>&& from) = delete;
  T* output(std::int64_t n) {
    T* const values = room<T>(n);
    this->reloads.push_back([this, values, n] { self().poison(values, std::size_t(n) * sizeof(T)); });
    return values;
  }

  struct Queue {};
  template <class Launch>
  void at_once(const Launch& launch) {
    Queue queue;
    launch(queue);
  }
  using VersionBase<P, T>::address, VersionBase<P, T>::fetch;
  const void* address(const void* values) const { return values; }
  template <class U>
  const void* address(Values<U> own) const {
    return own.data;
  }
  template <class U>
  std::vector<U> fetch(const U* values) {
    const auto at = this->owned.find(values);
    if (at == this->owned.end())
      throw std::logic_error("result() is a pointer of your own: return parity::Values{pointer, count}");
    return fetch(Values<U>{values, at->second});
  }
  template <class U>
  std::vector<U> fetch(Values<U> own) {
    std::vector<U> all(std::size_t(own.count));
    self().copy_out(all.data(), own.data, all.size() * sizeof(U));
    return all;
  }

 private:
  Backend& self() { return static_cast<Backend&>(*this); }
  template <class U>
  U* room(std::int64_t n) {
    require_memory(double(n) * sizeof(U), Backend::has_stream);
    memory_.push_back(self().allocate(std::size_t(n) * sizeof(U)));
    this->owned[memory_.back().get()] = n;
    return static_cast<U*>(memory_.back().get());
  }
  std::vector<std::shared_ptr<void>> memory_;
};

}  // namespace parity::detail
