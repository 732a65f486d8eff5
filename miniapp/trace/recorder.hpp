// SPDX-License-Identifier: BSD-3-Clause
// The recorder inside a traced program: threads leave events in rings of their own, and one thread writes
// them as JSON lines. Nothing here throws, and nothing is ever taken down: the program may trace from its
// last exit handler.
#pragma once
#include <cstdint>

#include "trace/event.hpp"

namespace parity::trace {

/// Nanoseconds of CLOCK_MONOTONIC.
std::int64_t now() noexcept;

/// Opens the file and writes its header; nothing where that was done. Events do it by themselves, such as in
/// a child process, which has a file of its own.
void start() noexcept;
/// A whole JSON object that says something of the trace, such as a device. It is written before later events.
void say(const char* json) noexcept;
/// Number of a name in this trace. Null is a name, too.
std::uint32_t name_of(const char* name) noexcept;
/// One event that is over.
void record(const Event& event) noexcept;
/// Events that could not be recorded.
void count_lost(std::uint64_t events) noexcept;
/// Called by the writing thread whenever it looks for events; null: no more.
void at_each_look(void (*flush)()) noexcept;

/// What of the program is recorded at the moment.
enum class Mode : std::uint8_t {
  all,     ///< everything
  counts,  ///< when its launches begin, some of them, and when its waits end: see Kind::tally
  none
};
enum class Change : std::uint8_t {
  done,
  later,
  resting,  ///< nothing is recorded until it can be done
  failed
};
/// Everything is recorded in a share of the time, and launches are counted in another part of it. 'change'
/// brings the interface that calls this into a mode. The writing thread calls it, again while it answers
/// 'later' or 'resting'; where it fails, nothing more is changed. Null: there is Kokkos alone.
void record_share_of_time(double share, Change (*change)(Mode)) noexcept;
/// Of this thread, in Mode::counts: a launch begins; a wait for the device has ended.
void tally_launch() noexcept;
void tally_wait() noexcept;

/// Something of this thread that begins, and ends by the number that this returns; the things of a thread
/// lie in each other.
std::uint64_t begin(Kind kind, const char* name, std::uint64_t bytes = 0,
                    std::uint32_t correlation = 0) noexcept;
void end(std::uint64_t number) noexcept;
/// What began with this number has no end that anybody knows.
void forget(std::uint64_t number) noexcept;
/// The last of this kind that is open.
void end_last(Kind kind) noexcept;
/// Everything recorded so far goes into the file.
void write_now() noexcept;

}  // namespace parity::trace
