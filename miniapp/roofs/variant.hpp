// SPDX-License-Identifier: BSD-3-Clause
// The contract of a variant of the roofs study: one quantity of a machine, by working set.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "harness/entry.hpp"
#include "roofs/parts.hpp"

namespace parity::roofs {

struct Problem {
  runtime::Precision precision = runtime::Precision::f64;
  std::string quantity = "copy";
  std::int64_t bytes = std::int64_t(1) << 26;  ///< of all arrays together

  Kind kind() const;
  /// Values of each array.
  std::int64_t values() const;
  /// How often one sample goes through them.
  std::int64_t passes() const;
};

/// Arrays that a quantity reads or writes; of a sum, what each thread found is a result of its own.
inline int arrays_of(Kind kind) { return kind == Kind::triad ? 3 : kind == Kind::copy ? 2 : 1; }

template <class T>
class Variant : public harness::Execution {
 public:
  /// Untimed. Takes the arrays that are read, each of values().
  virtual void load(const T* a, const T* b) = 0;
  /// Untimed, after synchronise. The result: values(), or of a sum one a thread.
  virtual std::vector<T> store() = 0;

 protected:
  /// The array that has the result.
  static T* result_of(const Arrays<T>& d, Kind kind) {
    return kind == Kind::copy ? d.b : kind == Kind::triad ? d.c : d.a;
  }
};

struct Entry : harness::ComputingEntry<Problem, Variant> {};

const std::vector<Entry>& registry();

}  // namespace parity::roofs
