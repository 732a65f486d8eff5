// SPDX-License-Identifier: BSD-3-Clause
// NetCDF fields. The output is a copy of the input file in which only the filtered variables' data are
// replaced, so that every other variable, coordinate and attribute is kept, and chunks and compression too.
#include <fmt/format.h>
#include <netcdf.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "io/atomic_file.hpp"
#include "io/field_file.hpp"
#include "io/input.hpp"
#include "io/netcdf_classic.hpp"
#include "io/netcdf_library.hpp"
#include "runtime/error.hpp"
#include "runtime/text.hpp"

namespace parity::io {
namespace {

/// In any case of letters, as other readers take it.
bool means_true(const std::string& text) {
  constexpr std::string_view yes = "true";
  return std::equal(text.begin(), text.end(), yes.begin(), yes.end(),
                    [](unsigned char a, char b) { return std::tolower(a) == b; });
}

using runtime::UsageError;

/// What an integer type can hold, for packing.
struct IntegerRange {
  double least, most;
};
std::optional<IntegerRange> integer_range(nc_type type) {
  static const std::map<nc_type, IntegerRange> ranges = {{NC_BYTE, {-128, 127}},
                                                         {NC_UBYTE, {0, 255}},
                                                         {NC_SHORT, {-32768, 32767}},
                                                         {NC_USHORT, {0, 65535}},
                                                         {NC_INT, {-2147483648.0, 2147483647.0}},
                                                         {NC_UINT, {0, 4294967295.0}}};
  const auto at = ranges.find(type);
  return at == ranges.end() ? std::nullopt : std::optional(at->second);
}

std::int64_t bytes_of_type(nc_type type) {
  return type == NC_DOUBLE                       ? 8
         : type == NC_BYTE || type == NC_UBYTE   ? 1
         : type == NC_SHORT || type == NC_USHORT ? 2
                                                 : 4;
}

constexpr std::int64_t most_points = std::int64_t(1) << 40;  ///< along any dimension

class NetcdfField : public Field {
 public:
  NetcdfField(const NetcdfHandle& in, int variable, const FieldFileOptions& options, bool named)
      : in_(in), options_(options), variable_(variable), variable_name_(in.variable_name(variable)) {
    shown_name_ = runtime::shown(variable_name_);
    name_ = named ? fmt::format("{}: variable '{}'", in.shown(), shown_name_) : in.shown();
    describe();
  }

  /// together: every rank writes a block at the same time.
  void set_output(const NetcdfHandle* out, bool together) {
    out_ = out;
    together_ = together;
    if (together_) out_->check(write_on_all_ranks(out_->id(), variable_));
    if (chunked_) {
      // Room for all chunks that one block touches.
      const double want = std::clamp(2.0 * chunk_bytes_, 16.0 * (1 << 20), 1024.0 * (1 << 20));
      for (const int id : {in_.id(), out_->id()})
        nc_set_var_chunk_cache(id, variable_, std::size_t(want), 10007, 0.75f);
    }
  }
  const std::string& variable_name() const { return variable_name_; }

  std::string name() const override { return name_; }
  Shape shape() const override { return shape_; }
  std::vector<Block> blocks_among(std::int64_t most, const runtime::Share& planes) const override {
    return blocks_of(leading_, chunks_, most, planes);
  }
  std::int64_t planes_together(std::int64_t processes) const override {
    if (leading_.empty()) return 1;
    const std::int64_t inner = shape_.nz / std::int64_t(leading_.front());
    if (in_.is_hdf5()) {  // a chunk, where each process has one even so
      const std::int64_t chunk = std::int64_t(chunks_.front()) * inner;
      return (shape_.nz + chunk - 1) / chunk >= processes ? chunk : 1;
    }
    // Of a classic file the library writes whole groups of 4 bytes.
    return bytes_of_type(type_) * shape_.plane() % 4 == 0 ? 1 : 4 * inner;
  }
  void end_writing(std::int64_t most) override {
    if (!together_) return;
    const std::vector<std::size_t> nothing(leading_.size() + 2, 0);
    const double none = 0;
    for (; written_ < most; ++written_)
      with_netcdf([&] {
        out_->check(nc_put_vara_double(out_->id(), variable_, nothing.data(), nothing.data(), &none));
      });
  }
  Edge edge(bool of_x) const override {
    Edge edge;
    with_netcdf([&] {
      const std::vector<int> d = in_.dimensions(variable_);
      edge = edge_of(in_, variable_, d[d.size() - (of_x ? 1 : 2)]);
    });
    return edge;
  }
  std::string plane_name(const Block& b, std::int64_t k) const override {
    if (leading_.empty()) return "plane 0";
    std::vector<std::string> words(leading_.size());
    for (std::size_t d = leading_.size(); d-- > 0; k /= std::int64_t(b.extent[d]))
      words[d] =
          fmt::format("{} {}", leading_names_[d], b.start[d] + std::size_t(k % std::int64_t(b.extent[d])));
    return fmt::format("{}", fmt::join(words, ", "));
  }
  void read(const Block& b, float* v) override { read_typed(b, v); }
  void read(const Block& b, double* v) override { read_typed(b, v); }
  void write(const Block& b, const float* v) override { write_typed(b, v); }
  void write(const Block& b, const double* v) override { write_typed(b, v); }

