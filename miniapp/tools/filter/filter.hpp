// SPDX-License-Identifier: BSD-3-Clause
// The diffusion filter on a user's field: blocks of planes are read, filtered, checked and written, all at
// the same time.
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

constexpr int buffers = 4;  ///< of blocks: one being read, filtered, written, and one on its way

struct Plan {
  harness::Choice choice;
  Mirror closed = {};        ///< axes; the variant filters mirrored planes
  std::int64_t planes = 1;   ///< at once, at most
  int io_threads = 1;        ///< of each stage around the filter
  int checkers = 1;          ///< planes compared with the exact solution at the same time
  double caches = 0;         ///< bytes left to the file's library
  std::string why = {};      ///< one line; empty if the user named the variant
  bool shared = false;       ///< all ranks filter each plane together
  std::int64_t edge = 8192;  ///< larger planes are checked in tiles
};

/// What a stage did, in seconds of its own thread.
struct Stage {
  std::string name;
  double seconds = 0;
};

struct Summary {
  std::int64_t planes_at_once = 0, exactly_checked = 0, with_gaps = 0, all_missing = 0;
  std::string exactly = {};  ///< which points of those planes
  double worst_error = 0;    ///< in planes compared with the exact solution, relative to the largest value
  double seconds = 0;        ///< from the first read to the last write
  std::vector<Stage> stages;
};

/// The variant and the number of planes at once for the memory that may be used. wanted: a variant, or "" for
/// the choice of filter/choose.hpp. most_bytes: of host memory; 0 for half of what is free. caches: bytes
/// that the file's library has a use for. Throws
/// runtime::UsageError where one plane does not fit and for variants that cannot filter,
/// runtime::CannotRunError for those that cannot run here.
Plan plan(const diffusion::Problem& field, const Mirror& closed, const std::string& wanted, double most_bytes,
          io::Missing missing, const io::Field::Caches& caches);
/// How all ranks could filter each plane together.
struct SharedVariant {
  std::string name;
  const char* why;
};
/// All ranks filter each plane of 'field' together if there are fewer planes than ranks or one does not fit a
/// GPU, and the variant or the choice for one rank computes the same on parts; nullopt otherwise. Rank 0 asks
/// alone.
std::optional<SharedVariant> shared_variant(const diffusion::Problem& field, const Mirror& closed,
                                            const std::string& wanted, double most_bytes,
                                            io::Missing missing);
/// The plan for it; nullopt if it cannot run. field becomes the problem of all ranks. Rank 0 asks alone,
/// after all ranks have resolved how messages travel.
std::optional<Plan> shared_plan(diffusion::Problem& field, const Mirror& closed, const SharedVariant& variant,
                                double most_bytes, io::Missing missing, const io::Field::Caches& caches);

/// Called now and then with the planes that are done and what happens now.
using Progress = std::function<void(double, const std::string&)>;

/// What ranks other than 0 do while rank 0 is in run() with a shared plan.
void help(const diffusion::Problem& problem, const harness::Choice& choice);
/// Filters these planes of a field. Throws runtime::Error (a check failed) where a result is wrong, and
/// whatever reading and writing throw; commits nothing.
Summary run(io::Field& field, const runtime::Share& planes, const diffusion::Problem& problem,
            const Plan& plan, const Progress& done);

}  // namespace parity::filter
