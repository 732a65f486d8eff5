// SPDX-License-Identifier: BSD-3-Clause
// NetCDF fields. The output is a copy of the input file in which only the filtered variable's data are
// replaced, so that every other variable, coordinate and attribute is kept.
#include <fcntl.h>
#include <fmt/format.h>
#include <netcdf.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "io/field_file.hpp"
#include "io/whole_file.hpp"
#include "runtime/error.hpp"
#include "runtime/suggest.hpp"

namespace parity::io {
namespace {

using runtime::UsageError;

/// What an integer type can hold, for packing.
struct IntegerRange {
  double least, most;
};
std::optional<IntegerRange> integer_range(nc_type type) {
  switch (type) {
    case NC_BYTE:
      return IntegerRange{-128, 127};
    case NC_UBYTE:
      return IntegerRange{0, 255};
    case NC_SHORT:
      return IntegerRange{-32768, 32767};
    case NC_USHORT:
      return IntegerRange{0, 65535};
    case NC_INT:
      return IntegerRange{-2147483648.0, 2147483647.0};
    case NC_UINT:
      return IntegerRange{0, 4294967295.0};
    default:
      return std::nullopt;
  }
}

class File {
 public:
  File(const std::string& path, int mode, const std::string& shown) : shown_(shown) {
    const int status = nc_open(path.c_str(), mode, &id);
    if (status != NC_NOERR)
      throw UsageError(fmt::format("{}: cannot be opened as NetCDF: {}", shown, nc_strerror(status)));
  }
  ~File() {
    if (id >= 0) nc_close(id);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  void check(int status) const {
    if (status != NC_NOERR) throw UsageError(fmt::format("{}: {}", shown_, nc_strerror(status)));
  }
  void close_checked() {
    const int status = nc_close(id);
    id = -1;
    check(status);
  }
  int id = -1;

 private:
  std::string shown_;
};

void copy_file(const std::string& from, WholeFile& to) {
  const int in = open(from.c_str(), O_RDONLY | O_CLOEXEC);
  if (in < 0) throw UsageError(fmt::format("{}: {}", from, std::strerror(errno)));
  std::vector<char> buffer(std::size_t(1) << 20);
  std::int64_t at = 0;
  ssize_t n = 0;
  try {
    while ((n = read(in, buffer.data(), buffer.size())) > 0) {
      to.write_at(buffer.data(), std::size_t(n), at);
      at += n;
    }
  } catch (...) {
    close(in);
    throw;
  }
  close(in);
  if (n < 0) throw UsageError(fmt::format("{}: {}", from, std::strerror(errno)));
}

class NetcdfField : public FieldFile {
 public:
  NetcdfField(const std::string& input, const std::string& output, const std::string& variable)
      : input_(input), in_(input, NC_NOWRITE, input) {
    choose(variable);
    describe();
    whole_ = std::make_unique<WholeFile>(output);
    copy_file(input, *whole_);
    out_ = std::make_unique<File>(whole_->path(), NC_WRITE, output);
  }

  Shape shape() const override { return shape_; }
  void read(std::int64_t first, std::int64_t count, float* v) override { read_typed(first, count, v); }
  void read(std::int64_t first, std::int64_t count, double* v) override { read_typed(first, count, v); }
  void write(std::int64_t first, std::int64_t count, const float* v) override {
    write_typed(first, count, v);
  }
  void write(std::int64_t first, std::int64_t count, const double* v) override {
    write_typed(first, count, v);
  }
  void commit() override {
    out_->close_checked();
    whole_->commit();
  }

 private:
  std::string name_of(int variable) const {
    char name[NC_MAX_NAME + 1] = {};
    in_.check(nc_inq_varname(in_.id, variable, name));
    return name;
  }
  int rank_of(int variable) const {
    int rank = 0;
    in_.check(nc_inq_varndims(in_.id, variable, &rank));
    return rank;
  }
  nc_type type_of(int variable) const {
    nc_type type = NC_NAT;
    in_.check(nc_inq_vartype(in_.id, variable, &type));
    return type;
  }
  bool can_be_field(int variable) const {
    const nc_type t = type_of(variable);
    return rank_of(variable) >= 2 &&
           (t == NC_FLOAT || t == NC_DOUBLE || (integer_range(t) && attribute(variable, "scale_factor")));
  }

