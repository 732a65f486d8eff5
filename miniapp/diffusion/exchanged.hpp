// SPDX-License-Identifier: BSD-3-Clause
// The steps of a part of the field, with an exchange of halos before each, or before every few. What runs
// them, portable or native, says how points are moved and updated; the order is the same for all.
#pragma once
#include <algorithm>
#include <limits>
#include <memory>

#include "diffusion/exchange.hpp"
#include "diffusion/variant.hpp"
#include "runtime/graph.hpp"

namespace parity::diffusion {

/// What the algorithms of this family differ in; each has one in its algorithm.hpp.
struct ExchangeForm {
  bool overlap = false;  ///< points that need no message are updated while it is under way
  bool deep = false;     ///< the first number of the tuning is the steps from exchange to exchange
  bool updates = true;   ///< false: nothing but the exchange of each step, the field unchanged
  bool nccl = false;     ///< whether NCCL carries the messages, whatever MPI is told
};

/// What MPI is told. NCCL is a variant of its own: beside MPI on the same problem.
inline runtime::Transport transport_of(const Problem& p) {
  switch (p.messages) {
    case Transport::direct:
      return runtime::Transport::direct;
    case Transport::staged:
      return runtime::Transport::staged;
    default:
      return runtime::Transport::automatic;
  }
}
/// Whether it is one of those; they are called so.
inline bool carried_by_nccl(const harness::Entry& e) {
  const std::string end = "-nccl";
  return e.name.size() > end.size() && e.name.compare(e.name.size() - end.size(), end.size(), end) == 0;
}

/// Points on each side that so many steps from exchange to exchange need.
inline std::int64_t depth_of(const Problem& p, std::int64_t steps) { return std::max(p.halo, 2 * steps); }

/// Works<T> is made of the part as a problem, its halo as deep as the exchange needs it, and a tuning:
///   T* operator[](int)                              fields 0 and 1, padded
///   void load(const T*), synchronise(), void* stream()
///   void store(int, T* to, h)                       with h of the points around each plane
///   DeviceClock* clock(), bool on_device
///   Memory memory(n)                                n values with data(), where the fields are
///   void move(const char* what, const Moves<T>&)    launches
///   void update(const T* in, T* out, const Region&) one step of a region, in and out the whole fields
///   void update(const RegionUpdate<T>&)             of several
/// Algorithm: its static constexpr ExchangeForm form.
template <class T, template <class> class Works, class Algorithm>
class Exchanged : public Variant<T> {
  static constexpr ExchangeForm form = Algorithm::form;

 public:
  Exchanged(const Problem& whole, const Tuning& tuning)
      : pass_(form.deep ? tuning[0] : 1),
        halo_(whole.halo),
        steps_(whole.steps),
        divided_x_(whole.ranks_x > 1),
        divided_y_(whole.ranks_y > 1),
        part_(part_with_depth(whole, pass_)),
        works_(part_, form.deep ? Tuning() : tuning),
        exchange_(whole, rank_in(whole), part_.halo),
        send_(works_.memory(exchange_.values_sent())),
        receive_(works_.memory(exchange_.values_received())) {
    exchange_.connect(send_.data(), receive_.data(),
                      form.nccl ? runtime::Transport::nccl : transport_of(whole), Works<T>::on_device);
  }

  void load(const T* field) override {
    works_.load(field);
    result_ = 0;
  }
  /// All steps and all messages in one graph: of messages that are in the order of a stream.
  void prepare(const Mechanism&) override {
    graph_ = runtime::capture(works_.stream(), [this] { run(); });
    graph_->instantiate();
  }
  void advance() override {
    if (!graph_) return run();
    graph_->launch();
    result_ = result_of_run_;
  }
  void synchronise() override { works_.synchronise(); }
  void store(T* padded) override { works_.store(result_, padded, halo_); }
  void store_interior(T* field) override { works_.store(result_, field, 0); }
  runtime::DeviceClock* device_clock() override { return works_.clock(); }

