// SPDX-License-Identifier: BSD-3-Clause
// The steps of a part of the field, with a halo exchange before each step or before every few. The portable
// or native backend moves and updates points; the order is the same for all.
#pragma once
#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "diffusion/exchange.hpp"
#include "diffusion/variant.hpp"
#include "runtime/graph.hpp"
#include "runtime/stream.hpp"

namespace parity::diffusion {

/// Halo depth in points for this many steps between two exchanges.
inline std::int64_t depth_of(const Problem& p, std::int64_t steps) { return std::max(p.halo, 2 * steps); }
/// Halo depth of a variant. Passes wrap around on axes that are not divided and need no halo there.
inline Margin depth_of(const Problem& whole, const ExchangeForm& form, const Tuning& t) {
  if (!form.passes) return depth_of(whole, form.deep ? t[0] : 1);
  const std::int64_t depth = depth_of(whole, std::min<std::int64_t>(t[0], whole.steps));
  return {whole.ranks_y > 1 ? depth : 0, whole.ranks_x > 1 ? depth : 0};
}

/// A pass over periodic planes (nz, ny, nx) between two fields; returns how many of the 'left' steps it did.
template <class T>
using PassOf = std::function<int(int left, const T* in, T* out)>;

/// The steps of some planes of a rank's part. Works<T> is constructed from the part as a problem, whose halo
/// is as deep as the exchange needs, and a tuning:
///   T* operator[](int): fields 0 and 1, padded; void load(const T*), synchronise(), void* stream()
///   void store(int, T* to, h): with h halo points around each plane; DeviceClock* clock(), bool on_device
///   Memory memory(n): n values with data(), in the fields' memory space; move(const char*, const Moves<T>&)
///   void update(const T* in, T* out, const Region&): one step of a region; in and out: the whole fields
///   void update(const RegionUpdate<T>&): one step of several regions
/// or, for passes, from the part, the depth and a tuning: FieldShape shape() and int pass(int at, int left),
/// a PassOf from field 'at' to the other. Algorithm has a static constexpr ExchangeForm form.
template <class T, template <class> class Works, class Algorithm>
class ExchangedPlanes {
  static constexpr ExchangeForm form = Algorithm::form;

 public:
  ExchangedPlanes(const Problem& whole, const Tuning& tuning)
      : pass_(form.deep ? tuning[0] : 1),
        steps_(whole.steps),
        divided_x_(whole.ranks_x > 1),
        divided_y_(whole.ranks_y > 1),
        depth_(depth_of(whole, form, tuning)),
        part_(part_with_depth(whole, depth_)),
        works_(make_works(part_, depth_, tuning)),
        exchange_(whole, rank_in(whole), depth_, shape_of(works_, part_)),
        send_(works_.memory(exchange_.values_sent())),
        receive_(works_.memory(exchange_.values_received())) {
    exchange_.connect(send_.data(), receive_.data(), whole.messages, Works<T>::on_device,
                      form.passes && tuning[1] > 1);
  }

  void load(const T* field) {
    works_.load(field);
    at_ = 0;
  }
  void store(T* to, std::int64_t h) { works_.store(at_, to, h); }
  void synchronise() { works_.synchronise(); }
  void* stream() const { return works_.stream(); }
  runtime::DeviceClock* clock() { return works_.clock(); }
  const Problem& part() const { return part_; }

  void start() { at_ = 0, done_ = 0; }
  /// Runs one exchange and the steps up to the next one; false if all steps are done.
  bool pass() {
    if (done_ == steps_) return false;
    if constexpr (!form.updates) {
      exchange(at_);
      ++done_;
    } else if constexpr (form.passes) {
      exchange(at_);
      done_ += works_.pass(at_, int(steps_ - done_));
      at_ = 1 - at_;
    } else {
      const std::int64_t pass = std::min(pass_, steps_ - done_);
      first_step(at_, 2 * (pass - 1));
      at_ = 1 - at_;
      for (std::int64_t s = 1; s < pass; ++s, at_ = 1 - at_)
        works_.update(works_[at_], works_[1 - at_], grown(2 * (pass - 1 - s)));
      done_ += pass;
    }
    return true;
  }
  /// Updates the halo of the result.
  void finish() {
    if constexpr (form.updates) exchange(at_);
    result_of_run_ = at_;
  }
  /// Call it after a graph replayed the run: restores the index of the result's field.
  void was_replayed() { at_ = result_of_run_; }

