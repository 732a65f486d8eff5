// SPDX-License-Identifier: BSD-3-Clause
// The contract of a launch variant: something that can be done once more, and timed.
// Includes neither Kokkos nor CUDA, so that native variants can implement it.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/entry.hpp"
#include "launch/problem.hpp"
#include "launch/work.hpp"
#include "runtime/clock.hpp"
#include "runtime/graph.hpp"

namespace parity::launch {

/// What keeps a queue from going on until release(), which may throw runtime::CannotRunError.
class QueueHold {
 public:
  virtual ~QueueHold() = default;
  virtual void release() = 0;
};

/// Starts events: launches, nodes of a graph, passes of a barrier.
class Probe {
 public:
  virtual ~Probe() = default;
  /// Untimed: makes ready for start(count, work).
  virtual void prepare(int /*count*/, const Work&) {}
  /// Starts 'count' events one after the other; may return before they are done.
  virtual void start(int count, const Work& work) = 0;
  /// Waits for all that was started.
  virtual void synchronise() = 0;
  /// Where an event has work besides its kernel: how many of the events prepared last have it done, for an
  /// idle queue. nullopt where there is none.
  virtual std::optional<int> others_over() { return std::nullopt; }
  /// Whether events started from now on are checked for that, where it takes time.
  virtual void check_events(bool) {}
  /// The queue as a cudaStream_t; null on the host.
  virtual void* stream() const { return nullptr; }
  /// The device's clock in that queue, and what holds the queue. Throw without a stream.
  virtual std::unique_ptr<runtime::DeviceClock> make_clock();
  virtual std::unique_ptr<QueueHold> hold();
  /// A graph of 'count' events, for the stages of a graph's life.
  virtual std::unique_ptr<runtime::Graph> make_graph(int /*count*/, const Work&) {
    throw std::logic_error("this variant makes no graphs");
  }
};

/// The construct in a plain loop, without a probe: what a quantity's calls take when nothing of Parity stands
/// between. It has a queue and arguments of its own.
class Bare {
 public:
  virtual ~Bare() = default;
  /// Untimed: makes ready for loop(count, work).
  virtual void prepare(int /*count*/, const Work&) {}
  /// Starts 'count' events one after the other.
  virtual void loop(int count, const Work& work) = 0;
  /// Waits for them.
  virtual void wait() {}
};

class Rounds;

/// What an event of a variant is; it decides which quantities the variant has.
enum class Role {
  launch,     ///< an asynchronous kernel launch
  graph,      ///< a node of a graph that is launched as a whole
  barrier,    ///< a pass of a barrier inside one kernel
  fork_join,  ///< a parallel region of the host
  message     ///< a round of messages between ranks, on whose memory so ever
};

/// One line of the registry.
struct Entry : harness::Entry {
  Role role = Role::launch;
  bool kernels = false;         ///< whether events can copy and compute; all can wait
  int most_argument_bytes = 0;  ///< largest of argument_sizes() that it is built for
  bool forks = false;           ///< whether its graphs can fork
  bool updates = false;         ///< whether the arguments in its graphs can be replaced
  bool many_devices = false;    ///< whether it launches on several GPUs at once
  /// Why the variant cannot do this here; nullopt when it can.
  std::optional<std::string> (*refuse)(const Problem&) = nullptr;
  std::function<std::unique_ptr<Probe>(const Problem&)> make = {};
  /// Null where there is no plain loop to compare with.
  std::function<std::unique_ptr<Bare>(const Problem&)> bare = {};
  /// Of messages, in place of the two: one rank's part.
  std::unique_ptr<Rounds> (*rounds)(const Problem&) = nullptr;
  /// Kernels that a start of 'count' events runs, as a tracer counts them; null: one an event, one for all
  /// passes of a barrier, five a fork; negative: a tracer cannot say.
  int (*kernels_of)(const Problem&, int count) = nullptr;

  /// Whether events stamp on a GPU's clock; those of messages do on the host's.
  bool events_on_device() const { return role != Role::message && on_device(); }
};

/// For kernels that a tracer of the host's launches does not see one by one.
inline int nobody_can_say(const Problem&, int) { return -1; }
/// The entry's kernels_of, or what stands for it.
int kernels_of(const Entry& entry, const Problem& problem, int count);

/// The launch registry, in the order of variants.def.
const std::vector<Entry>& registry();

/// Makes of a probe with a stream one whose events are put into a graph first: keeps the graphs it was asked
/// to prepare, and lets go of them before the stream goes.
template <class Base>
class GraphProbe : public Base {
 public:
  using Base::Base;
  void prepare(int count, const Work& work) override {
    if (find(count, work)) return;
    if (kept_.size() >= 8) kept_.erase(kept_.begin());
    kept_.push_back({count, work, this->make_graph(count, work)});
    kept_.back().graph->instantiate();
    kept_.back().graph->upload();
    this->synchronise();
  }
  void start(int count, const Work& work) override {
    const Kept* const k = find(count, work);
    if (!k) throw std::logic_error("started without prepare");
    k->graph->launch();
  }

 private:
  struct Kept {
    int count;
    Work work;
    std::unique_ptr<runtime::Graph> graph;
  };
  const Kept* find(int count, const Work& work) const {
    for (const Kept& k : kept_)
      if (k.count == count && k.work == work) return &k;
    return nullptr;
  }
  std::vector<Kept> kept_;
};

}  // namespace parity::launch