 private:
  void describe() {
    type_ = in_.type(variable_);
    if (type_ == NC_CHAR || type_ == NC_STRING)
      throw UsageError(fmt::format("{}: variable '{}' holds text; name a numeric one with --variable",
                                   in_.shown(), shown_name_));
    const std::vector<int> dimensions = in_.dimensions(variable_);
    if (dimensions.size() < 2)
      throw UsageError(
          fmt::format("{}: variable '{}' has {} dimension(s); the filter needs two or more (.., y, x)",
                      in_.shown(), shown_name_, dimensions.size()));
    for (const int d : dimensions) {
      const std::size_t n = in_.length(d);
      if (n == 0)
        throw UsageError(
            fmt::format("{}: variable '{}' is empty (a dimension is 0)", in_.shown(), shown_name_));
      leading_.push_back(n);
      leading_names_.push_back(runtime::shown(in_.dimension_name(d)));
    }
    require_horizontal(in_, variable_name_, dimensions);
    // Left unread, a text that means a number would let missing values through as values.
    for (const char* key :
         {"scale_factor", "add_offset", "missing_value", "valid_range", "valid_min", "valid_max"})
      if (!in_.text(variable_, key).empty())
        throw UsageError(fmt::format("{}: variable '{}': its attribute {} is text; store a number (ncatted)",
                                     in_.shown(), shown_name_, key));
    shape_.nx = std::int64_t(leading_.back());
    shape_.ny = std::int64_t(leading_[leading_.size() - 2]);
    leading_.resize(leading_.size() - 2);
    leading_names_.resize(leading_.size());
    shape_.nz = 1;
    for (const std::size_t n : leading_)
      if (__builtin_mul_overflow(shape_.nz, n, &shape_.nz) || shape_.nz > most_points)
        throw UsageError(
            fmt::format("{}: variable '{}' has more planes than any file", in_.shown(), shown_name_));
    if (std::max(shape_.ny, shape_.nx) > most_points)
      throw UsageError(
          fmt::format("{}: variable '{}' has larger planes than any file", in_.shown(), shown_name_));
    describe_packing();
    describe_missing();
    describe_chunks(dimensions.size());
    shape_.precision = type_ == NC_FLOAT && !packed_ ? runtime::Precision::f32 : runtime::Precision::f64;
  }
  void describe_packing() {
    const auto scale = in_.numbers(variable_, "scale_factor"), offset = in_.numbers(variable_, "add_offset");
    packed_ = !scale.empty() || !offset.empty();
    if (!scale.empty()) scale_ = scale.front();
    if (!offset.empty()) offset_ = offset.front();
    range_ = integer_range(type_);
    if (range_ && range_->least < 0 && means_true(in_.text(variable_, "_Unsigned")))
      throw UsageError(
          fmt::format("{}: variable '{}' is _Unsigned, which the filter does not read; convert it to float",
                      in_.shown(), shown_name_));
    if (type_ != NC_FLOAT && type_ != NC_DOUBLE && !range_)
      throw UsageError(
          fmt::format("{}: variable '{}' has a type the filter cannot compute in; convert it to float",
                      in_.shown(), shown_name_));
    if (range_ && !packed_)
      throw UsageError(
          fmt::format("{}: variable '{}' holds whole numbers without scale_factor; the filtered field would "
                      "not be whole: convert it to float",
                      in_.shown(), shown_name_));
    if (!(std::isfinite(scale_) && scale_ != 0) || !std::isfinite(offset_))
      throw UsageError(fmt::format("{}: variable '{}' has scale_factor {} and add_offset {}", in_.shown(),
                                   shown_name_, scale_, offset_));
  }
  /// CF conventions 2.5.1, in the units of the stored values.
  void describe_missing() {
    for (const char* key : {"_FillValue", "missing_value"})
      for (const double value : in_.numbers(variable_, key))
        missing_.push_back(type_ == NC_FLOAT ? double(float(value)) : value);  // as the values are stored
    if (in_.numbers(variable_, "_FillValue").empty()) {
      // Points never written hold the library's default.
      static const std::map<nc_type, double> defaults = {
          {NC_FLOAT, NC_FILL_FLOAT},   {NC_DOUBLE, NC_FILL_DOUBLE}, {NC_SHORT, NC_FILL_SHORT},
          {NC_USHORT, NC_FILL_USHORT}, {NC_INT, NC_FILL_INT},       {NC_UINT, NC_FILL_UINT}};
      if (const auto at = defaults.find(type_); at != defaults.end()) missing_.push_back(at->second);
    }
    const auto range = in_.numbers(variable_, "valid_range"), least = in_.numbers(variable_, "valid_min"),
               most = in_.numbers(variable_, "valid_max");
    if (range.size() == 2) valid_ = {range[0], range[1]};
    if (!least.empty()) valid_.least = least.front();
    if (!most.empty()) valid_.most = most.front();
    has_valid_range_ = std::isfinite(valid_.least) || std::isfinite(valid_.most);
  }
  void describe_chunks(std::size_t rank) {
    int storage = NC_CONTIGUOUS;
    std::vector<std::size_t> chunk(rank, 1);
    chunked_ = nc_inq_var_chunking(in_.id(), variable_, &storage, chunk.data()) == NC_NOERR &&
               storage == NC_CHUNKED && in_.is_hdf5();
    chunks_.assign(leading_.size(), 1);
    if (!chunked_) return;
    const auto rounded = [](std::int64_t n, std::size_t c) {
      return double((n + std::int64_t(c) - 1) / std::int64_t(c)) * double(c);
    };
    chunk_bytes_ = rounded(shape_.nx, chunk[rank - 1]) * rounded(shape_.ny, chunk[rank - 2]) * 8;
    for (std::size_t d = 0; d < chunks_.size(); ++d) {
      chunks_[d] = std::max<std::size_t>(chunk[d], 1);
      chunk_bytes_ *= double(chunks_[d]);
    }
  }

