// SPDX-License-Identifier: BSD-3-Clause
#include "io/netcdf_handle.hpp"

#include <fmt/format.h>
#include <netcdf.h>

#include "runtime/error.hpp"
#include "runtime/text.hpp"

namespace parity::io {
namespace {

// Of attributes that mean something here; a damaged file may claim any number.
constexpr std::size_t most_values = 1000, most_characters = 1000000;

}  // namespace

NetcdfHandle::NetcdfHandle(const std::string& path, int mode, const std::string& shown) : shown_(shown) {
  const int status = nc_open(path.c_str(), mode, &id_);
  if (status != NC_NOERR)
    throw runtime::UsageError(
        fmt::format("{}: cannot be opened as NetCDF: {}{}", shown, nc_strerror(status),
                    status == NC_EHDFERR ? " (it is damaged or cut short; copy it anew)" : ""));
}
NetcdfHandle::~NetcdfHandle() {
  if (id_ >= 0) nc_close(id_);
}
void NetcdfHandle::check(int status) const {
  if (status != NC_NOERR) throw runtime::UsageError(fmt::format("{}: {}", shown_, nc_strerror(status)));
}
void NetcdfHandle::close() {
  const int status = nc_close(id_);
  id_ = -1;
  check(status);
}
bool NetcdfHandle::is_hdf5() const {
  int format = 0;
  check(nc_inq_format(id_, &format));
  return format == NC_FORMAT_NETCDF4 || format == NC_FORMAT_NETCDF4_CLASSIC;
}
int NetcdfHandle::variables() const {
  int count = 0;
  check(nc_inq_nvars(id_, &count));
  return count;
}
int NetcdfHandle::groups() const {
  int count = 0;
  check(nc_inq_grps(id_, &count, nullptr));
  return count;
}
std::string NetcdfHandle::variable_name(int variable) const {
  char name[NC_MAX_NAME + 1] = {};
  check(nc_inq_varname(id_, variable, name));
  return name;
}
int NetcdfHandle::type(int variable) const {
  nc_type type = NC_NAT;
  check(nc_inq_vartype(id_, variable, &type));
  return type;
}
std::vector<int> NetcdfHandle::dimensions(int variable) const {
  int rank = 0;
  check(nc_inq_varndims(id_, variable, &rank));
  std::vector<int> all(static_cast<std::size_t>(rank));
  check(nc_inq_vardimid(id_, variable, all.data()));
  return all;
}
std::string NetcdfHandle::dimension_name(int dimension) const {
  char name[NC_MAX_NAME + 1] = {};
  check(nc_inq_dimname(id_, dimension, name));
  return name;
}
std::size_t NetcdfHandle::length(int dimension) const {
  std::size_t n = 0;
  check(nc_inq_dimlen(id_, dimension, &n));
  return n;
}
int NetcdfHandle::find(const std::string& variable) const {
  int place = -1;
  return nc_inq_varid(id_, variable.c_str(), &place) == NC_NOERR ? place : -1;
}
std::vector<double> NetcdfHandle::numbers(int variable, const char* attribute) const {
  nc_type type = NC_NAT;
  std::size_t length = 0;
  if (nc_inq_att(id_, variable, attribute, &type, &length) != NC_NOERR || type == NC_CHAR ||
      type == NC_STRING || length == 0)
    return {};
  if (length > most_values)
    throw runtime::UsageError(fmt::format("{}: the attribute {} of variable '{}' has {} values", shown_,
                                          attribute, runtime::shown(variable_name(variable)), length));
  std::vector<double> values(length);
  check(nc_get_att_double(id_, variable, attribute, values.data()));
  return values;
}
std::string NetcdfHandle::text(int variable, const char* attribute) const {
  nc_type type = NC_NAT;
  std::size_t length = 0;
  if (nc_inq_att(id_, variable, attribute, &type, &length) != NC_NOERR || length == 0 ||
      length > most_characters)
    return "";
  if (type == NC_STRING) {  // netCDF-4 knows strings besides characters
    std::vector<char*> words(length, nullptr);
    check(nc_get_att_string(id_, variable, attribute, words.data()));
    std::string all;
    for (const char* const word : words)
      if (word && all.size() < most_characters) all += (all.empty() ? "" : " ") + std::string(word);
    nc_free_string(length, words.data());
    return all;
  }
  if (type != NC_CHAR) return "";
  std::string value(length, '\0');
  check(nc_get_att_text(id_, variable, attribute, value.data()));
  while (!value.empty() && value.back() == '\0') value.pop_back();
  return value;
}

}  // namespace parity::io
