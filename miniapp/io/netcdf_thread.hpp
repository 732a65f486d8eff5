// SPDX-License-Identifier: BSD-3-Clause
// The one thread that calls the NetCDF library, which is not made for several. HDF5 below it keeps quiet only
// in the thread that initialised it: from any other it prints every question that has no answer.
#pragma once
#include <functional>

namespace parity::io {

/// Runs 'work' in that thread, waits for it and throws what it threw.
void with_netcdf(const std::function<void()>& work);

}  // namespace parity::io
