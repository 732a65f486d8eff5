// SPDX-License-Identifier: BSD-3-Clause
#include "io/netcdf_thread.hpp"

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>

namespace parity::io {
namespace {

class LibraryThread {
 public:
  LibraryThread() : thread_([this] { serve(); }) {}
  ~LibraryThread() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  LibraryThread(const LibraryThread&) = delete;
  LibraryThread& operator=(const LibraryThread&) = delete;

  bool is_this() const { return std::this_thread::get_id() == thread_.get_id(); }
  std::future<void> start(const std::function<void()>& work) {
    std::packaged_task<void()> task(work);
    std::future<void> done = task.get_future();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_all();
    return done;
  }

 private:
  void serve() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return ended_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      std::packaged_task<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::packaged_task<void()>> tasks_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace

void with_netcdf(const std::function<void()>& work) {
  static LibraryThread thread;
  if (thread.is_this()) return work();
  thread.start(work).get();
}

}  // namespace parity::io
