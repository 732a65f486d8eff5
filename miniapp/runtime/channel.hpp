// SPDX-License-Identifier: BSD-3-Clause
// A queue of bounded length between two stages that run at the same time.
#pragma once
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

namespace parity::runtime {

template <class Item>
class Channel {
 public:
  explicit Channel(std::size_t room) : room_(room) {}

  /// Waits for room. False once closed: the item is dropped.
  bool push(Item item) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || items_.size() < room_; });
    if (closed_) return false;
    items_.push_back(std::move(item));
    changed_.notify_all();
    return true;
  }
  /// Waits for an item and meanwhile calls 'tick' every 50 ms. nullopt once closed and empty.
  template <class Tick>
  std::optional<Item> pop(const Tick& tick) {
    std::unique_lock<std::mutex> lock(mutex_);
    while (items_.empty() && !closed_) {
      if (changed_.wait_for(lock, std::chrono::milliseconds(50)) == std::cv_status::no_timeout) continue;
      lock.unlock();
      tick();
      lock.lock();
    }
    if (items_.empty()) return std::nullopt;
    std::optional<Item> item(std::move(items_.front()));
    items_.pop_front();
    changed_.notify_all();
    return item;
  }
  std::optional<Item> pop() {
    return pop([] {});
  }
  /// Refuses further items; pop() still returns those in the queue.
  void close() {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  /// Refuses further items and drops those in the queue.
  void abandon() {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    items_.clear();
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  std::size_t room_;
  bool closed_ = false;
};

}  // namespace parity::runtime
