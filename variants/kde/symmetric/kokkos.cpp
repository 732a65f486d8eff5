// SPDX-License-Identifier: BSD-3-Clause
// kde/kokkos-symmetric: each unordered pair once, sums scattered in fixed point (atomic on a GPU, one copy a
// thread on a host), bitwise repeatable. Twin of cuda-symmetric, openmp-symmetric.
#include "backend/kokkos/kde/samples.hpp"
#include "kde/symmetric.hpp"
// After kokkos_compat.hpp: Kokkos 5.2 does not compile with this one before its graphs.
#include <Kokkos_ScatterView.hpp>

namespace parity::kde {
namespace {

using Scatter = Kokkos::Experimental::ScatterView<compat::AtomicSum*,
                                                  typename Array<compat::AtomicSum>::array_layout, Exec>;

template <int R, int threads>
struct SymmetricFunctor {
  using Policy = Kokkos::TeamPolicy<Exec>;
  using Member = typename Policy::member_type;
  const float* samples;
  HardwareTerm<float> term;
  Strips strips;
  Scatter sums;

  template <class Access>
  struct AddToSums {
    const Access& access;
    PARITY_INLINE void operator()(std::int64_t place, double sum) const {
      access(std::size_t(place)) += static_cast<compat::AtomicSum>(to_fixed(sum));
    }
  };
  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    auto* const stage = scratch_of<Pack<float>>(team, 2 * threads * sizeof(Pack<float>));
    const auto access = sums.access();
    add_strip<1, R>(term, samples, strips, team.league_rank() % strips.tiles,
                    team.league_rank() / strips.tiles, stage, stage + threads, team.team_rank(),
                    TeamBarrier<Member>{team}, AddToSums<decltype(access)>{access});
  }
};

struct FromFixedFunctor {
  const compat::AtomicSum* sums;
  float* density;
  double norm;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    density[i] = float(double(static_cast<std::int64_t>(sums[i])) * norm);
  }
};

template <int R, int threads>
struct SymmetricSum {
  using Functor = SymmetricFunctor<R, threads>;
  Samples<float> s;
  Strips strips;
  Array<compat::AtomicSum> sums;
  Scatter scatter;
  SymmetricSum(const Problem& p, const Tuning& t)
      : s(p, symmetric_count(p.n, threads, R)),
        strips(strips_for(s.size(), threads, R, t[1])),
        sums("sums", std::size_t(s.size())),
        scatter(sums) {}
  void operator()() {
    Kokkos::deep_copy(s.exec, sums, compat::AtomicSum(0));
    scatter.reset_except(s.exec, sums);
    Kokkos::parallel_for(
        "parity::kde::symmetric",
        typename Functor::Policy(s.exec, strips.tiles * strips.strips, threads)
            .set_scratch_size(0, Kokkos::PerTeam(int(2 * threads * sizeof(Pack<float>) + 16))),
        Functor{s.data(), HardwareTerm<float>(s.p.bandwidth), strips, scatter});
    scatter.contribute_into(s.exec, sums);
    Kokkos::parallel_for("parity::kde::from_fixed",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(s.exec, 0, s.p.n),
                         FromFixedFunctor{sums.data(), s.density(), s.p.norm() / fixed_one});
  }
};

std::unique_ptr<Variant<float>> make_symmetric(const Problem& p, const Tuning& t) {
#ifdef KOKKOS_ENABLE_CUDA
  if (t[0] == 4) return make_sum<float, SymmetricSum<4, 128>>(p, t);
  return make_sum<float, SymmetricSum<8, 128>>(p, t);
#else
  return make_sum<float, SymmetricSum<64, 1>>(p, t);
#endif
}

}  // namespace

Entry symmetric_kokkos() {
  Entry e;
  e.tuning_axes = "queries of a thread x tiles of a strip";
  e.tunings = compat::exec_is_device() ? std::vector<std::string>{"8x4", "8x16", "4x16"}
                                       : std::vector<std::string>{"64x16", "64x64"};
  e.exponentials = 0.5;
  e.operations = 4;
  e.chain = symmetric_additions;
  e.launches = 3;
  e.extra_bytes = [](const Problem& p) {
    const double copies = compat::exec_is_device() ? 1 : 1 + double(compat::concurrency(Exec()));
    return 8.0 * copies * (double(p.n) + 4096);
  };
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (compat::exec_is_device() ? t[0] != 4 && t[0] != 8 : t[0] != 64)
      return compat::exec_is_device() ? "a thread takes 4 or 8 queries" : "a thread takes 64 queries";
    return refuse_symmetric(p, t);
  };
  e.make_f32 = make_symmetric;
  return e;
}

}  // namespace parity::kde
