// SPDX-License-Identifier: BSD-3-Clause
// Which variant filters a user's field here, and how many planes of it at once.
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>

#include "diffusion/best.hpp"
#include "filter/filter.hpp"
#include "filter/masked_filter.hpp"
#include "filter/plane_check.hpp"
#include "harness/selection.hpp"
#include "runtime/device.hpp"
#include "runtime/error.hpp"
#include "runtime/memory_share.hpp"

namespace parity::filter {
namespace {

using runtime::UsageError;

constexpr double block_bytes = 128.0 * (1 << 20);  ///< enough to hide a pipeline's overheads

/// Seconds of a filter's kernels from which on a second of measuring pays, and how many are spent.
constexpr double worth_measuring = 3, measuring_seconds = 1;

/// may_measure: nobody limited the memory. planes: of a launch. table: what else was considered, where nobody
/// named the variant.
harness::Choice choose(const diffusion::Problem& p, const std::string& wanted, bool may_measure,
                       const diffusion::PlanesOfLaunch& planes, std::string& table) {
  using namespace diffusion;
  const auto task = study().task_of(p);
  if (!wanted.empty()) {
    const auto choices = harness::select(study(), {wanted});
    if (choices.size() != 1) throw UsageError(fmt::format("--variant {}: name one variant", wanted));
    const harness::Choice& c = choices.front();
    if (c.entry->floor)
      throw UsageError(fmt::format("--variant {}: it measures a floor and filters nothing", wanted));
    if (!mechanism_of(c).plain())
      throw UsageError(fmt::format("--variant {}: launch mechanisms are for measuring; leave '+{}' away",
                                   wanted, c.mechanism_name));
    if (const auto reason = task->why_not(c))
      throw runtime::CannotRunError(fmt::format("--variant {}: {}", wanted, *reason));
    return c;
  }
  std::vector<harness::Measurement> rates = read_rates(rates_file());
  Candidates found = candidates(p, rates, recorded_here(), planes);
  std::vector<Expected>& all = found.all;
  if (may_measure && !all.empty() && !found.known() && all.front().seconds > worth_measuring) {
    for (const harness::Measurement& m : measure_rates(p, found, measuring_seconds, rates_file()))
      rates.push_back(m);
    found = candidates(p, rates, recorded_here(), planes);
  }
  if (!found.known() && !all.empty() && !all.front().choice.entry->on_device()) {
    // What the model does not know of a processor: a plane that a core's cache holds stays there over all
    // steps; larger ones are shared by all threads.
    const bool small = p.nz >= omp_get_max_threads() && p.field_bytes() / double(p.nz) <= 1 << 20;
    for (const char* name : small ? std::array{"openmp-plane-lanes", "openmp-plane"}
                                  : std::array{"openmp-fused", "kokkos-laplacian"})
      if (const auto at = std::find_if(all.begin(), all.end(),
                                       [&](const Expected& e) { return e.choice.entry->name == name; });
          at != all.end()) {
        std::rotate(all.begin(), at, at + 1);
        break;
      }
  }
  if (!all.empty()) {
    table = candidates_table(found);
    return all.front().choice;
  }
  throw runtime::CannotRunError("no variant can filter this field here; 'parity list diffusion' says why");
}

/// Threads of each stage around the filter, and of those that compare with the exact solution.
int threads_beside(bool on_device) { return on_device ? std::clamp(omp_get_max_threads() / 4, 1, 4) : 1; }

/// Bytes of a plane's buffers and of what the variant allocates for it, on the host and on the GPU, and of
/// what all planes share.
struct BytesOf {
  double plane, host, device, shared;
};
BytesOf bytes_of(const diffusion::Problem& field, const harness::Choice& c, io::Missing missing) {
  diffusion::Problem one = field;
  one.nz = 1;
  const bool on_device = c.entry->on_device();
  const runtime::MemoryNeed variant = diffusion::study().task_of(one)->need(c);
  const double plane = double(one.points()) * double(runtime::bytes_of(one.precision));
  const double masked = missing == io::Missing::keep ? 2 * plane : 0;
  // The exact response, what planes are checked with, and for each plane that is compared its input, its
  // result, the transform's room and the exact solution.
  const double check = 2 * plane + diffusion::FourierFilter::room_bytes(one) + 8 * double(one.points());
  return {plane, buffers * plane + variant.host + (on_device ? 0 : masked),
          variant.device + (on_device ? masked : 0),
          diffusion::FourierFilter::bytes(one) + double(one.points()) * 24 +
              check * (1 + threads_beside(on_device))};
}

/// Planes of a launch, at most. allowed: bytes of the host and of the GPU.
std::int64_t planes_at_a_time(const diffusion::Problem& field, const BytesOf& of, bool on_device,
                              const runtime::MemoryNeed& allowed) {
  const int threads = omp_get_max_threads();
  double planes = (allowed.host - of.shared) / of.host;
  if (on_device) planes = std::min(planes, allowed.device / of.device);
  const auto fits = std::int64_t(std::max(1.0, std::min(planes, double(field.nz))));
  // As many blocks as keep all stages busy, none so small that threads stay idle.
  const std::int64_t least = on_device ? 1 : threads;
  const auto large = std::int64_t(std::max(1.0, block_bytes / of.plane));
  const std::int64_t eighth = (field.nz + 7) / 8;
  const auto small = std::int64_t(std::max(1.0, block_bytes / 8 / of.plane));
  std::int64_t wish = std::min(large, std::max(eighth, small));
  wish = std::max(wish, least);
  if (!on_device) wish = (wish + threads - 1) / threads * threads;
  return std::clamp<std::int64_t>(wish, 1, fits);
}

}  // namespace

Plan plan(const diffusion::Problem& field, const std::string& wanted, double most_bytes, io::Missing missing,
          bool may_measure) {
  const runtime::MemoryNeed there_is = runtime::free_memory_here();
  const runtime::MemoryNeed allowed{most_bytes > 0 ? most_bytes : 0.5 * there_is.host, 0.9 * there_is.device};
  const diffusion::PlanesOfLaunch planes = [&](const harness::Choice& c) {
    return planes_at_a_time(field, bytes_of(field, c, missing), c.entry->on_device(), allowed);
  };
  Plan result;
  result.choice = choose(field, wanted, may_measure && most_bytes <= 0, planes, result.candidates);
  result.io_threads = result.checkers = threads_beside(result.choice.entry->on_device());
  const BytesOf of = bytes_of(field, result.choice, missing);
  if (of.shared + of.host > allowed.host)
    throw UsageError(
        most_bytes > 0
            ? fmt::format("--memory allows {}; one plane of {} x {} needs {}: give --memory {:.0f}",
                          runtime::bytes_text(allowed.host), field.nx, field.ny,
                          runtime::bytes_text(of.shared + of.host),
                          std::ceil((of.shared + of.host) / 1048576))
            : fmt::format("one plane of {} x {} needs {} and {} may be used, half of what is free: use a "
                          "machine with more memory, or give --memory",
                          field.nx, field.ny, runtime::bytes_text(of.shared + of.host),
                          runtime::bytes_text(allowed.host)));
  if (result.choice.entry->on_device() && of.device > allowed.device)
    throw runtime::CannotRunError(fmt::format(
        "one plane of {} x {} needs {} of the GPU's memory and {} are free: filter with --variant "
        "openmp-fused",
        field.nx, field.ny, runtime::bytes_text(of.device), runtime::bytes_text(allowed.device)));
  result.planes = planes(result.choice);
  return result;
}

}  // namespace parity::filter
