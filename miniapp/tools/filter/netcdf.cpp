// SPDX-License-Identifier: BSD-3-Clause
// NetCDF fields. The output is a copy of the input file; only the filtered variables' data are replaced, so
// it keeps all other variables, coordinates and attributes, and chunks and compression.
#include <fmt/format.h>
#include <netcdf.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "io/input.hpp"
#include "io/npy.hpp"
#include "runtime/error.hpp"
#include "runtime/host_memory.hpp"
#include "runtime/messages.hpp"
#include "runtime/text.hpp"
#include "tools/filter/field_file.hpp"
#include "tools/filter/netcdf_axes.hpp"
#include "tools/filter/netcdf_classic.hpp"
#include "tools/filter/netcdf_elsewhere.hpp"
#include "tools/filter/netcdf_library.hpp"
#include "tools/filter/netcdf_values.hpp"
#include "tools/filter/read_back.hpp"

namespace parity::io {
namespace {

using runtime::UsageError;

/// Byte-swaps 'v' in the representation of its stored type.
template <class T>
T other_order(nc_type type, T v) {
  if (type == NC_FLOAT || type == NC_DOUBLE) return swapped(v);
  if (type == NC_SHORT) return T(std::int16_t(__builtin_bswap16(std::uint16_t(std::int16_t(v)))));
  if (type == NC_USHORT) return T(__builtin_bswap16(std::uint16_t(v)));
  if (type == NC_INT) return T(std::int32_t(__builtin_bswap32(std::uint32_t(std::int32_t(v)))));
  if (type == NC_UINT) return T(__builtin_bswap32(std::uint32_t(v)));
  return v;
}

constexpr std::int64_t most_points = std::int64_t(1) << 40;  ///< along any dimension

class NetcdfField : public Field {
 public:
  NetcdfField(const NetcdfHandle& in, const NetcdfAxes& axes, int variable, const FieldFileOptions& options,
              bool named)
      : in_(in), axes_(axes), options_(options), variable_(variable) {
    variable_name_ = in.variable_name(variable);
    shown_name_ = runtime::shown(variable_name_);
    name_ = named ? fmt::format("{}: variable '{}'", in.shown(), shown_name_) : in.shown();
    describe();
  }

  /// together: every rank writes a block at the same time.
  void set_output(const NetcdfHandle* out, bool together) {
    out_ = out;
    together_ = together;
    if (together_) out_->check(write_on_all_ranks(out_->id(), variable_));
    set_cache(cache_bytes_);
    if (out_->is_hdf5() && !together_) try_writing();
  }
  /// Result of try_writing; rank 0 broadcasts it.
  bool turned() const { return turned_; }
  void set_turned(bool turned) { turned_ = turned; }
  Caches caches() const override { return {2 * std::max(cache_bytes_, held_bytes_), 2 * held_bytes_}; }
  void set_caches(double most) override {
    cache_bytes_ = most / 2;
    with_netcdf([this] { set_cache(cache_bytes_); });
  }
  /// Reads back what was written, in the library's thread, after the output is closed.
  void read_back(const NetcdfHandle& stored) {
    out_ = &stored;
    set_cache(cache_bytes_);
    const auto compare = [&](auto value) {
      using T = decltype(value);
      const auto d =
          written_values_.compare<T>(shape_.plane(), [&](const Block& b, T* to) { get(stored, b, to); });
      if (d.any && !(filtered_storage() && d.most <= 0.1 * d.largest))
        fail_read_back(*this, d,
                       "the file's type cannot hold it: copy the variable to plain float or double first");
      filter_loss_ = d.most * values_->scale();
    };
    values_->single() ? compare(0.0f) : compare(0.0);
    written_values_.clear();
    set_cache(0);
    out_ = nullptr;
  }
  Loss loss() const override {
    return {packing_loss_ + filter_loss_, filter_loss_ > 0 ? "lossy filter" : "packing"};
  }
  const std::string& variable_name() const { return variable_name_; }

