// SPDX-License-Identifier: BSD-3-Clause
#include "diffusion/measure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "diffusion/reference.hpp"
#include "study/error.hpp"

namespace parity::diffusion {
namespace {

using study::Row;

/// Field, expected result, padded result and one staging copy: on the host whatever runs.
double host_data_bytes(const Problem& p) {
  return double(p.points()) * (8.0 + double(bytes_of(p.precision))) + 2 * p.field_bytes();
}

template <class T>
std::vector<Row> measure_typed(const Problem& p, const std::vector<Selected>& runnable,
                               const study::RunOptions& options,
                               const std::function<void(const std::string&)>& before,
                               const std::function<void(const Row&)>& on_row) {
  if (before) before("random field and exact solution");
  const std::vector<T> field = random_field<T>(p);
  const std::vector<double> expected = fourier_solution(p, field.data());
  std::vector<T> padded(std::size_t(p.padded_points()));
  double bandwidth[2] = {0, 0};  // host, device
  std::vector<study::Subject> subjects;
  for (const Selected& s : runnable) {
    study::Subject subject;
    subject.row = blank_row(p, s);
    double& copy = bandwidth[s.entry->on_device() ? 1 : 0];
    if (copy == 0) copy = study::copy_bandwidth(s.entry->on_device(), p.points() * std::int64_t(sizeof(T)));
    subject.row.copy_bandwidth = copy;
    subject.need = memory_need(p, *s.entry);
    const auto as_variant = [](study::Execution& e) -> Variant<T>& { return static_cast<Variant<T>&>(e); };
    subject.make = [&p, s] { return make<T>(*s.entry, p, s.tuning); };
    subject.load = [&field, as_variant](study::Execution& e) { as_variant(e).load(field.data()); };
    if (!s.mechanism->plain())
      subject.prepare = [s, as_variant](study::Execution& e) { as_variant(e).prepare(*s.mechanism); };
    subject.store = [&padded, as_variant](study::Execution& e) { as_variant(e).store(padded.data()); };
    subject.check = [&p, &field, &expected, &padded, s] {
      study::Verdict v = s.entry->computes == Computes::identity
                             ? verify_unchanged(p, field.data(), padded.data())
                             : verify(p, field.data(), expected, padded.data());
      std::fill(padded.begin(), padded.end(), poison<T>);
      return v;
    };
    subjects.push_back(std::move(subject));
  }
  return study::measure_subjects(subjects, study::free_memory(host_data_bytes(p)), options, before, on_row);
}

}  // namespace

MemoryNeed memory_need(const Problem& p, const Entry& e) {
  const double bytes = double(e.fields) * p.field_bytes() + (e.extra_bytes ? e.extra_bytes(p) : 0);
  return e.on_device() ? MemoryNeed{0, bytes} : MemoryNeed{bytes, 0};
}

void check_memory(const Problem& p, const std::vector<Selected>& selected) {
  const MemoryNeed free = study::free_memory(host_data_bytes(p));
  for (const Selected& s : selected)
    study::require_memory(s.name(), describe(p), memory_need(p, *s.entry), free, host_data_bytes(p),
                          "reduce nx, ny or nz");
}

Row blank_row(const Problem& p, const Selected& s) {
  Row row;
  row.study = "diffusion";
  row.variant = s.variant();
  row.kernel = s.entry->name;
  row.mechanism = s.mechanism->name;
  row.tuning = to_string(s.tuning);
  row.twin = s.entry->twin;
  row.family = s.entry->family;
  row.floor = s.entry->computes == Computes::identity;
  row.problem = to_json(p);
  if (s.entry->model) row.model = s.model(p);
  row.floor_bytes = p.floor_bytes();
  return row;
}

double estimate(const Problem& p, const Selected& s) {
  static const double bandwidth[2] = {study::copy_bandwidth(false, std::int64_t(64) << 20),
                                      study::copy_bandwidth(true, std::int64_t(256) << 20)};
  const study::CostModel m = s.model(p);
  const bool gpu = s.entry->on_device();
  // Orders of magnitude: 4 us a launch; operations count only where a plane stays on chip.
  return std::max(m.bytes / bandwidth[gpu ? 1 : 0], m.flops / (gpu ? 1e13 : 1e10)) + 4e-6 * m.submissions;
}

std::string time_text(const Problem& p, const Row& row) {
  return fmt::format("{:.3f} us a step", 1e6 * row.host().median / double(p.steps));
}

nlohmann::json to_json(const Problem& p) {
  return {{"nx", p.nx},       {"ny", p.ny},     {"nz", p.nz},     {"steps", p.steps},
          {"alpha", p.alpha}, {"halo", p.halo}, {"seed", p.seed}, {"precision", name(p.precision)}};
}

Measured measure(const Problem& p, const std::vector<Selected>& selected, const study::RunOptions& options,
                 const std::function<void(const std::string&)>& before,
                 const std::function<void(const Row&)>& on_row) {
  validate(p);
  std::vector<Selected> runnable;
  Measured result;
  for (const Selected& s : selected) {
    if (const auto reason = why_not(s, p))
      result.skipped.emplace_back(s.name(), *reason);
    else
      runnable.push_back(s);
  }
  check_memory(p, runnable);
  if (!runnable.empty())
    result.rows = p.precision == Precision::f32 ? measure_typed<float>(p, runnable, options, before, on_row)
                                                : measure_typed<double>(p, runnable, options, before, on_row);
  return result;
}

}  // namespace parity::diffusion
