// SPDX-License-Identifier: BSD-3-Clause
// The recorder inside a traced program. It records for a bounded time, then only counts (waits and copies, or
// loops), and stays until the process ends: nothing here throws, and nothing is ever destroyed.
#pragma once
#include <array>
#include <cstdint>
#include <string>

namespace parity::trace {

/// Nanoseconds of CLOCK_MONOTONIC.
std::int64_t now() noexcept;
/// This thread's number, as in CUPTI's records.
std::uint32_t this_thread() noexcept;

/// Opens the file and writes its header, once per process; events call it by themselves, such as in a child.
void start() noexcept;

/// A finished event; times as returned by now(), 0 if unknown.
struct Event {
  const char* category = "";  ///< see trace/event.hpp
  std::string name;
  std::int64_t begin = 0, end = 0;
  int device = -1;          ///< -1: the host
  std::uint32_t track = 0;  ///< thread or stream
  std::uint32_t correlation = 0;
  std::uint64_t bytes = 0;
  std::array<int, 3> grid{}, block{};  ///< of a kernel
};
void record(Event event) noexcept;
/// Adds another line of JSON to the trace.
void say(std::string json) noexcept;
/// Counts lost events, and the change in the number of open events.
void count_lost(std::uint64_t events) noexcept;
void count_open(int events) noexcept;

/// True while events are recorded.
bool is_recording() noexcept;
/// Counts launches, whether recorded or not. Loops count only if there is no device.
void count_launches(std::uint64_t launches, bool of_device) noexcept;

/// After the recorded stretch: the number of CUDA calls that wait or copy, or of loops, up to a time.
void say_count(std::int64_t time, std::uint64_t count) noexcept;

/// Source of the device's records. The recorder's own thread calls it.
struct Device {
  void (*rest)() noexcept;              ///< stops recording
  void (*flush)(bool forced) noexcept;  ///< hands over the complete records, or all of them
  void (*count)() noexcept;             ///< calls say_count
};
/// From now on the device's launches count, and loops do not.
void attach(const Device& device) noexcept;
/// Writes the device's records to the file while the device can still be queried.
void finish_device() noexcept;
/// Writes everything recorded so far to the file.
void write_now() noexcept;

}  // namespace parity::trace
