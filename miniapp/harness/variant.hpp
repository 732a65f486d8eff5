// SPDX-License-Identifier: BSD-3-Clause
// Types that the variants of all studies share. Includes neither Kokkos nor CUDA: native code uses it too.
#pragma once
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/clock.hpp"
#include "runtime/precision.hpp"

namespace parity::harness {

using runtime::bytes_of;
using runtime::name;
using runtime::Precision;

enum class Family { reference, openmp, kokkos, cuda, cupy };

const char* name(Family family);
/// nullopt for a word that names none.
std::optional<Family> family_of(const std::string& word);

/// Role of a version: the first version that a competent user writes, the tuned one that an expert writes, a
/// further one (an intermediate step, another launch mechanism), or the only one of its backend.
enum class Tier { first, tuned, further, only };

const char* name(Tier tier);
std::optional<Tier> tier_of(const std::string& word);
/// True if the two are comparable. An only native version pairs with every portable one; a further portable
/// one pairs with the native first version, on which it builds.
bool makes_pair(Tier portable, Tier native);

/// The timed object: one advance is one sample.
class Execution {
 public:
  virtual ~Execution() = default;
  /// Timed. May return before the work is done.
  virtual void advance() = 0;
  /// Waits for everything that advance started.
  virtual void synchronise() = 0;
  /// The device's clock; null if the host runs the variant.
  virtual runtime::DeviceClock* device_clock() { return nullptr; }
  /// Share of a multiprocessor's threads that the main kernel can keep resident; 0 if unknown.
  virtual double occupancy() const { return 0; }
};

/// A tuning is a list of positive integers, written "1x2x128"; each variant defines their meaning.
struct Tuning {
  std::vector<int> values;
  int operator[](std::size_t i) const { return values.at(i); }
  bool empty() const { return values.empty(); }
};

/// Parses "1x2x128"; nullopt when it is not a list of integers in [1, 1048576].
std::optional<Tuning> parse_tuning(const std::string& text);
std::string to_string(const Tuning& tuning);

/// Expected cost of a variant for one problem; recorded with the measurement.
struct CostModel {
  double launches = 0;     ///< kernels or parallel regions started in one advance
  double bytes = 0;        ///< main-memory traffic of one advance, caches ignored
  double flops = 0;        ///< floating-point operations of one advance (an FMA counts as two)
  double submissions = 0;  ///< host calls that start work: launches, or graph launches
};

struct Verdict {
  double error = 0;  ///< largest deviation over the largest value of the input; infinite for NaN
  double tolerance = 0;
  std::string reference;  ///< the reference used
  /// Why the time is unreliable although the result is right: a timing check failed. Empty otherwise.
  std::string caveat = {};
  bool passed() const {
    return (error >= 0 && error <= tolerance && std::isfinite(tolerance)) || !caveat.empty();
  }
};

/// A registry entry, independent of the study.
struct Entry {
  std::string name;       ///< family-algorithm, as in "kokkos-fused" or "kokkos-fused-tuned"
  std::string algorithm;  ///< its folder in variants/<study>/; empty if the entry has no algorithm
  Family family = Family::reference;
  std::string summary;  ///< one line for 'parity list'
  std::string twin;     ///< of a portable variant: the native one of the same algorithm (with_twins)
  std::vector<std::string> tunings;  ///< the first is the default; empty if there is nothing to tune
  std::string tuning_axes;           ///< meaning of the numbers, e.g. "rows x columns of a tile"
  bool floor = false;                ///< computes nothing: no baseline for the others
  Tier tier = Tier::first;           ///< as in algorithms.def
  std::string unavailable = {};      ///< why this build cannot run it on any problem

  /// Why this build or machine can run no problem at all; empty if it can run some. Queries the GPU, unlike a
  /// registry.
  std::string why_unavailable() const;
  bool on_device() const;  ///< true if its memory is on a GPU
};

/// A list of checks of a problem and a tuning; the first that refuses gives the reason.
template <class Problem>
class Refusals {
 public:
  using Refusal = std::optional<std::string> (*)(const Problem&, const Tuning&);
  Refusals& operator=(Refusal only) {
    all_ = {only};
    return *this;
  }
  Refusals& operator+=(Refusal next) {
    all_.push_back(next);
    return *this;
  }
  /// nullopt if it can run.
  std::optional<std::string> operator()(const Problem& p, const Tuning& t) const {
    for (const Refusal refuse : all_)
      if (auto why = refuse(p, t)) return why;
    return std::nullopt;
  }

 private:
  std::vector<Refusal> all_;
};

/// A registry entry of a study whose variants compute in float or double. V<T> is the study's variant
/// interface.
template <class Problem, template <class> class V>
struct ComputingEntry : Entry {
  Refusals<Problem> refuse;
  std::unique_ptr<V<float>> (*make_f32)(const Problem&, const Tuning&) = nullptr;
  std::unique_ptr<V<double>> (*make_f64)(const Problem&, const Tuning&) = nullptr;
  double (*extra_bytes)(const Problem&) = nullptr;  ///< bytes allocated besides the study's fields

  /// Makes an implementation that computes in T.
  template <class T, class Implementation>
  static std::unique_ptr<V<T>> made(const Problem& p, const Tuning& t) {
    return std::make_unique<Implementation>(p, t);
  }
  template <class T>
  std::unique_ptr<V<T>> make(const Problem& problem, const Tuning& tuning) const {
    if constexpr (sizeof(T) == 4)
      return make_f32(problem, tuning);
    else
      return make_f64(problem, tuning);
  }
};

/// Fills in the factories of one class template.
template <template <class> class Implementation, class E>
E with_factories(E entry) {
  entry.make_f32 = E::template made<float, Implementation<float>>;
  entry.make_f64 = E::template made<double, Implementation<double>>;
  return entry;
}

/// The default tuning; empty if there is nothing to tune.
Tuning standard_tuning(const Entry& entry);

/// Fills in algorithm, name, family, tier and summary; cell: "kokkos", "cuda_tuned", ...
void describe_cell(Entry& entry, const char* algorithm, const std::string& cell, Tier tier,
                   const char* sentence);

/// One implementation of an algorithm; 'make' is null if the build lacks its backend.
template <class E>
E cell_entry(E (*make)(), const char* algorithm, const char* cell, Tier tier, const char* sentence) {
  E entry = make ? make() : E();
  describe_cell(entry, algorithm, cell, tier, sentence);
  return entry;
}

/// The native variant to compare a portable one with: the same algorithm on the processor that Kokkos runs
/// on, with a tier that makes a pair. Null if there is none.
const Entry* twin_of(const Entry& portable, const std::vector<const Entry*>& all);

/// Fills in the twins of the table's portable variants.
template <class E>
std::vector<E> with_twins(std::vector<E> table) {
  std::vector<const Entry*> all;
  for (const E& e : table) all.push_back(&e);
  for (E& e : table)
    if (const Entry* const twin = twin_of(e, all)) e.twin = twin->name;
  return table;
}

/// A registry entry that a script measures: listed, and accepted in plans.
template <class E>
E script_entry(Family family, const char* name, const char* summary, const char* script) {
  E entry;
  entry.name = name;
  entry.summary = summary;
  entry.family = family;
  entry.unavailable =
      std::string("measured by ") + script + ", which takes the same plan and file of records";
  return entry;
}

}  // namespace parity::harness
