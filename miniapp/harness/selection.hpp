// SPDX-License-Identifier: BSD-3-Clause
// Resolves a user's words kernel[+mechanism][/tuning] against a study's registry.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/study.hpp"

namespace parity::harness {

/// Default tunings that replace the first of an entry's list, by "study/variant".
using Tunings = std::map<std::string, std::string>;

/// What a file of tunings says.
struct TuningFile {
  Tunings everywhere;
  std::map<std::string, Tunings> of_problem;  ///< by text_of(values)
};

/// Words such as "kokkos-fused", "diffusion/kokkos-*", "cuda-fused/8x32", "kokkos-fused/*" (all tunings),
/// "cuda-baseline+graph-two" or "*-baseline+*" (all mechanisms that the kernel knows), in the registry's
/// order, each row once. Without a mechanism the plain one is meant. Throws runtime::UsageError with the
/// nearest names for a word that selects nothing.
std::vector<Choice> select(const Study& study, const std::vector<std::string>& words,
                           const Tunings& tunings = {});

/// Puts them in the place of tunings that nobody asked for; those of kernel and mechanism before those of the
/// kernel.
void use_tunings(const Study& study, const Tunings& tunings, std::vector<Choice>& choices);

/// The one choice that a name means, with its default tuning.
Choice choice_of(const Study& study, const std::string& name);

/// Throws runtime::UsageError for a study without tunings, a variant it does not have, or what is no tuning
/// of it.
void check_tunings(const Studies& studies, const Tunings& tunings);

}  // namespace parity::harness
