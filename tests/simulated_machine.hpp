// SPDX-License-Identifier: BSD-3-Clause
// A host with a queue of a device, and a host with parallel regions, whose times are known and exact: the
// first and the second host clock, the device's clock and a tracer all read the same simulated time, each in
// its own way. Probes on it can be wrong in every way that a launch quantity's checks must see.
#pragma once
#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>
#include <vector>

#include "launch/instrument.hpp"
#include "launch/second_clock.hpp"
#include "runtime/disturbance.hpp"
#include "runtime/host_clock.hpp"

namespace parity::test {

/// What is wrong with a probe, or with how the quantity's method reads the first clock.
enum class Fault {
  none,
  launches_nothing,
  launches_half,
  launches_twice,
  nothing_without_work,  ///< launches nothing where the kernel has no code
  returns_early,         ///< from synchronise
  slow_launch,           ///< 1 us more on the host for every launch
  slow_wait,             ///< 1 us more on the host for every wait
  slow_stage,            ///< 1 us more on the host for each stage of a graph
  one_more,              ///< one event too many in every start and graph
  one_more_hidden,       ///< the same, of an event that stamps nothing
  clock_starts_late,     ///< the first clock does not see launching calls
  clock_stops_early,     ///< the first clock does not see the wait
  clock_starts_before,   ///< the first clock sees the preparation too
  ignores_delays,        ///< events do not wait for what is injected into them
  updates_nothing,       ///< calls that replace arguments do not
};

/// Seconds of everything on the machine.
struct Costs {
  double reading = 10e-9;  ///< of either clock
  double launch = 2e-6, graph_launch = 2.5e-6, wait = 0.9e-6, notice = 0.7e-6, prepare = 1.5e-6;
  double arrival = 1.1e-6;  ///< from the end of a launching call to the earliest start of its kernel
  double gap = 0.5e-6, kernel = 0.8e-6, node_gap = 0.2e-6, pass = 0.15e-6, region = 3e-6;
  double create = 0.3e-6, instantiate = 1e-6, upload = 0.9e-6;  ///< of a node
  double update = 0.25e-6, update_node = 0.7e-6;                ///< of a node, with all others and by itself
  double copy = 5e-6, round = 0.1e-6, stamps = 0.3e-6;
  double traced = 0.02e-6;  ///< what recording adds to a call, half before and half after the record
  double microsecond = 1e-6;
  double turn = 0, away = 0;    ///< after which others get the processor, and for how long
  double patience = 1;          ///< of the host: after a longer wait it is slow
  double cold = 0, drowsy = 0;  ///< seconds more of the next launching call, and of noticing the end
};

class Machine {
 public:
  Machine() : first_(&read_first), second_(&read_second), preempted_(&preemptions) { state() = State(); }

  struct Kernel {
    double begin = 0, end = 0, duration = 0, gap = 0;
    launch::EventLog* log = nullptr;
    int stamps = 0;   ///< events in it that stamp
    double lead = 0;  ///< from its beginning to the first stamp
    bool stamped = false;
    int call = -1;  ///< of the tracer's calls
  };
  struct State {
    Costs costs;
    double now = 0, shift = 0, prepared = 0, free = 0;
    double waited = 0;  ///< longest since the last launching call: a wait for an idle queue warms nothing
    double turn = 0;    ///< when others have the processor next
    std::int64_t preempted = 0;
    bool tracing = false, held = false;
    std::deque<Kernel> kernels;  ///< not yet stamped, in the order of the queue
    std::vector<Kernel> ran;     ///< for the tracer
    std::vector<launch::CallSeen> calls;
  };
  static State& state() {
    static State s;
    return s;
  }

