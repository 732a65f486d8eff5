// SPDX-License-Identifier: BSD-3-Clause
// Versions in plain C++ with OpenMP, or wrappers of your own library's functions that take pointers.
#pragma once
#include "parity/pointers.hpp"
#include "runtime/host_array.hpp"

namespace parity::openmp {

template <class P, class T>
class Version : public detail::Pointers<P, T, Version<P, T>> {
 public:
  static constexpr const char* backend = "openmp";
  static constexpr bool has_stream = false;
  void wait() {}
  runtime::DeviceClock* clock() { return nullptr; }
  template <class Launch>
  std::unique_ptr<runtime::Graph> graph_of(Mechanism, const Launch&) {
    throw CannotRun("only a GPU's stream can be captured");
  }
  std::shared_ptr<void> allocate(std::size_t bytes) {
    const auto array = std::make_shared<runtime::HostArray<float>>(std::int64_t(bytes + 3) / 4);
    return {array, array->data()};
  }
  void poison(void* values, std::size_t bytes) { detail::fill_on_host(values, nullptr, bytes); }
  void copy_in(void* to, const void* from, std::size_t bytes) { detail::fill_on_host(to, from, bytes); }
  void copy_out(void* to, const void* from, std::size_t bytes) { detail::fill_on_host(to, from, bytes); }
};

}  // namespace parity::openmp
