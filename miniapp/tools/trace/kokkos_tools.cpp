// SPDX-License-Identifier: BSD-3-Clause
// Kokkos' tool interface (KOKKOS_TOOLS_LIBS): labels, fences, copies and regions become events. The
// declarations are repeated here, so that the library builds without Kokkos and works with every version.
#include <cstdint>
#include <cstdio>
#include <new>

#include "tools/trace/process.hpp"
#include "tools/trace/recorder.hpp"

#define PARITY_TOOL extern "C" __attribute__((visibility("default")))

namespace {

using namespace parity::trace;

/// Passed by value in the interface.
struct Space {
  char name[64];
};
/// The first byte tells Kokkos whether to fence around every construct for this tool.
struct ToolSettings {
  bool requires_global_fencing;
  bool padding[255];
};

/// A construct that has begun but not ended. Kokkos carries its address.
struct Open {
  Event event;
  Open* outer = nullptr;
};

/// Returns null while nothing is recorded.
Open* begin(const char* category, const char* name, std::uint64_t bytes = 0) noexcept {
  start();
  if (!is_recording()) return nullptr;
  Open* const open = new (std::nothrow) Open;
  if (!open) return nullptr;
  open->event.category = category;
  open->event.name = name ? name : "(no name)";
  open->event.bytes = bytes;
  open->event.track = this_thread();
  count_open(1);
  open->event.begin = now();  // last, so that it excludes this function's own work
  return open;
}

void end(Open* open) noexcept {
  if (!open) return;
  open->event.end = now();  // first, so that it excludes this function's own work
  count_open(-1);
  record(std::move(open->event));
  delete open;
}

// Regions and copies end without a number. Raw pointers, so that they survive until the last exit handler.
thread_local Open *regions = nullptr, *copies = nullptr;

void push(Open*& innermost, const char* category, const char* name, std::uint64_t bytes = 0) noexcept {
  Open* open = begin(category, name, bytes);
  if (!open) open = new (std::nothrow) Open;  // not recorded, but its end will be reported
  if (!open) return;
  open->outer = innermost;
  innermost = open;
}

void pop(Open*& innermost) noexcept {
  Open* const open = innermost;
  if (!open) return;
  innermost = open->outer;
  if (open->event.begin > 0)
    end(open);
  else
    delete open;
}

std::uint64_t begin_loop(const char* category, const char* name) noexcept {
  Open* const open = begin(category, name);
  if (!copies) count_launches(1, false);
  return reinterpret_cast<std::uintptr_t>(open);
}
void end_number(std::uint64_t number) noexcept { end(reinterpret_cast<Open*>(std::uintptr_t(number))); }

}  // namespace

PARITY_TOOL void kokkosp_init_library(const int, const std::uint64_t version, const std::uint32_t,
                                      void*) noexcept {
  start();
  say(fact("interface", {{"interface", "Kokkos Tools"}, {"version", version}}));
}
PARITY_TOOL void kokkosp_finalize_library() noexcept { write_now(); }

/// Requested fences would turn every launch into a wait.
PARITY_TOOL void kokkosp_request_tool_settings(const std::uint32_t, ToolSettings* settings) noexcept {
  if (settings) settings->requires_global_fencing = false;
}

#define PARITY_LOOP(construct, category)                                            \
  PARITY_TOOL void kokkosp_begin_##construct(const char* name, const std::uint32_t, \
                                             std::uint64_t* number) noexcept {      \
    *number = begin_loop(category, name);                                           \
  }                                                                                 \
  PARITY_TOOL void kokkosp_end_##construct(const std::uint64_t number) noexcept { end_number(number); }
PARITY_LOOP(parallel_for, "kokkos_for")
PARITY_LOOP(parallel_reduce, "kokkos_reduce")
PARITY_LOOP(parallel_scan, "kokkos_scan")

PARITY_TOOL void kokkosp_begin_fence(const char* name, const std::uint32_t, std::uint64_t* number) noexcept {
  *number = reinterpret_cast<std::uintptr_t>(begin("kokkos_fence", name));
}
PARITY_TOOL void kokkosp_end_fence(const std::uint64_t number) noexcept { end_number(number); }

PARITY_TOOL void kokkosp_push_profile_region(const char* name) noexcept {
  push(regions, "kokkos_region", name);
}
PARITY_TOOL void kokkosp_pop_profile_region() noexcept { pop(regions); }

/// Label of the form "Cuda <- Host: label".
PARITY_TOOL void kokkosp_begin_deep_copy(Space to, const char* to_name, const void*, Space from, const char*,
                                         const void*, std::uint64_t bytes) noexcept {
  char text[256];
  std::snprintf(text, sizeof text, "%.63s <- %.63s: %.100s", to.name, from.name, to_name ? to_name : "");
  push(copies, "kokkos_deep_copy", text, bytes);
}
PARITY_TOOL void kokkosp_end_deep_copy() noexcept { pop(copies); }
