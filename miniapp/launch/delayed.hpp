// SPDX-License-Identifier: BSD-3-Clause
// A probe whose calls of one kind take longer by a known delay: what a quantity of that call must show.
#pragma once
#include <utility>

#include "launch/variant.hpp"

namespace parity::launch {

/// What a call is for: from 'create' on the stages of a graph's life; the last two replace its arguments.
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

}  // namespace parity::launch
