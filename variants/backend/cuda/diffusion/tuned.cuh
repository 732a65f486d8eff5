// SPDX-License-Identifier: BSD-3-Clause
// Common parts of the entries of tuned CUDA variants.
#pragma once
#include "diffusion/tile_configs.hpp"
#include "runtime/fast_divide.hpp"
#include "stepped.cuh"

namespace parity::cuda {

using runtime::FastDivide;

/// An entry whose tunings are Config's.
template <class Config>
Entry with_configs(Entry e, const char* axes) {
  e.tunings = Config::names();
  e.tuning_axes = axes;
  e.refuse += refuse_large_planes;
  e.refuse += [](const Problem&, const Tuning& t) { return Config::refuse(t); };
  return e;
}

/// The same with TileConfigs.
inline Entry with_tiles(Entry e) { return with_configs<TileConfigs>(std::move(e), diffusion::tile_axes); }

/// The same with FlatConfigs, whose range has 32 bits.
inline Entry with_flat_rows(Entry e) {
  e = with_configs<FlatConfigs>(std::move(e), flat_axes);
  e.refuse += [](const Problem& p, const Tuning&) { return refuse_many_points(p, {{256}}); };
  return e;
}

}  // namespace parity::cuda
