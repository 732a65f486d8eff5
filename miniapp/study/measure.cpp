// SPDX-License-Identifier: BSD-3-Clause
#include "study/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "cuda/device.hpp"
#include "openmp/copy.hpp"
#include "study/error.hpp"

namespace parity::study {
namespace {

template <class F>
double seconds_of(const F& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void run_once(Execution& e) {
  e.advance();
  e.synchronise();
}

std::vector<Row> measure_batch(const std::vector<const Subject*>& batch, RunOptions options,
                               const std::function<void(const std::string&)>& before,
                               const std::function<void(const Row&)>& on_row) {
  std::vector<Row> rows;
  std::vector<std::unique_ptr<Execution>> executions;
  std::vector<Candidate> candidates;
  std::vector<std::size_t> row_of;
  for (const Subject* s : batch) {
    if (before) before("check " + s->row.name());
    Row row = s->row;
    std::unique_ptr<Execution> e;
    row.setup_seconds = seconds_of([&] { e = s->make(); });
    row.occupancy = e->occupancy();
    row.load_seconds = seconds_of([&] { s->load(*e), e->synchronise(); });
    run_once(*e);
    if (s->prepare) {
      // The plain run above loaded the kernels, so that only recording and instantiation are timed.
      row.record_seconds = seconds_of([&] { s->prepare(*e), e->synchronise(); });
      s->load(*e);
      run_once(*e);
    }
    row.store_seconds = seconds_of([&] { s->store(*e); });
    row.verdict = s->check();
    rows.push_back(row);
    if (!row.verdict.passed()) continue;  // wrong: no time for it
    candidates.push_back({row.name(), e.get(), [s, x = e.get()] { s->load(*x); }});
    row_of.push_back(rows.size() - 1);
    executions.push_back(std::move(e));
  }
  options.warmup = std::max(0, options.warmup - 1);  // the checked run was one
  const auto samples = run(candidates, options, before);
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    Row& row = rows[row_of[c]];
    // Checked again after the timing, so that a race that shows under load is caught.
    batch[row_of[c]]->store(*executions[c]);
    row.verdict = batch[row_of[c]]->check();
    if (row.verdict.passed()) row.samples = samples[c];
  }
  for (const Row& row : rows)
    if (on_row) on_row(row);
  return rows;
}

}  // namespace

std::vector<Row> measure_subjects(const std::vector<Subject>& subjects, const MemoryNeed& free,
                                  const RunOptions& options,
                                  const std::function<void(const std::string&)>& before,
                                  const std::function<void(const Row&)>& on_row) {
  std::vector<Row> rows;
  std::vector<const Subject*> batch;
  MemoryNeed used;
  const auto flush = [&] {
    if (batch.empty()) return;
    for (Row& row : measure_batch(batch, options, before, on_row)) rows.push_back(std::move(row));
    batch.clear();
    used = {};
  };
  for (const Subject& s : subjects) {
    if (used.host + s.need.host > free.host || used.device + s.need.device > free.device) flush();
    batch.push_back(&s);
    used.host += s.need.host;
    used.device += s.need.device;
  }
  flush();
  return rows;
}

std::vector<std::pair<std::string, std::vector<std::string>>> by_reason(const Measured& m) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const auto& [name, reason] : m.skipped) {
    const auto same =
        std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == reason; });
    if (same == groups.end())
      groups.push_back({reason, {name}});
    else
      same->second.push_back(name);
  }
  return groups;
}

void require_memory(const std::string& name, const std::string& problem, const MemoryNeed& need,
                    const MemoryNeed& free, double data, const std::string& fix) {
  const bool on_host = need.host > free.host || free.host < 0;
  if (!on_host && need.device <= free.device) return;
  throw UsageError(fmt::format("{} on {} needs {} of {} memory and {} are free: {}", name, problem,
                               bytes_text(on_host ? need.host + data : need.device), on_host ? "host" : "GPU",
                               bytes_text(on_host ? 0.9 * double(available_host_memory()) : free.device),
                               fix));
}

MemoryNeed free_memory(double data) {
  return {0.9 * double(available_host_memory()) - data, 0.9 * double(cuda::free_memory())};
}

double copy_bandwidth(bool on_device, std::int64_t bytes) {
  return on_device ? cuda::copy_bandwidth(bytes) : openmp::copy_bandwidth(bytes);
}

}  // namespace parity::study