 private:
  static int rank_in(const Problem& whole) { return whole.ranks() > 1 ? runtime::place().rank : 0; }
  static Problem part_with_depth(const Problem& whole, std::int64_t steps) {
    Problem part = part_of(whole, rank_in(whole)).local;
    part.halo = depth_of(whole, steps);
    return part;
  }
  Region grown(std::int64_t reach) const {
    return {-reach, -reach, part_.ny + 2 * reach, part_.nx + 2 * reach};
  }
  void run() {
    int at = 0;
    if constexpr (form.updates) {
      for (std::int64_t done = 0; done < steps_;) {
        const std::int64_t pass = std::min(pass_, steps_ - done);
        first_step(at, 2 * (pass - 1));
        at = 1 - at;
        for (std::int64_t s = 1; s < pass; ++s, at = 1 - at)
          works_.update(works_[at], works_[1 - at], grown(2 * (pass - 1 - s)));
        done += pass;
      }
      exchange(at);
    } else {
      for (std::int64_t s = 0; s < steps_; ++s) exchange(at);
    }
    result_ = result_of_run_ = at;
  }
  void exchange(int at) {
    begin(at);
    end(at);
  }
  /// The halo of a field, up to where messages are under way.
  void begin(int at) {
    works_.move("parity::diffusion::pack", exchange_.pack(works_[at]));
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
  /// After an exchange, of the part and 'reach' points around it.
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
    RegionUpdate<T> rest{works_[at] + origin,
                         works_[1 - at] + origin,
                         part_.pitch() * part_.rows(),
                         part_.pitch(),
                         T(part_.alpha),
                         {},
                         {},
                         {},
                         {}};
    for (const Region& r : frame.around) rest.add(r);
    works_.update(rest);
  }

  const std::int64_t pass_, halo_, steps_;  ///< pass: steps from exchange to exchange
  const bool divided_x_, divided_y_;
  const Problem part_;
  Works<T> works_;
  HaloExchange<T> exchange_;
  typename Works<T>::Memory send_, receive_;
  std::unique_ptr<runtime::Graph> graph_;  ///< of a run, where it was captured
  int result_ = 0, result_of_run_ = 0;
};

/// Refuses parts that are smaller than the halo that their neighbours want of them.
inline std::optional<std::string> refuse_small_parts(const Problem& p, std::int64_t depth) {
  const std::int64_t nx = p.nx / p.ranks_x, ny = p.ny / p.ranks_y;
  if ((nx + 1 + 2 * depth) * (ny + 1 + 2 * depth) > std::numeric_limits<int>::max())
    return "parts of more than 2^31 - 1 points a plane: their cells are counted in 32 bits";
  if (nx >= depth && ny >= depth) return std::nullopt;
  return "parts of " + std::to_string(nx) + " x " + std::to_string(ny) +
         " points (x, y) are smaller than the " + std::to_string(depth) +
         " that an exchange of this depth takes from them";
}

/// Traffic of the exchanges alone: points of the halo are read and written by packing, and again by
/// unpacking.
inline CostModel cost_of_exchanges(const Problem& p) {
  const double words = 4 * double(p.padded_points() - p.points()) * double(p.steps);
  return {2 * double(p.steps), words * double(runtime::bytes_of(p.precision)), 0};
}

/// What all entries of an algorithm have.
template <class Algorithm>
Entry exchange_algorithm() {
  Entry e;
  e.exchanges = true;
  e.by_name_only = true;
  e.floor = !Algorithm::form.updates;
  e.refuse = [](const Problem& p, const Tuning&) { return refuse_small_parts(p, p.halo); };
  e.model = [](const Problem& p) {
    constexpr ExchangeForm form = Algorithm::form;
    return form.updates ? cost_per_step(p,
                                        form.deep      ? 2
                                        : form.overlap ? 4
                                                       : 3,
                                        2, direct_flops)
                        : cost_of_exchanges(p);
  };
  if (!Algorithm::form.deep) return e;
  e.deep = true;
  e.tunings = {"4", "2", "8"};
  e.tuning_axes = "steps from exchange to exchange";
  e.refuse = [](const Problem& p, const Tuning& t) { return refuse_small_parts(p, depth_of(p, t[0])); };
  return e;
}

template <template <class> class Works, class Algorithm>
Entry with_exchange(Entry e) {
  e.make_f32 = [](const Problem& p, const Tuning& t) -> std::unique_ptr<Variant<float>> {
    return std::make_unique<Exchanged<float, Works, Algorithm>>(p, t);
  };
  e.make_f64 = [](const Problem& p, const Tuning& t) -> std::unique_ptr<Variant<double>> {
    return std::make_unique<Exchanged<double, Works, Algorithm>>(p, t);
  };
  return e;
}

}  // namespace parity::diffusion