  static void pass(double seconds) {
    State& s = state();
    s.now += seconds;
    if (s.costs.away == 0 || s.now < s.turn) return;
    s.now += s.costs.away;
    s.turn = s.now + s.costs.turn;
    ++s.preempted;
  }
  /// Stamps what is over.
  static void deliver() {
    State& s = state();
    if (s.held) return;
    while (!s.kernels.empty() && s.kernels.front().end <= s.now) {
      stamp(s.kernels.front());
      s.kernels.pop_front();
    }
  }
  /// A call of the device's runtime.
  template <class Body>
  static void call(launch::Step step, double seconds, const Body& body) {
    State& s = state();
    if (s.tracing) pass(0.5 * s.costs.traced);
    launch::CallSeen seen;
    seen.step = step;
    seen.span.begin = second(s.now);
    pass(seconds);
    if (s.tracing) s.calls.push_back(seen);
    body();
    if (s.tracing) {
      s.calls.back().span.end = second(s.now);
      pass(0.5 * s.costs.traced);
    }
  }
  /// Puts a kernel into the queue.
  static void enqueue(Kernel k) {
    State& s = state();
    k.call = int(s.calls.size()) - 1;
    if (!s.held) run(k, s.now + s.costs.arrival);
    s.kernels.push_back(k);
  }
  static void hold() { state().held = true; }
  static void release() {
    State& s = state();
    s.held = false;
    s.free = std::max(s.free, s.now);
    for (Kernel& k : s.kernels) run(k, s.now);
  }
  /// Until the queue is idle.
  static void wait() {
    State& s = state();
    const double start = s.now;
    call(launch::Step::synchronise, s.costs.wait, [&s, start] {
      const double drowsy = s.free - start > s.costs.patience ? s.costs.drowsy : 0;
      if (s.free > s.now) s.now = s.free + s.costs.notice + drowsy;
    });
    s.waited = std::max(s.waited, s.now - start);
    deliver();
  }
  /// Of the next launching call.
  static double cold() {
    State& s = state();
    return std::exchange(s.waited, 0) > s.costs.patience ? s.costs.cold : 0;
  }

  static double second(double t) { return 100 + t * (1 + 2e-5); }
  /// Nanoseconds of the device's clock, and of the host's where a region's events stamp.
  static std::int64_t device_ticks(double t) { return std::llround(1e9 * (7000 + t * (1 - 3e-5))); }

  static void stamp(Kernel& k) {
    if (k.stamped) return;
    k.stamped = true;
    if (state().tracing) state().ran.push_back(k);
    const double each = k.stamps > 0 ? (k.duration - k.lead) / k.stamps : 0;
    for (int e = 0; k.log && e < k.stamps; ++e) {
      const int place = k.log->begun[0]++;
      if (place >= k.log->capacity) continue;
      k.log->stamps[0][place].begin = device_ticks(k.begin + k.lead + e * each);
      k.log->stamps[0][place].end = device_ticks(k.begin + k.lead + (e + 1) * each);
    }
  }

 private:
  static void run(Kernel& k, double earliest) {
    State& s = state();
    k.begin = std::max(s.free + k.gap, earliest);
    k.end = k.begin + k.duration;
    s.free = k.end;
  }
  static double read_first() {
    State& s = state();
    pass(s.costs.reading);
    deliver();
    return s.now - s.shift;
  }
  static double read_second() {
    State& s = state();
    pass(s.costs.reading);
    deliver();
    return second(s.now);
  }

  static std::int64_t preemptions() { return state().preempted; }

  runtime::ReplacedHostClock first_;
  launch::ReplacedSecondClock second_;
  runtime::ReplacedPreemptions preempted_;
};

/// The device's own events around a queue.
class SimulatedClock : public runtime::DeviceClock {
 public:
  void start() override {}
  void stop() override {}
  double seconds() override { return Machine::state().free - began_; }
  void release() { began_ = Machine::state().now; }

 private:
  double began_ = 0;
};

/// A round of messages is to rank 0 what a region is: over when its call returns.
inline bool is_region(launch::Role role) {
  return role == launch::Role::fork_join || role == launch::Role::message;
}

class SimulatedProbe : public launch::Probe {
 public:
  SimulatedProbe(launch::Role role, const launch::Problem& p, Fault fault)
      : role_(role), indices_(p.indices()), fault_(fault) {}

