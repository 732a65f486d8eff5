// SPDX-License-Identifier: BSD-3-Clause
// Fields between the caller's layouts and a variant's, compared point by point with what an index says.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "diffusion/device_copy.hpp"
#include "runtime/device.hpp"

namespace parity {
namespace {

using namespace diffusion;

/// A build with CUDA copies by way of a driver.
std::string why_no_copy() {
  std::string why;
  return runtime::device(&why) || why.rfind("built without CUDA", 0) == 0 ? "" : why;
}

struct Layout {
  std::int64_t nx, ny, nz, h, pad, more;  ///< more: points of a row behind the padded ones
};

class PaddedCopy : public testing::TestWithParam<Layout> {
 protected:
  PaddedCopy() {
    p.nx = at.nx, p.ny = at.ny, p.nz = at.nz, p.halo = at.h;
    pitch = p.nx + 2 * at.pad + at.more;
    field.resize(std::size_t(pitch * (p.ny + 2 * at.pad) * p.nz));
    for (std::size_t n = 0; n < field.size(); ++n) field[n] = double(n + 1);
  }
  double point(std::int64_t k, std::int64_t j, std::int64_t i) const {
    return field[std::size_t((k * (p.ny + 2 * at.pad) + j + at.pad) * pitch + i + at.pad)];
  }
  /// Of (nz, ny+2h, nx+2h): the field's own point, or the one that a periodic field repeats there.
  double expected(std::int64_t n, std::int64_t h) const {
    const std::int64_t width = p.nx + 2 * h, height = p.ny + 2 * h, i = n % width - h,
                       j = n / width % height - h, k = n / width / height;
    return at.pad > 0 ? point(k, j, i) : point(k, modulo(j, p.ny), modulo(i, p.nx));
  }
  void expect_padded(const std::vector<double>& padded, std::int64_t h) const {
    for (std::size_t n = 0; n < padded.size(); ++n) ASSERT_EQ(padded[n], expected(std::int64_t(n), h)) << n;
  }
  /// And NaN around it.
  void expect_interior_of(const std::vector<double>& before) const {
    std::size_t inside = 0;
    for (std::size_t n = 0; n < field.size(); ++n) {
      if (std::isnan(field[n])) continue;
      ++inside;
      ASSERT_EQ(field[n], before[n]) << n;
    }
    EXPECT_EQ(inside, std::size_t(p.points()));
  }
  std::vector<double> room(std::int64_t h) const {
    return std::vector<double>(std::size_t((p.nx + 2 * h) * (p.ny + 2 * h) * p.nz), -1);
  }
  FieldPlanes<double> planes() { return {field.data() + at.pad * (pitch + 1), pitch, at.pad}; }
  const Layout at = GetParam();
  Problem p;
  std::int64_t pitch;
  std::vector<double> field;
};

TEST_P(PaddedCopy, HasTheFieldsOwnHaloOrThePeriodicOne) {
  for (const std::int64_t h : {std::int64_t(0), at.h}) {
    std::vector<double> padded = room(h);
    gather_padded(p, at.pad, pitch, field.data(), h, padded.data());
    expect_padded(padded, h);
  }
}

/// The memory is the host's here.
TEST_P(PaddedCopy, OfADeviceIsTheSame) {
  if (const std::string why = why_no_copy(); !why.empty()) GTEST_SKIP() << why;
  for (const std::int64_t h : {std::int64_t(0), at.h}) {
    std::vector<double> padded = room(h);
    int waits = 0;
    store_padded(p, planes(), h, padded.data(), nullptr, [&waits] { ++waits; });
    EXPECT_EQ(waits, 1);
    expect_padded(padded, h);
  }
}

TEST_P(PaddedCopy, AnInteriorIsLoaded) {
  std::vector<double> interior = room(0);
  gather_padded(p, at.pad, pitch, field.data(), 0, interior.data());
  const std::vector<double> before = field;
  field.assign(field.size(), 0);
  scatter_interior(p, at.pad, pitch, interior.data(), field.data());
  expect_interior_of(before);
}

TEST_P(PaddedCopy, AnInteriorIsLoadedIntoADevice) {
  if (const std::string why = why_no_copy(); !why.empty()) GTEST_SKIP() << why;
  std::vector<double> interior = room(0);
  gather_padded(p, at.pad, pitch, field.data(), 0, interior.data());
  const std::vector<double> before = field;
  field.assign(field.size(), NAN);
  load_interior(p, interior.data(), planes(), nullptr);
  expect_interior_of(before);
}

// Halos of the result's width, of a deeper field, of none; rows that are filled up; the smallest planes.
INSTANTIATE_TEST_SUITE_P(Layouts, PaddedCopy,
                         testing::Values(Layout{7, 5, 3, 2, 2, 0}, Layout{7, 5, 3, 2, 6, 0},
                                         Layout{9, 4, 2, 3, 0, 0}, Layout{6, 11, 2, 2, 0, 3},
                                         Layout{2, 2, 1, 2, 0, 0}, Layout{3, 4, 5, 3, 4, 2}));

}  // namespace
}  // namespace parity
