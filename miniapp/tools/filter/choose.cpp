// SPDX-License-Identifier: BSD-3-Clause
#include "tools/filter/choose.hpp"

#include <fmt/format.h>

#include "diffusion/variant.hpp"
#include "harness/plan.hpp"
#include "runtime/device.hpp"
#include "runtime/error.hpp"

namespace parity::filter {
namespace {

using diffusion::Precision;
using diffusion::Problem;
using diffusion::study;
using harness::Choice;
using Names = std::vector<std::string>;

const char* text_of(DeviceClass on) {
  return on == DeviceClass::cpu   ? "a CPU"
         : on == DeviceClass::gpu ? "a GPU of compute capability below 9"
                                  : "a GPU of compute capability 9 or later";
}

Names on_cpu(const Problem& p, int threads) {
  constexpr std::int64_t mib = 1 << 20;
  const auto plane_bytes = std::int64_t(p.field_bytes() / double(p.nz));
  Names names;
  if (p.nz >= threads && plane_bytes <= mib) names = {"openmp-plane-lanes/1"};
  if (p.nz >= threads && plane_bytes <= 4 * mib) names.push_back("openmp-plane");
  // A pass is 8 steps.
  if (p.steps >= 8) names.push_back("openmp-temporal");
  return names;
}

/// Variants of any GPU and build. Excludes teams that share a plane: they wait for each other and may give up
/// when another program uses the GPU, so the user must name them.
void add_portable(Names& names, const Problem& p) {
  const std::int64_t points = p.nx * p.ny;
  if (points > 16 * 16 && points <= 128 * 128) names.push_back("kokkos-resident/1");
  if (points <= 128 * 128) names.push_back("kokkos-plane-registers/1x1");
  names.push_back("kokkos-temporal-tuned/2");
  names.push_back("kokkos-fused");
}

Names on_gpu(const Problem& p) {
  const std::int64_t points = p.nx * p.ny;
  Names names;
  if (points <= 128 * 128) names = {"cuda-plane-registers"};
  add_portable(names, p);
  names.insert(names.end() - 1, "cuda-temporal");
  return names;
}

Names on_gpu_9(const Problem& p) {
  const std::int64_t points = p.nx * p.ny;
  Names names;
  if (points <= 64 * 64) names = {"cuda-plane-registers"};
  if (points <= 512 * 1024) names.push_back("cuda-plane-cluster/2");
  names.push_back(p.precision == Precision::f32 ? "cuda-temporal-tuned/1" : "cuda-temporal-tuned/2");
  add_portable(names, p);
  return names;
}

}  // namespace

DeviceClass device_class_here() {
  const auto gpu = runtime::device();
  return !gpu ? DeviceClass::cpu : gpu->major < 9 ? DeviceClass::gpu : DeviceClass::gpu_9;
}

Names preferred(DeviceClass on, const Problem& p, int threads) {
  Names names = on == DeviceClass::cpu   ? on_cpu(p, threads)
                : on == DeviceClass::gpu ? on_gpu(p)
                                         : on_gpu_9(p);
  names.push_back("openmp-fused");  // any build has it
  return names;
}

std::optional<Chosen> choose(DeviceClass on, const Problem& p, int threads) {
  const auto task = study().task_of(p);
  for (const std::string& name : preferred(on, p, threads)) try {
      const Choice c = harness::choice_of(study(), name);
      if (!task->why_not(c))
        return Chosen{c, fmt::format("preferred for {} x {} x {} {}, {} steps, on {}", p.nx, p.ny, p.nz,
                                     runtime::name(p.precision), p.steps, text_of(on))};
    } catch (const runtime::UsageError&) {
      // This build lacks the variant, and with it its tunings.
    }
  return std::nullopt;
}

}  // namespace parity::filter
