// SPDX-License-Identifier: BSD-3-Clause
// Chooses the variant that filters a user's field, and the number of planes at once.
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>

#include "harness/plan.hpp"
#include "runtime/device.hpp"
#include "runtime/error.hpp"
#include "runtime/host_memory.hpp"
#include "tools/filter/choose.hpp"
#include "tools/filter/filter.hpp"
#include "tools/filter/masked_filter.hpp"
#include "tools/filter/plane_check.hpp"

namespace parity::filter {
namespace {

using runtime::UsageError;

constexpr double block_bytes = 128.0 * (1 << 20);  ///< enough to hide a pipeline's overheads

harness::Choice named(const diffusion::Problem& p, const std::string& wanted) {
  using namespace diffusion;
  const auto choices = harness::select(study(), {wanted});
  if (choices.size() != 1) throw UsageError(fmt::format("--variant {}: name one variant", wanted));
  const harness::Choice& c = choices.front();
  if (c.entry->floor)
    throw UsageError(fmt::format("--variant {}: it measures a floor and filters nothing", wanted));
  if (!mechanism_of(c).plain())
    throw UsageError(fmt::format("--variant {}: launch mechanisms are for measuring; omit '+{}'", wanted,
                                 c.mechanism_name));
  if (const auto reason = study().task_of(p)->why_not(c))
    throw runtime::CannotRunError(fmt::format("--variant {}: {}", wanted, *reason));
  return c;
}

/// Threads of each stage around the filter, and number of threads that compare with the exact solution.
int threads_beside(bool on_device) { return on_device ? std::clamp(omp_get_max_threads() / 4, 1, 4) : 1; }

/// Bytes of a plane's buffers and of the variant's allocations for it, on the host and on the GPU, and bytes
/// shared by all planes.
struct BytesOf {
  double plane, host, device, shared;
};
BytesOf bytes_of(const diffusion::Problem& field, const Plan& plan, io::Missing missing) {
  const harness::Choice& c = plan.choice;
  diffusion::Problem one = field;
  one.nz = 1;
  const bool on_device = c.entry->on_device();
  const runtime::MemoryNeed variant = diffusion::study().task_of(one)->need(c);
  const double plane = double(one.points()) * double(runtime::bytes_of(one.precision));
  // Planes that are read and written, if they differ from the filtered ones.
  const int copies = plan.closed.copies();
  const double folded = copies > 1 ? 2 * plane / copies : 0;
  const double masked = missing == io::Missing::keep ? 2 * plane : 0;
  // The exact response, the data of the plane check, and for each compared plane or window its input, its
  // result, the transform's room and the exact solution.
  one.ranks_y = 1;
  const Tile tile(one, plan.edge);
  const double points = double(tile.problem.points()),
               compared = points * double(runtime::bytes_of(one.precision));
  const double check = 2 * compared + diffusion::FourierFilter::room_bytes(tile.problem) + 8 * points;
  const double windows = tile.whole() ? 0 : 2 * compared * double(tile.windows(field.ranks()).size());
  // A rank's part of planes that all ranks share.
  const double part = field.ranks() > 1 ? plane / double(field.ranks()) : 0;
  return {plane,
          double(std::min<std::int64_t>(buffers, field.nz)) * plane + part + folded + variant.host +
              (on_device ? 0 : masked),
          variant.device + (on_device ? masked : 0),
          diffusion::FourierFilter::bytes(tile.problem) + points * 24 + check * (1 + plan.checkers) +
              double(std::min<std::int64_t>(buffers, field.nz)) * windows};
}

/// Planes per launch. allowed: bytes on the host and on the GPU.
std::int64_t planes_at_a_time(const diffusion::Problem& field, const BytesOf& of, bool on_device,
                              const runtime::MemoryNeed& allowed) {
  const int threads = omp_get_max_threads();
  double planes = (allowed.host - of.shared) / of.host;
  if (on_device) planes = std::min(planes, allowed.device / of.device);
  const auto fits = std::int64_t(std::max(1.0, std::min(planes, double(field.nz))));
  // Enough blocks to keep all stages busy, but none so small that threads stay idle.
  const std::int64_t least = on_device ? 1 : threads;
  const auto large = std::int64_t(std::max(1.0, block_bytes / of.plane));
  const std::int64_t eighth = (field.nz + 7) / 8;
  const auto small = std::int64_t(std::max(1.0, block_bytes / 8 / of.plane));
  std::int64_t wish = std::min(large, std::max(eighth, small));
  wish = std::max(wish, least);
  if (!on_device) wish = (wish + threads - 1) / threads * threads;
  return std::clamp<std::int64_t>(wish, 1, fits);
}

/// Name of the variant that does the same on parts of planes; empty if there is none.
std::string on_parts(const harness::Choice& c) {
  if (c.entry->algorithm != "temporal") return c.entry->algorithm == "temporal-exchange" ? c.name() : "";
  for (const diffusion::Entry& e : diffusion::registry())
    if (e.algorithm == "temporal-exchange" && e.family == c.entry->family && e.tier == c.entry->tier)
      return e.name + (e.tier == harness::Tier::tuned && c.tuning[0] == 2
                           ? "/8x2"
                           : "");  // two chains of warps in a block
  return "";
}

/// shared: rank 0 holds the planes, the other ranks only their parts.
runtime::MemoryNeed allowed_memory(double most_bytes, bool shared) {
  runtime::MemoryNeed there_is = runtime::free_memory_here();
  if (shared) there_is.host *= runtime::rank_info().ranks_on_node;
  // The operating system kills a program that uses more than the free memory, without a message.
  const bool given = most_bytes > 0 && most_bytes <= 0.9 * there_is.host;
  return {given ? most_bytes : 0.5 * there_is.host, 0.9 * there_is.device};
}

}  // namespace

Plan plan(const diffusion::Problem& given, const Mirror& closed, const std::string& wanted, double most_bytes,
          io::Missing missing, const io::Field::Caches& caches) {
  const diffusion::Problem field = closed.of(given);
  const std::string one = fmt::format("one plane of {} x {}{}", given.nx, given.ny,
                                      closed.copies() > 1 ? ", mirrored at closed edges," : "");
  runtime::MemoryNeed allowed = allowed_memory(most_bytes, given.ranks() > 1);
  Plan result;
  result.closed = closed;
  if (!wanted.empty()) {
    result.choice = named(field, wanted);
  } else if (const auto chosen = choose(device_class_here(), field, omp_get_max_threads())) {
    result.choice = chosen->choice;
    result.why = chosen->why;
  } else {
    throw runtime::CannotRunError("no variant can filter this field here; 'parity list diffusion' says why");
  }
  result.io_threads = result.checkers = threads_beside(result.choice.entry->on_device());
  const auto bytes = [&] {
    BytesOf of = bytes_of(field, result, missing);
    of.shared += caches.least;
    return of;
  };
  BytesOf of = bytes();
  for (; of.shared + of.host > allowed.host && (result.checkers > 1 || result.edge > 128); of = bytes())
    result.checkers > 1 ? --result.checkers : result.edge /= 2;
  if (of.shared + of.host > allowed.host)
    throw UsageError(
        most_bytes == allowed.host
            ? fmt::format("--memory allows {}; {} needs {}: give --memory {:.0f}",
                          runtime::bytes_text(allowed.host), one, runtime::bytes_text(of.shared + of.host),
                          std::ceil((of.shared + of.host) / 1048576))
            : fmt::format("{} needs {} and {} may be used, half of what is free: use a machine with more "
                          "memory, or give --memory",
                          one, runtime::bytes_text(of.shared + of.host), runtime::bytes_text(allowed.host)));
  if (result.choice.entry->on_device() && of.device > allowed.device)
    throw runtime::CannotRunError(
        fmt::format("{} needs {} of the GPU's memory and {} are free: filter with --variant openmp-fused",
                    one, runtime::bytes_text(of.device), runtime::bytes_text(allowed.device)));
  // A cache smaller than the library's working set for one block would hold nothing that is read again.
  const double more = caches.wanted - caches.least;
  if (more <= std::min(0.5 * allowed.host, allowed.host - of.shared - of.host)) {
    result.caches = caches.wanted;
    allowed.host -= more;
  }
  result.planes = planes_at_a_time(field, of, result.choice.entry->on_device(), allowed);
  return result;
}

std::optional<SharedVariant> shared_variant(const diffusion::Problem& field, const Mirror& closed,
                                            const std::string& wanted, double most_bytes,
                                            io::Missing missing) {
  const int ranks = runtime::rank_info().ranks;
  Plan alone;
  alone.closed = closed;
  {
    const runtime::ApartScope apart;
    const auto chosen = wanted.empty() ? choose(device_class_here(), closed.of(field), omp_get_max_threads())
                                       : Chosen{named(closed.of(field), wanted), ""};
    if (!chosen || ranks > field.ny) return std::nullopt;
    alone.choice = chosen->choice;
  }
  const bool few = field.nz < ranks;
  if (!few && bytes_of(closed.of(field), alone, missing).device <= allowed_memory(most_bytes, false).device)
    return std::nullopt;
  const std::string name = on_parts(alone.choice);
  if (name.empty()) return std::nullopt;
  return SharedVariant{name, few ? "there are fewer planes than ranks" : "a plane does not fit one GPU"};
}

std::optional<Plan> shared_plan(diffusion::Problem& field, const Mirror& closed, const SharedVariant& variant,
                                double most_bytes, io::Missing missing, const io::Field::Caches& caches) {
  const int ranks = runtime::rank_info().ranks;
  diffusion::Problem cut = field;
  cut.ranks_y = ranks;
  const harness::Choice choice = harness::choice_of(diffusion::study(), variant.name);
  if (diffusion::study().task_of(closed.of(cut))->why_not(choice)) return std::nullopt;
  Plan result = plan(cut, closed, variant.name, most_bytes, missing, caches);
  result.shared = true;
  result.why = fmt::format("{} ranks filter each plane together: {}", ranks, variant.why);
  field = cut;
  return result;
}

}  // namespace parity::filter
