// SPDX-License-Identifier: BSD-3-Clause
// The contract of a diffusion variant, and the entry that puts it into the registry.
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

/// How planes share a device that does not hold all of them at a time.
struct Turns {
  std::int64_t at_once = 0;  ///< planes; 0 where the hardware deals them out, or nobody knows
  int parts = 1;             ///< parts of each plane's steps, or batches of planes
};

/// One way to compute the filter. Construction allocates, prepare captures; both are timed apart.
template <class T>
class Variant : public harness::Execution {
 public:
  /// Captures and instantiates for a mechanism; called once, after a plain run (kernels are loaded by then).
  /// Without it every kernel is launched on its own, which is all that a variant without steps knows.
  virtual void prepare(const Mechanism&) {}
  /// Untimed. Takes the field (nz, ny, nx) and poisons everything else the variant owns.
  virtual void load(const T* field) = 0;
  /// Untimed, after synchronise. Writes the padded result (nz, ny+2h, nx+2h), its halo updated.
  virtual void store(T* padded) = 0;
  /// The same without the halo, (nz, ny, nx).
  virtual void store_interior(T* field) = 0;
  virtual Turns turns() const { return {}; }
};

/// What a variant costs: a function of the problem, or of problem and tuning if that changes it.
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

/// What the algorithms that exchange halos differ in; each has one in its algorithm.hpp.
struct ExchangeForm {
  bool overlap = false;  ///< points that need no message are updated while it is under way
  bool deep = false;     ///< the first number of the tuning is the steps from exchange to exchange
  bool updates = true;   ///< false: nothing but the exchange of each step, the field unchanged
  bool passes = false;   ///< deep, and a pass of several steps each; the second number is groups of planes
};

/// One line of the registry.
struct Entry : harness::ComputingEntry<Problem, Variant> {
  Model model;
  /// Words a point and step that kernels write where they have read them. A host's cache takes in such a line
  /// once and gives it back once, as it does with a line that is only read or only written.
  double words_in_place = 0;
  int fields = 2;          ///< padded fields the variant allocates, for memory estimates
  bool exchanges = false;  ///< it is made of the whole problem, takes this rank's part and exchanges halos
  ExchangeForm form;       ///< of one that does
  bool stepped = false;    ///< whether its steps are launches that other mechanisms can start
  bool forks = false;      ///< whether some launches of a step need nothing of each other

  CostModel cost(const Problem& p, const Tuning& t) const {
    CostModel m = model(p, t);
    if (!on_device()) m.bytes -= words_in_place * double(runtime::bytes_of(p.precision)) * p.point_steps();
    return m;
  }
};

using harness::with_factories;

/// The diffusion registry, in the order of algorithms.def.
const std::vector<Entry>& registry();

/// Traffic and operations of a variant that moves 'words' words a point and launches 'launches' kernels in
/// each step.
inline CostModel cost_per_step(const Problem& p, double launches, double words, double flops) {
  return {launches * double(p.steps), words * double(runtime::bytes_of(p.precision)) * p.point_steps(),
          flops * p.point_steps()};
}

/// Operations a point and step of sums by pairs. defers_scaling: the variant does so for an alpha that is
/// exact.
inline double flops_by_pairs(const Problem& p, bool defers_scaling = true) {
  return defers_scaling && p.alpha == DeferredScale<double>::alpha ? deferred_flops : pair_flops;
}

/// Traffic and operations of a variant that keeps each plane on chip: one read and one write for all steps.
inline CostModel cost_resident(const Problem& p, double launches, double flops) {
  return {launches, 2.0 * double(runtime::bytes_of(p.precision)) * double(p.points()),
          flops * p.point_steps()};
}

}  // namespace parity::diffusion
