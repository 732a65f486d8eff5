// SPDX-License-Identifier: BSD-3-Clause
// The interface of a diffusion variant, and its registry entry.
// Includes neither Kokkos nor CUDA, so that native variants can implement it.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "diffusion/mechanism.hpp"
#include "diffusion/problem.hpp"
#include "diffusion/stencil.hpp"
#include "harness/variant.hpp"

namespace parity::diffusion {

using harness::CostModel;
using harness::Family;
using harness::Tuning;

/// Processing of planes in waves on a device that does not hold all of them at a time.
struct Turns {
  std::int64_t at_once = 0;  ///< planes of a wave; 0 if the hardware schedules them or if unknown
  int parts = 1;             ///< parts of each plane's steps, or batches of planes
};

/// One way to compute the filter. Construction allocates, prepare captures; both are timed separately.
template <class T>
class Variant : public harness::Execution {
 public:
  /// Captures and instantiates for a mechanism; called once, after a plain run (kernels are loaded by then).
  /// Without it the variant launches every kernel separately. Variants without steps support only that.
  virtual void prepare(const Mechanism&) {}
  /// Untimed. Takes the field (nz, ny, nx) and poisons everything else the variant owns.
  virtual void load(const T* field) = 0;
  /// Untimed, after synchronise. Writes the padded result (nz, ny+2h, nx+2h), its halo updated.
  virtual void store(T* padded) = 0;
  /// The same without the halo, (nz, ny, nx).
  virtual void store_interior(T* field) = 0;
  virtual Turns turns() const { return {}; }
};

/// A variant's cost: a function of the problem, or of problem and tuning if the tuning changes it.
class Model {
 public:
  Model& operator=(CostModel (*of_problem)(const Problem&)) { return plain_ = of_problem, *this; }
  Model& operator=(CostModel (*of_tuning)(const Problem&, const Tuning&)) {
    return tuned_ = of_tuning, *this;
  }
  explicit operator bool() const { return plain_ || tuned_; }
  CostModel operator()(const Problem& p, const Tuning& t) const { return tuned_ ? tuned_(p, t) : plain_(p); }

 private:
  CostModel (*plain_)(const Problem&) = nullptr;
  CostModel (*tuned_)(const Problem&, const Tuning&) = nullptr;
};

/// The differences of the algorithms that exchange halos; each algorithm.hpp has one.
struct ExchangeForm {
  bool overlap = false;  ///< updates points that need no message while messages are in flight
  bool deep = false;     ///< the tuning's first number is the number of steps between exchanges
  bool updates = true;   ///< false: only the exchange of each step, the field unchanged
  bool passes = false;   ///< deep, each exchange with a pass of several steps; 2nd number: groups of planes
};

/// One entry of the registry.
struct Entry : harness::ComputingEntry<Problem, Variant> {
  Model model;
  /// Words per point and step that kernels write to the address they read. On a host cost() counts them once:
  /// its cache loads and writes back such a line once, as it does one that is only read or only written.
  double words_in_place = 0;
  int fields = 2;          ///< padded fields the variant allocates, for memory estimates
  bool exchanges = false;  ///< constructed from the whole problem; takes this rank's part, exchanges halos
  ExchangeForm form;       ///< used if 'exchanges'
  bool stepped = false;    ///< true if its steps are launches that other mechanisms can record
  bool forks = false;      ///< true if some launches of a step are independent

  CostModel cost(const Problem& p, const Tuning& t) const {
    CostModel m = model(p, t);
    if (!on_device()) m.bytes -= words_in_place * double(runtime::bytes_of(p.precision)) * p.point_steps();
    return m;
  }
};

using harness::with_factories;

/// The diffusion registry, in the order of algorithms.def.
const std::vector<Entry>& registry();

/// Traffic and operations of a variant that moves 'words' words per point and launches 'launches' kernels in
/// each step.
inline CostModel cost_per_step(const Problem& p, double launches, double words, double flops) {
  return {launches * double(p.steps), words * double(runtime::bytes_of(p.precision)) * p.point_steps(),
          flops * p.point_steps()};
}

/// Operations per point and step with sums by pairs. defers_scaling: uses DeferredScale if alpha allows it.
inline double flops_by_pairs(const Problem& p, bool defers_scaling = true) {
  return defers_scaling && p.alpha == DeferredScale<double>::alpha ? deferred_flops : pair_flops;
}

/// Traffic and operations of a variant that keeps each plane on chip: one read and one write for all steps.
inline CostModel cost_resident(const Problem& p, double launches, double flops) {
  return {launches, 2.0 * double(runtime::bytes_of(p.precision)) * double(p.points()),
          flops * p.point_steps()};
}

}  // namespace parity::diffusion
