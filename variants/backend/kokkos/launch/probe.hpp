// SPDX-License-Identifier: BSD-3-Clause
// Common parts of the Kokkos launch variants: an execution space instance and the functors to launch.
#pragma once
#include "kokkos_compat.hpp"
#include "launch/variant.hpp"

namespace parity::launch {

using compat::Exec;

/// An empty functor of 'bytes' bytes.
template <int bytes>
struct Nothing {
  Argument<bytes> argument;
  KOKKOS_FUNCTION void operator()(int) const {}
  KOKKOS_FUNCTION void operator()(int, int) const {}
  KOKKOS_FUNCTION void operator()(const typename Kokkos::TeamPolicy<Exec>::member_type&) const {}
};

/// A functor that performs an event's work over the indices of a range, of a tile or of teams.
template <Kind kind, int bytes>
struct Something {
  Work work;
  Remainder<bytes> argument;
  int row = 0;  ///< indices of the first dimension of a tile
  KOKKOS_FUNCTION void operator()(int i) const { perform<kind>(work, i); }
  KOKKOS_FUNCTION void operator()(int i, int j) const { perform<kind>(work, std::int64_t(j) * row + i); }
  KOKKOS_FUNCTION void operator()(const typename Kokkos::TeamPolicy<Exec>::member_type& m) const {
    perform<kind>(work, std::int64_t(m.league_rank()) * m.team_size() + m.team_rank());
  }
};

/// Calls f(functor) with the functor of an event's work; events with other arguments wait or do nothing.
template <int most, class F>
void with_functor(const Work& work, int argument_bytes, const F& f, int row = 0) {
  if (work.kind == Kind::none)
    return with_argument<most>(argument_bytes, [&](auto bytes) { f(Nothing<bytes()>{}); });
  if (work.kind == Kind::wait)
    return with_argument<most>(argument_bytes, [&](auto bytes) {
      f(Something<Kind::wait, bytes()>{work, {}, row});
    });
  with_kind(work.kind, [&](auto kind) { f(Something<kind(), 0>{work, {}, row}); });
}

/// Base of the probes: each has its own instance, as native variants have their own streams.
class KokkosProbe : public Probe {
 public:
  explicit KokkosProbe(const Problem& p) : p_(p), exec_(own_.exec) {}
  void synchronise() override { compat::synchronise(exec_, "Kokkos launch probe"); }
  void* stream() const override { return compat::stream_of(exec_); }

 protected:
  Problem p_;

 private:
  const compat::OwnInstance own_;

 protected:
  Exec exec_;
};

}  // namespace parity::launch
