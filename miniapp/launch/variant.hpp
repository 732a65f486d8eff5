// SPDX-License-Identifier: BSD-3-Clause
// The problem of the launch study and the interface of its variants, which start events.
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

/// Wait units spin on the clock (any device) or sleep (as in the original work; compute capability 7.0).
enum class Unit { spin, nanosleep };
const char* name(Unit unit);

/// Graphs are chains of nodes, or forks of four nodes that join again.
enum class Topology { line, fork };

struct Problem {
  std::string quantity = "null-overhead";  ///< see quantity.hpp
  int blocks = 1, threads = 128;           ///< of every launch; their product is the index range of Range
  int argument_bytes = 0;                  ///< kernel arguments, or size of the functor
  int launches = 100;                      ///< events in the longer of two runs: the queue's depth
  int units = 5;                           ///< wait units of an event, if the quantity has work
  int unit_ns = 5000;                      ///< nanoseconds of a unit (requested from nanosleep, calibrated
                                           ///< for spin)
  Unit unit = Unit::spin;
  Topology topology = Topology::line;
  int devices = 1;               ///< GPUs of a multi-device launch
  std::int64_t bytes = 1 << 20;  ///< bytes that an event of the quantity 'copy' reads, and writes

  std::int64_t indices() const { return std::int64_t(blocks) * threads; }
  /// Events in the shorter run.
  int fewer() const { return launches > 10 ? launches / 10 : 1; }
};

/// Argument sizes that variants are built for, in bytes: 0 and both sides of 512 B, 4 KB and 32 KB.
const std::vector<int>& argument_sizes();

/// "null-overhead 1x128 x100": the quantity and the parameters that affect it.
std::string describe(const Problem& problem);

/// Starts events: launches, nodes of a graph, passes of a barrier.
class Probe {
 public:
  virtual ~Probe() = default;
  /// Untimed: prepares start(count, work).
  virtual void prepare(int /*count*/, const Work&) {}
  /// Starts 'count' events one after the other; may return before they are done.
  virtual void start(int count, const Work& work) = 0;
  /// Waits for all started events.
  virtual void synchronise() = 0;
  /// The number of the last prepared events whose work outside their kernel is done; the queue must be idle.
  /// nullopt if events have no such work.
  virtual std::optional<int> others_over() { return std::nullopt; }
  /// The queue as a cudaStream_t; null on the host.
  virtual void* stream() const { return nullptr; }
  /// A graph of 'count' events, for the stages of a graph's life.
  virtual std::unique_ptr<runtime::Graph> make_graph(int /*count*/, const Work&) {
    throw std::logic_error("this variant makes no graphs");
  }
};

/// The type of a variant's events; it decides which quantities the variant can measure.
enum class Role {
  launch,    ///< an asynchronous kernel launch
  graph,     ///< a node of a graph that is launched as a whole
  barrier,   ///< a pass of a barrier inside one kernel
  fork_join  ///< a parallel region of the host
};

/// One registry entry.
struct Entry : harness::Entry {
  Role role = Role::launch;
  bool kernels = false;         ///< true if events can copy and compute; all can wait
  int most_argument_bytes = 0;  ///< largest of argument_sizes() that the variant is built for
  bool forks = false;           ///< true if its graphs can fork
  bool updates = false;         ///< true if the arguments in its graphs can be replaced
  bool many_devices = false;    ///< true if it launches on several GPUs at once
  /// The reason why the variant cannot run this problem here; nullopt if it can.
  std::optional<std::string> (*refuse)(const Problem&) = nullptr;
  std::function<std::unique_ptr<Probe>(const Problem&)> make = {};
};

/// The entry with a factory for the probe P.
template <class P>
Entry with_probe(Entry e) {
  e.make = [](const Problem& p) -> std::unique_ptr<Probe> { return std::make_unique<P>(p); };
  return e;
}

/// The launch registry, in the order of algorithms.def.
const std::vector<Entry>& registry();

/// A probe with a stream whose events are launched as a graph. It keeps the last graphs that it prepared, and
/// destroys them before the stream.
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
