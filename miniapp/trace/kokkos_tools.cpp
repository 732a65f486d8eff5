// SPDX-License-Identifier: BSD-3-Clause
// What Kokkos calls of a tool (KOKKOS_TOOLS_LIBS): labels, fences, copies and regions become events. Its own
// declarations stand here, so that the library is built without Kokkos and serves every version of it.
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "trace/recorder.hpp"

#define PARITY_TOOL extern "C" __attribute__((visibility("default")))

namespace {

using namespace parity::trace;

/// By value in the interface.
struct Space {
  char name[64];
};
/// The first byte says whether Kokkos shall fence around every construct for this tool.
struct ToolSettings {
  bool requires_global_fencing;
  bool padding[255];
};

/// "Cuda -> Host: label".
void describe(char (&text)[256], const Space& to, const char* to_name, const Space& from) {
  std::snprintf(text, sizeof text, "%.63s <- %.63s: %.100s", to.name, from.name, to_name ? to_name : "");
}

}  // namespace

PARITY_TOOL void kokkosp_init_library(const int, const std::uint64_t version, const std::uint32_t,
                                      void*) noexcept {
  start();
  char line[96];
  std::snprintf(line, sizeof line, "{\"interface\":\"Kokkos Tools\",\"version\":%llu}",
                static_cast<unsigned long long>(version));
  say(line);
}
PARITY_TOOL void kokkosp_finalize_library() noexcept { write_now(); }

/// Fences of a tool would make every launch a wait.
PARITY_TOOL void kokkosp_request_tool_settings(const std::uint32_t, ToolSettings* settings) noexcept {
  if (settings) settings->requires_global_fencing = false;
}

PARITY_TOOL void kokkosp_begin_parallel_for(const char* name, const std::uint32_t,
                                            std::uint64_t* number) noexcept {
  *number = begin(Kind::loop, name);
}
PARITY_TOOL void kokkosp_end_parallel_for(const std::uint64_t number) noexcept { end(number); }
PARITY_TOOL void kokkosp_begin_parallel_reduce(const char* name, const std::uint32_t,
                                               std::uint64_t* number) noexcept {
  *number = begin(Kind::reduction, name);
}
PARITY_TOOL void kokkosp_end_parallel_reduce(const std::uint64_t number) noexcept { end(number); }
PARITY_TOOL void kokkosp_begin_parallel_scan(const char* name, const std::uint32_t,
                                             std::uint64_t* number) noexcept {
  *number = begin(Kind::scan, name);
}
PARITY_TOOL void kokkosp_end_parallel_scan(const std::uint64_t number) noexcept { end(number); }
PARITY_TOOL void kokkosp_begin_fence(const char* name, const std::uint32_t, std::uint64_t* number) noexcept {
  *number = begin(Kind::fence, name);
}
PARITY_TOOL void kokkosp_end_fence(const std::uint64_t number) noexcept { end(number); }

PARITY_TOOL void kokkosp_push_profile_region(const char* name) noexcept { begin(Kind::region, name); }
PARITY_TOOL void kokkosp_pop_profile_region() noexcept { end_last(Kind::region); }

PARITY_TOOL void kokkosp_begin_deep_copy(Space to, const char* to_name, const void*, Space from, const char*,
                                         const void*, std::uint64_t bytes) noexcept {
  char text[256];
  describe(text, to, to_name, from);
  begin(Kind::deep_copy, text, bytes);
}
PARITY_TOOL void kokkosp_end_deep_copy() noexcept { end_last(Kind::deep_copy); }