  void prepare(int, const launch::Work&) override {
    Machine::State& s = Machine::state();
    Machine::pass(s.costs.prepare);
    if (fault_ == Fault::clock_starts_before && s.prepared == 0) s.shift += s.prepared = s.costs.prepare;
  }
  void start(int count, const launch::Work& work) override {
    unseen_by_first_clock(Fault::clock_starts_late, [&] {
      forget_preparation();
      events(count, work);
    });
  }
  void synchronise() override {
    unseen_by_first_clock(Fault::clock_stops_early, [&] {
      Machine::State& s = Machine::state();
      if (is_region(role_)) return;
      if (fault_ == Fault::slow_wait) Machine::pass(s.costs.microsecond);
      if (fault_ == Fault::returns_early)
        Machine::pass(s.costs.wait);
      else
        Machine::wait();
    });
  }
  void* stream() const override {
    static int queue = 0;
    return is_region(role_) ? nullptr : &queue;
  }
  std::unique_ptr<runtime::DeviceClock> make_clock() override {
    auto clock = std::make_unique<SimulatedClock>();
    clock_ = clock.get();
    return clock;
  }
  std::unique_ptr<launch::QueueHold> hold() override { return std::make_unique<Held>(*this); }
  std::unique_ptr<runtime::Graph> make_graph(int count, const launch::Work& work) override;

  /// How many events run instead of 'count'.
  int faulty(int count, const launch::Work& work) const {
    if (fault_ == Fault::launches_nothing) return 0;
    if (fault_ == Fault::nothing_without_work && work.kind == launch::Kind::none) return 0;
    if (fault_ == Fault::launches_half) return count / 2;
    if (fault_ == Fault::launches_twice) return 2 * count;
    return count + (fault_ == Fault::one_more || fault_ == Fault::one_more_hidden ? 1 : 0);
  }

 private:
  friend class SimulatedGraph;
  class Held : public launch::QueueHold {
   public:
    explicit Held(SimulatedProbe& probe) : probe_(probe) { Machine::hold(); }
    void release() override {
      probe_.clock_->release();
      Machine::release();
    }

   private:
    SimulatedProbe& probe_;
  };

  template <class Body>
  void unseen_by_first_clock(Fault fault, const Body& body) {
    const double before = Machine::state().now;
    body();
    if (fault_ == fault) Machine::state().shift += Machine::state().now - before;
  }
  void forget_preparation() {
    Machine::State& s = Machine::state();
    s.shift -= s.prepared;
    s.prepared = 0;
  }
  void stage() {
    if (fault_ == Fault::slow_stage) Machine::pass(Machine::state().costs.microsecond);
  }

  double seconds_of(const launch::Work& w) const {
    const Costs& c = Machine::state().costs;
    double seconds = 1e-9 * double(w.units) * double(w.unit_ticks);
    if (w.log) seconds += c.stamps;
    if (fault_ != Fault::ignores_delays) seconds += 1e-9 * double(w.extra_ticks);
    if (w.kind == launch::Kind::copy) seconds += c.copy;
    if (w.kind == launch::Kind::multiply_adds || w.kind == launch::Kind::exponentials)
      seconds += w.rounds * c.round;
    return seconds;
  }
  /// What events write for the checks of their results.
  void compute(const launch::Work& w) const {
    if (w.kind == launch::Kind::none || w.kind == launch::Kind::wait) return;
    launch::with_kind(w.kind, [&](auto kind) {
      for (std::int64_t i = 0; i < indices_; ++i) launch::compute<kind()>(w, i);
    });
  }
  /// The k-th of n events: the last of one too many stamps nothing where it hides.
  launch::EventLog* log_of(const launch::Work& w, int k, int n) const {
    return fault_ == Fault::one_more_hidden && k + 1 == n ? nullptr : w.log;
  }