  /// Start and count in the file's own dimensions.
  struct Place {
    std::vector<std::size_t> start, count;
  };
  Place place_of(const Block& b) const {
    Place p{b.start, b.extent};
    p.start.insert(p.start.end(), 2, 0);
    p.count.push_back(std::size_t(shape_.ny));
    p.count.push_back(std::size_t(shape_.nx));
    return p;
  }
  template <class T>
  void get(const Block& b, T* values) const {
    const Place p = place_of(b);
    with_netcdf([&] {
      if constexpr (sizeof(T) == 4)
        in_.check(nc_get_vara_float(in_.id(), variable_, p.start.data(), p.count.data(), values));
      else
        in_.check(nc_get_vara_double(in_.id(), variable_, p.start.data(), p.count.data(), values));
    });
  }
  template <class T>
  bool is_missing(T stored) const {
    for (const double m : missing_)
      if (stored == T(m)) return true;
    return stored < valid_.least || stored > valid_.most;
  }

  template <class T>
  void read_typed(const Block& b, T* values) const {
    get(b, values);
    const std::int64_t n = b.planes() * shape_.plane();
    std::int64_t first = n;
#pragma omp parallel for reduction(min : first) schedule(static)
    for (std::int64_t i = 0; i < n; ++i) {
      if (is_missing(values[i])) {
        first = std::min(first, i);
        values[i] = std::numeric_limits<T>::quiet_NaN();
      } else if (packed_) {
        values[i] = T(double(values[i]) * scale_ + offset_);
      }
    }
    if (first < n && options_.missing == Missing::refuse)
      throw UsageError(fmt::format(
          "{}: variable '{}' has a missing value at {}, row {}, column {}: fill such points first, or give "
          "--missing keep",
          in_.shown(), shown_name_, plane_name(b, first / shape_.plane()), first / shape_.nx % shape_.ny,
          first % shape_.nx));
    require_finite(*this, b, values, options_);
  }

