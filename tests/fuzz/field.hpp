// SPDX-License-Identifier: BSD-3-Clause
// A field that goes through the reader and the writer of 'parity filter' unchanged.
#pragma once
#include <string>
#include <vector>

#include "fuzz.hpp"
#include "io/field_file.hpp"

namespace parity::fuzz {

template <class T>
void copy_planes(io::Field& field) {
  std::vector<T> values;
  for (const io::Block& b : field.blocks(3)) {
    values.resize(std::size_t(b.planes() * field.shape().plane()));
    field.read(b, values.data());
    require(!field.plane_name(b, b.planes() - 1).empty(), "a plane without a name");
    field.write(b, values.data());
  }
}

/// Whether the whole of it was read and written. Larger fields than any input can hold are only opened.
inline bool written_back(const std::string& input, const std::string& output) {
  bool small = false;
  return taken([&] {
           const auto file = io::open_fields(input, output, {});
           io::Field& field = *file->fields().front();
           const io::Shape s = field.shape();
           require(s.nx > 0 && s.ny > 0 && s.nz > 0, "a field without points");
           constexpr std::int64_t most = 1 << 20;
           small = s.nx < most && s.ny < most / s.nx && s.nz < most / (s.nx * s.ny);
           if (!small) return;
           if (s.precision == runtime::Precision::f32)
             copy_planes<float>(field);
           else
             copy_planes<double>(field);
           file->commit();
         }) &&
         small;
}

}  // namespace parity::fuzz
