// SPDX-License-Identifier: BSD-3-Clause
#include "kde/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "cuda/device.hpp"
#include "kde/reference.hpp"
#include "study/error.hpp"

namespace parity::kde {
namespace {

using study::Row;

/// Samples, expected and found densities, and the sorted copies of the reference: on the host whatever runs.
double host_data_bytes(const Problem& p) {
  return double(p.n) * (2.0 * double(bytes_of(p.precision)) + 64.0);
}

template <class T>
std::vector<Row> measure_typed(const Problem& p, const std::vector<Selected>& runnable,
                               const study::RunOptions& options,
                               const std::function<void(const std::string&)>& before,
                               const std::function<void(const Row&)>& on_row) {
  if (before) before("random samples and reference");
  const std::vector<T> samples = random_samples<T>(p);
  const std::vector<double> expected = reference_density(p, samples);
  std::vector<double> as_printed;  // only where a variant computes it
  for (const Selected& s : runnable)
    if (s.entry->accuracy == Accuracy::something_else && as_printed.empty())
      as_printed = reference_as_printed(p, samples);
  std::vector<T> density(samples.size());
  std::vector<study::Subject> subjects;
  for (const Selected& s : runnable) {
    study::Subject subject;
    subject.row = blank_row(p, s);
    subject.need = memory_need(p, *s.entry);
    const auto as_variant = [](study::Execution& e) -> Variant<T>& { return static_cast<Variant<T>&>(e); };
    subject.make = [&p, s] { return make<T>(*s.entry, p, s.tuning); };
    subject.load = [&samples, as_variant](study::Execution& e) { as_variant(e).load(samples.data()); };
    if (s.entry->recorded) subject.prepare = [as_variant](study::Execution& e) { as_variant(e).prepare(); };
    subject.store = [&density, as_variant](study::Execution& e) { as_variant(e).store(density.data()); };
    const auto& wanted = s.entry->accuracy == Accuracy::something_else ? as_printed : expected;
    subject.check = [&p, &wanted, &density, s] {
      const study::Verdict v = verify(p, *s.entry, wanted, density);
      std::fill(density.begin(), density.end(), std::numeric_limits<T>::quiet_NaN());
      return v;
    };
    subjects.push_back(std::move(subject));
  }
  return study::measure_subjects(subjects, study::free_memory(host_data_bytes(p)), options, before, on_row);
}

}  // namespace

MemoryNeed memory_need(const Problem& p, const Entry& e) {
  // Samples and densities, with a tile of padding.
  const double bytes =
      2.0 * (double(p.n) + 4096) * double(bytes_of(p.precision)) + (e.extra_bytes ? e.extra_bytes(p) : 0);
  return e.on_device() ? MemoryNeed{0, bytes} : MemoryNeed{bytes, 0};
}

void check_memory(const Problem& p, const std::vector<Selected>& selected) {
  const double data = host_data_bytes(p);
  const MemoryNeed free = study::free_memory(data);
  for (const Selected& s : selected)
    study::require_memory(s.name(), describe(p), memory_need(p, *s.entry), free, data, "reduce n");
}

Row blank_row(const Problem& p, const Selected& s) {
  Row row;
  row.study = "kde";
  row.variant = row.kernel = s.entry->name;
  row.mechanism = "stream";
  row.tuning = to_string(s.tuning);
  row.twin = s.entry->twin;
  row.family = s.entry->family;
  row.problem = to_json(p);
  row.pairs = p.pairs();
  const double word = double(bytes_of(p.precision));
  row.model.launches = row.model.submissions = s.entry->launches;
  row.model.bytes = 2 * double(p.n) * word;
  row.model.flops = s.entry->direct ? s.entry->operations * p.pairs() : s.entry->operations * double(p.n);
  if (s.entry->on_device() && p.precision == Precision::f32 && s.entry->direct)
    row.pair_ceiling = exponential_ceiling();
  return row;
}

double estimate(const Problem& p, const Selected& s) {
  // Orders of magnitude, for a plan's reader.
  const bool gpu = s.entry->on_device(), single = p.precision == Precision::f32;
  if (!s.entry->direct) return double(p.n) * (gpu ? 2e-10 : 3e-8);
  const double share =
      s.tuning.values.empty() || !s.entry->block_width ? 1.0 : std::min(1.0, s.tuning[0] / 64.0);
  return p.pairs() / ((gpu ? 1e12 : 1e9) * (single ? 1.0 : 0.3) * share);
}

std::string time_text(const Problem& p, const Row& row) {
  const double seconds = row.host().median;
  return fmt::format("{:.4g} ms, {:.2e} pairs/s", 1e3 * seconds, p.pairs() / seconds);
}

nlohmann::json to_json(const Problem& p) {
  return {{"n", p.n},
          {"bandwidth", p.bandwidth},
          {"distribution", name(p.distribution)},
          {"tolerance", p.tolerance},
          {"seed", p.seed},
          {"precision", name(p.precision)}};
}

double exponential_ceiling() {
  const auto d = cuda::device();
  return d ? 16.0 * d->multiprocessors * d->clock_khz * 1e3 : 0;
}

Measured measure(const Problem& p, const std::vector<Selected>& selected, const study::RunOptions& options,
                 const std::function<void(const std::string&)>& before,
                 const std::function<void(const Row&)>& on_row) {
  validate(p);
  Measured result;
  std::vector<Selected> runnable;
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

}  // namespace parity::kde