  void events(int count, const launch::Work& work) {
    const Costs& c = Machine::state().costs;
    const int n = faulty(count, work);
    if (n > 0) compute(work);
    switch (role_) {
      case launch::Role::launch:
        for (int k = 0; k < n; ++k) {
          if (fault_ == Fault::slow_launch) Machine::pass(c.microsecond);
          Machine::call(launch::Step::start, c.launch + Machine::cold(), [&] {
            Machine::enqueue(kernel(c.gap, c.kernel + seconds_of(work), log_of(work, k, n)));
          });
        }
        break;
      case launch::Role::graph:
        if (fault_ == Fault::slow_launch) Machine::pass(c.microsecond);
        launch_nodes(std::vector<launch::Work>(std::size_t(n), work));
        break;
      case launch::Role::barrier: {
        if (fault_ == Fault::slow_launch) Machine::pass(c.microsecond);
        const int stamping = fault_ == Fault::one_more_hidden ? n - 1 : n;
        Machine::call(launch::Step::start, c.launch, [&] {
          const double pass = c.pass + seconds_of(work);
          if (n > 0)
            Machine::enqueue(
                kernel(c.gap, c.kernel + n * pass, work.log, stamping, c.kernel + (n - stamping) * pass));
        });
        break;
      }
      case launch::Role::fork_join:
      case launch::Role::message:
        for (int k = 0; k < n; ++k) {
          if (fault_ == Fault::slow_launch) Machine::pass(c.microsecond);
          Machine::Kernel region = kernel(0, c.region + seconds_of(work), log_of(work, k, n));
          region.begin = Machine::state().now;
          Machine::pass(region.duration);
          Machine::stamp(region);
        }
        break;
    }
  }
  void launch_nodes(const std::vector<launch::Work>& nodes) {
    const Costs& c = Machine::state().costs;
    const int n = int(nodes.size());
    Machine::call(launch::Step::launch, c.graph_launch, [&] {
      for (int k = 0; k < n; ++k) {
        const launch::Work& work = nodes[std::size_t(k)];
        Machine::enqueue(
            kernel(k == 0 ? c.gap : c.node_gap, c.kernel + seconds_of(work), log_of(work, k, n)));
      }
    });
  }
  static Machine::Kernel kernel(double gap, double duration, launch::EventLog* log, int stamps = 1,
                                double lead = 0) {
    Machine::Kernel k;
    k.gap = gap;
    k.duration = duration;
    k.log = log;
    k.stamps = stamps;
    k.lead = lead;
    return k;
  }

  launch::Role role_;
  std::int64_t indices_;
  Fault fault_;
  SimulatedClock* clock_ = nullptr;
};

class SimulatedGraph : public runtime::Graph {
 public:
  SimulatedGraph(SimulatedProbe& probe, int nodes, const launch::Work& work)
      : probe_(probe), nodes_(std::size_t(nodes), work) {
    const Costs& c = Machine::state().costs;
    for (int k = 0; k < nodes; ++k) Machine::call(launch::Step::create, c.create, [] {});
    Machine::call(launch::Step::create, c.create, [] {});
    probe_.stage();
  }
  void instantiate() override { staged(launch::Step::instantiate, Machine::state().costs.instantiate); }
  void upload() override { staged(launch::Step::upload, Machine::state().costs.upload); }
  void launch() override {
    probe_.unseen_by_first_clock(Fault::clock_starts_late, [&] {
      probe_.stage();
      if (!nodes_.empty()) probe_.compute(nodes_.front());
      probe_.launch_nodes(nodes_);
    });
  }
  void update_from(const runtime::Graph& other) override {
    staged(launch::Step::update, Machine::state().costs.update);
    const auto& from = static_cast<const SimulatedGraph&>(other).nodes_;
    if (probe_.fault_ != Fault::updates_nothing) std::copy(from.begin(), from.end(), nodes_.begin());
  }
  void update_node_from(const runtime::Graph& other, int event) override {
    staged(launch::Step::update_node, Machine::state().costs.update_node, 1);
    const auto& from = static_cast<const SimulatedGraph&>(other).nodes_;
    const std::size_t k = std::size_t(event);
    if (probe_.fault_ != Fault::updates_nothing && k < nodes_.size()) nodes_[k] = from[k];
  }

