// SPDX-License-Identifier: BSD-3-Clause
#include "harness/entry.hpp"

#include "runtime/device.hpp"
#include "runtime/portable.hpp"

namespace parity::harness {

bool Entry::on_device() const {
  return family == Family::cuda || family == Family::cupy ||
         (family == Family::kokkos && runtime::portable_on_device());
}

Tuning standard_tuning(const Entry& entry) {
  return entry.tunings.empty() ? Tuning() : parse_tuning(entry.tunings.front()).value();
}

void describe_cuda_entry(Entry& entry, const char* name, const char* summary) {
  entry.name = name;
  entry.summary = summary;
  entry.family = Family::cuda;
  runtime::device(&entry.unavailable);
}

}  // namespace parity::harness
