// SPDX-License-Identifier: BSD-3-Clause
#include "diffusion/recorded_rates.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <tuple>

#include "diffusion/packs.hpp"
#include "runtime/device.hpp"
#include "runtime/error.hpp"

namespace parity::diffusion {
namespace {

using harness::Measurement;

struct Line {
  const char* device;
  const char* capability;
  int multiprocessors;
  const char *variant, *tuning;
  Precision precision;
  std::int64_t nx, ny, nz, steps;
  double alpha, step_us;
  const char *record, *commit;
};

constexpr Line lines[] = {
#define PARITY_RATE(device, capability, multiprocessors, variant, tuning, precision, ...) \
  Line{device, capability, multiprocessors, variant, tuning, Precision::precision, __VA_ARGS__},
#include "diffusion/recorded_rates.def"
#undef PARITY_RATE
};

/// "jobs/results/frontier.jsonl: line 3: " as "frontier.jsonl:3".
std::string file_and_line(const std::string& place) {
  const std::string mark = ": line ";
  const std::size_t at = place.rfind(mark);
  if (at == std::string::npos) return place;
  const std::string line = place.substr(at + mark.size());
  return std::filesystem::path(place.substr(0, at)).filename().string() + ":" +
         line.substr(0, line.find(':'));
}

/// For a string of C++: a record's words may be any.
std::string quotable(std::string text) {
  for (char& c : text)
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ') c = '?';
  return text;
}

std::optional<RecordedRate> rate_of(const Measurement& m, const harness::Environment& e) {
  const bool on_gpu =
      m.family == harness::Family::cuda || (m.family == harness::Family::kokkos && e.portable_on_gpu);
  if (m.study != "diffusion" || m.mechanism != "stream" || !m.ranked() || !m.comparable() || !on_gpu ||
      e.compute_capability.empty() || e.multiprocessors <= 0)
    return std::nullopt;
  for (const char* ranks : {"ranks_x", "ranks_y", "ranks_z"})
    if (m.problem.count(ranks) && m.integer(ranks) != 1) return std::nullopt;
  RecordedRate r;
  r.device = e.gpu;
  r.of = {e.compute_capability, e.multiprocessors};
  r.variant = m.kernel;
  r.tuning = m.tuning;
  r.precision = m.word("precision") == "double" ? Precision::f64 : Precision::f32;
  r.nx = m.integer("nx"), r.ny = m.integer("ny"), r.nz = m.integer("nz"), r.steps = m.integer("steps");
  r.alpha = m.number("alpha");
  r.step_us = 1e6 * m.host().value / double(r.steps);
  r.record = file_and_line(m.place);
  r.commit = m.run.commit_text();
  return r;
}

auto problem_key(const RecordedRate& r) {
  return std::make_tuple(r.device, r.of.compute_capability, r.of.multiprocessors, r.precision, r.nx * r.ny,
                         r.nx, r.nz, r.steps, r.alpha);
}

}  // namespace

std::optional<GpuClass> gpu_class_here() {
  const auto d = runtime::device();
  if (!d) return std::nullopt;
  return GpuClass{fmt::format("{}.{}", d->major, d->minor), d->multiprocessors};
}

Problem RecordedRate::problem_like(Problem p) const {
  p.precision = precision;
  p.nx = nx, p.ny = ny, p.nz = nz, p.steps = steps, p.alpha = alpha;
  return p;
}

const std::vector<RecordedRate>& recorded_rates() {
  static const std::vector<RecordedRate> all = [] {
    std::vector<RecordedRate> some;
    for (const Line& l : lines)
      some.push_back({l.device,
                      {l.capability, l.multiprocessors},
                      l.variant,
                      l.tuning,
                      l.precision,
                      l.nx,
                      l.ny,
                      l.nz,
                      l.steps,
                      l.alpha,
                      l.step_us,
                      l.record,
                      l.commit});
    return some;
  }();
  return all;
}

std::vector<RecordedRate> rates_of(const std::vector<RecordedRate>& all, const GpuClass& gpu) {
  std::vector<RecordedRate> some;
  for (const RecordedRate& r : all)
    if (r.of == gpu) some.push_back(r);
  return some;
}

std::vector<RecordedRate> rates_in(const harness::Records& records) {
  std::map<std::string, const harness::Environment*> runs;
  for (const harness::Environment& e : records.environments) runs[e.run.id] = &e;
  std::vector<RecordedRate> all;
  for (const Measurement& m : records.measurements) {
    const auto run = runs.find(m.run.id);
    if (run == runs.end()) continue;
    if (const auto r = rate_of(m, *run->second)) all.push_back(*r);
  }
  const auto order = [](const RecordedRate& r) { return std::make_tuple(problem_key(r), r.step_us); };
  std::stable_sort(all.begin(), all.end(),
                   [&](const RecordedRate& a, const RecordedRate& b) { return order(a) < order(b); });
  std::vector<RecordedRate> fastest;
  for (const RecordedRate& r : all)
    if (std::none_of(fastest.begin(), fastest.end(), [&](const RecordedRate& f) {
          return f.variant == r.variant && problem_key(f) == problem_key(r);
        }))
      fastest.push_back(r);
  return fastest;
}

std::string table_of(const std::vector<RecordedRate>& rates, const std::vector<std::string>& records) {
  std::string text = fmt::format(
      "// SPDX-License-Identifier: BSD-3-Clause\n"
      "// Made by: parity rates {} --output miniapp/diffusion/recorded_rates.def\n"
      "// GPU, compute capability, multiprocessors; variant, tuning; precision, nx, ny, nz, steps, alpha; us "
      "a "
      "step; record, commit.\n",
      quotable(fmt::format("{}", fmt::join(records, " "))));
  for (const RecordedRate& r : rates)
    text += fmt::format(
        "PARITY_RATE(\"{}\", \"{}\", {}, \"{}\", \"{}\", {}, {}, {}, {}, {}, {}, {:.4g}, \"{}\", "
        "\"{}\")\n",
        quotable(r.device), quotable(r.of.compute_capability), r.of.multiprocessors, quotable(r.variant),
        quotable(r.tuning), r.precision == Precision::f32 ? "f32" : "f64", r.nx, r.ny, r.nz, r.steps, r.alpha,
        r.step_us, quotable(r.record), quotable(r.commit));
  return text;
}

const RecordedRate* nearest_rate(const std::vector<RecordedRate>& rates, const std::string& variant,
                                 const Problem& p, const std::function<bool(const RecordedRate&)>& can_take) {
  const auto apart = [](std::int64_t a, std::int64_t b) {
    return std::fabs(std::log(double(a) / double(b)));
  };
  const auto distance = [&](const RecordedRate& r) {
    // Rows that begin at no pack are as far away as planes of half as many columns more.
    const double unlike =
        fills_packs(p.nx, p.precision) == fills_packs(r.nx, r.precision) ? 0 : std::log(1.5);
    return apart(p.nx, r.nx) + apart(p.ny, r.ny) + 0.1 * apart(p.nz, r.nz) + unlike;
  };
  std::vector<const RecordedRate*> near;
  for (const RecordedRate& r : rates)
    if (r.variant == variant && r.precision == p.precision) near.push_back(&r);
  std::stable_sort(near.begin(), near.end(),
                   [&](const RecordedRate* a, const RecordedRate* b) { return distance(*a) < distance(*b); });
  for (const RecordedRate* r : near)
    if (can_take(*r)) return r;
  return nullptr;
}

}  // namespace parity::diffusion
