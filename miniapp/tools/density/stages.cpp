// SPDX-License-Identifier: BSD-3-Clause
#include "tools/density/stages.hpp"

#include <fmt/format.h>

#include "runtime/clock.hpp"
#include "runtime/signals.hpp"

namespace parity::density {

void Stages::begin(const std::string& name) {
  runtime::stop_if_interrupted();
  if (whole_) return;
  end();
  current_ = 0;
  while (current_ < seconds_.size() && seconds_[current_].first != name) ++current_;
  if (current_ == seconds_.size()) seconds_.emplace_back(name, 0.0);
  since_ = runtime::host_seconds();
  running_ = true;
}

void Stages::begin_whole(const std::string& name) {
  begin(name);
  whole_ = true;
}

void Stages::reached(double done, double total, const char* unit) {
  runtime::stop_if_interrupted();
  if (!whole_) show(done, total, unit);
}

void Stages::whole_reached(double done, double total, const char* unit) {
  runtime::stop_if_interrupted();
  if (whole_) show(done, total, unit);
}

void Stages::show(double done, double total, const char* unit) {
  if (!running_) return;
  // Progress counts from the stage's beginning, because the first piece takes time, too.
  if (!progress_) progress_ = std::make_unique<harness::Progress>(total, unit, false, since_);
  progress_->update(done, seconds_[current_].first);
}

void Stages::end() {
  if (!running_) return;
  seconds_[current_].second += runtime::host_seconds_since(since_);
  running_ = whole_ = false;
  progress_.reset();
}

std::string Stages::table() const {
  double all = 0;
  for (const auto& [name, seconds] : seconds_) all += seconds;
  std::string text = fmt::format("{:<24} {:>9} {:>7}\n", "stage", "seconds", "share");
  for (const auto& [name, seconds] : seconds_)
    text += fmt::format("{:<24} {:>9.3f} {:>6.1f}%\n", name, seconds, all > 0 ? 100 * seconds / all : 0.0);
  text += fmt::format("{:<24} {:>9.3f} {:>6.1f}%\n", "all", all, 100.0);
  return text;
}

}  // namespace parity::density
