// SPDX-License-Identifier: BSD-3-Clause
// The recorder inside a traced program. It records a bounded stretch, counts launches in the rest, and stays
// until the process is gone: nothing here throws, and nothing is ever taken down.
#pragma once
#include <array>
#include <cstdint>
#include <string>

namespace parity::trace {

/// Nanoseconds of CLOCK_MONOTONIC.
std::int64_t now() noexcept;
/// The number of this thread, as CUPTI's records have it.
std::uint32_t this_thread() noexcept;

/// Opens the file and writes its header, once a process: events do it by themselves, such as in a child.
void start() noexcept;

/// One event that is over; times as now() gives them, 0 if they are not known.
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
/// Another event of the trace, as JSON.
void say(std::string json) noexcept;
/// Events that could not be recorded, and such as began or ended.
void count_lost(std::uint64_t events) noexcept;
void count_open(int events) noexcept;

/// Whether events are wanted at the moment.
bool is_recording() noexcept;
/// Launches, whether they are recorded or not. Loops count where there is no device.
void count_launches(std::uint64_t launches, bool of_device) noexcept;

/// After the recorded stretch: how many calls of CUDA that wait or copy, or loops, there had been at a time.
void say_count(std::int64_t time, std::uint64_t count) noexcept;

/// What brings the device's records. The recorder's own thread calls it.
struct Device {
  void (*rest)() noexcept;              ///< nothing is recorded any more
  void (*flush)(bool forced) noexcept;  ///< hands over the records that are complete, or all
  void (*count)() noexcept;             ///< leads to say_count
};
/// From now on its launches count, and loops do not.
void attach(const Device& device) noexcept;
/// While the device can still be asked: what it has goes into the file.
void finish_device() noexcept;
/// Everything recorded so far goes into the file.
void write_now() noexcept;

}  // namespace parity::trace
