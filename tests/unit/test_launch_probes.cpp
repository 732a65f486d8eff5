// SPDX-License-Identifier: BSD-3-Clause
// The count of events on real probes of this machine, some of them wrong on purpose.
#include <gtest/gtest.h>

#include "launch/study.hpp"
#include "launch/trial.hpp"

namespace {

using namespace parity;
using namespace parity::launch;

enum class Fault { none, launches_nothing, launches_half, launches_twice, returns_early, updates_nothing };

/// How many events there are instead of 'count'.
int faulty(Fault fault, int count) {
  if (fault == Fault::launches_nothing) return 0;
  if (fault == Fault::launches_half) return count / 2;
  if (fault == Fault::launches_twice) return 2 * count;
  return count;
}

/// A real graph whose events are fewer or more nodes than they should be, or keep their arguments.
class FaultyGraph : public runtime::Graph {
 public:
  FaultyGraph(std::unique_ptr<runtime::Graph> inner, Fault fault) : inner_(std::move(inner)), fault_(fault) {}
  void instantiate() override { inner_->instantiate(); }
  void upload() override { inner_->upload(); }
  void launch() override { inner_->launch(); }
  void update_from(const runtime::Graph& other) override {
    if (fault_ != Fault::updates_nothing) inner_->update_from(inner_of(other));
  }
  void update_node_from(const runtime::Graph& other, int event) override {
    if (fault_ == Fault::updates_nothing) return;
    for (int node = faulty(fault_, event); node < faulty(fault_, event + 1); ++node)
      inner_->update_node_from(inner_of(other), node);
  }

 private:
  static const runtime::Graph& inner_of(const runtime::Graph& other) {
    return *static_cast<const FaultyGraph&>(other).inner_;
  }
  std::unique_ptr<runtime::Graph> inner_;
  Fault fault_;
};

/// A real probe with a fault around it.
class Faulty : public Probe {
 public:
  Faulty(Probe& inner, Fault fault) : inner_(inner), fault_(fault) {}
  void prepare(int count, const Work& work) override {
    if (faulty(count) > 0) inner_.prepare(faulty(count), work);
  }
  void start(int count, const Work& work) override {
    if (faulty(count) > 0) inner_.start(faulty(count), work);
  }
  void synchronise() override {
    if (fault_ != Fault::returns_early) inner_.synchronise();
  }
  void* stream() const override { return inner_.stream(); }
  std::unique_ptr<runtime::Graph> make_graph(int count, const Work& work) override {
    return std::make_unique<FaultyGraph>(inner_.make_graph(faulty(count), work), fault_);
  }

 private:
  int faulty(int count) const { return ::faulty(fault_, count); }
  Probe& inner_;
  Fault fault_;
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
      if (study().task_of(p)->why_not(harness::Choice{&e})) continue;
      test(e, q, p);
    }
}

harness::Verdict counted(Probe& probe, const Entry& e, const Quantity& q, const Problem& p, Fault fault) {
  Faulty faulty(probe, fault);
  return count_events(faulty, e, q, p);
}

TEST(LaunchProbes, WhoLaunchesTooLittleOrTooMuchIsCaught) {
  int tried = 0;
  for_every_quantity([&tried](const Entry& e, const Quantity& q, const Problem& p) {
    if (q.method.events(p) == 0) return;  // the wait for an idle queue starts nothing
    const auto probe = e.make(p);
    EXPECT_TRUE(counted(*probe, e, q, p, Fault::none).passed()) << e.name << " " << q.name;
    for (const Fault fault :
         {Fault::launches_nothing, Fault::launches_half, Fault::launches_twice, Fault::updates_nothing}) {
      if (fault == Fault::updates_nothing && !q.updates) continue;
      if (std::string(q.name).rfind("graph-", 0) == 0 && fault == Fault::launches_nothing)
        continue;  // no graph without nodes can be made
      const harness::Verdict v = counted(*probe, e, q, p, fault);
      EXPECT_FALSE(v.passed()) << e.name << " " << q.name << ": " << v.reference;
      ++tried;
    }
  });
  EXPECT_GT(tried, 30);
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

TEST(LaunchProbes, WhoReturnsEarlyIsCaught) {
  int tried = 0;
  for_every_quantity([&tried](const Entry& e, const Quantity& q, const Problem& p) {
    if (!e.on_device() || std::string(q.name) != "total-overhead") return;
    const auto probe = e.make(p);
    EXPECT_FALSE(counted(*probe, e, q, p, Fault::returns_early).passed()) << e.name;
    ++tried;
    probe->synchronise();
  });
  if (tried == 0) GTEST_SKIP() << "no GPU: a host's region is over when its call returns";
}

}  // namespace
