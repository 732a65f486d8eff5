// SPDX-License-Identifier: BSD-3-Clause
// A probe that hands every call on to another one, with something around it.
#pragma once
#include "launch/variant.hpp"

namespace parity::launch {

/// What a call is for; from 'create' on the stages of a graph's life, the last two replace its arguments.
enum class Step { prepare, start, synchronise, create, instantiate, upload, launch, update, update_node };

class AroundProbe : public Probe {
 public:
  explicit AroundProbe(Probe& inner) : inner_(inner) {}
  void prepare(int count, const Work& work) override;
  void start(int count, const Work& work) override;
  void synchronise() override;
  void* stream() const override { return inner_.stream(); }
  std::unique_ptr<runtime::DeviceClock> make_clock() override { return inner_.make_clock(); }
  std::unique_ptr<QueueHold> hold() override { return inner_.hold(); }
  /// Its stages are handed on likewise; the probe must outlive the graph.
  std::unique_ptr<runtime::Graph> make_graph(int count, const Work& work) override;

 protected:
  /// Must call 'call' once.
  virtual void around(Step step, int count, const Work& work, const std::function<void()>& call) = 0;

 private:
  class AroundGraph;
  Probe& inner_;
};

}  // namespace parity::launch
