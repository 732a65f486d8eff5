// SPDX-License-Identifier: BSD-3-Clause
// Whether a way of messages works here is found out with a message of every rank to the next one.
#pragma once
#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/device.hpp"
#include "runtime/device_memory.hpp"
#include "runtime/error.hpp"
#include "runtime/messages.hpp"

namespace parity::runtime {

/// Why GPUs of these ranks send each other nothing, whoever carries it. All ranks ask together.
inline std::optional<std::string> why_no_gpus(const std::string& who) {
  if (!several_ranks()) return who + " carries messages between several ranks: start it with mpirun";
  if (smallest(device() ? 1 : 0) == 0) return who + " needs a GPU on every rank";
  if (largest(place().ranks_on_device) > 1)
    return who + " needs a GPU for every rank, and ranks share one here";
  return std::nullopt;
}

/// Does work on every rank and waits until all have done it. Returns why the first rank that failed did. Here
/// a failure ends no rank: all of them take another way of messages instead.
inline std::optional<std::string> failure_of_any(const std::function<void()>& work) {
  std::array<char, 500> why{};
  bool failed = false;
  try {
    work();
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& e) {
    failed = true;
    std::strncpy(why.data(), e.what(), why.size() - 1);
  }
  const int ranks = place().ranks, first = int(smallest(failed ? place().rank : ranks));
  if (first == ranks) return std::nullopt;
  tell_all(first, why.data(), std::int64_t(why.size()));
  return "rank " + std::to_string(first) + ": " + why.data();
}

/// A message of this rank to the next one, and the last one's to this.
class TrialMessage {
 public:
  TrialMessage() : from_(bytes), to_(bytes), values_(count, place().rank + 1) {
    from_.write(values_.data(), bytes);
    std::fill(values_.begin(), values_.end(), -1);
    to_.write(values_.data(), bytes);
  }
  std::vector<Message> receive() const { return {{last(), to_.data(), bytes}}; }
  std::vector<Message> send() const { return {{(place().rank + 1) % place().ranks, from_.data(), bytes}}; }
  /// complete() returns when the default stream is.
  void carry_by(Carrier& messages, const std::function<void()>& complete) {
    messages.stage(nullptr);
    messages.wait(nullptr);
    complete();
    to_.read(values_.data(), bytes);
    if (!std::all_of(values_.begin(), values_.end(), [](int v) { return v == last() + 1; }))
      throw CannotRunError("a message did not arrive");
  }

 private:
  static constexpr int count = 1 << 15;
  static constexpr std::int64_t bytes = count * std::int64_t(sizeof(int));
  static int last() { return (place().rank + place().ranks - 1) % place().ranks; }
  DeviceMemory from_, to_;
  std::vector<int> values_;
};

}  // namespace parity::runtime
