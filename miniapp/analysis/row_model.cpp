// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/row_model.hpp"

#include <algorithm>
#include <cmath>

namespace parity::analysis {
namespace {

double& at(Terms& terms, Term term) { return terms[std::size_t(term)]; }

double sum(const Terms& terms) {
  double s = 0;
  for (const double t : terms) s += t;
  return s;
}

double latency(const RowModel& m, const Latencies& l) {
  return m.touch + l.dependent * m.chained + l.own * m.alone;
}

/// Mean distance, in logarithms; one that is far off counts no more than one by a factor of e.
double distance(const std::vector<const RowModel*>& models, const Latencies& l) {
  double total = 0;
  for (const RowModel* m : models)
    total += std::min(1.0, std::abs(std::log(predicted(*m, l) / m->row.measured)));
  return total / double(models.size());
}

}  // namespace

Overlapped overlapped(const Terms& alone) {
  Overlapped o;
  double cubes = 0;
  for (const double t : alone) cubes += t * t * t;
  if (cubes <= 0) return o;
  o.total = std::cbrt(cubes);
  for (std::size_t i = 0; i < term_count; ++i) o.terms[i] = o.total * alone[i] * alone[i] * alone[i] / cubes;
  return o;
}

double predicted(const RowModel& m, const Latencies& l) {
  return m.once + (m.samples_wait ? l.around : 0) + std::max(m.host, m.gaps + sum(m.work) + latency(m, l));
}

Explained finished(const RowModel& m, const Latencies& l) {
  Explained e = m.row;
  e.terms = m.work;
  at(e.terms, Term::latency) += latency(m, l);
  if (m.samples_wait) at(e.terms, Term::around) += l.around;
  // A host that is slower than the device counts beyond the work that it hides.
  at(e.terms, Term::launches) += predicted(m, l) - sum(e.terms);
  return e;
}

Latencies latencies_without(const std::string& algorithm, const std::vector<RowModel>& models) {
  std::vector<const RowModel*> others;
  for (const RowModel& m : models)
    if (m.row.algorithm != algorithm && m.samples_wait) others.push_back(&m);
  if (others.size() < 20) return {};
  Latencies best{4e-9, 1e-9, 5e-6, others.size()};
  double least = distance(others, best);
  // Far away every row counts the same, so that no single step makes it better.
  for (double by = 1.0 / 64; by <= 64; by *= 2) {
    const Latencies tried{4e-9 * by, 1e-9 * by, 5e-6 * by, others.size()};
    const double now = distance(others, tried);
    if (now < least) best = tried, least = now;
  }
  // From coarse to fine factors, one figure after the other, until none makes it better.
  for (const double factor : {1.5, 1.2, 1.08, 1.03, 1.01}) {
    bool better = true;
    for (int pass = 0; better && pass < 20; ++pass) {
      better = false;
      for (double Latencies::*figure : {&Latencies::dependent, &Latencies::own, &Latencies::around})
        for (const double by : {factor, 1 / factor}) {
          Latencies tried = best;
          tried.*figure *= by;
          const double now = distance(others, tried);
          if (now < least) best = tried, least = now, better = true;
        }
    }
  }
  return best;
}

}  // namespace parity::analysis
