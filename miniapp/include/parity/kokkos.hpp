// SPDX-License-Identifier: BSD-3-Clause
// Versions in Kokkos: run() launches on 'exec'. A run(problem, queue) that calls Kokkos::parallel_for(queue,
// ...) on queue.exec() also works in Kokkos graphs. Copy members to local variables before a lambda, which
// would otherwise capture 'this'.
#pragma once
#include "parity/study.hpp"
#include "runtime/clock.hpp"
#include "runtime/kokkos/queue.hpp"

namespace parity::kokkos {

namespace detail {
template <class U, std::size_t rank>
struct Stars {
  using type = typename Stars<U, rank - 1>::type*;
};
template <class U>
struct Stars<U, 0> {
  using type = U;
};
template <class U, std::size_t rank>
using HostView = Kokkos::View<typename Stars<U, rank>::type, Kokkos::LayoutRight, Kokkos::HostSpace,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
}  // namespace detail

template <class P, class T>
class Version : public parity::detail::VersionBase<P, T> {
  compat::OwnInstance own_;
  std::unique_ptr<runtime::DeviceClock> clock_;

 public:
  const compat::Exec exec = own_.exec;

  /// A View with a copy of 'from', which must be in Data. The extents are those of 'from' in row-major order,
  /// whatever the View's layout; omit them for one dimension.
  template <class U, class... N>
  auto input(const std::vector<U>& from, N... extents) {
    const auto values = inout(from, extents...);
    return Kokkos::View<typename decltype(values)::const_data_type>(values);
  }
  template <class U, class... N>
  auto inout(const std::vector<U>& from, N... extents) {
    if constexpr (sizeof...(N) == 0) {
      return inout(from, from.size());
    } else {
      if ((std::size_t(extents) * ...) != from.size())
        throw std::logic_error("input() or inout(): the extents are not those of the data");
      const auto values = room<U>(extents...);
      if constexpr (is_host) {
        this->reloads.push_back([values, &from] {
          parity::detail::fill_on_host(values.data(), from.data(), from.size() * sizeof(U));
        });
      } else {
        const detail::HostView<const U, sizeof...(N)> there(from.data(), std::size_t(extents)...);
        const auto host = Kokkos::create_mirror_view(values);
        Kokkos::deep_copy(host, there);
        this->reloads.push_back([values, host, e = exec] { Kokkos::deep_copy(e, values, host); });
      }
      return values;
    }
  }
  template <class U, class... N>
  auto input(const std::vector<U>&& from, N...) = delete;  // a temporary would dangle: put it into Data
  template <class U, class... N>
  auto inout(const std::vector<U>&& from, N...) = delete;
  template <class... N>
  auto output(N... extents) {
    const auto values = room<T>(extents...);
    this->reloads.push_back([values, e = exec] {
      if constexpr (is_host)
        parity::detail::fill_on_host(values.data(), nullptr, values.span() * sizeof(T));
      else
        Kokkos::deep_copy(e, values, std::numeric_limits<T>::quiet_NaN());
    });
    return values;
  }

  static constexpr bool is_host = !compat::exec_is_device(), has_stream = compat::exec_is_device();
  static constexpr const char* backend = "kokkos";
  using Queue = compat::StreamQueue;
  template <class Launch>
  void at_once(const Launch& launch) {
    Queue queue(exec);
    launch(queue);
  }
  /// Waits for the whole GPU, as the CUDA version does, so that a launch without 'exec' is timed, too. Checks
  /// errors itself because Kokkos aborts if the GPU is lost.
  void wait() {
#ifdef PARITY_GPU
    const auto launched = PARITY_GPU(GetLastError)(), ran = PARITY_GPU(DeviceSynchronize)();
    if (ran != PARITY_GPU(Success)) throw DeviceLost(PARITY_GPU(GetErrorString)(ran));
    if (launched != PARITY_GPU(Success))
      throw std::runtime_error(std::string("a launch failed: ") + PARITY_GPU(GetErrorString)(launched));
    Kokkos::fence();
#else
    exec.fence();
#endif
  }
  runtime::DeviceClock* clock() {
    void* const stream = compat::stream_of(exec);
    if (stream && !clock_) clock_ = runtime::make_clock(stream);
    return clock_.get();
  }
  template <class Launch>
  std::unique_ptr<runtime::Graph> graph_of(Mechanism m, const Launch& launch) {
    if (m == Mechanism::kokkos_graph)
      return std::make_unique<compat::KokkosGraph>(exec, [&](compat::GraphQueue& queue) { launch(queue); });
    return runtime::capture(compat::stream_of(exec), [&] { at_once(launch); });
  }
  template <class... View>
  const void* address(const Kokkos::View<View...>& values) const {
    return values.data();
  }
  /// Copies to the host in row-major order.
  template <class... View>
  auto fetch(const Kokkos::View<View...>& values) const {
    using V = Kokkos::View<View...>;
    using U = typename V::non_const_value_type;
    std::vector<U> all(values.size());
    Kokkos::LayoutRight order;
    for (std::size_t r = 0; r < V::rank; ++r) order.dimension[r] = values.extent(r);
    Kokkos::deep_copy(detail::HostView<U, V::rank>(all.data(), order),
                      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values));
    return all;
  }
  using parity::detail::VersionBase<P, T>::address, parity::detail::VersionBase<P, T>::fetch;

 private:
  template <class U, class... N>
  auto room(N... extents) {
    parity::detail::require_memory((double(sizeof(U)) * ... * double(extents)), has_stream);
    // On a host the layout is row-major, as in Data.
    using View = Kokkos::View<typename detail::Stars<U, sizeof...(N)>::type>;
    const View values(Kokkos::view_alloc(Kokkos::WithoutInitializing, "parity"), std::size_t(extents)...);
    this->owned[values.data()] = std::int64_t(values.size());
    return values;
  }
};

}  // namespace parity::kokkos
