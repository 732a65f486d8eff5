// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-resident: planes shared by teams that are all at work at the same time, a strip of
// rows in the registers of each; rows of a seam go from thread to thread through memory, a few steps' at a
// time. All steps of some planes, then those of the next.
#include "backend/kokkos/diffusion/team.hpp"
#include "backend/kokkos/diffusion/whole.hpp"
#include "strip_plan.hpp"
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

/// Forms take minutes to compile: rows that do not divide go without the deferred scale.
template <class Form>
bool puts_off(const Problem& p) {
  return p.nx % Form::columns == 0;
}

/// Calls use(form) for the form of a number; does nothing for -1.
template <class T, class F>
void with_strip_form(int number, const F& use) {
  int form = 0;
  std::apply([&](auto... forms) { ((form++ == number ? use(forms) : void()), ...); },
             typename ResidentStripForms<T>::All());
}

template <class T>
StripPlan strips_of(const Problem& p, const Tuning& t) {
  return best_strips<T, typename ResidentStripForms<T>::All>(p, t[0], strip_room());
}

/// Whether a problem's form puts off a scale that can be put off; false for problems that are refused.
template <class T>
bool puts_off_in_strips(const Problem& p, const Tuning& t) {
  bool puts = false;
  with_strip_form<T>(strips_of<T>(p, t).form, [&](auto form) { puts = puts_off<decltype(form)>(p); });
  return puts;
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
  TeamResident(const Problem& p, const Tuning& t) : f(Fields<T>::periodic(p)), plan(strips_of<T>(p, t)) {
    with_strip_form<T>(plan.form, [&](auto form) {
      handed = Kokkos::View<runtime::CountedWord*, Exec>(
          "rows on their way", std::size_t(plan.cut.words(form.columns * runtime::counted_words<T>)));
    });
  }
  int operator()() const {
    with_strip_form<T>(plan.form, [&](auto form) {
      using Form = decltype(form);
      if constexpr (teams_on_device) {
        if (f.p.alpha == DeferredScale<T>::alpha && puts_off<Form>(f.p))
          launch<AdvanceStrips<Form, T, true, false>>();
        else
          launch<AdvanceStrips<Form, T, false, true>>();
      }
    });
    passed += std::uint32_t(plan.cut.batches()) * std::uint32_t(plan.cut.exchanges());
    return 1;
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

Entry resident_kokkos() {
  Entry e = kokkos_entry({"4", "2", "1", "8"}, {"4"}, "steps from one exchange to the next");
  if (!compat::exec_is_device())
    e.unavailable = "its planes are in the registers of a GPU's threads, and this Kokkos runs on the host";
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (const auto reason = refuse_many_points(p, t)) return reason;
    const int form =
        p.precision == Precision::f32 ? strips_of<float>(p, t).form : strips_of<double>(p, t).form;
    if (form >= 0) return std::nullopt;
    return "a plane of " + std::to_string(p.nx) + "x" + std::to_string(p.ny) +
           " points cannot be shared out among teams that this device holds at the same time, " +
           std::to_string(t[0]) + " steps an exchange";
  };
  // Its teams wait for each other without a cooperative launch: beside another program on the GPU for ever.
  e.by_name_only = true;
  e.model = [](const Problem& p, const Tuning& t) {
    const bool puts_off =
        p.precision == Precision::f32 ? puts_off_in_strips<float>(p, t) : puts_off_in_strips<double>(p, t);
    return cost_resident(p, 1, flops_by_pairs(p, puts_off));
  };
  return with_run<TeamResident>(e);
}

}  // namespace parity::diffusion
