// SPDX-License-Identifier: BSD-3-Clause
// The quantities of the launch study: how each is measured, how many events a sample runs, and where a delay
// is injected.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launch/variant.hpp"

namespace parity::launch {

/// Kinds of calls. create to launch are the stages of a graph's life; the last two replace its arguments.
enum class Step { start, synchronise, create, instantiate, upload, launch, update, update_node };

class DelayedProbe : public Probe {
 public:
  DelayedProbe(Probe& inner, Step step, double seconds)
      : inner_(inner), step_(step), ticks_(std::int64_t(1e9 * seconds)) {}
  void prepare(int count, const Work& work) override { inner_.prepare(count, work); }
  void start(int count, const Work& work) override {
    inner_.start(count, work);
    delay(Step::start);
  }
  void synchronise() override {
    inner_.synchronise();
    delay(Step::synchronise);
  }
  void* stream() const override { return inner_.stream(); }
  std::unique_ptr<runtime::Graph> make_graph(int count, const Work& work) override {
    auto graph = std::make_unique<DelayedGraph>(*this, inner_.make_graph(count, work));
    delay(Step::create);
    return graph;
  }

 private:
  class DelayedGraph : public runtime::Graph {
   public:
    DelayedGraph(const DelayedProbe& probe, std::unique_ptr<runtime::Graph> inner)
        : probe_(probe), inner_(std::move(inner)) {}
    void instantiate() override {
      inner_->instantiate();
      probe_.delay(Step::instantiate);
    }
    void upload() override {
      inner_->upload();
      probe_.delay(Step::upload);
    }
    void launch() override {
      inner_->launch();
      probe_.delay(Step::launch);
    }
    void update_from(const runtime::Graph& other) override {
      inner_->update_from(inner_of(other));
      probe_.delay(Step::update);
    }
    void update_node_from(const runtime::Graph& other, int event) override {
      inner_->update_node_from(inner_of(other), event);
      probe_.delay(Step::update_node);
    }

   private:
    static const runtime::Graph& inner_of(const runtime::Graph& other) {
      return *static_cast<const DelayedGraph&>(other).inner_;
    }
    const DelayedProbe& probe_;
    std::unique_ptr<runtime::Graph> inner_;
  };

  void delay(Step step) const {
    if (step == step_) spin(ticks_);
  }

  Probe& inner_;
  Step step_;
  std::int64_t ticks_;
};

/// Inputs of a method besides the probe.
struct Setting {
  const Problem& problem;
  double ticks_per_second;  ///< of the clock that waits spin on
  Work work;                ///< work of an event that copies or computes, and the counter of events
  double event_delay = 0;   ///< additional seconds that every event waits
};

struct Method {
  /// One sample in seconds.
  double (*sample)(Probe&, const Setting&) = nullptr;
  /// Number of events that a sample runs.
  int (*events)(const Problem&) = nullptr;
  /// The call that a delay is injected into; nullopt: the events themselves.
  std::optional<Step> delayed = std::nullopt;
};

/// One entry of the table of quantities.
struct Quantity {
  const char* name = nullptr;
  const char* summary = nullptr;
  std::vector<Role> roles;  ///< roles of the variants that can measure it
  Method method;
  Kind kind = Kind::none;  ///< work of its events
  bool units = false;      ///< true if its events are wait units
  bool several = true;     ///< true if it is the difference of two counts of launches
  bool updates = false;    ///< true if it replaces arguments in a graph
  /// Seconds of the smaller injected delay, which must outlast the work that it overlaps. Null: 10 us.
  double (*delay)(const Problem&) = nullptr;
  /// Seconds by which the larger delay is longer; the quantity must grow by them. Null: 20 us.
  double (*difference)(const Problem&) = nullptr;
};

const std::vector<Quantity>& quantities();
/// Null if no quantity has the name.
const Quantity* find_quantity(const std::string& name);
bool has(const Entry& entry, const Quantity& quantity);

/// The problem with only as many events as a check needs.
Problem few_events(const Quantity& quantity, Problem problem);
/// The problem with the blocks that its quantity needs: unchanged, except that 'copy' has one thread per
/// sixteen bytes.
Problem with_blocks(const Problem& problem);

}  // namespace parity::launch
