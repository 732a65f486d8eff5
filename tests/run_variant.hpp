// SPDX-License-Identifier: BSD-3-Clause
// Runs one diffusion variant the way the program does and returns its verdict.
#pragma once
#include <cstring>

#include "diffusion/padded_copy.hpp"
#include "diffusion/reference.hpp"
#include "diffusion/stencil.hpp"
#include "diffusion/study.hpp"
#include "harness/plan.hpp"

namespace parity::test {

inline diffusion::Problem problem(std::int64_t nz, std::int64_t ny, std::int64_t nx, std::int64_t steps,
                                  std::int64_t halo = 2,
                                  runtime::Precision precision = runtime::Precision::f64) {
  diffusion::Problem p;
  p.nz = nz, p.ny = ny, p.nx = nx, p.steps = steps, p.halo = halo, p.precision = precision;
  return p;
}
inline std::vector<harness::Choice> choices(const std::vector<std::string>& words) {
  return harness::select(diffusion::study(), words);
}
inline std::optional<std::string> why_not(const harness::Choice& c, const diffusion::Problem& p) {
  return diffusion::study().task_of(p)->why_not(c);
}

/// Loads, advances and stores, with a launch mechanism.
template <class T>
std::vector<T> result_of(const diffusion::Problem& p, const diffusion::Mechanism& mechanism,
                         const std::vector<T>& field, diffusion::Variant<T>& variant) {
  std::vector<T> padded(std::size_t(p.padded_points()), diffusion::poison<T>);
  const auto run = [&] {
    variant.load(field.data());
    variant.advance();
    variant.synchronise();
  };
  if (!mechanism.plain()) {
    run();
    variant.prepare(mechanism);
  }
  run();
  variant.store(padded.data());
  // The interior that users get without the halo must be bitwise identical.
  std::vector<T> interior(std::size_t(p.points()), diffusion::poison<T>), expected(interior.size());
  variant.store_interior(interior.data());
  diffusion::extract_interior(p, padded.data(), expected.data());
  if (std::memcmp(interior.data(), expected.data(), interior.size() * sizeof(T)) != 0)
    padded.assign(padded.size(), diffusion::poison<T>);
  return padded;
}
template <class T>
std::vector<T> result_of(const diffusion::Problem& p, const harness::Choice& c, const std::vector<T>& field) {
  const auto variant = diffusion::entry_of(c).make<T>(p, c.tuning);
  return result_of(p, diffusion::mechanism_of(c), field, *variant);
}

/// The verdict on a variant outside of the registries, with plain launches.
template <class T>
harness::Verdict verdict_of_object(const diffusion::Problem& p, diffusion::Variant<T>& variant) {
  const auto field = diffusion::random_field<T>(p);
  const auto padded = result_of(p, diffusion::mechanisms().front(), field, variant);
  return diffusion::verify(p, field.data(), diffusion::fourier_solution(p, field.data()), padded.data(),
                           diffusion::ErrorBound(p).of(diffusion::direct_flops));
}

template <class T>
harness::Verdict verdict_of_typed(const diffusion::Problem& p, const harness::Choice& c) {
  const auto field = diffusion::random_field<T>(p);
  const auto padded = result_of(p, c, field);
  if (c.entry->floor) return diffusion::verify_unchanged(p, field.data(), padded.data());
  return diffusion::verify(p, field.data(), diffusion::fourier_solution(p, field.data()), padded.data(),
                           diffusion::gate_of(p, diffusion::ErrorBound(p), diffusion::entry_of(c)));
}

inline harness::Verdict verdict_of(const diffusion::Problem& p, const harness::Choice& c) {
  if (p.precision == runtime::Precision::f32) return verdict_of_typed<float>(p, c);
  return verdict_of_typed<double>(p, c);
}

}  // namespace parity::test
