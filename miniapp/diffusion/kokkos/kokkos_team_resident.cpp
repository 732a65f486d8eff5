// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-team-resident: planes shared by teams that are all at work at the same time, a strip of
// rows in the registers of each; rows of a seam go from thread to thread through memory, a few steps' at a
// time. All steps of some planes, then those of the next.
#include "diffusion/kokkos/team.hpp"
#include "diffusion/kokkos/whole.hpp"
#include "diffusion/strip_plan.hpp"
#include "runtime/kokkos/grid_barrier.hpp"
#include "runtime/kokkos/scratch.hpp"

namespace parity::diffusion {
namespace {

template <class T>
struct ResidentStripForms;
template <>
struct ResidentStripForms<float> {
  using All = std::tuple<ResidentStripForm<16, 4, 256, 1>, ResidentStripForm<10, 4, 256, 1>,
                         ResidentStripForm<8, 4, 256, 1>, ResidentStripForm<10, 8, 256, 1>,
                         ResidentStripForm<9, 16, 128, 2>>;
};
template <>
struct ResidentStripForms<double> {
  using All = std::tuple<ResidentStripForm<16, 4, 256, 1>, ResidentStripForm<10, 4, 256, 1>,
                         ResidentStripForm<8, 4, 256, 1>, ResidentStripForm<8, 8, 128, 2>>;
};

StripRoom strip_room() {
  const Exec exec;
  return {compat::multiprocessors(exec), std::int64_t(TeamPolicy(1, 1).scratch_size_max(0)),
          compat::shared_memory_of_multiprocessor(exec)};
}

template <class Form, class T, bool deferred, bool ragged>
struct AdvanceStrips {
  using Strip = ResidentStrip<T, Form::rows, Form::columns, deferred, ragged>;
  using Policy =
      Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<unsigned(Form::threads), unsigned(Form::teams)>>;
  Strip strip;
  KOKKOS_INLINE_FUNCTION void operator()(const typename Policy::member_type& team) const {
    using Part = typename Strip::Part;
    Part* const edges =
        compat::scratch_of<Part>(team, std::size_t(Strip::edge_parts(strip.cut)) * sizeof(Part));
    strip.advance(team.league_rank(), team.team_rank(), edges, runtime::WarpLanes(),
                  [&] { team.team_barrier(); });
  }
};

template <class T>
struct TeamResident {
  Fields<T> f;
  StripPlan plan;
  Kokkos::View<runtime::CountedWord*, Exec> handed;
  mutable std::uint32_t passed = 0;
  TeamResident(const Problem& p, const Tuning& t)
      : f(Fields<T>::periodic(p)),
        plan(best_strips<T, typename ResidentStripForms<T>::All>(p, t[0], strip_room())) {
    with_form([&](auto form) {
      handed = Kokkos::View<runtime::CountedWord*, Exec>(
          "rows on their way", std::size_t(plan.cut.words(form.columns * runtime::counted_words<T>)));
    });
  }
  int operator()() const {
    with_form([&](auto form) {
      using Form = decltype(form);
      // Forms take minutes to compile: rows that do not divide go without the deferred scale.
      if constexpr (teams_on_device) {
        if (f.p.alpha == DeferredScale<T>::alpha && f.p.nx % Form::columns == 0)
          launch<AdvanceStrips<Form, T, true, false>>();
        else
          launch<AdvanceStrips<Form, T, false, true>>();
      }
    });
    passed += std::uint32_t(plan.cut.batches()) * std::uint32_t(plan.cut.exchanges());
    return 1;
  }
  template <class F>
  void with_form(const F& use) const {
    int form = 0;
    std::apply([&](auto... forms) { ((form++ == plan.form ? use(forms) : void()), ...); },
               typename ResidentStripForms<T>::All());
  }
  template <class Advance>
  void launch() const {
    using Strip = typename Advance::Strip;
    const StripCut& cut = plan.cut;
    typename Advance::Policy policy(f.exec, cut.planes * cut.teams, plan.threads, 1);
    policy.set_scratch_size(0,
                            Kokkos::PerTeam(Strip::edge_parts(cut) * int(sizeof(typename Strip::Part)) + 16));
    Kokkos::parallel_for("parity::diffusion::team_resident", policy,
                         Advance{Strip{cut, f[0].data(), f[1].data(), T(f.p.alpha), handed.data(), passed}});
  }
};

}  // namespace

Entry kokkos_team_resident() {
  Entry e = kokkos_entry("kokkos-team-resident",
                         "planes shared by resident teams, all steps in registers, seams through memory",
                         /*twin=*/"", {"4", "2", "1", "8"}, {"4"}, "steps from one exchange to the next");
  if (!compat::exec_is_device())
    e.unavailable = "its planes are in the registers of a GPU's threads, and this Kokkos runs on the host";
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (const auto reason = refuse_many_points(p, t)) return reason;
    const StripRoom room = strip_room();
    const int form = p.precision == Precision::f32
                         ? best_strips<float, ResidentStripForms<float>::All>(p, t[0], room).form
                         : best_strips<double, ResidentStripForms<double>::All>(p, t[0], room).form;
    if (form >= 0) return std::nullopt;
    return "a plane of " + std::to_string(p.nx) + "x" + std::to_string(p.ny) +
           " points cannot be shared out among teams that this device holds at the same time, " +
           std::to_string(t[0]) + " steps an exchange";
  };
  e.not_chosen = compat::waits_without_cooperation;
  e.model = [](const Problem& p) { return cost_resident(p, 1, flops_by_pairs(p)); };
  return with_run<TeamResident>(e);
}

}  // namespace parity::diffusion
