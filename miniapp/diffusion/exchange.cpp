// SPDX-License-Identifier: BSD-3-Clause
#include "diffusion/exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "diffusion/exchanged.hpp"
#include "diffusion/study.hpp"
#include "runtime/messages.hpp"

namespace parity::diffusion {

template <class T>
HaloExchange<T>::HaloExchange(const Problem& whole, int rank, const Margin& depth, const FieldShape& shape)
    : planes_(part_of(whole, rank).local.nz), shape_(shape) {
  std::set<int> peers;  // ranks whose points this rank needs; they also need this rank's
  for (const HaloRegion& r : halo_regions(whole, rank, depth))
    if (r.source == rank)
      own_.push_back(r);
    else
      peers.insert(r.source);
  for (const int peer : peers) {
    // Both ends of a message list its regions in the order in which the receiver's halo has them.
    Letter in{peer, received_, 0}, out{peer, sent_, 0};
    for (const HaloRegion& r : halo_regions(whole, rank, depth))
      if (r.source == peer) {
        unpacked_.push_back({r.to, in.offset + in.values});
        in.values += r.to.cells() * planes_;
      }
    for (const HaloRegion& r : halo_regions(whole, peer, depth))
      if (r.source == rank) {
        packed_.push_back({r.from, out.offset + out.values});
        out.values += r.from.cells() * planes_;
      }
    received_ += in.values;
    sent_ += out.values;
    receive_.push_back(in);
    send_.push_back(out);
  }
}

template <class T>
std::int64_t HaloExchange<T>::longest_message() const {
  std::int64_t longest = 0;
  for (const Letter& l : send_) longest = std::max(longest, l.values);
  return longest;
}

template <class T>
void HaloExchange<T>::connect(T* send, T* receive, runtime::Transport transport, bool on_device,
                              bool beside_kernels) {
  send_values_ = send;
  receive_values_ = receive;
  if (!has_messages()) return;
  const auto ends = [](const std::vector<Letter>& letters, T* values) {
    std::vector<runtime::Message> all;
    for (const Letter& l : letters)
      all.push_back({l.peer, values + l.offset, l.values * std::int64_t(sizeof(T))});
    return all;
  };
  messages_ = runtime::make_exchange(ends(receive_, receive), ends(send_, send), transport, on_device,
                                     beside_kernels);
}

template <class T>
Moves<T> HaloExchange<T>::pack(T* field) const {
  const int pitch = int(shape_.pitch);
  Moves<T> moves;
  for (const Packed& p : packed_)
    moves.add({at(field, p.region), shape_.plane, pitch},
              {send_values_ + p.offset, p.region.cells(), int(p.region.columns)}, p.region.rows,
              p.region.columns);
  for (const HaloRegion& r : own_)
    moves.add({at(field, r.from), shape_.plane, pitch}, {at(field, r.to), shape_.plane, pitch}, r.to.rows,
              r.to.columns);
  return moves;
}

template <class T>
Moves<T> HaloExchange<T>::unpack(T* field) const {
  Moves<T> moves;
  for (const Packed& p : unpacked_)
    moves.add({receive_values_ + p.offset, p.region.cells(), int(p.region.columns)},
              {at(field, p.region), shape_.plane, int(shape_.pitch)}, p.region.rows, p.region.columns);
  return moves;
}

template class HaloExchange<float>;
template class HaloExchange<double>;

std::optional<std::string> why_no_decomposition(const Problem& p, const Entry& e) {
  const int ranks = runtime::rank_info().ranks;
  if (p.ranks() != ranks)
    return ranks == 1 ? fmt::format("{}x{}x{} ranks (x, y, z) share it: start it with mpirun -n {}",
                                    p.ranks_x, p.ranks_y, p.ranks_z, p.ranks())
                      : fmt::format(
                            "it is for {} rank{} and there are {}: give --ranks-z {}, or --ranks-x and "
                            "--ranks-y too, with this product",
                            p.ranks(), p.ranks() == 1 ? "" : "s", ranks, ranks);
  if (p.divides_planes() && !e.exchanges)
    return "it computes whole planes: divide --ranks-z alone, or take a variant that exchanges halos "
           "('*-temporal-exchange', '*-fused-exchange', '*-fused-overlap', '*-fused-deep')";
  return p.divides_planes() ? runtime::why_no_messages(p.messages, e.on_device()) : std::nullopt;
}

namespace {

/// Rank 0's exchange, to count its values; their type does not matter.
HaloExchange<float> counted(const Problem& p, const harness::Choice& c) {
  const Margin depth = depth_of(p, entry_of(c).form, c.tuning);
  return HaloExchange<float>(p, 0, depth, FieldShape(part_of(p, 0).local, depth));
}

}  // namespace

double exchanged_field_bytes(const Problem& p, const harness::Choice& c) {
  const Problem part = part_of(p, 0).local;
  return double(FieldShape(part, depth_of(p, entry_of(c).form, c.tuning)).plane) * double(part.nz) *
         double(bytes_of(p.precision));
}

double message_bytes(const Problem& p, const harness::Choice& c) {
  if (!p.divides_planes()) return 0;
  const HaloExchange<float> exchange = counted(p, c);
  return double(bytes_of(p.precision)) * double(exchange.values_sent() + 2 * exchange.values_received());
}

void add_metrics_of_ranks(const Problem& p, const harness::Choice& c, std::vector<harness::Metric>& all) {
  all.push_back({"nodes", double(runtime::nodes()), "nodes", harness::Better::neither});
  if (!entry_of(c).exchanges || !p.divides_planes()) return;
  const std::int64_t steps = entry_of(c).form.deep ? c.tuning[0] : 1;
  const HaloExchange<float> exchange = counted(p, c);
  const double word = double(bytes_of(p.precision));
  all.push_back(
      {"longest_message", word * double(exchange.longest_message()), "B", harness::Better::neither});
  all.push_back({"bytes_sent", word * double(exchange.values_sent()), "B", harness::Better::neither});
  // After the steps the result's halo needs one more exchange, except in exchange-only algorithms.
  const double passes = std::ceil(double(p.steps) / double(steps)) + (entry_of(c).floor ? 0 : 1);
  all.push_back({"exchanges", passes, "exchanges", harness::Better::neither});
}

}  // namespace parity::diffusion
