// SPDX-License-Identifier: BSD-3-Clause
// Runs one variant the way the program does and returns its verdict.
#pragma once
#include "diffusion/reference.hpp"
#include "diffusion/selection.hpp"

namespace parity::test {

template <class T>
study::Verdict verdict_of_typed(const diffusion::Problem& p, diffusion::Variant<T>& variant) {
  const auto field = diffusion::random_field<T>(p);
  std::vector<T> padded(std::size_t(p.padded_points()), diffusion::poison<T>);
  variant.load(field.data());
  variant.advance();
  variant.synchronise();
  variant.store(padded.data());
  return diffusion::verify(p, field.data(), diffusion::fourier_solution(p, field.data()), padded.data());
}

inline study::Verdict verdict_of(const diffusion::Problem& p, const diffusion::Selected& s) {
  if (p.precision == study::Precision::f32)
    return verdict_of_typed<float>(p, *diffusion::make<float>(*s.entry, p, s.tuning));
  return verdict_of_typed<double>(p, *diffusion::make<double>(*s.entry, p, s.tuning));
}

}  // namespace parity::test
