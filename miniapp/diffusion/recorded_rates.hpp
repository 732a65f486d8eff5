// SPDX-License-Identifier: BSD-3-Clause
// How fast variants were on GPUs whose records are committed: what 'parity rates' made of them, compiled in,
// so that the program chooses well on such a GPU wherever it is installed.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "diffusion/problem.hpp"
#include "harness/records.hpp"

namespace parity::diffusion {

/// GPUs that compute alike: their memory and its speed may differ.
struct GpuClass {
  std::string compute_capability;  ///< "9.0"
  int multiprocessors = 0;
  bool operator==(const GpuClass& o) const {
    return compute_capability == o.compute_capability && multiprocessors == o.multiprocessors;
  }
};

/// That of the GPU in use; nullopt without one.
std::optional<GpuClass> gpu_class_here();

/// A variant's fastest recorded tuning on a problem.
struct RecordedRate {
  std::string device;  ///< as the record names it
  GpuClass of;
  std::string variant, tuning;
  Precision precision = Precision::f32;
  std::int64_t nx = 0, ny = 0, nz = 0, steps = 0;
  double alpha = 0, step_us = 0;
  std::string record;  ///< file and line, "frontier.jsonl:355"
  std::string commit;  ///< of the program that was measured, "80c1244cd784"

  double seconds() const { return 1e-6 * step_us * double(steps); }  ///< of all steps
  /// The problem that was measured, with p's seed and halo.
  Problem problem_like(Problem p) const;
};

/// recorded_rates.def.
const std::vector<RecordedRate>& recorded_rates();
/// Those of such GPUs.
std::vector<RecordedRate> rates_of(const std::vector<RecordedRate>& all, const GpuClass& gpu);

/// What records say of variants that compute on a GPU, plainly launched, right and in one process: of each
/// variant and problem the fastest tuning, in the order of device, problem and time.
std::vector<RecordedRate> rates_in(const harness::Records& records);

/// recorded_rates.def of these records.
std::string table_of(const std::vector<RecordedRate>& rates, const std::vector<std::string>& records);

/// Of a variant's rates in this precision that can be taken the one on the planes most like these: by the
/// ratios of nx, of ny and, less, of nz, and whether columns fill packs of 16 bytes alike. Null without any.
const RecordedRate* nearest_rate(const std::vector<RecordedRate>& rates, const std::string& variant,
                                 const Problem& p, const std::function<bool(const RecordedRate&)>& can_take);

}  // namespace parity::diffusion
