// SPDX-License-Identifier: BSD-3-Clause
// What the launch study measures, and the contract of its variants: something that can be done once more, and
// timed.
// Includes neither Kokkos nor CUDA, so that native variants can implement it.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/variant.hpp"
#include "launch/work.hpp"
#include "runtime/graph.hpp"

namespace parity::launch {

/// Wait units spin on the clock (every device), or sleep (the original work's form; compute capability 7.0).
enum class Unit { spin, nanosleep };
const char* name(Unit unit);

/// Graphs are straight lines of nodes, or forks of four nodes that join again.
enum class Topology { line, fork };

struct Problem {
  std::string quantity = "null-overhead";  ///< see quantity.hpp
  int blocks = 1, threads = 128;           ///< of every launch; their product is the index range of Range
  int argument_bytes = 0;                  ///< kernel arguments, or size of the functor
  int launches = 100;                      ///< events in the longer of two runs: the queue's depth
  int units = 5;                           ///< wait units of an event, where the quantity has work
  int unit_ns = 5000;                      ///< nanoseconds of a unit (asked of nanosleep, calibrated of spin)
  Unit unit = Unit::spin;
  Topology topology = Topology::line;
  int devices = 1;               ///< GPUs of a multi-device launch
  std::int64_t bytes = 1 << 20;  ///< read, and written, by the event of the quantity 'copy'

  std::int64_t indices() const { return std::int64_t(blocks) * threads; }
  /// Events in the shorter run.
  int fewer() const { return launches > 10 ? launches / 10 : 1; }
};

/// Sizes of arguments that variants are built for, in bytes: 0 and both sides of 512 B, 4 KB and 32 KB.
const std::vector<int>& argument_sizes();

/// "null-overhead 1x128 x100": the quantity with what bears on it.
std::string describe(const Problem& problem);

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
  /// The queue as a cudaStream_t; null on the host.
  virtual void* stream() const { return nullptr; }
  /// A graph of 'count' events, for the stages of a graph's life.
  virtual std::unique_ptr<runtime::Graph> make_graph(int /*count*/, const Work&) {
    throw std::logic_error("this variant makes no graphs");
  }
};

/// What an event of a variant is; it decides which quantities the variant has.
enum class Role {
  launch,    ///< an asynchronous kernel launch
  graph,     ///< a node of a graph that is launched as a whole
  barrier,   ///< a pass of a barrier inside one kernel
  fork_join  ///< a parallel region of the host
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
};

/// The entry with the factory of one probe.
template <class P>
Entry with_probe(Entry e) {
  e.make = [](const Problem& p) -> std::unique_ptr<Probe> { return std::make_unique<P>(p); };
  return e;
}

/// The launch registry, in the order of algorithms.def.
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
