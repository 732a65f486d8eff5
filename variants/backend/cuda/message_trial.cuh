// SPDX-License-Identifier: BSD-3-Clause
// A message of every rank to others, which tells whether a way of messages works here.
#pragma once
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

/// Messages of this rank to the next one, or to all others, and theirs to it.
class TrialMessage {
 public:
  explicit TrialMessage(bool to_all = false)
      : peers_(to_all ? place().ranks - 1 : 1), from_(bytes), to_(peers_ * bytes) {
    from_.write(std::vector<int>(count, place().rank + 1).data(), bytes);
    to_.write(std::vector<int>(std::size_t(peers_) * count, -1).data(), peers_ * bytes);
  }
  std::vector<Message> receive() const {
    std::vector<Message> all;
    for (int k = 0; k < peers_; ++k)
      all.push_back({before(k), static_cast<char*>(to_.data()) + k * bytes, bytes});
    return all;
  }
  std::vector<Message> send() const {
    std::vector<Message> all;
    for (int k = 0; k < peers_; ++k)
      all.push_back({(place().rank + 1 + k) % place().ranks, from_.data(), bytes});
    return all;
  }
  /// complete() returns when the default stream is. who: for the user.
  void carry_by(Carrier& messages, const std::string& who, const std::function<void()>& complete) {
    messages.stage(nullptr);
    messages.wait(nullptr);
    complete();
    std::vector<int> values(std::size_t(peers_) * count);
    to_.read(values.data(), peers_ * bytes);
    for (std::size_t n = 0; n < values.size(); ++n)
      if (values[n] != before(int(n / count)) + 1)
        throw CannotRunError("a message by " + who + " did not arrive");
  }

 private:
  static constexpr int count = 1 << 15;
  static constexpr std::int64_t bytes = count * std::int64_t(sizeof(int));
  static int before(int k) { return (2 * place().ranks + place().rank - 1 - k) % place().ranks; }
  const int peers_;
  DeviceMemory from_, to_;
};

}  // namespace parity::runtime
