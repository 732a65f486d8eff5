// SPDX-License-Identifier: BSD-3-Clause
#include "study/entry.hpp"

#include "cuda/device.hpp"
#include "kokkos_compat.hpp"

namespace parity::study {

bool EntryBase::on_device() const {
  return family == Family::cuda || family == Family::cupy ||
         (family == Family::kokkos && compat::exec_is_device());
}

void describe_cuda_entry(EntryBase& entry, const char* name, const char* summary) {
  entry.name = name;
  entry.summary = summary;
  entry.family = Family::cuda;
  cuda::device(&entry.unavailable);
}

}  // namespace parity::study