 private:
  static int rank_in(const Problem& whole) { return whole.ranks() > 1 ? runtime::rank_info().rank : 0; }
  static Problem part_with_depth(const Problem& whole, const Margin& depth) {
    Problem part = part_of(whole, rank_in(whole)).local;
    if (!form.passes) part.halo = depth.y;
    return part;
  }
  static Works<T> make_works(const Problem& part, const Margin& depth, const Tuning& tuning) {
    if constexpr (form.passes)
      return Works<T>(part, depth, tuning);
    else
      return Works<T>(part, form.deep ? Tuning() : tuning);
  }
  static FieldShape shape_of(const Works<T>& works, const Problem& part) {
    if constexpr (form.passes)
      return works.shape();
    else
      return FieldShape(part, part.halo);
  }
  Region grown(std::int64_t reach) const {
    return {-reach, -reach, part_.ny + 2 * reach, part_.nx + 2 * reach};
  }
  void exchange(int at) {
    begin(at);
    end(at);
  }
  /// Packs the halo of a field and starts its messages.
  void begin(int at) {
    if (const Moves<T> moves = exchange_.pack(works_[at]); moves.count > 0)
      works_.move("parity::diffusion::pack", moves);
    if (!exchange_.has_messages()) return;
    exchange_.messages().stage(works_.stream());
    if (exchange_.messages().needs_idle_stream()) works_.synchronise();
    exchange_.messages().start();
  }
  void end(int at) {
    if (!exchange_.has_messages()) return;
    exchange_.messages().wait(works_.stream());
    works_.move("parity::diffusion::unpack", exchange_.unpack(works_[at]));
  }
  /// Exchanges, then steps the part and 'reach' points around it.
  void first_step(int at, std::int64_t reach) {
    begin(at);
    const Frame frame = frame_of(part_.ny, part_.nx, divided_y_ ? 2 : 0, divided_x_ ? 2 : 0, reach);
    if (!form.overlap || !exchange_.has_messages() || frame.inner.cells() == 0) {
      end(at);
      works_.update(works_[at], works_[1 - at], grown(reach));
      return;
    }
    works_.update(works_[at], works_[1 - at], frame.inner);
    end(at);
    const std::int64_t origin = part_.halo * part_.pitch() + part_.halo;
    RegionUpdate<T> rest;
    rest.in = works_[at] + origin, rest.out = works_[1 - at] + origin;
    rest.plane_values = part_.pitch() * part_.rows(), rest.pitch = part_.pitch();
    rest.alpha = T(part_.alpha);
    for (const Region& r : frame.around) rest.add(r);
    works_.update(rest);
  }

  const std::int64_t pass_, steps_;  ///< pass_: steps between two exchanges
  const bool divided_x_, divided_y_;
  const Margin depth_;
  const Problem part_;
  Works<T> works_;
  HaloExchange<T> exchange_;
  typename Works<T>::Memory send_, receive_;
  int at_ = 0, result_of_run_ = 0;  ///< indices of fields
  std::int64_t done_ = 0;
};

/// A rank's part in groups of planes, each with its own stream and messages, so that one group's messages
/// overlap with another group's computation.
template <class T, template <class> class Works, class Algorithm>
class Exchanged : public Variant<T> {
  using Planes = ExchangedPlanes<T, Works, Algorithm>;

 public:
  Exchanged(const Problem& whole, const Tuning& tuning) : halo_(whole.halo) {
    const std::int64_t nz = part_of(whole, whole.ranks() > 1 ? runtime::rank_info().rank : 0).local.nz;
    // The same number on every rank, whatever its share of the planes: ranks must agree on their messages.
    const std::int64_t groups =
        Algorithm::form.passes ? std::clamp<std::int64_t>(whole.nz / whole.ranks_z, 1, tuning[1]) : 1;
    for (std::int64_t g = 0; g < groups; ++g) {
      Problem planes = whole;
      if (groups > 1) planes.nz = share_of(nz, groups, g).size * whole.ranks_z;
      Tuning used = tuning;
      if (Algorithm::form.passes)
        used.values[1] = int(groups);  // with one group, no kernel runs during its messages
      groups_.push_back(std::make_unique<Planes>(planes, used));
    }
  }

