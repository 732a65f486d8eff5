// SPDX-License-Identifier: BSD-3-Clause
// Fields that pass through the reader and the writer of 'parity filter' unchanged.
#pragma once
#include <string>
#include <vector>

#include "fuzz.hpp"
#include "tools/filter/field_file.hpp"

namespace parity::fuzz {

template <class T>
void copy_blocks(io::Field& field) {
  std::vector<T> values;
  std::int64_t planes = 0;
  for (const io::Block& block : field.blocks(2, {0, field.shape().nz})) {
    values.resize(std::size_t(block.planes() * field.shape().plane()));
    field.read(block, values.data());
    require(!field.plane_name(block, block.planes() - 1).empty(), "a plane without a name");
    field.write(block, values.data());
    planes += block.planes();
  }
  require(planes == field.shape().nz, "blocks are not all planes");
}

/// True if the whole input was read and written. Fields larger than any input can hold are only opened.
inline bool written_back(const std::string& input, const std::string& output, io::Missing missing) {
  bool small = true;
  return taken([&] {
           io::FieldFileOptions options;
           options.missing = missing;
           const auto file = io::open_fields(input, output, options);
           for (const auto& field : file->fields()) {
             const io::Shape s = field->shape();
             require(s.nx > 0 && s.ny > 0 && s.nz > 0, "a field without points");
             require(!field->edge(true).why.empty() && !field->edge(false).why.empty(),
                     "an edge without a reason");
             constexpr std::int64_t most = 1 << 20;
             small = small && s.nx < most && s.ny < most / s.nx && s.nz < most / (s.nx * s.ny);
           }
           if (!small) return;
           file->join();
           for (const auto& field : file->fields())
             field->shape().precision == runtime::Precision::f32 ? copy_blocks<float>(*field)
                                                                 : copy_blocks<double>(*field);
           file->commit();
         }) &&
         small;
}

}  // namespace parity::fuzz
