// SPDX-License-Identifier: BSD-3-Clause
#include "diffusion/exchange.hpp"

#include <algorithm>
#include <set>

namespace parity::diffusion {

template <class T>
HaloExchange<T>::HaloExchange(const Problem& whole, int rank, const Margin& depth, const FieldShape& shape)
    : planes_(part_of(whole, rank).local.nz), shape_(shape) {
  std::set<int> peers;  // whose points this rank needs; they need its own
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
  messages_ =
      runtime::make_carrier(ends(receive_, receive), ends(send_, send), transport, on_device, beside_kernels);
}

template <class T>
Moves<T> HaloExchange<T>::pack(T* field) const {
  Moves<T> moves;
  for (const Packed& p : packed_)
    moves.add({at(field, p.region), send_values_ + p.offset, shape_.plane, p.region.cells(),
               int(shape_.pitch), int(p.region.columns), int(p.region.rows), int(p.region.columns), 0});
  for (const HaloRegion& r : own_)
    moves.add({at(field, r.from), at(field, r.to), shape_.plane, shape_.plane, int(shape_.pitch),
               int(shape_.pitch), int(r.to.rows), int(r.to.columns), 0});
  return moves;
}

template <class T>
Moves<T> HaloExchange<T>::unpack(T* field) const {
  Moves<T> moves;
  for (const Packed& p : unpacked_)
    moves.add({receive_values_ + p.offset, at(field, p.region), p.region.cells(), shape_.plane,
               int(p.region.columns), int(shape_.pitch), int(p.region.rows), int(p.region.columns), 0});
  return moves;
}

template class HaloExchange<float>;
template class HaloExchange<double>;

}  // namespace parity::diffusion