  void load(const T* field) override {
    for (const auto& g : groups_) {
      g->load(field);
      field += g->part().points();
    }
  }
  /// Captures all steps and messages in one graph; the messages must be stream-ordered.
  void prepare(const Mechanism&) override {
    graph_ = runtime::capture(groups_[0]->stream(), [this] { run(); });
    graph_->instantiate();
  }
  void advance() override {
    if (!graph_) return run();
    graph_->launch();
    for (const auto& g : groups_) g->was_replayed();
  }
  void synchronise() override {
    for (const auto& g : groups_) g->synchronise();
  }
  void store(T* padded) override { store(padded, halo_); }
  void store_interior(T* field) override { store(field, 0); }
  runtime::DeviceClock* device_clock() override { return groups_[0]->clock(); }

 private:
  void store(T* to, std::int64_t h) {
    for (const auto& g : groups_) {
      g->store(to, h);
      to += (g->part().nx + 2 * h) * (g->part().ny + 2 * h) * g->part().nz;
    }
  }
  void run() {
    const auto first = groups_.begin();
    for (auto g = first + 1; g != groups_.end(); ++g)
      runtime::let_stream_wait((*g)->stream(), (*first)->stream());
    for (const auto& g : groups_) g->start();
    for (bool more = true; more;)
      for (const auto& g : groups_) more = g->pass();
    for (const auto& g : groups_) g->finish();
    for (auto g = first + 1; g != groups_.end(); ++g)
      runtime::let_stream_wait((*first)->stream(), (*g)->stream());
  }

  const std::int64_t halo_;
  std::vector<std::unique_ptr<Planes>> groups_;
  std::unique_ptr<runtime::Graph> graph_;  ///< the whole run, if it was captured
};

/// Refuses parts that are smaller than the halo that their neighbours need from them.
inline std::optional<std::string> refuse_small_parts(const Problem& p, const Margin& depth) {
  const std::int64_t nx = p.nx / p.ranks_x, ny = p.ny / p.ranks_y;
  if ((nx + 1 + 2 * depth.x) * (ny + 1 + 2 * depth.y) > std::numeric_limits<int>::max())
    return "parts of more than 2^31 - 1 points a plane: their cells are counted in 32 bits";
  if (nx >= depth.x && ny >= depth.y) return std::nullopt;
  return "parts of " + std::to_string(nx) + " x " + std::to_string(ny) +
         " points (x, y) are smaller than the " + std::to_string(std::max(depth.x, depth.y)) +
         " that an exchange of this depth takes from them";
}

/// Traffic of the exchanges alone: packing reads and writes the points of the halo, and so does unpacking.
inline CostModel cost_of_exchanges(const Problem& p) {
  const double words = 4 * double(p.padded_points() - p.points()) * double(p.steps);
  return {2 * double(p.steps), words * double(runtime::bytes_of(p.precision)), 0};
}

/// The common properties of all entries of an exchange algorithm.
template <class Form>
Entry exchange_algorithm() {
  Entry e;
  e.exchanges = true;
  e.form = Form::form;
  e.floor = !Form::form.updates;
  e.refuse +=
      [](const Problem& p, const Tuning& t) { return refuse_small_parts(p, depth_of(p, Form::form, t)); };
  e.model = [](const Problem& p) {
    constexpr ExchangeForm form = Form::form;
    return form.updates ? cost_per_step(p,
                                        form.deep      ? 2
                                        : form.overlap ? 4
                                                       : 3,
                                        2, direct_flops)
                        : cost_of_exchanges(p);
  };
  if (!Form::form.deep) return e;
  e.tunings = {"4", "2", "8"};
  e.tuning_axes = "steps from exchange to exchange";
  return e;
}

template <template <class> class Works, class Algorithm>
Entry with_exchange(Entry e) {
  e.make_f32 = Entry::made<float, Exchanged<float, Works, Algorithm>>;
  e.make_f64 = Entry::made<double, Exchanged<double, Works, Algorithm>>;
  return e;
}

}  // namespace parity::diffusion
