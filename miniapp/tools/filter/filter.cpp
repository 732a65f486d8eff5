// SPDX-License-Identifier: BSD-3-Clause
#include "tools/filter/filter.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <future>
#include <memory>
#include <mutex>
#include <utility>

#include "runtime/channel.hpp"
#include "runtime/device_memory.hpp"
#include "runtime/error.hpp"
#include "runtime/messages.hpp"
#include "runtime/signals.hpp"
#include "tools/filter/masked_filter.hpp"
#include "tools/filter/plane_check.hpp"
#include "tools/filter/shared_planes.hpp"

namespace parity::filter {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t exact_planes = 8;  ///< per field, compared point by point

/// Accumulates the time of one kind of work.
class Stopwatch {
 public:
  template <class Work>
  void operator()(const Work& work) {
    const auto start = Clock::now();
    work();
    total_ += std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
  }
  double seconds() const { return 1e-9 * double(total_.load()); }

 private:
  std::atomic<std::int64_t> total_{0};
};

/// The waiting thread calls it: throws after a signal or after another rank failed.
void check_cancelled() {
  runtime::stop_if_interrupted();
  runtime::end_if_a_rank_failed();
}

/// Threads that end together: the first failure in any of them stops all.
class TaskGroup {
 public:
  /// abandon: makes every thread's next wait return.
  explicit TaskGroup(std::function<void()> abandon) : abandon_(std::move(abandon)) {}
  ~TaskGroup() { abandon_(); }  // does not affect finished threads; waits for the others
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  void start(int omp_threads, std::function<void()> work) {
    tasks_.push_back(std::async(std::launch::async, [this, omp_threads, work = std::move(work)] {
      omp_set_num_threads(omp_threads);  // for this thread only
      try {
        work();
      } catch (...) {
        abandon_();
        throw;
      }
    }));
  }
  /// Waits for all; rethrows the failure of the first failed task, in start order.
  void finish() {
    for (std::future<void>& task : tasks_) {
      while (task.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) check_cancelled();
      task.get();
    }
  }

 private:
  std::function<void()> abandon_;
  std::vector<std::future<void>> tasks_;
};

/// A block in the pipeline.
template <class T>
struct Item {
  Item(std::int64_t points, bool on_device)
      : memory(std::size_t(points) * sizeof(T), on_device), values(static_cast<T*>(memory.data())) {}
  runtime::StagingMemory memory;
  T* values;
  const io::Block* block = nullptr;
  std::vector<PlaneSums> sums;   ///< of the input's planes
  std::vector<ValidSums> valid;  ///< the same for planes with missing points
  std::vector<T> shift;          ///< subtracted from each plane's values before the filter and added after it
  std::int64_t exact = -1;       ///< index of the plane that is compared point by point, or -1
  std::vector<std::vector<T>> exact_input;  ///< its windows

  bool has_gaps(std::int64_t plane) const { return !sums[std::size_t(plane)].finite; }
  std::pair<double, double> range(std::int64_t plane) const {
    const auto k = std::size_t(plane);
    return has_gaps(plane) ? std::pair(valid[k].least, valid[k].most)
                           : std::pair(sums[k].least, sums[k].most);
  }
};

/// A window of a plane to compare with the exact solution.
template <class T>
struct Comparison {
  std::vector<T> input, result;
  std::string where;
  bool gaps = false;
  double scale = 0;  ///< the plane's largest value
};

template <class T>
class Pipeline {
 public:
  Pipeline(io::Field& field, const runtime::Share& planes, const diffusion::Problem& p, const Plan& plan,
           const Progress& done)
      : field_(field),
        given_(p),
        p_(plan.closed.of(p)),
        plane_(one_plane(p_)),
        tile_(plane_, plan.edge),
        windows_(tile_.windows(p_.ranks())),
        plan_(plan),
        done_(done),
        blocks_(field.blocks(plan.planes, planes)) {
    if (plan.shared) shared_ = std::make_unique<SharedPlanes<T>>(p_, plan.choice);
  }

