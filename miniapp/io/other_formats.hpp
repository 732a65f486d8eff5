// SPDX-License-Identifier: BSD-3-Clause
// Formats that no command reads, recognised by the first bytes of a file.
#pragma once
#include <string_view>
#include <utility>

namespace parity::io {

/// The end of a sentence about a file that is not read here, with the remedy; empty for unknown formats.
inline const char* what_it_is(std::string_view start) {
  using namespace std::string_view_literals;
  constexpr std::pair<std::string_view, const char*> known[] = {
      {"\x1f\x8b"sv, " but gzip: gunzip it first"},
      {"PK\x03\x04"sv,
       " but a zip archive, such as .npz or .xlsx: save each array with numpy.save, or a sheet as CSV"},
      {"\xd0\xcf\x11\xe0"sv, " but a file of Office: save a sheet as CSV"},
      {"\x80\x04"sv, " but a pickle: save its array with numpy.save"},
      {"\x80\x05"sv, " but a pickle: save its array with numpy.save"},
      {"SQLite f"sv, " but SQLite: export a table as CSV"},
      {"ARROW1"sv, " but Arrow: convert it (pandas.read_feather, then to_csv)"},
      {"GRIB"sv, " but GRIB: convert it (cdo -f nc copy, or grib_to_netcdf)"},
      {"\x0e\x03\x13\x01"sv, " but HDF4: convert it (h4tonccf, or ncks)"},
      {"BZh"sv, " but bzip2: bunzip2 it first"},
      {"\xfd"
       "7zXZ"sv,
       " but xz: unxz it first"},
      {"\x28\xb5\x2f\xfd"sv, " but zstd: unzstd it first"},
      {"CDF"sv, " but NetCDF: save a variable with numpy.save"},
      {"\x89HDF"sv, " but HDF5: save a data set with numpy.save"},
      {"II*\0"sv, " but TIFF: convert it (gdal_translate -of netCDF)"},
      {"MM\0*"sv, " but TIFF: convert it (gdal_translate -of netCDF)"},
      {"SIMPLE  "sv, " but FITS: convert it (astropy.io.fits, then numpy.save)"},
      {"MATLAB 5"sv, " but MATLAB before 7.3: convert it (scipy.io.loadmat, then numpy.save)"},
      {"PAR1"sv, " but Parquet: convert it (pandas.read_parquet, then to_csv)"}};
  for (const auto& [begin, what] : known)
    if (start.substr(0, begin.size()) == begin) return what;
  return "";
}

}  // namespace parity::io
