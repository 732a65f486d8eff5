// SPDX-License-Identifier: BSD-3-Clause
// Trial messages between ranks, which test if a transport works here.
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

/// The reason why no transport can connect these ranks' GPUs; nullopt if one may. All ranks call it together.
inline std::optional<std::string> why_no_gpus(const std::string& who) {
  if (!several_ranks()) return who + " carries messages between several ranks: start it with mpirun";
  if (smallest(device() ? 1 : 0) == 0) return who + " needs a GPU on every rank";
  if (largest(rank_info().ranks_on_device) > 1)
    return who + " needs a GPU for every rank, and ranks share one here";
  return std::nullopt;
}

/// Runs work on every rank and waits for all ranks. Returns the error of the lowest rank that failed. A
/// failure ends no rank here: all of them use another transport instead.
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
  const int ranks = rank_info().ranks, first = int(smallest(failed ? rank_info().rank : ranks));
  if (first == ranks) return std::nullopt;
  broadcast_bytes(first, why.data(), std::int64_t(why.size()));
  return "rank " + std::to_string(first) + ": " + why.data();
}

/// Messages of this rank to the next 'peers' ranks, and from the previous 'peers' ranks.
class TrialMessages {
 public:
  explicit TrialMessages(int peers) : from_(bytes), to_(peers * bytes) {
    const int rank = rank_info().rank, ranks = rank_info().ranks;
    for (int k = 1; k <= peers; ++k) {
      receive.push_back(
          {(rank + ranks - k) % ranks, static_cast<char*>(to_.data()) + (k - 1) * bytes, bytes});
      send.push_back({(rank + k) % ranks, from_.data(), bytes});
    }
    from_.write(std::vector<int>(count, rank + 1).data(), bytes);
    to_.write(std::vector<int>(receive.size() * count, -1).data(), peers * bytes);
  }
  /// complete() waits for the default stream. who: the transport's name for the message.
  void exchange_by(PersistentExchange& exchange, const std::string& who,
                   const std::function<void()>& complete) {
    exchange.stage(nullptr);
    exchange.wait(nullptr);
    complete();
    std::vector<int> values(receive.size() * count);
    to_.read(values.data(), std::int64_t(values.size() * sizeof(int)));
    for (std::size_t n = 0; n < values.size(); ++n)
      if (values[n] != receive[n / count].peer + 1)
        throw CannotRunError("a message by " + who + " did not arrive");
  }
  std::vector<Message> receive, send;

 private:
  static constexpr int count = 1 << 15;
  static constexpr std::int64_t bytes = count * std::int64_t(sizeof(int));
  DeviceMemory from_, to_;
};

}  // namespace parity::runtime