  Summary run() {
    const auto start = Clock::now();
    std::int64_t largest = 0;
    for (const io::Block& b : blocks_) largest = std::max(largest, b.planes());
    std::vector<std::unique_ptr<Item<T>>> items;
    {
      TaskGroup group([this] { abandon(); });
      for (int i = 0; i < plan_.checkers; ++i)
        group.start(plan_.io_threads, [this, i, all = omp_get_max_threads()] {
          if (i == 0) {
            omp_set_num_threads(all);  // everything waits for it
            prepare_checks();
            omp_set_num_threads(plan_.io_threads);
          }
          compare_all();
        });
      group.start(plan_.io_threads, [this] { read_all(); });
      group.start(plan_.io_threads, [this] { write_all(); });
      // Allocating page-locked memory takes time: start work as soon as the first block is allocated.
      for (std::size_t i = 0; i < std::min<std::size_t>(buffers, blocks_.size()); ++i) {
        items.push_back(std::make_unique<Item<T>>(largest * plane_.points(),
                                                  plan_.choice.entry->on_device() && !shared_));
        free_.push(items.back().get());
      }
      filter_all();
      group.finish();
      if (shared_) shared_->dismiss();
    }
    Summary s;
    s.planes_at_once = largest;
    s.exactly_checked = compared_ / std::int64_t(windows_.size());
    s.with_gaps = with_gaps_;
    s.all_missing = all_missing_;
    s.exactly = tile_.whole() ? "every point"
                              : fmt::format("every point of {} windows of {} x {}", windows_.size(),
                                            tile_.problem.nx - 2 * tile_.margin_x,
                                            tile_.problem.ny - 2 * tile_.margin_y);
    s.worst_error = worst_;
    s.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    s.stages = {{"read", read_.seconds()},      {"check input", check_in_.seconds()},
                {"copy in", load_.seconds()},   {"filter", advance_.seconds()},
                {"copy out", store_.seconds()}, {"check result", check_out_.seconds()},
                {"write", write_.seconds()},    {"exact solution", exact_time_.seconds()}};
    return s;
  }

 private:
  static diffusion::Problem one_plane(diffusion::Problem p) {
    p.nz = p.ranks_y = 1;
    p.halo = 0;  // results have no halo
    return p;
  }
  void abandon() {
    free_.abandon();
    filled_.abandon();
    filtered_.abandon();
    compare_.abandon();
    prepared_.abandon();
  }
  std::string where(const io::Block& b, std::int64_t k) const {
    return fmt::format("{}: {}", field_.name(), field_.plane_name(b, k));
  }