  void choose(const std::string& wanted) {
    int count = 0;
    in_.check(nc_inq_nvars(in_.id, &count));
    std::vector<std::string> names, fields;
    for (int v = 0; v < count; ++v) {
      names.push_back(name_of(v));
      if (can_be_field(v)) fields.push_back(names.back());
    }
    if (wanted.empty()) {
      if (fields.size() != 1)
        throw UsageError(fmt::format("{}: {}; name one with --variable", input_,
                                     fields.empty()
                                         ? "no variable looks like a field"
                                         : fmt::format("holds the fields {}", fmt::join(fields, ", "))));
      in_.check(nc_inq_varid(in_.id, fields.front().c_str(), &variable_));
    } else if (nc_inq_varid(in_.id, wanted.c_str(), &variable_) != NC_NOERR) {
      throw UsageError(
          fmt::format("{}: has no variable '{}'{}", input_, wanted,
                      fields.empty() ? "" : fmt::format("; its fields are {}", fmt::join(fields, ", "))));
    }
    name_ = name_of(variable_);
  }

  void describe() {
    type_ = type_of(variable_);
    if (type_ == NC_CHAR || type_ == NC_STRING)
      throw UsageError(
          fmt::format("{}: variable '{}' holds text; name a numeric one with --variable", input_, name_));
    const int rank = rank_of(variable_);
    if (rank < 2)
      throw UsageError(
          fmt::format("{}: variable '{}' has {} dimension(s); the filter needs two or more (.., y, x)",
                      input_, name_, rank));
    std::vector<int> dimensions(static_cast<std::size_t>(rank));
    in_.check(nc_inq_vardimid(in_.id, variable_, dimensions.data()));
    for (const int d : dimensions) {
      std::size_t n = 0;
      in_.check(nc_inq_dimlen(in_.id, d, &n));
      if (n == 0)
        throw UsageError(fmt::format("{}: variable '{}' is empty (a dimension is 0)", input_, name_));
      lengths_.push_back(n);
    }
    scale_ = attribute(variable_, "scale_factor");
    offset_ = attribute(variable_, "add_offset");
    packed_ = scale_ || offset_;
    const auto range = integer_range(type_);
    if (type_ != NC_FLOAT && type_ != NC_DOUBLE && !range)
      throw UsageError(fmt::format(
          "{}: variable '{}' has a type the filter cannot compute in; convert it to float", input_, name_));
    if (range && !packed_)
      throw UsageError(
          fmt::format("{}: variable '{}' holds whole numbers without scale_factor; the filtered field would "
                      "not be whole: convert it to float",
                      input_, name_));
    if (scale_ && !(std::isfinite(*scale_) && *scale_ != 0))
      throw UsageError(fmt::format("{}: variable '{}' has scale_factor {}", input_, name_, *scale_));
    for (const char* key : {"_FillValue", "missing_value"})
      if (const auto value = attribute(variable_, key)) missing_.push_back(*value);
    if (nc_inq_att(in_.id, variable_, "_FillValue", nullptr, nullptr) != NC_NOERR) {
      // Never-written points hold the library's default fill value.
      if (type_ == NC_FLOAT) missing_.push_back(double(NC_FILL_FLOAT));
      if (type_ == NC_DOUBLE) missing_.push_back(NC_FILL_DOUBLE);
      if (type_ == NC_SHORT) missing_.push_back(NC_FILL_SHORT);
      if (type_ == NC_INT) missing_.push_back(NC_FILL_INT);
    }
    shape_.nx = std::int64_t(lengths_.back());
    shape_.ny = std::int64_t(lengths_[lengths_.size() - 2]);
    shape_.nz = 1;
    for (std::size_t d = 0; d + 2 < lengths_.size(); ++d) shape_.nz *= std::int64_t(lengths_[d]);
    shape_.precision = type_ == NC_FLOAT && !packed_ ? runtime::Precision::f32 : runtime::Precision::f64;
  }