 private:
  void staged(launch::Step step, double seconds_a_node) {
    staged(step, seconds_a_node, int(nodes_.size()) + 1);
  }
  void staged(launch::Step step, double seconds_a_node, int nodes) {
    probe_.unseen_by_first_clock(Fault::clock_starts_late, [&] {
      Machine::call(step, seconds_a_node * nodes, [] {});
      probe_.stage();
    });
  }
  SimulatedProbe& probe_;
  std::vector<launch::Work> nodes_;
};

inline std::unique_ptr<runtime::Graph> SimulatedProbe::make_graph(int count, const launch::Work& work) {
  std::unique_ptr<runtime::Graph> graph;
  unseen_by_first_clock(Fault::clock_starts_late, [&] {
    forget_preparation();
    graph = std::make_unique<SimulatedGraph>(*this, faulty(count, work), work);
  });
  return graph;
}

/// Records what the machine does.
class SimulatedTracer : public launch::Tracer {
 public:
  std::string name() const override { return "tracer"; }
  void start() override { Machine::state().tracing = true; }
  void stop() override { Machine::state().tracing = false; }
  double call_cost() const override { return Machine::state().costs.traced; }
  void forget() override { take(); }
  launch::Seen take() override {
    Machine::State& s = Machine::state();
    for (Machine::Kernel& k : s.kernels) Machine::stamp(k);  // a tracer's end waits for them
    s.kernels.clear();
    launch::Seen seen;
    seen.calls.swap(s.calls);
    for (const Machine::Kernel& k : s.ran) {
      seen.events.push_back({1e-9 * double(Machine::device_ticks(k.begin) - Machine::device_ticks(0)),
                             1e-9 * double(Machine::device_ticks(k.end) - Machine::device_ticks(0))});
      if (k.call >= 0) ++seen.calls.at(std::size_t(k.call)).count;
    }
    s.ran.clear();
    int over = 0;
    for (launch::CallSeen& c : seen.calls) c.over = over += c.count;
    return seen;
  }
};

/// The construct of a host's region, without a probe.
class SimulatedBare : public launch::Bare {
 public:
  void loop(int count, const launch::Work& w) override {
    const Costs& c = Machine::state().costs;
    double seconds = c.region + 1e-9 * (double(w.units) * double(w.unit_ticks) + double(w.extra_ticks));
    if (w.kind == launch::Kind::copy) seconds += c.copy;
    if (w.kind == launch::Kind::multiply_adds || w.kind == launch::Kind::exponentials)
      seconds += w.rounds * c.round;
    for (int k = 0; k < count; ++k) Machine::pass(seconds);
  }
};

/// The construct of a portable launch, without a probe.
class SimulatedBareLaunch : public launch::Bare {
 public:
  explicit SimulatedBareLaunch(const launch::Problem& p) : right_(launch::Role::launch, p, Fault::none) {}
  void loop(int count, const launch::Work& w) override { right_.start(count, w); }
  void wait() override { right_.synchronise(); }

 private:
  SimulatedProbe right_;
};

/// A line of a registry for a probe on the machine that is there when it is made. Of Kokkos' family it is
/// what a portable entry is: it may do more than a tracer sees, and its launches have a plain loop.
inline launch::Entry simulated_entry(launch::Role role, Fault fault,
                                     harness::Family family = harness::Family::openmp) {
  static launch::Role made_role;
  static Fault made_fault;
  made_role = role;
  made_fault = fault;
  launch::Entry e;
  e.name = "simulated";
  e.family = family;  // whose memory is the host's
  e.role = role;
  e.kernels = true;
  e.updates = true;
  e.make = [](const launch::Problem& p) -> std::unique_ptr<launch::Probe> {
    return std::make_unique<SimulatedProbe>(made_role, p, made_fault);
  };
  if (is_region(role))
    e.bare = [](const launch::Problem&) -> std::unique_ptr<launch::Bare> {
      return std::make_unique<SimulatedBare>();
    };
  if (role == launch::Role::launch && family == harness::Family::kokkos)
    e.bare = [](const launch::Problem& p) -> std::unique_ptr<launch::Bare> {
      return std::make_unique<SimulatedBareLaunch>(p);
    };
  return e;
}

inline launch::Problem simulated_problem(const std::string& quantity) {
  launch::Problem p;
  p.quantity = quantity;
  p.launches = quantity == "barrier" ? 40 : 20;
  p.threads = 4;
  p.bytes = 256;
  return p;
}

}  // namespace parity::test
