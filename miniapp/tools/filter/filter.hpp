// SPDX-License-Identifier: BSD-3-Clause
// The diffusion filter on a user's field: a pipeline reads, filters, checks and writes blocks of planes
// concurrently.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "diffusion/study.hpp"
#include "tools/filter/field_file.hpp"
#include "tools/filter/mirror.hpp"

namespace parity::filter {

constexpr int buffers = 4;  ///< number of blocks: one each being read, filtered and written, and one in
                            ///< between

struct Plan {
  harness::Choice choice;
  Mirror closed = {};        ///< closed axes; the variant filters mirrored planes
  std::int64_t planes = 1;   ///< maximum at once
  int io_threads = 1;        ///< threads of each I/O stage
  int checkers = 1;          ///< planes compared with the exact solution concurrently
  double caches = 0;         ///< bytes left to the file's library
  std::string why = {};      ///< one line; empty if the user named the variant
  bool shared = false;       ///< all ranks filter each plane together
  std::int64_t edge = 8192;  ///< larger planes are checked in tiles
};

/// Time of a stage, in seconds of its own thread.
struct Stage {
  std::string name;
  double seconds = 0;
};

struct Summary {
  std::int64_t planes_at_once = 0, exactly_checked = 0, with_gaps = 0, all_missing = 0;
  std::string exactly = {};  ///< points compared in the exactly checked planes
  double worst_error = 0;    ///< in planes compared with the exact solution, relative to the largest value
  double seconds = 0;        ///< from the first read to the last write
  std::vector<Stage> stages;
};

/// Chooses the variant and the number of planes at once that fit the allowed memory. wanted: a variant, or ""
/// for the choice of filter/choose.hpp. most_bytes: of host memory; 0 for half of the free memory. caches:
/// bytes that the file's library can use. Throws runtime::UsageError if one plane does not fit and for
/// variants that cannot filter, and runtime::CannotRunError for variants that cannot run here.
Plan plan(const diffusion::Problem& field, const Mirror& closed, const std::string& wanted, double most_bytes,
          io::Missing missing, const io::Field::Caches& caches);
/// A variant with which all ranks filter each plane together, and the reason for it.
struct SharedVariant {
  std::string name;
  const char* why;
};
/// The shared variant, if there are fewer planes than ranks or a plane does not fit one GPU, and if the
/// variant (or the choice for one rank) has a counterpart that computes the same on parts; else nullopt. Only
/// rank 0 calls it.
std::optional<SharedVariant> shared_variant(const diffusion::Problem& field, const Mirror& closed,
                                            const std::string& wanted, double most_bytes,
                                            io::Missing missing);
/// The plan for it; nullopt if it cannot run. Turns 'field' into the problem of all ranks. Only rank 0 calls
/// it, after all ranks have chosen the message transport.
std::optional<Plan> shared_plan(diffusion::Problem& field, const Mirror& closed, const SharedVariant& variant,
                                double most_bytes, io::Missing missing, const io::Field::Caches& caches);

/// Called at intervals with the number of finished planes and the current activity.
using Progress = std::function<void(double, const std::string&)>;

/// The other ranks call this while rank 0 is in run() with a shared plan.
void help(const diffusion::Problem& problem, const harness::Choice& choice);
/// Filters these planes of a field. Throws runtime::Error (a check failed) for a wrong result, and all errors
/// of reading and writing; commits nothing.
Summary run(io::Field& field, const runtime::Share& planes, const diffusion::Problem& problem,
            const Plan& plan, const Progress& done);

}  // namespace parity::filter
