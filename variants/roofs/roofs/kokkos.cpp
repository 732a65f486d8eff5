// SPDX-License-Identifier: BSD-3-Clause
// roofs, Kokkos: a team for each part of the values, its threads side by side on a GPU.
#include <algorithm>
#include <limits>

#include "kokkos_compat.hpp"
#include "roofs/variant.hpp"

namespace parity::roofs::roofs {
namespace {

using compat::Exec;

template <Kind kind, class T>
struct Passes {
  using Team = typename Kokkos::TeamPolicy<Exec>::member_type;
  Arrays<T> arrays;
  T* sums;
  KOKKOS_INLINE_FUNCTION void operator()(const Team& team) const {
    const Arrays<T> d = arrays;
    const Part part = part_of(d.values, team.league_size(), team.league_rank());
    const std::int64_t me = team.team_rank(), all = team.team_size();
    // A team of one has neighbouring values, which the compiler knows only if it is said.
    const T sum = all == 1 ? all_passes<kind>(d, part.begin, part.end, 1)
                           : all_passes<kind>(d, part.begin + me, part.end, all);
    sums[team.league_rank() * all + me] = sum;
  }
};

template <class T>
class KokkosRoofs : public Variant<T> {
 public:
  KokkosRoofs(const Problem& p, const harness::Tuning&)
      : kind_(p.kind()),
        teams_(compat::exec_is_device() ? 8 * compat::multiprocessors(Exec()) : compat::concurrency(Exec())),
        a_("parity::roofs::a", std::size_t(p.values())),
        b_("parity::roofs::b", std::size_t(arrays_of(kind_) > 1 ? p.values() : 0)),
        c_("parity::roofs::c", std::size_t(arrays_of(kind_) > 2 ? p.values() : 0)),
        sums_("parity::roofs::sums", std::size_t(teams_ * team())),
        d_{a_.data(), b_.data(), c_.data(), p.values(), p.passes()} {}
  void load(const T* a, const T* b) override {
    const T nan = std::numeric_limits<T>::quiet_NaN();
    put(a_, a);
    if (kind_ == Kind::copy) Kokkos::deep_copy(b_, nan);
    if (kind_ == Kind::triad) put(b_, b);
    Kokkos::deep_copy(c_, nan);
    Kokkos::deep_copy(sums_, nan);
  }
  void advance() override {
    with_kind(kind_, [this](auto kind) {
      Kokkos::parallel_for("parity::roofs::roofs", Kokkos::TeamPolicy<Exec>(int(teams_), int(team())),
                           Passes<kind(), T>{d_, sums_.data()});
    });
  }
  void synchronise() override { Kokkos::fence(); }
  std::vector<T> store() override {
    const View& from = kind_ == Kind::read    ? sums_
                       : kind_ == Kind::copy  ? b_
                       : kind_ == Kind::triad ? c_
                                              : a_;
    const auto host = Kokkos::create_mirror_view(from);
    Kokkos::deep_copy(host, from);
    return {host.data(), host.data() + host.size()};
  }

 private:
  using View = Kokkos::View<T*, Exec>;
  static void put(const View& view, const T* from) {
    const auto host = Kokkos::create_mirror_view(view);
    std::copy(from, from + host.size(), host.data());
    Kokkos::deep_copy(view, host);
  }
  static std::int64_t team() { return compat::exec_is_device() ? 256 : 1; }

  Kind kind_;
  std::int64_t teams_;
  View a_, b_, c_, sums_;
  Arrays<T> d_;
};

}  // namespace

Entry kokkos() { return harness::with_factories<KokkosRoofs>(Entry()); }

}  // namespace parity::roofs::roofs
