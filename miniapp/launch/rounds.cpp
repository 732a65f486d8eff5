// SPDX-License-Identifier: BSD-3-Clause
#include "launch/rounds.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "runtime/carrier.hpp"
#include "runtime/device_memory.hpp"
#include "runtime/staging_memory.hpp"
#include "runtime/stream.hpp"
#include "runtime/stream_wait.hpp"

namespace parity::launch {
namespace {

using runtime::Traffic;

class Memory {
 public:
  Memory(bool on_device, std::int64_t bytes)
      : host_(on_device ? nullptr : std::make_unique<runtime::StagingMemory>(std::size_t(bytes), false)),
        device_(on_device ? std::make_unique<runtime::DeviceMemory>(bytes) : nullptr) {
    write(std::vector<std::uint64_t>(std::size_t(bytes / 8), 0));  // pages that nobody touched are no memory
  }
  void* data() const { return host_ ? host_->data() : device_->data(); }
  void write(const std::vector<std::uint64_t>& words) {
    if (host_)
      std::memcpy(host_->data(), words.data(), 8 * words.size());
    else
      device_->write(words.data(), std::int64_t(8 * words.size()));
  }
  void read(std::vector<std::uint64_t>& words) const {
    if (host_)
      std::memcpy(words.data(), host_->data(), 8 * words.size());
    else
      device_->read(words.data(), std::int64_t(8 * words.size()));
  }

 private:
  std::unique_ptr<runtime::StagingMemory> host_;
  std::unique_ptr<runtime::DeviceMemory> device_;
};

/// What the k-th round brings from one rank to another, so that words of another place, another round or
/// other ranks are seen.
void fill_words(std::vector<std::uint64_t>& words, std::int64_t k, int from, int to) {
  const std::uint64_t first = 0x9e3779b97f4a7c15ULL * (1 + std::uint64_t(k)) +
                              0xbf58476d1ce4e5b9ULL * std::uint64_t(from + 1) +
                              0x94d049bb133111ebULL * std::uint64_t(to + 1);
  for (std::size_t w = 0; w < words.size(); ++w) words[w] = first + 0xda942042e4dd58b5ULL * w;
}
constexpr std::uint64_t poison = ~std::uint64_t(0);

/// Messages to and from other ranks, the same each time: all at once, or a question and its answer. A rank
/// without peers takes no part.
class Letters : public Rounds {
 public:
  enum class Order { at_once, ask, answer };
  Letters(const Problem& p, bool on_device, const std::set<int>& peers, Order order)
      : stream_(on_device), words_(std::size_t(p.bytes / 8)) {
    if (peers.empty()) return;
    using runtime::Message;
    std::vector<Message> receive, send;
    for (const int peer : peers) {
      ends_.push_back({peer, Memory(on_device, p.bytes), Memory(on_device, p.bytes)});
      receive.push_back({peer, ends_.back().in.data(), p.bytes});
      send.push_back({peer, ends_.back().out.data(), p.bytes});
    }
    const auto carrier = [&](const std::vector<Message>& from, const std::vector<Message>& to) {
      return runtime::make_carrier(from, to, p.messages, on_device);
    };
    if (order == Order::at_once) {
      first_ = carrier(receive, send);
      return;
    }
    first_ = order == Order::ask ? carrier({}, send) : carrier(receive, {});
    second_ = order == Order::ask ? carrier(receive, {}) : carrier({}, send);
  }
  void once() override {
    if (ends_.empty()) return;
    carry(*first_);
    if (second_) carry(*second_);
  }
  void fill(std::int64_t k) override {
    for (End& e : ends_) {
      fill_words(words_, k, runtime::place().rank, e.peer);
      e.out.write(words_);
      std::fill(words_.begin(), words_.end(), poison);
      e.in.write(words_);
    }
  }
  bool arrived(std::int64_t k) override {
    std::vector<std::uint64_t> expected(words_.size());
    bool right = true;
    for (const End& e : ends_) {
      fill_words(expected, k, e.peer, runtime::place().rank);
      e.in.read(words_);
      right = right && words_ == expected;
    }
    return right;
  }
  Traffic of_a_round() const override {
    const auto messages = std::int64_t(ends_.size());
    return {messages, messages * std::int64_t(8 * words_.size())};
  }

 private:
  struct End {
    int peer;
    Memory in, out;
  };
  void carry(runtime::Carrier& messages) {
    messages.stage(stream_.get());
    if (messages.needs_idle_stream()) runtime::wait_for_stream(stream_.get());
    messages.start();
    messages.wait(stream_.get());
    runtime::wait_for_stream(stream_.get());
  }
  runtime::Stream stream_;
  std::vector<std::uint64_t> words_;
  std::vector<End> ends_;
  std::unique_ptr<runtime::Carrier> first_, second_;
};

class Reduction : public Rounds {
 public:
  explicit Reduction(const Problem& p) : mine_(std::size_t(p.bytes / 8)), sums_(std::size_t(p.bytes / 8)) {}
  void once() override { runtime::sum_of_ranks(mine_.data(), sums_.data(), std::int64_t(mine_.size())); }
  void fill(std::int64_t k) override {
    // Whole numbers, so that their sum does not depend on the order.
    for (std::size_t w = 0; w < mine_.size(); ++w) mine_[w] = value(k, w, runtime::place().rank);
    std::fill(sums_.begin(), sums_.end(), -1);
  }
  bool arrived(std::int64_t k) override {
    const double ranks = runtime::place().ranks;
    for (std::size_t w = 0; w < sums_.size(); ++w)
      if (sums_[w] != ranks * value(k, w, 0) + ranks * (ranks - 1) / 2) return false;
    return true;
  }
  Traffic of_a_round() const override { return {1, std::int64_t(8 * mine_.size())}; }

