// SPDX-License-Identifier: BSD-3-Clause
// Rules that choose the bandwidth of a Gaussian kernel from the samples.
#pragma once
#include "tools/density/sums.hpp"

namespace parity::density {

/// n_eff^(-1/5) times the standard deviation; n_eff = (sum w)^2 / sum w^2, deviation with n_eff - 1 in the
/// denominator (Scott 1992, as scipy.stats.gaussian_kde has it). Throws runtime::UsageError for samples
/// without spread, as all of these do.
double scott_bandwidth(const SampleSet& samples);

/// (3 n_eff / 4)^(-1/5) times the standard deviation (Silverman 1986, section 3.4.2, as scipy has it).
double silverman_bandwidth(const SampleSet& samples);

/// Improved Sheather-Jones: the fixed point of Botev, Grotowski and Kroese (2010), section 5, on a grid of
/// 2^14 points. Right for several modes, where the rules above smooth too much. Of rounded samples it uses
/// the waves that their steps leave. Refuses a bandwidth that shows repeated values as peaks
/// (density/repeats.hpp), with one that does not; deviation: of the kernel that this one is for.
double isj_bandwidth(const SampleSet& samples, double deviation = 1);

/// Least-squares cross-validation: the minimum of int f^2 - 2 sum_i p_i f_{-i}(x_i) (Rudemo 1982, Bowman
/// 1984), each value in O(n) by the transform. Refuses as isj_bandwidth does.
double lscv_bandwidth(const SampleSet& samples, double deviation = 1);

/// The criterion that lscv_bandwidth minimises.
double lscv_score(const SampleSet& samples, double h);

}  // namespace parity::density
