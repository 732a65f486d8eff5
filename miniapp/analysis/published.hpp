// SPDX-License-Identifier: BSD-3-Clause
// All results that the three original works publish as numbers, with their place in the text. 'findings' and
// reports print them next to measured ones. Zhang, Wahib and Matsuoka draw bars without numbers.
#pragma once
#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

namespace parity::analysis::published {

/// Bezençon, Mietz, Vetsch and Maeder (2024), CuPy 13.2.
constexpr const char* filter_device = "P100";
/// DeRosa (2024).
constexpr const char* density_device = "RTX 2070 SUPER";

struct Value {
  const char* name;
  double value;
  const char *unit, *place;
};

constexpr Value filter[] = {
    {"plateau", 0.59, "us a grid point", "section 3.1 on Figure 2, right; all but graph-copy, N = 1025"},
    {"break-even", 65, "steps", "section 3.1 on Figure 3, 128 x 128 x 64"},
    {"break-even, again", 50, "steps", "section 4, 'about'"},
    {"graph reach", 64, "points a side", "section 3.2 on Figure 4, left: the fused kernel"},
    {"laplacian", 128, "points a side", "Table 4"},
    {"shared-memory", 128, "points a side", "Table 4"},
    {"halo-update", 64, "points a side", "Table 4"},
    {"field-update", 32, "points a side", "Table 4"},
    {"fused", 0, "points a side", "Table 4"},
    {"speed-up", 30, "times", "section 5, over the CuPy baseline, 'up to'"},
};

/// Null if nothing was published. A kernel's name may end with the shape of its blocks, -1d or -2d.
inline const Value* of_filter(std::string_view name) {
  if (name.size() > 3 && (name.substr(name.size() - 3) == "-1d" || name.substr(name.size() - 3) == "-2d"))
    name.remove_suffix(3);
  const auto at = std::find_if(std::begin(filter), std::end(filter), [&](auto& v) { return v.name == name; });
  return at == std::end(filter) ? nullptr : at;
}

constexpr int widths[] = {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
/// Seconds, section 4.1, Figure 1: n = 4000, 8000, ... by width. The text labels n 10^4 times too large. Its
/// speed-ups (4.2) and efficiencies (4.3) follow from these.
constexpr double density_seconds[][10] = {
    {0.305202, 0.175878, 0.176963, 0.183563, 0.172069, 0.23197, 0.181373, 0.183293, 0.167604, 0.172374},
    {0.289329, 0.227725, 0.187144, 0.215018, 0.176035, 0.215348, 0.174893, 0.194118, 0.17663, 0.179769},
    {0.49089, 0.372829, 0.23926, 0.200734, 0.19372, 0.184373, 0.174953, 0.187766, 0.190987, 0.170218},
    {1.59651, 0.888319, 0.468896, 0.32105, 0.24817, 0.264166, 0.248886, 0.244309, 0.220408, 0.274539},
    {5.52284, 3.00972, 1.55831, 0.849458, 0.476305, 0.394263, 0.388468, 0.404935, 0.444106, 0.410154},
    {21.0247, 11.1575, 5.25156, 2.99306, 1.55087, 1.14589, 1.15882, 1.18096, 1.05284, 1.09308},
    {82.9938, 42.9745, 21.0637, 10.2587, 5.34004, 3.81389, 3.75126, 3.74539, 3.67786, 3.66288},
    {330.1, 171.406, 81.4424, 40.8492, 20.8185, 13.9769, 14.024, 14.7236, 13.9554, 14.7802},
    {1333.28, 662.526, 335.083, 164.416, 81.3454, 55.2793, 57.2443, 57.6387, 57.0714, 57.9937}};

}  // namespace parity::analysis::published
