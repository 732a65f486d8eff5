// SPDX-License-Identifier: BSD-3-Clause
// launch/kokkos-kernel-light: parallel_for over a RangePolicy that is hinted to be light. On a GPU Kokkos
// passes functors from 512 bytes on through constant memory, and waits for whoever used that before; with the
// hint they are kernel arguments up to 4 KB, and beyond that in global memory.
#include "range.hpp"

namespace parity::launch {
namespace {

namespace hints = Kokkos::Experimental;
constexpr auto light = hints::WorkItemProperty::HintLightWeight;

struct LightRanges {
  using Policy = decltype(hints::require(std::declval<Range>(), light));
  static constexpr const char* label = "parity::launch::range_light";
  static Policy policy(const Exec& exec, int indices) {
    return hints::require(Range(exec, 0, indices), light);
  }
};
static_assert(
    std::is_same_v<LightRanges::Policy::work_item_property, hints::WorkItemProperty::HintLightWeight_t>);

}  // namespace

Entry kernel_kokkos_light() {
  Entry e = range_entry<LightRanges>();
  e.tuned = true;
  return e;
}

}  // namespace parity::launch
