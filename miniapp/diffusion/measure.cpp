// SPDX-License-Identifier: BSD-3-Clause
#include "diffusion/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "cuda/device.hpp"
#include "diffusion/reference.hpp"
#include "openmp/copy.hpp"
#include "study/error.hpp"
#include "study/memory.hpp"

namespace parity::diffusion {
namespace {

using study::Row;

template <class F>
double seconds_of(const F& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Field, expected result, padded result and one staging copy: on the host whatever runs.
double host_data_bytes(const Problem& p) {
  return double(p.points()) * (8.0 + double(bytes_of(p.precision))) + 2 * p.field_bytes();
}

struct Budget {
  double host, device;
};
Budget budget(const Problem& p) {
  // A tenth stays free for the allocators, FFT work space and the copy that measures the floor.
  return {0.9 * double(study::available_host_memory()) - host_data_bytes(p),
          0.9 * double(cuda::free_memory())};
}

template <class T>
class Measurement {
 public:
  Measurement(const Problem& p, const study::RunOptions& options,
              const std::function<void(const std::string&)>& before,
              const std::function<void(const Row&)>& on_row)
      : p_(p), options_(options), before_(before), on_row_(on_row) {
    announce("random field and exact solution");
    field_ = random_field<T>(p);
    expected_ = fourier_solution(p, field_.data());
    padded_.resize(std::size_t(p.padded_points()));
  }

  std::vector<Row> run_batch(const std::vector<Selected>& batch) {
    std::vector<Row> rows;
    std::vector<std::unique_ptr<Variant<T>>> variants;
    std::vector<study::Candidate> candidates;
    std::vector<std::size_t> row_of;
    std::vector<const Selected*> checked;
    for (const Selected& s : batch) {
      announce("check " + s.name());
      Row row = blank_row(s);
      std::unique_ptr<Variant<T>> v;
      row.setup_seconds = seconds_of([&] { v = make<T>(*s.entry, p_, s.tuning); });
      row.load_seconds = seconds_of([&] { v->load(field_.data()), v->synchronise(); });
      v->advance();
      v->synchronise();
      if (!s.mechanism->plain()) {
        // The plain run above loaded the kernels, so that only recording and instantiation are timed.
        row.record_seconds = seconds_of([&] { v->prepare(*s.mechanism), v->synchronise(); });
        v->load(field_.data());
        v->advance();
        v->synchronise();
      }
      row.store_seconds = seconds_of([&] { v->store(padded_.data()); });
      row.verdict = check(s);
      rows.push_back(row);
      if (!row.verdict.passed()) continue;  // wrong: no time for it
      candidates.push_back({s.name(), v.get(), [this, w = v.get()] { w->load(field_.data()); }});
      row_of.push_back(rows.size() - 1);
      checked.push_back(&s);
      variants.push_back(std::move(v));
    }
    study::RunOptions options = options_;
    options.warmup = std::max(0, options.warmup - 1);  // the checked run was one
    const auto samples = study::run(candidates, options, before_);
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      Row& row = rows[row_of[c]];
      // Checked again after the timing, so that a race that shows under load is caught.
      variants[c]->store(padded_.data());
      row.verdict = check(*checked[c]);
      if (row.verdict.passed()) row.samples = samples[c];
    }
    for (const Row& row : rows)
      if (on_row_) on_row_(row);
    return rows;
  }

 private:
  void announce(const std::string& what) const {
    if (before_) before_(what);
  }
  study::Verdict check(const Selected& s) {
    study::Verdict v = s.entry->computes == Computes::identity
                           ? verify_unchanged(p_, field_.data(), padded_.data())
                           : verify(p_, field_.data(), expected_, padded_.data());
    std::fill(padded_.begin(), padded_.end(), poison<T>);
    return v;
  }
  Row blank_row(const Selected& s) {
    Row row;
    row.study = "diffusion";
    row.variant = s.variant();
    row.kernel = s.entry->name;
    row.mechanism = s.mechanism->name;
    row.tuning = to_string(s.tuning);
    row.family = s.entry->family;
    row.floor = s.entry->computes == Computes::identity;
    row.problem = to_json(p_);
    row.model = s.model(p_);
    row.floor_bytes = p_.floor_bytes();
    double& bandwidth = s.entry->on_device() ? device_copy_ : host_copy_;
    if (bandwidth == 0) {
      const std::int64_t bytes = p_.points() * std::int64_t(sizeof(T));
      bandwidth = s.entry->on_device() ? cuda::copy_bandwidth(bytes) : openmp::copy_bandwidth(bytes);
    }
    row.copy_bandwidth = bandwidth;
    return row;
  }

  Problem p_;
  study::RunOptions options_;
  std::function<void(const std::string&)> before_;
  std::function<void(const Row&)> on_row_;
  std::vector<T> field_, padded_;
  std::vector<double> expected_;
  double host_copy_ = 0, device_copy_ = 0;
};

template <class T>
Measured measure_typed(const Problem& p, const std::vector<Selected>& runnable,
                       const study::RunOptions& options,
                       const std::function<void(const std::string&)>& before,
                       const std::function<void(const Row&)>& on_row) {
  Measured result;
  const Budget free = budget(p);
  Measurement<T> measurement(p, options, before, on_row);
  std::vector<Selected> batch;
  MemoryNeed used;
  const auto flush = [&] {
    for (Row& row : measurement.run_batch(batch)) result.rows.push_back(std::move(row));
    batch.clear();
    used = {};
  };
  for (const Selected& s : runnable) {
    const MemoryNeed need = memory_need(p, *s.entry);
    if (!batch.empty() && (used.host + need.host > free.host || used.device + need.device > free.device))
      flush();
    batch.push_back(s);
    used.host += need.host;
    used.device += need.device;
  }
  if (!batch.empty()) flush();
  return result;
}

}  // namespace

MemoryNeed memory_need(const Problem& p, const Entry& e) {
  const double bytes = double(e.fields) * p.field_bytes() + (e.extra_bytes ? e.extra_bytes(p) : 0);
  return e.on_device() ? MemoryNeed{0, bytes} : MemoryNeed{bytes, 0};
}

void check_memory(const Problem& p, const std::vector<Selected>& selected) {
  const Budget free = budget(p);
  for (const Selected& s : selected) {
    const MemoryNeed need = memory_need(p, *s.entry);
    const bool on_host = need.host > free.host || free.host < 0;
    if (!on_host && need.device <= free.device) continue;
    const double wanted = on_host ? need.host + host_data_bytes(p) : need.device;
    const double there = on_host ? 0.9 * double(study::available_host_memory()) : free.device;
    throw study::UsageError(fmt::format("{} on {} needs {} of {} memory and {} are free: reduce nx, ny or nz",
                                        s.name(), describe(p), study::bytes_text(wanted),
                                        on_host ? "host" : "GPU", study::bytes_text(there)));
  }
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
  std::vector<std::pair<Selected, std::string>> skipped;
  for (const Selected& s : selected) {
    if (const auto reason = why_not(s, p))
      skipped.emplace_back(s, *reason);
    else
      runnable.push_back(s);
  }
  check_memory(p, runnable);
  Measured result;
  if (!runnable.empty())
    result = p.precision == Precision::f32 ? measure_typed<float>(p, runnable, options, before, on_row)
                                           : measure_typed<double>(p, runnable, options, before, on_row);
  result.skipped = std::move(skipped);
  return result;
}

}  // namespace parity::diffusion
