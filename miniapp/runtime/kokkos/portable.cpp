// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/device.hpp"

#include "kokkos_compat.hpp"
#include "runtime/kokkos/queue.hpp"

namespace parity::runtime {

KokkosScope::KokkosScope() { compat::start_kokkos(); }
KokkosScope::~KokkosScope() { Kokkos::finalize(); }
bool portable_on_device() { return compat::exec_is_device(); }
std::string portable_backend() { return compat::Exec::name(); }
std::string kokkos_version() { return compat::kokkos_version(); }

std::optional<std::string> why_no_capture_nodes() {
  if (!compat::exec_is_device()) return "Kokkos runs on the host here, where its graphs hold no CUDA kernels";
  return compat::why_not_before(40700, "native CUDA kernels in a Kokkos graph (cuda_capture)");
}

std::unique_ptr<Graph> capture_into_kokkos([[maybe_unused]] void* stream,
                                           [[maybe_unused]] const std::function<void(const AddNode&)>& body) {
#if defined(PARITY_HAS_CUDA) && defined(KOKKOS_ENABLE_CUDA)
  const compat::Exec exec(static_cast<cudaStream_t>(stream));
  return std::make_unique<compat::KokkosGraph>(exec, [&](compat::GraphQueue& queue) {
    body([&](const std::function<void()>& launches) {
      queue.captured(exec, [launches](const compat::Exec&) { launches(); });
    });
  });
#else
  throw std::logic_error("Kokkos captures no CUDA kernels in this build");
#endif
}

}  // namespace parity::runtime