  template <class T>
  void write_typed(const Block& b, const T* values) {
    const std::int64_t n = b.planes() * shape_.plane();
    const T* from = values;
    std::vector<T> stored;
    const bool gaps = options_.missing == Missing::keep &&
                      std::any_of(values, values + n, [](T v) { return std::isnan(v); });
    if (packed_ || gaps || has_valid_range_) {
      stored.resize(std::size_t(n));
      if (gaps) get(b, stored.data());
      std::int64_t misfit = n;
#pragma omp parallel for reduction(min : misfit) schedule(static)
      for (std::int64_t i = 0; i < n; ++i) {
        if (std::isnan(values[i]) && gaps) continue;  // it keeps what was read
        const double p = packed_ ? (double(values[i]) - offset_) / scale_ : double(values[i]);
        const T s = T(range_ ? std::nearbyint(p) : p);
        if ((range_ && (s < range_->least || s > range_->most)) || is_missing(s))
          misfit = std::min(misfit, i);
        stored[std::size_t(i)] = s;
      }
      if (misfit < n)
        throw UsageError(
            packed_ ? fmt::format(
                          "{}: variable '{}': the filtered value {} cannot be packed with its scale_factor "
                          "and add_offset; convert it to float first",
                          in_.shown(), shown_name_, double(values[misfit]))
                    : fmt::format(
                          "{}: variable '{}': the filtered value {} is outside of its valid range and would "
                          "be read as missing; remove valid_range, valid_min and valid_max first",
                          in_.shown(), shown_name_, double(values[misfit])));
      from = stored.data();
    }
    const Place p = place_of(b);
    with_netcdf([&] {
      if constexpr (sizeof(T) == 4)
        out_->check(nc_put_vara_float(out_->id(), variable_, p.start.data(), p.count.data(), from));
      else
        out_->check(nc_put_vara_double(out_->id(), variable_, p.start.data(), p.count.data(), from));
    });
    ++written_;
  }

  const NetcdfHandle& in_;
  const NetcdfHandle* out_ = nullptr;
  FieldFileOptions options_;
  int variable_;
  std::string variable_name_, shown_name_, name_;
  nc_type type_ = NC_NAT;
  std::vector<std::size_t> leading_, chunks_;  ///< all dimensions but y and x
  std::vector<std::string> leading_names_;
  double scale_ = 1, offset_ = 0, chunk_bytes_ = 0;
  std::optional<IntegerRange> range_;
  bool packed_ = false, chunked_ = false, has_valid_range_ = false, together_ = false;
  std::int64_t written_ = 0;
  std::vector<double> missing_;
  IntegerRange valid_{-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  Shape shape_;
};

class NetcdfFile : public FieldFile {
 public:
  NetcdfFile(const std::string& input, const std::string& output, const FieldFileOptions& options) {
    with_netcdf([&] { open(input, output, options); });
  }
  ~NetcdfFile() override {
    with_netcdf([this] {
      fields_.clear();
      out_.reset();
      in_.reset();
    });
  }
  std::string temporary() const override { return whole_->temporary(); }
  /// What is of a classic format several processes may open by themselves; the library opens NetCDF-4 on all
  /// ranks at once.
  void join() override {
    if (!shared_) return;
    with_netcdf([this] {
      if (in_->is_hdf5()) {
        int id = -1;
        in_->check(open_netcdf_of_all_ranks(whole_->temporary(), NC_WRITE, &id));
        out_ = std::make_unique<NetcdfHandle>(id, in_->shown());
      } else {
        out_ = std::make_unique<NetcdfHandle>(whole_->temporary(), NC_WRITE | NC_SHARE, in_->shown());
      }
      for (const auto& f : fields_) static_cast<NetcdfField&>(*f).set_output(out_.get(), in_->is_hdf5());
    });
  }
  void leave() override {
    if (shared_) with_netcdf([this] { out_->close(); });
  }
  void flush() override {
    watched_->require_unchanged();
    whole_->flush();
  }
  void commit() override {
    if (!shared_) with_netcdf([this] { out_->close(); });
    watched_->require_unchanged();
    whole_->commit();
  }

