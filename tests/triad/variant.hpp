// SPDX-License-Identifier: BSD-3-Clause
// The triad study: a = b + s c over n values. The smallest study there can be, as an example of the contract
// and as a test of it; CONTRIBUTING.md walks through it.
#pragma once
#include <cstdint>
#include <vector>

#include "harness/variant.hpp"

namespace parity::triad {

struct Problem {
  runtime::Precision precision = runtime::Precision::f32;
  std::int64_t n = 1 << 20;
  double scalar = 0.4;
};

/// One way to compute it. Construction allocates.
template <class T>
class Variant : public harness::Execution {
 public:
  /// Untimed. Takes b and c (n values each) and poisons a.
  virtual void load(const T* b, const T* c) = 0;
  /// Untimed, after synchronise. Writes a.
  virtual void store(T* a) = 0;
};

struct Entry : harness::ComputingEntry<Problem, Variant> {};

const std::vector<Entry>& registry();

}  // namespace parity::triad