  /// A numeric attribute's first value, or nullopt.
  std::optional<double> attribute(int variable, const char* key) const {
    nc_type type = NC_NAT;
    std::size_t length = 0;
    if (nc_inq_att(in_.id, variable, key, &type, &length) != NC_NOERR || type == NC_CHAR ||
        type == NC_STRING || length == 0)
      return std::nullopt;
    std::vector<double> values(length);
    in_.check(nc_get_att_double(in_.id, variable, key, values.data()));
    return values.front();
  }

  /// Start and count of the k-th plane in the file's own dimensions.
  void locate(std::int64_t k, std::vector<std::size_t>& start, std::vector<std::size_t>& count) const {
    start.assign(lengths_.size(), 0);
    count.assign(lengths_.size(), 1);
    count[lengths_.size() - 1] = lengths_.back();
    count[lengths_.size() - 2] = lengths_[lengths_.size() - 2];
    for (std::size_t d = lengths_.size() - 2; d-- > 0;) {
      start[d] = std::size_t(k) % lengths_[d];
      k /= std::int64_t(lengths_[d]);
    }
  }

  template <class T>
  void read_typed(std::int64_t first, std::int64_t count, T* values) const {
    const std::int64_t plane = shape_.ny * shape_.nx;
    std::vector<std::size_t> start, extent;
    for (std::int64_t k = 0; k < count; ++k) {
      T* const to = values + k * plane;
      locate(first + k, start, extent);
      if constexpr (sizeof(T) == 4)
        in_.check(nc_get_vara_float(in_.id, variable_, start.data(), extent.data(), to));
      else
        in_.check(nc_get_vara_double(in_.id, variable_, start.data(), extent.data(), to));
      for (std::int64_t i = 0; i < plane; ++i)
        for (const double m : missing_)
          if (to[i] == T(m))
            throw UsageError(
                fmt::format("{}: variable '{}' has a missing value at plane {}, row {}, column {}: fill such "
                            "points first",
                            input_, name_, first + k, i / shape_.nx, i % shape_.nx));
      if (packed_)
        for (std::int64_t i = 0; i < plane; ++i)
          to[i] = T(double(to[i]) * scale_.value_or(1) + offset_.value_or(0));
    }
    require_finite(input_, shape_, first, count, values);
  }

  template <class T>
  void write_typed(std::int64_t first, std::int64_t count, const T* values) {
    const std::int64_t plane = shape_.ny * shape_.nx;
    const auto range = integer_range(type_);
    std::vector<std::size_t> start, extent;
    std::vector<T> packed;
    for (std::int64_t k = 0; k < count; ++k) {
      const T* from = values + k * plane;
      if (packed_) {
        packed.assign(from, from + plane);
        for (T& v : packed) {
          const double p = (double(v) - offset_.value_or(0)) / scale_.value_or(1);
          const double stored = range ? std::nearbyint(p) : p;
          bool fits = !range || (stored >= range->least && stored <= range->most);
          for (const double m : missing_) fits = fits && stored != m;
          if (!fits)
            throw UsageError(
                fmt::format("{}: variable '{}': the filtered value {} cannot be packed with its scale_factor "
                            "and add_offset; convert it to float first",
                            input_, name_, double(v)));
          v = T(stored);
        }
        from = packed.data();
      }
      locate(first + k, start, extent);
      if constexpr (sizeof(T) == 4)
        out_->check(nc_put_vara_float(out_->id, variable_, start.data(), extent.data(), from));
      else
        out_->check(nc_put_vara_double(out_->id, variable_, start.data(), extent.data(), from));
    }
  }

  std::string input_, name_;
  File in_;
  int variable_ = -1;
  nc_type type_ = NC_NAT;
  std::vector<std::size_t> lengths_;
  std::optional<double> scale_, offset_;
  bool packed_ = false;
  std::vector<double> missing_;
  Shape shape_;
  std::unique_ptr<WholeFile> whole_;
  std::unique_ptr<File> out_;
};

}  // namespace

std::unique_ptr<FieldFile> open_netcdf(const std::string& input, const std::string& output,
                                       const std::string& variable) {
  return std::make_unique<NetcdfField>(input, output, variable);
}

}  // namespace parity::io
