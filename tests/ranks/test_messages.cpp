// SPDX-License-Identifier: BSD-3-Clause
// Rounds of messages between real ranks: what is sent arrives, and rounds that are wrong are seen.
#include <gtest/gtest.h>

#include <optional>

#include "harness/measure.hpp"
#include "launch/rounds.hpp"
#include "launch/study.hpp"
#include "launch/trial.hpp"
#include "runtime/carrier.hpp"
#include "runtime/device.hpp"
#include "runtime/error.hpp"
#include "runtime/messages.hpp"

namespace {

using namespace parity;
using namespace parity::launch;

enum class Fault { none, sends_nothing, sends_half, half_the_bytes, twice, returns_early, other_content };

/// Rounds that are wrong in one way on every rank, so that none waits for a message that never comes.
class FaultyRounds : public Rounds {
 public:
  FaultyRounds(const Problem& p, Fault fault)
      : fault_(fault), right_(make_rounds(p, false)), content_(make_rounds(bytes_of(p, fault), false)) {}
  void once() override {
    const bool odd = turn_++ % 2 == 1;
    if (fault_ == Fault::sends_nothing || fault_ == Fault::returns_early) return;
    if (fault_ == Fault::sends_half && odd) return;
    content_->once();
    if (fault_ == Fault::twice) content_->once();
  }
  /// One rank's messages are another round's.
  void fill(std::int64_t k) override {
    content_->fill(k + (fault_ == Fault::other_content && runtime::place().rank == 0 ? 1 : 0));
  }
  bool arrived(std::int64_t k) override {
    const bool right = content_->arrived(k);
    if (fault_ == Fault::returns_early) content_->once();  // too late
    return right;
  }
  runtime::Traffic of_a_round() const override { return right_->of_a_round(); }

