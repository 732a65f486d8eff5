// SPDX-License-Identifier: BSD-3-Clause
// Runs one variant the way the program does and returns its verdict.
#pragma once
#include "diffusion/reference.hpp"
#include "diffusion/selection.hpp"

namespace parity::test {

/// Loads, advances and stores, under the selected mechanism.
template <class T>
std::vector<T> result_of(const diffusion::Problem& p, const diffusion::Selected& s,
                         const std::vector<T>& field, diffusion::Variant<T>& variant) {
  std::vector<T> padded(std::size_t(p.padded_points()), diffusion::poison<T>);
  const auto run = [&] {
    variant.load(field.data());
    variant.advance();
    variant.synchronise();
  };
  if (!s.mechanism->plain()) {
    run();
    variant.prepare(*s.mechanism);
  }
  run();
  variant.store(padded.data());
  return padded;
}

/// The verdict on a variant that is in no registry, plainly launched.
template <class T>
study::Verdict verdict_of_object(const diffusion::Problem& p, diffusion::Variant<T>& variant) {
  const auto field = diffusion::random_field<T>(p);
  const diffusion::Selected plain{nullptr, &diffusion::mechanisms().front(), {}};
  const auto padded = result_of(p, plain, field, variant);
  return diffusion::verify(p, field.data(), diffusion::fourier_solution(p, field.data()), padded.data());
}

template <class T>
study::Verdict verdict_of_typed(const diffusion::Problem& p, const diffusion::Selected& s) {
  const auto variant = diffusion::make<T>(*s.entry, p, s.tuning);
  const auto field = diffusion::random_field<T>(p);
  const auto padded = result_of(p, s, field, *variant);
  if (s.entry->computes == diffusion::Computes::identity)
    return diffusion::verify_unchanged(p, field.data(), padded.data());
  return diffusion::verify(p, field.data(), diffusion::fourier_solution(p, field.data()), padded.data());
}

inline study::Verdict verdict_of(const diffusion::Problem& p, const diffusion::Selected& s) {
  if (p.precision == study::Precision::f32) return verdict_of_typed<float>(p, s);
  return verdict_of_typed<double>(p, s);
}

}  // namespace parity::test
