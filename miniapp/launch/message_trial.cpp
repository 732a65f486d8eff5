// SPDX-License-Identifier: BSD-3-Clause
#include "launch/trial.hpp"

#include <utility>

#include "launch/rounds.hpp"
#include "runtime/messages.hpp"

namespace parity::launch {
namespace {

class MessageTrial : public harness::Trial {
 public:
  MessageTrial(const Problem& p, const Entry& entry, std::shared_ptr<Bench> bench) : p_(p), entry_(entry) {
    entry_.make = [this](const Problem&) { return std::make_unique<MessageProbe>(*rounds_); };
    if (leads()) measured_ = launch_trial(p_, entry_, std::move(bench));
  }

  harness::Verdict start(harness::Measurement& row) override {
    runtime::agreed([this] { rounds_ = entry_.rounds(p_); });
    return led<harness::Verdict>([&] { return measured_->start(row); });
  }
  harness::Sample sample() override {
    return led<harness::Sample>([this] { return measured_->sample(); });
  }
  harness::Verdict finish(harness::Measurement& row) override {
    return led<harness::Verdict>([&] { return measured_->finish(row); });
  }

 private:
  static bool leads() { return runtime::place().rank == 0; }
  /// Of rank 0, what it measured.
  template <class Result, class Work>
  Result led(const Work& work) {
    if (!leads()) {
      serve(*rounds_);
      return {};
    }
    const OthersServe until_here;
    return work();
  }

  const Problem p_;
  Entry entry_;
  std::unique_ptr<Rounds> rounds_;
  std::unique_ptr<harness::Trial> measured_;
};

}  // namespace

std::unique_ptr<harness::Trial> message_trial(const Problem& p, const Entry& entry,
                                              std::shared_ptr<Bench> bench) {
  return std::make_unique<MessageTrial>(p, entry, std::move(bench));
}

}  // namespace parity::launch