  std::string name() const override { return name_; }
  std::string variable() const override { return shown_name_; }
  Shape shape() const override { return shape_; }
  std::vector<Block> blocks(std::int64_t most, const runtime::Share& planes) const override {
    return blocks_of(leading_, chunks_, most, planes);
  }
  std::int64_t planes_together(std::int64_t processes) const override {
    if (leading_.empty()) return 1;
    const std::int64_t inner = shape_.nz / std::int64_t(leading_.front());
    if (in_.is_hdf5()) {  // a chunk, if every process gets at least one
      const std::int64_t chunk = std::int64_t(chunks_.front()) * inner;
      return (shape_.nz + chunk - 1) / chunk >= processes ? chunk : 1;
    }
    // The library writes a classic file in aligned groups of 4 bytes.
    return values_->bytes() * shape_.plane() % 4 == 0 ? 1 : 4 * inner;
  }
  void end_writing(std::int64_t most) override {
    const std::vector<std::size_t> nothing(leading_.size() + 2, 0);
    const double none = 0;
    for (; together_ && written_ < most; ++written_)
      with_netcdf([&] {
        out_->check(nc_put_vara_double(out_->id(), variable_, nothing.data(), nothing.data(), &none));
      });
    with_netcdf([this] { set_cache(0); });  // frees memory for the next field
  }
  Edge edge(bool of_x) const override {
    Edge edge;
    with_netcdf([&] {
      const std::vector<int> d = in_.dimensions(variable_);
      edge = axes_.edge(variable_, d[d.size() - (of_x ? 1 : 2)]);
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
    const nc_type type = in_.type(variable_);
    if (type == NC_CHAR || type == NC_STRING)
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
    axes_.require_plane(variable_, options_.plane);
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
    values_.emplace(in_, variable_);
    held_bytes_ = in_.held_bytes(variable_);
    describe_chunks(dimensions.size());
    shape_.precision = values_->single() ? runtime::Precision::f32 : runtime::Precision::f64;
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
    // Room for all chunks of one block; the next block may continue in them.
    cache_bytes_ =
        rounded(shape_.nx, chunk[rank - 1]) * rounded(shape_.ny, chunk[rank - 2]) * double(values_->bytes());
    for (std::size_t d = 0; d < chunks_.size(); ++d) {
      chunks_[d] = std::max<std::size_t>(chunk[d], 1);
      cache_bytes_ *= double(chunks_[d]);
    }
  }
  void set_cache(double bytes) const {
    for (const NetcdfHandle* file : {&in_, out_})
      if (chunked_ && file)  // this flushes the cache
        file->check(nc_set_var_chunk_cache(file->id(), variable_, std::size_t(bytes), 10007, 0.75f));
  }

  /// Start and count in the file's dimensions.
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
  void get(const NetcdfHandle& file, const Block& b, T* values) const {
    const Place p = place_of(b);
    int status = NC_NOERR;
    if constexpr (sizeof(T) == 4)
      status = nc_get_vara_float(file.id(), variable_, p.start.data(), p.count.data(), values);
    else
      status = nc_get_vara_double(file.id(), variable_, p.start.data(), p.count.data(), values);
    file.check(status, [&] {
      return fmt::format("variable '{}' cannot be read at {}: ", shown_name_, plane_name(b, 0));
    });
  }
  template <class T>
  void put(const Place& p, const T* values, std::int64_t n) const {
    std::vector<T> turned;
    if (turned_) {
      turned.assign(values, values + n);
#pragma omp parallel for schedule(static)
      for (std::int64_t i = 0; i < n; ++i)
        turned[std::size_t(i)] = other_order(values_->type(), turned[std::size_t(i)]);
      values = turned.data();
    }
    if constexpr (sizeof(T) == 4)
      out_->check(nc_put_vara_float(out_->id(), variable_, p.start.data(), p.count.data(), values));
    else
      out_->check(nc_put_vara_double(out_->id(), variable_, p.start.data(), p.count.data(), values));
  }
  /// Some versions of the library write a variable of the other byte order in an existing file without
  /// swapping its bytes (netcdf-c issue 1802), and write HDF5 types of unusual sizes as something else.
  void try_writing() {
    Place p{std::vector<std::size_t>(leading_.size() + 1, 0),
            std::vector<std::size_t>(leading_.size() + 1, 1)};
    p.start.push_back(0);
    p.count.push_back(std::size_t(std::min<std::int64_t>(shape_.nx, 100)));
    const std::size_t n = p.count.back();
    std::vector<double> meant(n), turned(n), found(n);
    const bool single = values_->type() == NC_FLOAT;
    for (std::size_t i = 0; i < n; ++i) {
      meant[i] = double(i + 1);
      turned[i] = single ? double(swapped(float(i + 1))) : other_order(values_->type(), meant[i]);
    }
    single ? put(p, std::vector<float>(meant.begin(), meant.end()).data(), std::int64_t(n))
           : put(p, meant.data(), std::int64_t(n));
    const int status =
        nc_get_vara_double(out_->id(), variable_, p.start.data(), p.count.data(), found.data());
    const auto is = [&](const std::vector<double>& those) {
      return status == NC_NOERR &&
             std::equal(those.begin(), those.end(), found.begin(),
                        [](double x, double y) { return std::abs(x - y) <= 0.1 * std::abs(x); });
    };
    if (is(meant)) return;
    turned_ = is(turned);
    if (turned_) return;
    throw UsageError(
        fmt::format("{}: variable '{}' has an HDF5 type that the NetCDF library cannot write; copy it to "
                    "plain float or double first",
                    in_.shown(), shown_name_));
  }
  /// True if the file stores values by a lossy method: quantized, or with a filter that is not a lossless
  /// standard.
  bool filtered_storage() const {
    for (const char* kind : {"BitGroomNumberOfSignificantDigits", "GranularBitRoundNumberOfSignificantDigits",
                             "BitRoundNumberOfSignificantBits"})
      if (in_.attribute_type(variable_, fmt::format("_Quantize{}", kind).c_str()) != NC_NAT) return true;
    unsigned filter = 0;
    std::size_t parameters = 0;
    return nc_inq_var_filter(in_.id(), variable_, &filter, &parameters, nullptr) == NC_NOERR && filter > 4;
  }

  template <class T>
  void read_typed(const Block& b, T* values) const {
    with_netcdf([&] { get(in_, b, values); });
    const std::int64_t n = b.planes() * shape_.plane();
    std::int64_t first = n;
    double missing = 0;
#pragma omp parallel for reduction(min : first) schedule(static)
    for (std::int64_t i = 0; i < n; ++i)
      if (values_->is_missing(values[i])) first = std::min(first, i);
    if (first < n) missing = double(values[first]);
    if (first < n && options_.missing == Missing::refuse)
      throw UsageError(
          fmt::format("{}: variable '{}' has a missing value at {}, row {}, column {} ({}): fill such points "
                      "first, or give "
                      "--missing keep",
                      in_.shown(), shown_name_, plane_name(b, first / shape_.plane()),
                      first / shape_.nx % shape_.ny, first % shape_.nx, values_->why_missing(missing)));
    if (first < n || values_->packed()) {
#pragma omp parallel for schedule(static)
      for (std::int64_t i = 0; i < n; ++i)
        values[i] = values_->is_missing(values[i]) ? std::numeric_limits<T>::quiet_NaN()
                                                   : T(values_->unpacked(double(values[i])));
    }
    require_finite(*this, b, values, options_);
  }

  template <class T>
  void write_typed(const Block& b, const T* values) {
    const std::int64_t n = b.planes() * shape_.plane();
    const T* from = values;
    std::vector<T> stored;
    const bool gaps = options_.missing == Missing::keep &&
                      std::any_of(values, values + n, [](T v) { return std::isnan(v); });
    if (values_->packed() || gaps || values_->limited()) {
      stored.resize(std::size_t(n));
      if (gaps) with_netcdf([&] { get(in_, b, stored.data()); });
      std::int64_t misfit = n;
      double loss = packing_loss_;
#pragma omp parallel for reduction(min : misfit) reduction(max : loss) schedule(static)
      for (std::int64_t i = 0; i < n; ++i) {
        if (std::isnan(values[i]) && gaps) continue;  // keeps the value that was read
        const auto s = values_->stored(double(values[i]));
        if (!s || values_->is_missing(*s)) {
          misfit = std::min(misfit, i);
        } else {
          loss = std::max(loss, std::abs(values_->unpacked(*s) - double(values[i])));
          stored[std::size_t(i)] = T(*s);
        }
      }
      if (misfit < n) refuse_misfit(double(values[misfit]));
      if (values_->packed()) packing_loss_ = loss;
      from = stored.data();
    }
    written_values_.wrote(b, from, shape_.plane());
    const Place p = place_of(b);
    // The library would convert a double to float after the bytes were swapped.
    if (values_->type() == NC_FLOAT && sizeof(T) == 8)
      with_netcdf([&] { put(p, std::vector<float>(from, from + n).data(), n); });
    else
      with_netcdf([&] { put(p, from, n); });
    ++written_;
  }
  [[noreturn]] void refuse_misfit(double value) const {
    const auto s = values_->stored(value);
    throw UsageError(
        !s || values_->packed()
            ? fmt::format(
                  "{}: variable '{}': the filtered value {} cannot be packed with its scale_factor and "
                  "add_offset{}; convert it to float first",
                  in_.shown(), shown_name_, value,
                  s ? fmt::format(" (it would be {})", values_->why_missing(*s)) : "")
            : fmt::format("{}: variable '{}': the filtered value {} is outside of its valid range and would "
                          "be read as "
                          "missing ({}); remove valid_range, valid_min and valid_max first",
                          in_.shown(), shown_name_, value, values_->why_missing(*s)));
  }

  const NetcdfHandle& in_;
  const NetcdfAxes& axes_;
  const NetcdfHandle* out_ = nullptr;
  FieldFileOptions options_;
  int variable_;
  std::string variable_name_, shown_name_, name_;
  std::optional<NetcdfValues> values_;
  std::vector<std::size_t> leading_, chunks_;  ///< all dimensions except y and x
  std::vector<std::string> leading_names_;
  double cache_bytes_ = 0, held_bytes_ = 0;
  bool chunked_ = false, together_ = false;
  bool turned_ = false;  ///< written values need their bytes swapped
  std::int64_t written_ = 0;
  ReadBack written_values_;
  double packing_loss_ = 0, filter_loss_ = 0;
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
  /// Several processes may open a classic file independently; the library opens NetCDF-4 on all ranks at
  /// once.
  void join() override {
    if (!shared_)
      return with_netcdf([this] {
        out_ = std::make_unique<NetcdfHandle>(output_->path(), NC_WRITE, in_->shown());
        out_->set_output(output_name_);
        for (const auto& f : fields_) static_cast<NetcdfField&>(*f).set_output(out_.get(), false);
      });
    if (in_->is_hdf5()) {
      if (runtime::rank_info().rank == 0)
        with_netcdf([this] {
          NetcdfHandle alone(output_->path(), NC_WRITE, in_->shown());
          for (const auto& f : fields_) static_cast<NetcdfField&>(*f).set_output(&alone, false);
          alone.close();
        });
      for (const auto& f : fields_) {
        NetcdfField& field = static_cast<NetcdfField&>(*f);
        field.set_turned(runtime::broadcast(field.turned()));
      }
    }
    with_netcdf([this] {
      if (in_->is_hdf5()) {
        int id = -1;
        in_->check(open_netcdf_of_all_ranks(output_->path(), NC_WRITE, &id));
        out_ = std::make_unique<NetcdfHandle>(id, in_->shown());
      } else {
        out_ = std::make_unique<NetcdfHandle>(output_->path(), NC_WRITE | NC_SHARE, in_->shown());
      }
      out_->set_output(output_name_);
      for (const auto& f : fields_) static_cast<NetcdfField&>(*f).set_output(out_.get(), in_->is_hdf5());
    });
  }
  void leave() override {
    if (shared_) with_netcdf([this] { out_->close(); });
  }

 private:
  void close_output() override {
    if (!shared_) with_netcdf([this] { out_->close(); });
  }
  void read_back() override {
    with_netcdf([this] {
      const NetcdfHandle stored(output_->path(), NC_NOWRITE, output_name_);
      for (const auto& f : fields_) static_cast<NetcdfField&>(*f).read_back(stored);
    });
  }
  void open(const std::string& input, const std::string& output, const FieldFileOptions& options) {
    output_name_ = runtime::shown(output, 4096);
    input_ = std::make_unique<InputFile>(input);  // a second descriptor besides the library's
    const auto layout = classic_layout(input);
    if (layout && input_->size() < layout->file_bytes)
      throw UsageError(
          fmt::format("{}: is truncated: {} bytes where its header promises {}; copy or write it again",
                      input, input_->size(), layout->file_bytes));
    const bool looked_through = require_self_contained(input, input);
    in_ = std::make_unique<NetcdfHandle>(input, NC_NOWRITE, input);
    if (in_->is_hdf5() && !looked_through)
      throw UsageError(fmt::format(
          "{}: is NetCDF-4, and this build's HDF5 does not tell whether its values lie in other files (that "
          "takes a shared library of 1.10 or newer): convert it (nccopy -k cdf5)",
          input));
    const double half_of_free =
        0.5 * double(runtime::available_host_memory()) / runtime::rank_info().ranks_on_node;
    in_->set_most_held((options.most_bytes > 0 ? options.most_bytes : half_of_free) /
                       2);  // the output holds as much
    std::vector<NetcdfField*> fields;
    axes_ = std::make_unique<NetcdfAxes>(*in_);
    for (const int v : axes_->fields(options.variables)) {
      auto field = std::make_unique<NetcdfField>(*in_, *axes_, v, options, options.variables.size() > 1);
      fields.push_back(field.get());
      fields_.push_back(std::move(field));
    }
    shared_ = options.shared;
    const std::string why = shared_ && in_->is_hdf5() ? why_no_netcdf_of_all_ranks() : "";
    if (!why.empty())
      throw UsageError(fmt::format(
          "{}: is NetCDF-4: for several ranks it needs {}: convert it (nccopy -k cdf5), or start one process",
          input, why));
    if (!options.joins.empty()) return open_output(output, options.joins);
    if (is_stream(output))
      throw UsageError(
          fmt::format("{}: NetCDF is written to a regular file only; give another output name", output));
    open_output(output, "");
    std::vector<std::pair<std::int64_t, std::int64_t>> holes;
    if (layout && options.missing == Missing::refuse)
      for (const ClassicVariable& v : layout->variables)
        for (const NetcdfField* f : fields)
          if (v.name == f->variable_name() && !v.records) holes.emplace_back(v.begin, v.begin + v.bytes);
    output_->copy_from(input, holes);
    input_->require_unchanged();  // otherwise the copy would be blamed for what it lacks
    // Another program may have replaced the input, even by a file of another format.
    if (require_self_contained(output_->path(), input) != in_->is_hdf5())
      throw UsageError(fmt::format("{}: was replaced while it was read; start again", input));
  }
  std::unique_ptr<NetcdfHandle> in_, out_;
  std::unique_ptr<NetcdfAxes> axes_;
  std::string output_name_;
  bool shared_ = false;
};

}  // namespace

std::unique_ptr<FieldFile> open_netcdf(const std::string& input, const std::string& output,
                                       const FieldFileOptions& options) {
  return std::make_unique<NetcdfFile>(input, output, options);
}

}  // namespace parity::io
