// SPDX-License-Identifier: BSD-3-Clause
// copy, Kokkos, tuned: a GPU thread copies several packs of 16 bytes; on a host a vector loop copies pieces.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/tuned.hpp"
#include "runtime/kokkos/blocks.hpp"

namespace parity::diffusion::copy {
namespace {

/// A thread's packs are a block's width apart, so that each access of a warp is contiguous.
template <class Config, class T, class Queue>
void step_on_device(Queue& queue, const T* in, T* out, std::int64_t elements) {
  constexpr int packs = Config::count, threads = 256;
  const auto* const from = reinterpret_cast<const Pack<T>*>(in);
  auto* const to = reinterpret_cast<Pack<T>*>(out);
  const std::int64_t size = elements / pack_width<T>;
  Kokkos::parallel_for(
      queue, "parity::diffusion::copy_tuned",
      compat::blocks_of_threads<threads, least_teams(threads, 4 * packs), std::int64_t>(
          queue.exec(), ceil_divide(size, threads * packs), threads),
      KOKKOS_LAMBDA(std::int64_t thread, std::int64_t) {
        const std::int64_t first = thread / threads * (threads * packs) + thread % threads;
        if (first + (packs - 1) * threads < size) {
          Pack<T> values[packs];
          PARITY_UNROLL
          for (int u = 0; u < packs; ++u) values[u] = from[first + u * threads];
          PARITY_UNROLL
          for (int u = 0; u < packs; ++u) to[first + u * threads] = values[u];
        } else {
          for (int u = 0; u < packs; ++u)
            if (first + u * threads < size) to[first + u * threads] = from[first + u * threads];
        }
      });
}

template <class T, class Queue>
void step_on_host(Queue& queue, const T* in, T* out, std::int64_t size) {
  constexpr std::int64_t piece = 4096;
  Kokkos::parallel_for(
      queue, "parity::diffusion::copy_tuned", even_range(queue.exec(), ceil_divide(size, piece)),
      KOKKOS_LAMBDA(int n) {
        const T* const from = in;
        T* const to = out;
        const std::int64_t first = n * piece, last = first + piece < size ? first + piece : size;
        PARITY_LANES
        for (std::int64_t i = first; i < last; ++i) to[i] = from[i];
      });
}

struct Step {
  static constexpr bool on_pointers = true;
  template <class T, class Queue>
  void operator()(Queue& queue, const Problem&, const Tuning& tuning, const Field<T>& in,
                  const Field<T>& out) const {
    const std::int64_t size = std::int64_t(in.view.size());
    if constexpr (compat::exec_is_device())
      PackConfigs::dispatch(
          tuning, [&](auto config) { step_on_device<decltype(config)>(queue, in.data(), out.data(), size); });
    else
      step_on_host(queue, in.data(), out.data(), size);
  }
};

}  // namespace

Entry kokkos_tuned() { return with_steps<Packed, Step>(with_configs<PackConfigs>(algorithm(), pack_axes)); }

}  // namespace parity::diffusion::copy