 private:
  static double value(std::int64_t k, std::size_t w, int rank) {
    return 3.0 * double(k) + double(w) + double(rank);
  }
  std::vector<double> mine_, sums_;
};

/// A barrier of all ranks. Of ranks on one node, which share a clock, the first to leave it must not leave
/// before the last has come; one of them comes late.
class RankBarrier : public Rounds {
 public:
  void once() override {
    if (late_) spin(50000);
    late_ = false;
    came_ = ticks_now();
    runtime::barrier();
    left_ = ticks_now();
  }
  /// Who is late comes late to the round: before it all ranks wait for each other.
  void fill(std::int64_t k) override { late_ = int(k % runtime::place().ranks) == runtime::place().rank; }
  bool arrived(std::int64_t) override {
    const double last_came = runtime::largest(double(came_)), first_left = runtime::smallest(double(left_));
    return runtime::nodes() > 1 || last_came <= first_left;
  }
  Traffic of_a_round() const override { return {1, 0}; }

 private:
  std::int64_t came_ = 0, left_ = 0;
  bool late_ = false;
};

constexpr const char *over = "over", *right = "right";

/// All ranks: how many of so many rounds, one after the other, were right here.
int checked(Rounds& rounds, int count, const Work& work) {
  int all_right = 0;
  for (int k = 0; k < count; ++k) {
    rounds.fill(k);
    runtime::barrier();  // or what is poisoned late would be lost
    const Traffic before = runtime::traffic();
    rounds.once();
    count_event(work);
    const Traffic given = runtime::traffic().since(before);
    const bool here = rounds.arrived(k);
    all_right += here && given == rounds.of_a_round() ? 1 : 0;
  }
  return all_right;
}

void take_part(Rounds& rounds, int count) {
  for (int k = 0; k < count; ++k) rounds.once();
}

void order(int count, bool check) {
  runtime::broadcast(std::to_string(count) + (check ? " checked" : ""));
  runtime::barrier();
}

}  // namespace

std::unique_ptr<Rounds> make_rounds(const Problem& p, bool on_device) {
  const int rank = runtime::place().rank, ranks = runtime::place().ranks;
  if (p.quantity == "round-trip") {
    const int other = p.peer == Peer::next ? 1 : ranks - 1;
    if (rank == 0) return std::make_unique<Letters>(p, on_device, std::set<int>{other}, Letters::Order::ask);
    return std::make_unique<Letters>(p, on_device, rank == other ? std::set<int>{0} : std::set<int>{},
                                     Letters::Order::answer);
  }
  // With the two beside it, in a ring; of two ranks these are one.
  if (p.quantity == "neighbours")
    return std::make_unique<Letters>(
        p, on_device, std::set<int>{(rank + 1) % ranks, (rank + ranks - 1) % ranks}, Letters::Order::at_once);
  if (p.quantity == "allreduce") return std::make_unique<Reduction>(p);
  return std::make_unique<RankBarrier>();
}

void MessageProbe::prepare(int count, const Work&) {
  order(count, checked_);
  prepared_ = count;
}

void MessageProbe::start(int count, const Work& work) {
  if (count != prepared_) throw std::logic_error("started without prepare");
  prepared_ = 0;
  // The others wait in a round for what fails here.
  runtime::linked([&] {
    if (checked_)
      right_ = checked(rounds_, count, work);
    else if (work.kind == Kind::none)
      take_part(rounds_, count);
    else
      for (int k = 0; k < count; ++k) {
        rounds_.once();
        wait_units<Kind::wait>(work);
        count_event(work);
      }
  });
}

std::optional<int> MessageProbe::others_over() {
  if (!checked_) return std::nullopt;
  runtime::broadcast(right);
  return int(runtime::smallest(right_));
}

void serve(Rounds& rounds) {
  runtime::linked([&] {
    int right_here = 0;
    for (std::string told; (told = runtime::broadcast("")) != over;) {
      if (told == right) {
        runtime::smallest(right_here);
        continue;
      }
      std::istringstream words(told);
      int count = 0;
      std::string check;
      words >> count >> check;
      runtime::barrier();
      if (check.empty())
        take_part(rounds, count);
      else
        right_here = checked(rounds, count, Work());
    }
  });
}

OthersServe::~OthersServe() { runtime::broadcast(over); }

}  // namespace parity::launch
