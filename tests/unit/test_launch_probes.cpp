// SPDX-License-Identifier: BSD-3-Clause
// The count of events on real probes of this machine, some of them wrong on purpose.
#include <gtest/gtest.h>

#include "launch/study.hpp"
#include "launch/trial.hpp"

namespace {

using namespace parity;
using namespace parity::launch;

/// A real graph that keeps the arguments it has.
class Stubborn : public runtime::Graph {
 public:
  explicit Stubborn(std::unique_ptr<runtime::Graph> inner) : inner_(std::move(inner)) {}
  void instantiate() override { inner_->instantiate(); }
  void upload() override { inner_->upload(); }
  void launch() override { inner_->launch(); }
  void update_from(const runtime::Graph&) override {}
  void update_node_from(const runtime::Graph&, int) override {}

 private:
  std::unique_ptr<runtime::Graph> inner_;
};

/// A real probe whose graphs are stubborn, and whose wait may return early.
class Faulty : public Probe {
 public:
  Faulty(Probe& inner, bool waits) : inner_(inner), waits_(waits) {}
  void prepare(int count, const Work& work) override { inner_.prepare(count, work); }
  void start(int count, const Work& work) override { inner_.start(count, work); }
  void synchronise() override {
    if (waits_) inner_.synchronise();
  }
  void* stream() const override { return inner_.stream(); }
  std::unique_ptr<runtime::Graph> make_graph(int count, const Work& work) override {
    return std::make_unique<Stubborn>(inner_.make_graph(count, work));
  }

 private:
  Probe& inner_;
  bool waits_;
};

/// Calls test(entry, quantity, problem) for all quantities without data of all variants that run here.
template <class Test>
void for_every_quantity(const Test& test) {
  for (const Entry& e : registry())
    for (const Quantity& q : quantities()) {
      Problem p;
      p.quantity = q.name;
      p.threads = e.role == Role::barrier && !e.on_device() ? 1 : 4;
      p.blocks = e.on_device() && e.role == Role::barrier ? 8 : 1;
      p.launches = 6;
      p.unit_ns = 20000;
      if (q.kind != Kind::none || !e.unavailable.empty()) continue;
      if (study().task_of(p)->why_not(harness::Choice{&e})) p.threads = 1;  // a graph's task has one index
      if (study().task_of(p)->why_not(harness::Choice{&e})) continue;
      test(e, q, p);
    }
}

TEST(LaunchProbes, CountTheirEvents) {
  int tried = 0;
  for_every_quantity([&tried](const Entry& e, const Quantity& q, const Problem& p) {
    EXPECT_TRUE(count_events(*e.make(p), e, q, p).passed()) << e.name << " " << q.name;
    ++tried;
  });
  EXPECT_GT(tried, 10);
}

/// Kokkos passes functors in three ways, by their size and by what its policy says of them.
TEST(LaunchProbes, FunctorsOfEverySizeRunTheirEvents) {
  int tried = 0;
  for_every_quantity([&tried](const Entry& e, const Quantity& q, const Problem& p) {
    if (e.most_argument_bytes == 0 || std::string(q.name) != "null-overhead") return;
    for (const int bytes : argument_sizes()) {
      Problem sized = p;
      sized.argument_bytes = bytes;
      if (study().task_of(sized)->why_not(harness::Choice{&e})) continue;
      const auto probe = e.make(sized);
      EXPECT_TRUE(count_events(*probe, e, q, sized).passed()) << e.name << " " << bytes;
      ++tried;
    }
  });
  EXPECT_GE(tried, 2 * int(argument_sizes().size())) << "kokkos-kernel with and without the hint";
}

TEST(LaunchProbes, WhoReturnsEarlyOrReplacesNoArgumentIsCaught) {
  int tried = 0;
  for_every_quantity([&tried](const Entry& e, const Quantity& q, const Problem& p) {
    if (!q.updates && !(e.on_device() && std::string(q.name) == "total-overhead")) return;
    const auto probe = e.make(p);
    Faulty faulty(*probe, q.updates);
    EXPECT_FALSE(count_events(faulty, e, q, p).passed()) << e.name << " " << q.name;
    ++tried;
    probe->synchronise();
  });
  if (tried == 0) GTEST_SKIP() << "no GPU: a host's region is over when its call returns";
}

}  // namespace
