// SPDX-License-Identifier: BSD-3-Clause
// Rounds of messages between ranks: what one event of the role 'message' is. Rank 0 measures them as it does
// launches, and says how many there are; the others take part.
#pragma once
#include <cstdint>
#include <memory>

#include "launch/variant.hpp"
#include "runtime/messages.hpp"

namespace parity::launch {

/// One rank's part in a round.
class Rounds {
 public:
  virtual ~Rounds() = default;
  /// One round; over when it returns.
  virtual void once() = 0;
  /// Of a round that is checked, the k-th: puts what it sends in place, and poison where something arrives.
  virtual void fill(std::int64_t /*k*/) {}
  /// Whether exactly what was sent arrived in it.
  virtual bool arrived(std::int64_t /*k*/) { return true; }
  /// What this rank sends in one.
  virtual runtime::Traffic of_a_round() const = 0;
};

/// The rounds of the problem's quantity. Takes this rank's memory, and waits for nobody.
std::unique_ptr<Rounds> make_rounds(const Problem& problem, bool on_device);

/// Rank 0's side: prepare() tells the others how many rounds come next, so that nothing but rounds is timed.
class MessageProbe : public Probe {
 public:
  explicit MessageProbe(Rounds& rounds) : rounds_(rounds) {}
  void prepare(int count, const Work& work) override;
  void start(int count, const Work& work) override;
  void synchronise() override {}
  /// Rounds of the last start that were right on every rank, where they were checked.
  std::optional<int> others_over() override;
  void check_events(bool check) override { checked_ = check; }

 private:
  Rounds& rounds_;
  bool checked_ = false;
  int prepared_ = 0, right_ = 0;
};

/// The other ranks' side: takes part until rank 0's OthersServe ends. What fails there ends all ranks.
void serve(Rounds& rounds);
class OthersServe {
 public:
  OthersServe() = default;
  ~OthersServe();
  OthersServe(const OthersServe&) = delete;
  OthersServe& operator=(const OthersServe&) = delete;
};

}  // namespace parity::launch
