// SPDX-License-Identifier: BSD-3-Clause
// What the Kokkos KDE variants share: an execution space instance, the padded samples, the densities.
#pragma once
#include <memory>

#include "cuda/device.hpp"
#include "cuda/stream.hpp"
#include "kde/refusals.hpp"
#include "kde/tile_sum.hpp"
#include "kde/variant.hpp"
#include "kokkos_compat.hpp"

namespace parity::kde {

using compat::Exec;
template <class T>
using Array = Kokkos::View<T*, Exec>;

/// Base of all. 'count': values the sample array holds, padding included; prescaled: samples are loaded as
/// distances from their middle in units of the exponent's scale.
template <class T>
class KokkosSamples : public Variant<T> {
 public:
  explicit KokkosSamples(const Problem& p, std::int64_t count = 0, bool prescaled = false)
      : p_(p),
        prescaled_(prescaled),
        stream_(compat::exec_is_device()),
        exec_(compat::exec_on(stream_.get())),
        samples_("samples", std::size_t(count > 0 ? count : padded_count(p.n))),
        density_("density", std::size_t(p.n)) {
    if (void* const stream = compat::stream_of(exec_)) clock_ = cuda::make_clock(stream);
  }
  void load(const T* samples) override {
    const double factor = prescaled_ ? scale_of(p_.bandwidth) : 1;
    const std::vector<T> padded = padded_samples(samples, p_.n, std::int64_t(samples_.size()),
                                                 prescaled_ ? middle_of(samples, p_.n) : 0, factor);
    using Host = Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Kokkos::deep_copy(samples_, Host(padded.data(), padded.size()));
    Kokkos::deep_copy(density_, std::numeric_limits<T>::quiet_NaN());
  }
  void synchronise() override { exec_.fence(); }
  void store(T* density) override {
    using Host = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Kokkos::deep_copy(Host(density, density_.size()), density_);
  }
  study::DeviceClock* device_clock() override { return clock_.get(); }

 protected:
  const Pack<T>* packs() const { return reinterpret_cast<const Pack<T>*>(samples_.data()); }

  Problem p_;
  bool prescaled_;

 private:
  cuda::Stream stream_;
  std::unique_ptr<study::DeviceClock> clock_;

 protected:
  Exec exec_;
  Array<T> samples_, density_;
};

/// An entry of the portable family, with the tunings of the backend Kokkos was built for.
inline Entry kokkos_entry(const char* name, const char* summary, const char* twin_on_device,
                          const char* twin_on_host) {
  Entry e;
  e.name = name;
  e.family = Family::kokkos;
  e.summary = summary;
  e.twin = compat::exec_is_device() ? twin_on_device : twin_on_host;
  return e;
}

/// Threads that can be resident on the device at once, for as many blocks as fill it.
inline std::int64_t resident_teams(const Exec& exec, int team_size, int blocks_a_multiprocessor) {
  // concurrency() counts the threads of full multiprocessors, 2048 each on every supported one.
  return compat::exec_is_device() ? std::int64_t(compat::concurrency(exec)) / 2048 * blocks_a_multiprocessor
                                  : std::int64_t(compat::concurrency(exec)) / team_size;
}

/// Team scratch of 'bytes' bytes. Kokkos hands it out as a generic pointer, whose loads cost a GPU more
/// registers and time than those from shared memory, which it is: here the compiler sees so.
template <class T, class Member>
KOKKOS_INLINE_FUNCTION T* scratch_of(const Member& team, std::size_t bytes) {
  void* const generic = team.team_scratch(0).get_shmem_aligned(bytes, 16);
#if defined(__CUDA_ARCH__) && __CUDACC_VER_MAJOR__ >= 11
  extern __shared__ unsigned char parity_scratch[];
  return reinterpret_cast<T*>(parity_scratch +
                              (__cvta_generic_to_shared(generic) - __cvta_generic_to_shared(parity_scratch)));
#else
  return static_cast<T*>(generic);
#endif
}

template <class Member>
struct TeamBarrier {
  const Member& team;
  PARITY_INLINE void operator()() const { team.team_barrier(); }
};

}  // namespace parity::kde
