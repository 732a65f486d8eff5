// SPDX-License-Identifier: BSD-3-Clause
// Fields between the caller's layouts and a variant's, compared point by point with what an index says.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "diffusion/device_copy.hpp"

namespace parity {
namespace {

using namespace diffusion;

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
  std::vector<double> room(std::int64_t h) const {
    return std::vector<double>(std::size_t((p.nx + 2 * h) * (p.ny + 2 * h) * p.nz), -1);
  }
  FieldPlanes<double> planes() { return {field.data() + at.pad * (pitch + 1), pitch, at.pad}; }
  /// As copy_planes does on a GPU.
  void copy(const FieldPlanes<double>& from, const FieldPlanes<double>& to, std::int64_t h) const {
    const runtime::Planes a = from.around(p, h), b = to.around(p, h);
    for (std::int64_t row = 0; row < p.nz * (p.ny + 2 * h); ++row) {
      const std::int64_t k = row / (p.ny + 2 * h), j = row % (p.ny + 2 * h);
      std::memcpy(static_cast<char*>(b.first) + (k * b.plane_rows + j) * b.pitch_bytes,
                  static_cast<char*>(a.first) + (k * a.plane_rows + j) * a.pitch_bytes,
                  std::size_t(p.nx + 2 * h) * sizeof(double));
    }
  }

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

TEST_P(PaddedCopy, OfADeviceIsTheSame) {
  for (const std::int64_t h : {std::int64_t(0), at.h}) {
    const std::int64_t own = at.pad == 0 ? 0 : h;
    std::vector<double> padded = room(h);
    copy(planes(), host_planes(p, padded.data(), h), own);
    if (own < h) fill_halo(p, padded.data());
    expect_padded(padded, h);
  }
}

TEST_P(PaddedCopy, TakesAnInteriorThereAndBack) {
  std::vector<double> interior = room(0), back = room(0);
  gather_padded(p, at.pad, pitch, field.data(), 0, interior.data());
  const std::vector<double> before = field;
  scatter_interior(p, at.pad, pitch, interior.data(), field.data());
  gather_padded(p, at.pad, pitch, field.data(), 0, back.data());
  EXPECT_EQ(back, interior);
  field = before;
  copy(host_planes(p, interior.data(), 0), planes(), 0);
  EXPECT_EQ(field, before);
}

// Halos of the result's width, of a deeper field, of none; rows that are filled up; the smallest planes.
INSTANTIATE_TEST_SUITE_P(Layouts, PaddedCopy,
                         testing::Values(Layout{7, 5, 3, 2, 2, 0}, Layout{7, 5, 3, 2, 6, 0},
                                         Layout{9, 4, 2, 3, 0, 0}, Layout{6, 11, 2, 2, 0, 3},
                                         Layout{2, 2, 1, 2, 0, 0}, Layout{3, 4, 5, 3, 4, 2}));

}  // namespace
}  // namespace parity
