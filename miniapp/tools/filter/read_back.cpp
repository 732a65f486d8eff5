// SPDX-License-Identifier: BSD-3-Clause
#include "tools/filter/read_back.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "runtime/error.hpp"
#include "runtime/numbers.hpp"
#include "runtime/signals.hpp"

namespace parity::io {
namespace {

constexpr double all_bytes = 64 << 20, part = 8;
constexpr std::int64_t values_of_plane = 1024, kept_values = 1 << 17;

/// Checksum that changes with any bit of any value and with its position. Equates all zeros, and all NaN.
template <class T>
std::uint64_t sum_of(const T* values, std::int64_t n) {
  constexpr std::uint32_t odd = 2654435761u;
  std::uint64_t sum = 0;
#pragma omp parallel for simd reduction(+ : sum) schedule(static)
  for (std::int64_t i = 0; i < n; ++i) {
    const T v = values[i] + T(0);
    if constexpr (sizeof(T) == 4) {
      std::uint32_t bits;
      std::memcpy(&bits, &v, sizeof bits);
      if (v != v) bits = 0x7fc00000u;
      sum += std::uint64_t(bits) * ((std::uint32_t(i) * 2 * odd) | 1u);
    } else {
      std::uint64_t bits;
      std::memcpy(&bits, &v, sizeof bits);
      if (v != v) bits = 0x7ff8000000000000u;
      sum += (bits & 0xffffffffu) * ((std::uint32_t(i) * 4 * odd) | 1u);
      sum += (bits >> 32) * ((std::uint32_t(i) * 4 * odd + 2 * odd) | 1u);
    }
  }
  return sum;
}

}  // namespace

template <class T>
void ReadBack::wrote(const Block& block, const T* stored, std::int64_t points) {
  const double bytes = double(block.planes()) * double(points) * sizeof(T);
  bytes_ += bytes;
  if (kept_bytes_ > 0 && part * kept_bytes_ > bytes_ + (part - 1) * all_bytes) return;
  kept_bytes_ += bytes;
  Written& w = written_.emplace_back();
  w.block = block;
  w.stride = std::max<std::int64_t>(1, points / values_of_plane);
  for (std::int64_t k = 0; k < block.planes(); ++k) {
    const T* const plane = stored + k * points;
    w.sums.push_back(sum_of(plane, points));
    if (values_ > kept_values) continue;
    for (std::int64_t i = 0; i < points; i += w.stride) w.values.push_back(double(plane[i]));
    values_ += points / w.stride;
  }
}

template <class T>
ReadBack::Difference ReadBack::compare(std::int64_t points,
                                       const std::function<void(const Block&, T*)>& read) const {
  Difference d;
  std::vector<T, runtime::Untouched<T>> found;
  for (const Written& w : written_) {
    runtime::stop_if_interrupted();
    found.resize(std::max(found.size(), std::size_t(w.block.planes() * points)));
    read(w.block, found.data());
    std::size_t at = 0;
    for (std::int64_t k = 0; k < w.block.planes(); ++k) {
      const T* const plane = found.data() + k * points;
      const bool same = sum_of(plane, points) == w.sums[std::size_t(k)];
      if (!same && !d.any) {
        d.block = &w.block;
        d.plane = k;
      }
      d.any = d.any || !same;
      for (std::int64_t i = 0; i < points && at < w.values.size(); i += w.stride, ++at) {
        const double meant = w.values[at], there = double(plane[i]);
        if (std::isfinite(meant)) d.largest = std::max(d.largest, std::abs(meant));
        if (same || meant == there || (std::isnan(meant) && std::isnan(there))) continue;
        const double off = std::isfinite(there) ? std::abs(meant - there) : INFINITY;
        if (off <= d.most) continue;
        d.most = off;
        d.block = &w.block;
        d.plane = k;
        d.point = i;
        d.meant = meant;
        d.found = there;
      }
    }
  }
  return d;
}

void fail_read_back(const Field& field, const ReadBack::Difference& d, const std::string& why) {
  const std::int64_t nx = field.shape().nx;
  throw runtime::Error(
      runtime::exit_check_failed,
      fmt::format("{}: {}{}: what is stored is not what was written{}; {}", field.name(),
                  field.plane_name(*d.block, d.plane),
                  d.point < 0 ? "" : fmt::format(", row {}, column {}", d.point / nx, d.point % nx),
                  d.point < 0 ? "" : fmt::format(": {:.9g} became {:.9g}", d.meant, d.found), why));
}

template void ReadBack::wrote<float>(const Block&, const float*, std::int64_t);
template void ReadBack::wrote<double>(const Block&, const double*, std::int64_t);
template ReadBack::Difference ReadBack::compare<float>(
    std::int64_t, const std::function<void(const Block&, float*)>&) const;
template ReadBack::Difference ReadBack::compare<double>(
    std::int64_t, const std::function<void(const Block&, double*)>&) const;

}  // namespace parity::io
