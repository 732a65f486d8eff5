// SPDX-License-Identifier: BSD-3-Clause
// A user's field in a file, read and written in groups of planes.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "runtime/precision.hpp"

namespace parity::io {

/// A field of nz planes of ny x nx points; a 2-D field has one plane, leading dimensions are taken together.
struct Shape {
  std::int64_t nz = 1, ny = 0, nx = 0;
  runtime::Precision precision = runtime::Precision::f32;  ///< what the filter computes in
};

/// Reads planes from the input and writes planes into an output that appears whole, at commit(), or not at
/// all.
class FieldFile {
 public:
  virtual ~FieldFile() = default;
  virtual Shape shape() const = 0;
  /// Planes [first, first + count) into values, shape (count, ny, nx). The type must be that of
  /// shape().precision. Throws runtime::UsageError for what cannot be filtered: NaN, infinity, missing
  /// values, unreadable data.
  virtual void read(std::int64_t first, std::int64_t count, float* values) = 0;
  virtual void read(std::int64_t first, std::int64_t count, double* values) = 0;
  /// Writes filtered planes to the output.
  virtual void write(std::int64_t first, std::int64_t count, const float* values) = 0;
  virtual void write(std::int64_t first, std::int64_t count, const double* values) = 0;
  virtual void commit() = 0;
};

/// Opens a .npy or NetCDF field, told apart by content. variable: the NetCDF variable, or "" for the only
/// candidate. Everything that can be wrong with the input or the output's name throws runtime::UsageError
/// before any output exists.
std::unique_ptr<FieldFile> open_field(const std::string& input, const std::string& output,
                                      const std::string& variable);

std::unique_ptr<FieldFile> open_npy(const std::string& input, const std::string& output);
std::unique_ptr<FieldFile> open_netcdf(const std::string& input, const std::string& output,
                                       const std::string& variable);

/// Throws runtime::UsageError when one of the values is NaN or infinite; names the first one's place.
template <class T>
void require_finite(const std::string& input, const Shape& shape, std::int64_t first, std::int64_t count,
                    const T* values);

}  // namespace parity::io
