// SPDX-License-Identifier: BSD-3-Clause
// The contract of a diffusion variant, and the entry that puts it into the registry.
// Includes neither Kokkos nor CUDA, so that native variants can implement it.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "diffusion/mechanism.hpp"
#include "diffusion/problem.hpp"
#include "study/entry.hpp"

namespace parity::diffusion {

using study::CostModel;
using study::Family;
using study::Tuning;

/// One way to compute the filter. Construction allocates, prepare records; both are timed apart.
template <class T>
class Variant : public study::Execution {
 public:
  /// Records and instantiates for a mechanism; called once, after a plain run (kernels are loaded by then).
  /// Without it every kernel is launched on its own, which is all that a variant without steps knows.
  virtual void prepare(const Mechanism&) {}
  /// Untimed. Takes the field (nz, ny, nx) and poisons everything else the variant owns.
  virtual void load(const T* field) = 0;
  /// Untimed, after synchronise. Writes the padded result (nz, ny+2h, nx+2h), its halo updated.
  virtual void store(T* padded) = 0;
};

/// What a variant computes: the filter, or nothing but a floor of it (the field comes back unchanged).
enum class Computes { filter, identity };

/// One row of the registry.
struct Entry : study::EntryBase {
  CostModel (*model)(const Problem&) = nullptr;
  /// Why the variant cannot run this problem with this tuning here; nullopt when it can.
  std::optional<std::string> (*refuse)(const Problem&, const Tuning&) = nullptr;
  std::unique_ptr<Variant<float>> (*make_f32)(const Problem&, const Tuning&) = nullptr;
  std::unique_ptr<Variant<double>> (*make_f64)(const Problem&, const Tuning&) = nullptr;
  int fields = 2;  ///< padded fields the variant allocates, for memory estimates
  double (*extra_bytes)(const Problem&) = nullptr;  ///< what it allocates besides
  bool stepped = false;  ///< whether its steps are launches that other mechanisms can start
  Computes computes = Computes::filter;
};

/// Fills in both precisions from one class template.
template <template <class> class V>
Entry with_factories(Entry entry) {
  entry.make_f32 = [](const Problem& p, const Tuning& t) -> std::unique_ptr<Variant<float>> {
    return std::make_unique<V<float>>(p, t);
  };
  entry.make_f64 = [](const Problem& p, const Tuning& t) -> std::unique_ptr<Variant<double>> {
    return std::make_unique<V<double>>(p, t);
  };
  return entry;
}

template <class T>
std::unique_ptr<Variant<T>> make(const Entry& entry, const Problem& problem, const Tuning& tuning) {
  if constexpr (sizeof(T) == 4)
    return entry.make_f32(problem, tuning);
  else
    return entry.make_f64(problem, tuning);
}

/// The diffusion registry, in the order of variants.def.
const std::vector<Entry>& registry();

/// Traffic and operations of a variant that moves 'words' words a point and launches 'launches' kernels in
/// each step.
inline CostModel cost_per_step(const Problem& p, double launches, double words, double flops) {
  return {launches * double(p.steps), words * double(study::bytes_of(p.precision)) * p.point_steps(),
          flops * p.point_steps()};
}

/// Traffic and operations of a variant that keeps each plane on chip: one read and one write for all steps.
inline CostModel cost_resident(const Problem& p, double launches, double flops) {
  return {launches, 2.0 * double(study::bytes_of(p.precision)) * double(p.points()), flops * p.point_steps()};
}

}  // namespace parity::diffusion
