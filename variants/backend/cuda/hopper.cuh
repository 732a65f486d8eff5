// SPDX-License-Identifier: BSD-3-Clause
// Features of compute capability 9.0 that CUDA C++ lacks: barriers in shared memory that count bytes, stores
// into another block's shared memory, bulk copies, registers that warps pass to each other. Addresses of
// shared memory are 32-bit addresses of the shared window. PTX ISA 8.1 (CUDA 12.1) has all of these features.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

/// True if this toolkit supports them; otherwise the kernels have no body and Parity refuses to launch them.
#define PARITY_HAS_HOPPER_WORDS (CUDART_VERSION >= 12010)
#if PARITY_HAS_HOPPER_WORDS && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define PARITY_ON_HOPPER 1
#else
#define PARITY_ON_HOPPER 0
#endif

namespace parity::cuda {

__device__ __forceinline__ std::uint32_t shared_address(const void* p) {
  return std::uint32_t(__cvta_generic_to_shared(p));
}

#if PARITY_ON_HOPPER

/// Initialises a barrier that expects 'arrivals' arrivals.
__device__ __forceinline__ void barrier_init(std::uint32_t barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
/// Makes initialised barriers visible to other blocks and to copies.
__device__ __forceinline__ void barrier_init_visible() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ __forceinline__ void barrier_arrive(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
/// A predicated arrival, without a branch.
__device__ __forceinline__ void barrier_arrive_if(std::uint32_t barrier, bool arrives) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.s32 p, %1, 0;\n@p mbarrier.arrive.shared::cta.b64 _, [%0];\n}" ::"r"(
          barrier),
      "r"(int(arrives))
      : "memory");
}
/// A predicated arrival that also makes the phase wait for 'bytes' bytes.
__device__ __forceinline__ void barrier_expect_if(std::uint32_t barrier, std::uint32_t bytes, bool arrives) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.s32 p, %2, 0;\n@p mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], "
      "%1;\n}" ::"r"(barrier),
      "r"(bytes), "r"(int(arrives))
      : "memory");
}
/// Waits for the end of the phase with this parity.
__device__ __forceinline__ void barrier_wait(std::uint32_t barrier, std::uint32_t parity) {
  asm volatile(
      "{\n.reg .pred p;\nwait_again:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra over;\n"
      "bra wait_again;\nover:\n}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}
/// True if the phase with this parity is complete.
__device__ __forceinline__ bool barrier_over(std::uint32_t barrier, std::uint32_t parity) {
  int over;
  asm volatile(
      "{\n.reg .pred p;\nmbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.s32 %0, 1, 0, p;\n}"
      : "=r"(over)
      : "r"(barrier), "r"(parity)
      : "memory");
  return over != 0;
}

/// The address of the same variable in another block of the cluster.
__device__ __forceinline__ std::uint32_t address_in_block(std::uint32_t address, unsigned block) {
  std::uint32_t there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(block));
  return there;
}
__device__ __forceinline__ void cluster_barrier() {
  __syncwarp();  // the aligned form is for whole warps
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/// Stores n values (8 or 16 bytes) into another block, whose barrier counts the bytes.
template <int n>
__device__ __forceinline__ void store_async_if(std::uint32_t to, const float* v, std::uint32_t barrier,
                                               bool stores) {
  if constexpr (n == 4)
    asm volatile(
        "{\n.reg .pred q;\nsetp.ne.s32 q, %6, 0;\n@q "
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes"
        ".v4.b32 [%0], {%1, %2, %3, %4}, [%5];\n}" ::"r"(to),
        "r"(__float_as_uint(v[0])), "r"(__float_as_uint(v[1])), "r"(__float_as_uint(v[2])),
        "r"(__float_as_uint(v[3])), "r"(barrier), "r"(int(stores))
        : "memory");
  else
    asm volatile(
        "{\n.reg .pred q;\nsetp.ne.s32 q, %4, 0;\n@q "
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes"
        ".v2.b32 [%0], {%1, %2}, [%3];\n}" ::"r"(to),
        "r"(__float_as_uint(v[0])), "r"(__float_as_uint(v[1])), "r"(barrier), "r"(int(stores))
        : "memory");
}
template <int n>
__device__ __forceinline__ void store_async_if(std::uint32_t to, const double* v, std::uint32_t barrier,
                                               bool stores) {
  asm volatile(
      "{\n.reg .pred q;\nsetp.ne.s32 q, %4, 0;\n@q st.async.weak.shared::cluster.mbarrier::complete_tx::bytes"
      ".v2.b64 [%0], {%1, %2}, [%3];\n}" ::"r"(to),
      "l"(__double_as_longlong(v[0])), "l"(__double_as_longlong(v[1])), "r"(barrier), "r"(int(stores))
      : "memory");
}

/// True on one lane of the warp, the same each time. With a lane number instead, the compiler makes the code
/// that follows a loop over lanes.
__device__ __forceinline__ bool elected() {
  int is;
  asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.s32 %0, 1, 0, p;\n}" : "=r"(is));
  return is != 0;
}
/// Asynchronous bulk copies; addresses and sizes are multiples of 16 bytes.
__device__ __forceinline__ void bulk_load(std::uint32_t to, const void* from, int bytes,
                                          std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
      "l"(from), "r"(bytes), "r"(barrier)
      : "memory");
}
__device__ __forceinline__ void bulk_store(void* to, std::uint32_t from, int bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
/// Waits until all but the last n groups have been read from shared memory.
template <int n>
__device__ __forceinline__ void bulk_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(n) : "memory");
}
__device__ __forceinline__ void bulk_wait() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
/// Makes ordinary stores to shared memory visible to copies.
__device__ __forceinline__ void copies_see_stores() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
/// Lower or raise the registers per lane to n; all warps of a group of four call it.
template <int n>
__device__ __forceinline__ void give_registers_back() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(n));
}
template <int n>
__device__ __forceinline__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(n));
}
#endif

#endif  // PARITY_ON_HOPPER

}  // namespace parity::cuda