 private:
  static Problem bytes_of(Problem p, Fault fault) {
    if (fault == Fault::half_the_bytes) p.bytes /= 2;
    return p;
  }
  Fault fault_;
  std::unique_ptr<Rounds> right_, content_;
  int turn_ = 0;
};

constexpr int rounds_checked = 8;

/// What rank 0 finds of so many rounds; nothing on the others, which take part.
std::optional<int> right_of(Rounds& rounds) {
  if (runtime::place().rank != 0) {
    serve(rounds);
    return std::nullopt;
  }
  const OthersServe until_here;
  MessageProbe probe(rounds);
  probe.check_events(true);
  probe.prepare(rounds_checked, Work());
  probe.start(rounds_checked, Work());
  return probe.others_over();
}

std::vector<Problem> problems() {
  std::vector<Problem> all;
  for (const Quantity& q : quantities()) {
    if (!q.of_messages()) continue;
    for (const std::int64_t bytes : {16, 4096, 1 << 19})  // the ways that MPI has for them
      for (const Peer peer : {Peer::next, Peer::last}) {
        Problem p;
        p.quantity = q.name, p.bytes = bytes, p.peer = peer;
        all.push_back(canonical(p));
      }
  }
  return all;
}

TEST(Messages, ArriveWithTheirContentRoundByRound) {
  if (!runtime::several_ranks()) GTEST_SKIP() << "one rank";
  ASSERT_EQ(problems().size(), 24u);
  for (const Problem& p : problems()) {
    for (const bool on_device : {false, true}) {
      if (on_device && runtime::smallest(runtime::device() ? 1 : 0) == 0) continue;
      const auto rounds = make_rounds(p, on_device);
      EXPECT_EQ(right_of(*rounds).value_or(rounds_checked), rounds_checked) << describe(p);
    }
    FaultyRounds same(p, Fault::none);
    EXPECT_EQ(right_of(same).value_or(rounds_checked), rounds_checked) << describe(p);
  }
}

TEST(Messages, RoundsThatAreWrongAreSeen) {
  if (!runtime::several_ranks()) GTEST_SKIP() << "one rank";
  for (const Problem& p : problems())
    for (const Fault f : {Fault::sends_nothing, Fault::sends_half, Fault::half_the_bytes, Fault::twice,
                          Fault::returns_early, Fault::other_content}) {
      if ((f == Fault::half_the_bytes || f == Fault::other_content) && p.quantity == "rank-barrier")
        continue;  // it has none
      FaultyRounds rounds(p, f);
      const int expected = f == Fault::sends_half ? rounds_checked / 2 : 0;
      EXPECT_EQ(right_of(rounds).value_or(expected), expected) << describe(p) << " fault " << int(f);
    }
}

/// Rounds of neighbours with this fault.
template <Fault fault>
Entry faulty_entry() {
  Entry e;
  e.name = "message";
  e.role = Role::message;
  e.rounds = [](const Problem& q) -> std::unique_ptr<Rounds> {
    return std::make_unique<FaultyRounds>(q, fault);
  };
  return e;
}
Problem neighbours() {
  Problem p;
  return p.quantity = "neighbours", p.bytes = 64, canonical(p);
}

/// The trial calls that wrong before it takes a sample.
TEST(Messages, ATrialOfRoundsThatAreWrongDoesNotStart) {
  if (!runtime::several_ranks()) GTEST_SKIP() << "one rank";
  const auto verdict = [](const Entry& e) {
    harness::Measurement row;
    return message_trial(neighbours(), e, std::make_shared<Bench>())->start(row);
  };
  EXPECT_TRUE(verdict(faulty_entry<Fault::none>()).passed());
  const harness::Verdict v = verdict(faulty_entry<Fault::twice>());
  if (runtime::place().rank == 0) {
    EXPECT_FALSE(v.passed());
    EXPECT_EQ(v.reference, "of 7 events 0 did their work besides the kernel");
  }
}

/// If rank 0's result is wrong, no rank keeps one that passed.
TEST(Messages, ARowOfRoundsThatAreWrongPassesOnNoRank) {
  if (!runtime::several_ranks() || runtime::crowded()) GTEST_SKIP() << "one rank, or more ranks than cores";
  const auto row = [](const Entry& e) {
    const auto task = study().task_of(neighbours());
    return harness::measure(*task, {{&e}}, {9, 1}).rows.at(0);
  };
  const harness::Measurement right = row(faulty_entry<Fault::none>()),
                             wrong = row(faulty_entry<Fault::twice>());
  EXPECT_TRUE(right.verdict.passed() && right.timed());
  EXPECT_TRUE(!wrong.verdict.passed() && !wrong.timed());
}

TEST(Messages, TheLastOfTwoRanksIsTheNext) {
  Problem p;
  p.quantity = "round-trip", p.peer = Peer::last;
  EXPECT_EQ(canonical(p).peer == Peer::last, runtime::place().ranks > 2);
  EXPECT_EQ(canonical(p).ranks, runtime::place().ranks);
  EXPECT_EQ(canonical(canonical(p)).nodes, runtime::nodes());
  p.quantity = "neighbours";
  EXPECT_EQ(canonical(p).peer, Peer::next);
  p.quantity = "null-overhead", p.ranks = 3;
  EXPECT_EQ(canonical(p).ranks, 0);
}

TEST(Messages, BetweenHostsThereIsNothingToChoose) {
  using runtime::Transport;
  // Beside a GPU 'automatic' becomes one of the others.
  for (const Transport nothing_said : {Transport::automatic, runtime::resolved(Transport::automatic)})
    EXPECT_FALSE(runtime::why_no_messages(nothing_said, false));
  for (const Transport gpus : {Transport::nccl, Transport::peer})
    EXPECT_EQ(runtime::why_no_messages(gpus, false).has_value(),
              gpus != runtime::resolved(Transport::automatic));
}

TEST(Messages, SumsOfRanks) {
  const double rank = runtime::place().rank, ranks = runtime::place().ranks;
  const double mine[] = {rank, 1, -rank};
  double sums[] = {-1, -1, -1};
  runtime::sum_of_ranks(mine, sums, 3);
  EXPECT_EQ(sums[0], ranks * (ranks - 1) / 2);
  EXPECT_EQ(sums[1], ranks);
  EXPECT_EQ(sums[2], -sums[0]);
  EXPECT_TRUE(runtime::on_this_node(0));
  EXPECT_EQ(runtime::nodes(), 1);
}

}  // namespace
