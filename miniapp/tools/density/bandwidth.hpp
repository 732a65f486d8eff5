// SPDX-License-Identifier: BSD-3-Clause
// Rules that choose the bandwidth of a Gaussian kernel from the samples.
#pragma once
#include "tools/density/sums.hpp"

namespace parity::density {

/// n_eff^(-1/5) times the standard deviation; n_eff = (sum w)^2 / sum w^2, the deviation has n_eff - 1 in the
/// denominator (Scott 1992, as in scipy.stats.gaussian_kde). Throws runtime::UsageError for samples without
/// spread, as do all of these rules.
double scott_bandwidth(const SampleSet& samples);

/// (3 n_eff / 4)^(-1/5) times the standard deviation (Silverman 1986, section 3.4.2, as in scipy).
double silverman_bandwidth(const SampleSet& samples);

/// Improved Sheather-Jones: the fixed point of Botev, Grotowski and Kroese (2010), section 5, on a grid of
/// 2^14 points. Suits several modes, which the rules above smooth too much. Ignores waves shorter than two
/// steps of rounded samples. Refuses a bandwidth that shows repeated values as peaks (density/repeats.hpp),
/// and suggests another. deviation: of the kernel that uses the bandwidth.
double isj_bandwidth(const SampleSet& samples, double deviation = 1);

/// Least-squares cross-validation: the minimum of int f^2 - 2 sum_i p_i f_{-i}(x_i) (Rudemo 1982, Bowman
/// 1984); the transform evaluates it in O(n). Refuses like isj_bandwidth.
double lscv_bandwidth(const SampleSet& samples, double deviation = 1);

/// The criterion that lscv_bandwidth minimises.
double lscv_score(const SampleSet& samples, double h);

}  // namespace parity::density
