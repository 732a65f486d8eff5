// SPDX-License-Identifier: BSD-3-Clause
// Trials of one problem over data that they share, for studies that compute in float or double.
#pragma once
#include <memory>
#include <vector>

#include "harness/choice.hpp"
#include "harness/trial.hpp"

namespace parity::harness {

/// One trial for each choice, in the problem's precision. Data<T>(problem) makes input and reference once;
/// make(data, choice) makes a trial of a shared pointer to them.
template <template <class> class Data, class P, class Make>
std::vector<std::unique_ptr<Trial>> trials_over(const P& problem, const std::vector<Choice>& choices,
                                                const Make& make) {
  const auto over = [&](const auto& data) {
    std::vector<std::unique_ptr<Trial>> trials;
    for (const Choice& c : choices) trials.push_back(make(data, c));
    return trials;
  };
  return problem.precision == Precision::f32 ? over(std::make_shared<Data<float>>(problem))
                                             : over(std::make_shared<Data<double>>(problem));
}

}  // namespace parity::harness
