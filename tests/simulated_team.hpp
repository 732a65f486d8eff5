// SPDX-License-Identifier: BSD-3-Clause
// A GPU's teams by threads of the host: shuffles are exchanges between barriers.
#pragma once
#include <condition_variable>
#include <mutex>

namespace parity::test {

/// Where so many threads wait for each other.
class Meeting {
 public:
  explicit Meeting(int threads) : threads_(threads) {}
  void operator()() {
    std::unique_lock<std::mutex> lock(mutex_);
    const int round = round_;
    if (++here_ == threads_) {
      here_ = 0;
      ++round_;
      all_here_.notify_all();
    } else {
      all_here_.wait(lock, [&] { return round != round_; });
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_here_;
  int threads_, here_ = 0, round_ = 0;
};

/// What other threads of a warp have, through memory that all see.
template <class T>
T exchanged(T* slots, Meeting& meet, int thread, T value, int other) {
  slots[thread] = value;
  meet();
  const T result = slots[other];
  meet();
  return result;
}

}  // namespace parity::test