 private:
  void open(const std::string& input, const std::string& output, const FieldFileOptions& options) {
    watched_ = std::make_unique<InputFile>(input);
    const auto layout = classic_layout(input);
    if (layout && watched_->size() < layout->file_bytes)
      throw UsageError(
          fmt::format("{}: is truncated: {} bytes where its header promises {}; copy or write it again",
                      input, watched_->size(), layout->file_bytes));
    in_ = std::make_unique<NetcdfHandle>(input, NC_NOWRITE, input);
    std::vector<NetcdfField*> fields;
    for (const int v : choose(*in_, options.variables)) {
      auto field = std::make_unique<NetcdfField>(*in_, v, options, options.variables.size() > 1);
      fields.push_back(field.get());
      fields_.push_back(std::move(field));
    }
    shared_ = options.shared;
    const std::string why = shared_ && in_->is_hdf5() ? why_no_netcdf_of_all_ranks() : "";
    if (!why.empty())
      throw UsageError(fmt::format(
          "{}: is NetCDF-4: for several ranks it needs {}: convert it (nccopy -k cdf5), or start one process",
          input, why));
    if (!options.joins.empty()) {
      whole_ = std::make_unique<AtomicFile>(output, options.joins);
      return;
    }
    struct stat there {};
    if (stat(output.c_str(), &there) == 0 && S_ISDIR(there.st_mode))
      throw UsageError(fmt::format("{}: is a folder; give another output name", output));
    if (output == "-" || (stat(output.c_str(), &there) == 0 && !S_ISREG(there.st_mode)))
      throw UsageError(
          fmt::format("{}: NetCDF is written to a regular file only; give another output name", output));
    whole_ = std::make_unique<AtomicFile>(output);
    std::vector<std::pair<std::int64_t, std::int64_t>> holes;
    if (layout && options.missing == Missing::refuse)
      for (const ClassicVariable& v : layout->variables)
        for (const NetcdfField* f : fields)
          if (v.name == f->variable_name() && !v.records) holes.emplace_back(v.begin, v.begin + v.bytes);
    whole_->copy_from(input, holes);
    watched_->require_unchanged();  // else the copy is at fault for what it lacks
    if (shared_) return;
    out_ = std::make_unique<NetcdfHandle>(whole_->path(), NC_WRITE, output);
    for (NetcdfField* f : fields) f->set_output(out_.get(), false);
  }
  static bool can_be_field(const NetcdfHandle& in, int v) {
    const nc_type t = in.type(v);
    return in.dimensions(v).size() >= 2 && !is_coordinate(in, v) &&
           (t == NC_FLOAT || t == NC_DOUBLE || (integer_range(t) && !in.numbers(v, "scale_factor").empty()));
  }
  static std::vector<int> choose(const NetcdfHandle& in, const std::vector<std::string>& wanted) {
    std::vector<std::string> names, fields;
    for (int v = 0; v < in.variables(); ++v) {
      names.push_back(in.variable_name(v));
      if (can_be_field(in, v)) fields.push_back(runtime::shown(names.back()));
    }
    const auto place = [&names](const std::string& name) {
      return int(std::find(names.begin(), names.end(), name) - names.begin());
    };
    if (wanted.empty()) {
      const std::string why =
          !fields.empty() ? fmt::format("holds the fields {}", fmt::join(fields, ", "))
          : in.groups() > 0
              ? "no variable outside of its groups looks like a field; groups are not read (ncks -G : moves "
                "variables out of them)"
              : fmt::format(
                    "none of its variables ({}) looks like a field: floating-point or packed values in two "
                    "dimensions or more",
                    runtime::shown(fmt::format("{}", fmt::join(names, ", ")), 200));
      if (fields.size() != 1)
        throw UsageError(fmt::format("{}: {}; name one or several with --variable", in.shown(), why));
      for (int v = 0; v < in.variables(); ++v)
        if (can_be_field(in, v)) return {v};
    }
    std::vector<int> chosen;
    for (const std::string& name : wanted) {
      const int v = place(name);
      if (v == int(names.size()))
        throw UsageError(fmt::format(
            "{}: has no variable '{}'{}{}", in.shown(), runtime::shown(name),
            fields.empty()
                ? in.groups() > 0 ? "; groups are not read: move it out of its group (ncks -G :)" : ""
                : fmt::format("; its fields are {}", fmt::join(fields, ", ")),
            runtime::did_you_mean(name, fields)));
      if (std::find(chosen.begin(), chosen.end(), v) != chosen.end())
        throw UsageError(fmt::format("--variable {}: names '{}' twice", fmt::join(wanted, ","), name));
      chosen.push_back(v);
    }
    return chosen;
  }

  std::unique_ptr<InputFile> watched_;  ///< the input once more, beside the library's own descriptor
  std::unique_ptr<AtomicFile> whole_;
  std::unique_ptr<NetcdfHandle> in_, out_;
  bool shared_ = false;
};

}  // namespace

std::unique_ptr<FieldFile> open_netcdf(const std::string& input, const std::string& output,
                                       const FieldFileOptions& options) {
  return std::make_unique<NetcdfFile>(input, output, options);
}

}  // namespace parity::io
