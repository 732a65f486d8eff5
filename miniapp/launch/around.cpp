// SPDX-License-Identifier: BSD-3-Clause
#include "launch/around.hpp"

namespace parity::launch {

class AroundProbe::AroundGraph : public runtime::Graph {
 public:
  AroundGraph(AroundProbe& around, std::unique_ptr<runtime::Graph> inner, int count, const Work& work)
      : around_(around), inner_(std::move(inner)), count_(count), work_(work) {}
  void instantiate() override {
    around_.around(Step::instantiate, count_, work_, [this] { inner_->instantiate(); });
  }
  void upload() override {
    around_.around(Step::upload, count_, work_, [this] { inner_->upload(); });
  }
  void launch() override {
    around_.around(Step::launch, count_, work_, [this] { inner_->launch(); });
  }
  void update_from(const runtime::Graph& other) override {
    around_.around(Step::update, count_, work_, [&] { inner_->update_from(inner_of(other)); });
  }
  void update_node_from(const runtime::Graph& other, int event) override {
    around_.around(Step::update_node, 1, work_, [&] { inner_->update_node_from(inner_of(other), event); });
  }

 private:
  static const runtime::Graph& inner_of(const runtime::Graph& other) {
    return *static_cast<const AroundGraph&>(other).inner_;
  }
  AroundProbe& around_;
  std::unique_ptr<runtime::Graph> inner_;
  int count_;
  Work work_;
};

void AroundProbe::prepare(int count, const Work& work) {
  around(Step::prepare, count, work, [&] { inner_.prepare(count, work); });
}
void AroundProbe::start(int count, const Work& work) {
  around(Step::start, count, work, [&] { inner_.start(count, work); });
}
void AroundProbe::synchronise() {
  around(Step::synchronise, 0, Work(), [&] { inner_.synchronise(); });
}
std::unique_ptr<runtime::Graph> AroundProbe::make_graph(int count, const Work& work) {
  std::unique_ptr<runtime::Graph> graph;
  around(Step::create, count, work, [&] { graph = inner_.make_graph(count, work); });
  return std::make_unique<AroundGraph>(*this, std::move(graph), count, work);
}

}  // namespace parity::launch
