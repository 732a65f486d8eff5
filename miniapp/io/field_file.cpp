// SPDX-License-Identifier: BSD-3-Clause
#include "io/field_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>

#include "runtime/error.hpp"
#include "runtime/text.hpp"

namespace parity::io {
namespace {}  // namespace

std::unique_ptr<FieldFile> open_field(const std::string& input, const std::string& output,
                                      const std::string& variable) {
  using runtime::UsageError;
  struct stat status {};
  if (stat(input.c_str(), &status) != 0) throw UsageError(fmt::format("{}: {}", input, std::strerror(errno)));
  if (!S_ISREG(status.st_mode)) throw UsageError(fmt::format("{}: is no regular file", input));
  if (status.st_size == 0) throw UsageError(fmt::format("{}: is empty; give a .npy or NetCDF file", input));
  std::ifstream in(input, std::ios::binary);
  char magic[8] = {};
  in.read(magic, 8);
  if (!in && !in.eof()) throw UsageError(fmt::format("{}: cannot be read", input));
  const bool npy = std::memcmp(magic, "\x93NUMPY", 6) == 0;
  const bool netcdf = std::memcmp(magic, "CDF", 3) == 0 || std::memcmp(magic, "\x89HDF\r\n\x1a\n", 8) == 0;
  if (!npy && !netcdf) throw UsageError(fmt::format("{}: is neither .npy nor NetCDF", input));
  if (npy ? runtime::ends_with(output, ".nc") : runtime::ends_with(output, ".npy"))
    throw UsageError(
        fmt::format("{}: the output keeps the input's format; name it {}", output, npy ? "*.npy" : "*.nc"));
  if (npy && !variable.empty()) throw UsageError("--variable is for NetCDF; a .npy file has one field");
  return npy ? open_npy(input, output) : open_netcdf(input, output, variable);
}

template <class T>
void require_finite(const std::string& input, const Shape& s, std::int64_t first, std::int64_t count,
                    const T* values) {
  for (std::int64_t i = 0; i < count * s.ny * s.nx; ++i)
    if (!std::isfinite(values[i]))
      throw runtime::UsageError(fmt::format(
          "{}: value {} at plane {}, row {}, column {}: the filter would spread it; fill such points first",
          input, std::isnan(values[i]) ? "NaN" : "infinity", first + i / (s.ny * s.nx), i / s.nx % s.ny,
          i % s.nx));
}
template void require_finite<float>(const std::string&, const Shape&, std::int64_t, std::int64_t,
                                    const float*);
template void require_finite<double>(const std::string&, const Shape&, std::int64_t, std::int64_t,
                                     const double*);

}  // namespace parity::io
