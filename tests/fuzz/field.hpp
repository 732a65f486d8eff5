// SPDX-License-Identifier: BSD-3-Clause
// A field that goes through the reader and the writer of 'parity filter' unchanged.
#pragma once
#include <string>
#include <vector>

#include "fuzz.hpp"
#include "io/field_file.hpp"

namespace parity::fuzz {

template <class T>
void copy_planes(io::FieldFile& file, const io::Shape& s) {
  std::vector<T> plane(std::size_t(s.ny * s.nx));
  for (std::int64_t k = 0; k < s.nz; ++k) {
    file.read(k, 1, plane.data());
    file.write(k, 1, plane.data());
  }
}

/// Whether the whole of it was read and written. Larger fields than any input can hold are only opened.
inline bool written_back(const std::string& input, const std::string& output) {
  bool small = false;
  return taken([&] {
           const auto file = io::open_field(input, output, "");
           const io::Shape s = file->shape();
           require(s.nx > 0 && s.ny > 0 && s.nz > 0, "a field without points");
           constexpr std::int64_t most = 1 << 20;
           small = s.nx < most && s.ny < most / s.nx && s.nz < most / (s.nx * s.ny);
           if (!small) return;
           if (s.precision == runtime::Precision::f32)
             copy_planes<float>(*file, s);
           else
             copy_planes<double>(*file, s);
           file->commit();
         }) &&
         small;
}

}  // namespace parity::fuzz