  // ---- the reader's thread
  void read_all() {
    const std::size_t every = (blocks_.size() + exact_planes - 1) / exact_planes;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const auto item = free_.pop();
      if (!item) return;
      Item<T>& it = **item;
      it.block = &blocks_[b];
      read_([&] { read(it); });
      if (b == 0 && !prepared_.pop()) return;
      check_in_([&] { describe(it, b % every == 0); });
      if (!filled_.push(*item)) return;
    }
    filled_.close();
  }
  void read(Item<T>& it) {
    if (plan_.closed.copies() == 1) return field_.read(*it.block, it.values);
    const std::int64_t planes = it.block->planes();
    read_planes_.resize(std::size_t(planes * given_.ny * given_.nx));
    field_.read(*it.block, read_planes_.data());
    plan_.closed.unfold(read_planes_.data(), planes, given_.ny, given_.nx, it.values);
  }
  void describe(Item<T>& it, bool exactly) {
    const std::int64_t planes = it.block->planes(), points = plane_.points();
    it.sums.clear();
    it.valid.clear();
    it.shift.clear();
    it.exact = exactly ? 0 : -1;
    for (std::int64_t k = 0; k < planes; ++k) {
      it.sums.push_back(check_->input(it.values + k * points));
      it.valid.emplace_back();
      if (!it.has_gaps(k)) continue;
      it.valid.back() = valid_sums(plane_, it.values + k * points, plan_.io_threads);
      all_missing_ += it.valid.back().valid == 0;
      // The step-by-step solution is slow: compare one plane with gaps per field.
      if (with_gaps_++ == 0)
        it.exact = k;
      else if (it.exact == k)
        it.exact = -1;
    }
    if (it.exact >= 0)
      for (const diffusion::Region& w : windows_)
        it.exact_input.push_back(tile_.cut(it.values + it.exact * points, w));
    for (std::int64_t k = 0; k < planes; ++k) {
      const auto [least, most] = it.range(k);
      it.shift.push_back(shift_of(least, most));
      add(it.values + k * points, -it.shift.back());
    }
  }
  /// A constant passes the filter unchanged except for rounding in every step: a field far from zero
  /// (kelvins, pascals) is filtered as distances from the middle of its range, which are exact in T.
  static T shift_of(double least, double most) {
    const double middle = 0.5 * least + 0.5 * most, reach = 0.5 * most - 0.5 * least;
    return std::abs(middle) > 4 * reach ? T(middle) : T(0);
  }
  void add(T* plane, T shift) const {
    if (shift == T(0)) return;
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < plane_.points(); ++i) plane[i] += shift;
  }

  // ---- the calling thread, which initialised Kokkos
  void filter_all() {
    std::int64_t planes = 0;
    while (const auto item = filled_.pop(check_cancelled)) {
      Item<T>& it = **item;
      runtime::stop_if_interrupted();
      done_(double(planes), fmt::format("filtering {}", field_.plane_name(*it.block, 0)));
      filter_item(it, planes);
      planes += it.block->planes();
      if (!filtered_.push(*item)) break;
    }
    done_(double(planes), "writing");
    filtered_.close();
  }
  /// Filters planes with gaps separately, so that a plane's result does not depend on its neighbours.
  void filter_item(Item<T>& it, std::int64_t before) {
    for (std::int64_t first = 0, end = 0; first < it.block->planes(); first = end) {
      const bool gaps = it.has_gaps(first);
      while (end < it.block->planes() && it.has_gaps(end) == gaps) ++end;
      T* const values = it.values + first * plane_.points();
      gaps ? filter_gaps(values, end - first, before + first)
           : filter_planes(values, end - first, before + first);
    }
  }
  /// Splits the steps into parts of about a second (longer if copying takes that long), so that a signal
  /// stops the work cleanly and progress is visible.
  template <class Work>
  void in_parts(std::int64_t planes, bool shared, std::int64_t before, const Work& work) {
    const double rate = plan_.choice.entry->on_device() ? 2e11 : 5e8 * double(omp_get_max_threads());
    const double points = double(plane_.points()) * double(planes) / (shared ? double(p_.ranks()) : 1);
    const double seconds = points * double(p_.steps) / rate / (shared ? 1 + points * sizeof(T) / 1e9 : 1);
    const std::int64_t parts = std::clamp(std::int64_t(std::min(seconds, 1e9)), std::int64_t(1), p_.steps);
    std::int64_t made = 0;
    for (std::int64_t part = 0; part < parts; ++part) {
      const std::int64_t steps = p_.steps / parts + (part < p_.steps % parts ? 1 : 0);
      work(steps, part == 0, part == parts - 1);
      made += steps;
      runtime::stop_if_interrupted();
      if (parts > 1)
        done_(double(before) + double(planes) * double(made) / double(p_.steps),
              fmt::format("step {} of {}", made, p_.steps));
    }
  }
  void filter_planes(T* values, std::int64_t planes, std::int64_t before) {
    in_parts(planes, shared_ != nullptr, before, [&](std::int64_t steps, bool first, bool last) {
      if (shared_) return advance_([&] { shared_->advance(values, planes, {steps, first, last}); });
      if (!variant_ || made_.nz != planes || made_.steps != steps) {
        variant_.reset();
        made_ = p_;
        made_.nz = planes;
        made_.steps = steps;
        variant_ = diffusion::entry_of(plan_.choice).template make<T>(made_, plan_.choice.tuning);
      }
      load_([&] { variant_->load(values); });
      advance_([&] {
        variant_->advance();
        variant_->synchronise();
      });
      store_([&] { variant_->store_interior(values); });
    });
  }
  void filter_gaps(T* values, std::int64_t planes, std::int64_t before) {
    diffusion::Problem p = p_;
    p.nz = planes;
    p.ranks_y = 1;
    MaskedFilter<T> masked(p);
    in_parts(planes, false, before,
             [&](std::int64_t steps, bool, bool) { advance_([&] { masked.apply(values, steps); }); });
  }

  // ---- the writer's thread
  void write_all() {
    while (const auto item = filtered_.pop()) {
      Item<T>& it = **item;
      check_out_([&] { check(it); });
      for (std::size_t w = 0; w < it.exact_input.size(); ++w) {
        const auto [least, most] = it.range(it.exact);
        Comparison<T> c{
            std::move(it.exact_input[w]), tile_.cut(it.values + it.exact * plane_.points(), windows_[w]),
            where(*it.block, it.exact), it.has_gaps(it.exact), std::max(std::abs(least), std::abs(most))};
        if (!tile_.whole())
          c.where += fmt::format(", {} x {} points from row {}, column {}", windows_[w].columns,
                                 windows_[w].rows, windows_[w].row, windows_[w].column);
        if (!compare_.push(std::move(c))) return;
      }
      it.exact_input.clear();
      write_([&] { write(it); });
      if (!free_.push(*item)) return;
    }
    compare_.close();
  }
  void write(const Item<T>& it) {
    if (plan_.closed.copies() == 1) return field_.write(*it.block, it.values);
    const std::int64_t planes = it.block->planes();
    written_planes_.resize(std::size_t(planes * given_.ny * given_.nx));
    plan_.closed.fold(it.values, planes, given_.ny, given_.nx, written_planes_.data());
    field_.write(*it.block, written_planes_.data());
  }
  void check(const Item<T>& it) const {
    for (std::int64_t k = 0; k < it.block->planes(); ++k) {
      T* const plane = it.values + k * plane_.points();
      add(plane, it.shift[std::size_t(k)]);
      const std::string place = where(*it.block, k);
      const auto why = it.has_gaps(k) ? wrong(plane_, it.valid[std::size_t(k)],
                                              valid_sums(plane_, plane, plan_.io_threads), place)
                                      : check_->wrong(it.sums[std::size_t(k)], check_->output(plane), place);
      if (why) fail(place, it.has_gaps(k), *why);
    }
  }
  /// gaps: the filter around missing points computed the result.
  [[noreturn]] void fail(const std::string& place, bool gaps, const std::string& why) const {
    const std::string who = gaps ? "the filter around missing points" : "diffusion/" + plan_.choice.name();
    throw runtime::Error(runtime::exit_check_failed, fmt::format("{}: {} gave a wrong result: {}; {}", place,
                                                                 who, why, runtime::what_stays()));
  }

  // ---- the checkers' threads
  /// Computes the exact response and the plane check's data while the first block is read.
  void prepare_checks() {
    exact_time_([this] {
      exact_ = std::make_unique<diffusion::FourierFilter>(tile_.problem);
      check_ = std::make_unique<PlaneCheck<T>>(tile_, *exact_, plan_.io_threads);
    });
    prepared_.push(true);
  }
  void compare_all() {
    std::unique_ptr<diffusion::FourierFilter::Room> room;
    while (auto c = compare_.pop()) exact_time_([&] { compare(*c, room); });
  }
  void compare(const Comparison<T>& c, std::unique_ptr<diffusion::FourierFilter::Room>& room) {
    if (!c.gaps && !room) room = std::make_unique<diffusion::FourierFilter::Room>(*exact_);
    const double error = error_of(tile_, *exact_, room.get(), c.gaps, c.input, c.result, c.scale),
                 most = diffusion::tolerance(p_.precision);
    if (!(error <= most))
      fail(c.where, c.gaps, fmt::format("its error is {:.1e}, the tolerance {:.0e}", error, most));
    const std::lock_guard<std::mutex> lock(worst_mutex_);
    worst_ = std::max(worst_, error);
    ++compared_;
  }

  io::Field& field_;
  const diffusion::Problem given_, p_, plane_;  ///< the user's planes, the filtered ones, one of those
  const Tile tile_;
  const std::vector<diffusion::Region> windows_;
  const Plan& plan_;
  const Progress& done_;
  const std::vector<io::Block> blocks_;
  std::vector<T> read_planes_, written_planes_;  ///< of a block, without mirror images

  runtime::Channel<Item<T>*> free_{buffers}, filled_{buffers}, filtered_{buffers};
  runtime::Channel<Comparison<T>> compare_{windows_.size()};  ///< a plane is written while its windows wait
  runtime::Channel<bool> prepared_{1};

  std::unique_ptr<diffusion::FourierFilter> exact_;
  std::unique_ptr<PlaneCheck<T>> check_;
  std::unique_ptr<SharedPlanes<T>> shared_;
  std::unique_ptr<diffusion::Variant<T>> variant_;
  diffusion::Problem made_;  ///< the problem that the variant was created for

  std::mutex worst_mutex_;
  double worst_ = 0;
  std::int64_t compared_ = 0, with_gaps_ = 0, all_missing_ = 0;
  Stopwatch read_, check_in_, load_, advance_, store_, check_out_, write_, exact_time_;
};

}  // namespace

Summary run(io::Field& field, const runtime::Share& planes, const diffusion::Problem& p, const Plan& plan,
            const Progress& done) {
  return p.precision == runtime::Precision::f32 ? Pipeline<float>(field, planes, p, plan, done).run()
                                                : Pipeline<double>(field, planes, p, plan, done).run();
}

void help(const diffusion::Problem& p, const harness::Choice& choice) {
  p.precision == runtime::Precision::f32 ? SharedPlanes<float>(p, choice).help()
                                         : SharedPlanes<double>(p, choice).help();
}

}  // namespace parity::filter
