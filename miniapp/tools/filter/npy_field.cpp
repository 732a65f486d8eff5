// SPDX-License-Identifier: BSD-3-Clause
// A field in a .npy file.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "io/npy.hpp"
#include "runtime/error.hpp"
#include "runtime/parallel.hpp"
#include "tools/filter/field_file.hpp"
#include "tools/filter/read_back.hpp"

namespace parity::io {
namespace {

using runtime::UsageError;

std::string read_start(const InputFile& in) {
  std::string start(12, '\0');
  start.resize(in.read_some(start.data(), start.size(), 0));
  if (start.size() < 12) return start;
  const std::int64_t whole = npy_header_bytes(start);
  if (whole <= 12 || whole > longest_npy_header) return start;
  start.resize(std::size_t(whole));
  start.resize(12 + in.read_some(start.data() + 12, start.size() - 12, 12));
  return start;
}

class NpyField : public Field {
 public:
  NpyField(const InputFile& in, const FieldFileOptions& options)
      : options_(options), in_(in), start_(read_start(in_)) {
    header_ = parse_npy_header(in_.name(), start_, in_.size());
    const auto& s = header_.shape;
    if (s.size() != 2 && s.size() != 3)
      throw UsageError(fmt::format("{}: has {} dimension(s); give a field of 2 (ny, nx) or 3 (nz, ny, nx)",
                                   in_.name(), s.size()));
    shape_ = {s.size() == 3 ? s[0] : 1, s[s.size() - 2], s.back(),
              header_.item_bytes == 4 ? runtime::Precision::f32 : runtime::Precision::f64};
  }
  void set_output(AtomicFile& out) {
    out_ = &out;
    if (options_.joins.empty()) out_->write_at(start_.data(), std::size_t(header_.data_offset), 0);
  }

  std::string name() const override { return in_.name(); }
  Shape shape() const override { return shape_; }
  std::vector<Block> blocks(std::int64_t most, const runtime::Share& planes) const override {
    return blocks_of({std::size_t(shape_.nz)}, {1}, most, planes);
  }
  std::string plane_name(const Block& b, std::int64_t k) const override {
    return fmt::format("plane {}", std::int64_t(b.start[0]) + k);
  }
  void read(const Block& b, float* v) override { read_typed(b, v); }
  void read(const Block& b, double* v) override { read_typed(b, v); }
  void write(const Block& b, const float* v) override { write_typed(b, v); }
  void write(const Block& b, const double* v) override { write_typed(b, v); }
  void read_back() {
    const InputFile stored(out_->path());
    const auto compare = [&](auto value) {
      using T = decltype(value);
      const auto d = written_.compare<T>(shape_.plane(), [&](const Block& b, T* to) {
        read_bytes(stored, reinterpret_cast<char*>(to), b.planes() * shape_.plane() * std::int64_t(sizeof(T)),
                   offset(b));
      });
      if (d.any) fail_read_back(*this, d, "the disk or its file system lost it: write to another one");
    };
    header_.item_bytes == 4 ? compare(0.0f) : compare(0.0);
  }

 private:
  std::int64_t offset(const Block& b) const {
    return header_.data_offset + std::int64_t(b.start[0]) * shape_.plane() * std::int64_t(header_.item_bytes);
  }
  /// Several threads read a seekable file.
  static void read_bytes(const InputFile& in, char* to, std::int64_t bytes, std::int64_t at) {
    constexpr std::int64_t piece = std::int64_t(4) << 20;
    if (!in.seekable()) return in.read(to, std::size_t(bytes), at);
    runtime::FirstFailure failure;
#pragma omp parallel for schedule(dynamic, 1)
    for (std::int64_t begin = 0; begin < bytes; begin += piece)
      failure.guard([&] { in.read(to + begin, std::size_t(std::min(piece, bytes - begin)), at + begin); });
    failure.rethrow();
  }
  template <class T>
  void read_typed(const Block& b, T* values) {
    const std::int64_t n = b.planes() * shape_.plane();
    read_bytes(in_, reinterpret_cast<char*>(values), n * std::int64_t(sizeof(T)), offset(b));
    if (!in_.seekable() && std::int64_t(b.start[0]) + b.planes() == shape_.nz) {
      char more;
      if (in_.read_some(&more, 1, 0) > 0)
        throw UsageError(in_.name() + ": has bytes after its data; it is no single saved array");
    }
    if (header_.swapped) {
#pragma omp parallel for schedule(static)
      for (std::int64_t i = 0; i < n; ++i) values[i] = swapped(values[i]);
    }
    require_finite(*this, b, values, options_);
  }
  template <class T>
  void write_typed(const Block& b, const T* values) {
    const std::int64_t n = b.planes() * shape_.plane();
    const T* from = values;
    std::vector<T> copy;
    if (header_.swapped) {
      copy.resize(std::size_t(n));
#pragma omp parallel for schedule(static)
      for (std::int64_t i = 0; i < n; ++i) copy[std::size_t(i)] = swapped(values[i]);
      from = copy.data();
    }
    if (!out_->is_stream()) written_.wrote(b, from, shape_.plane());
    out_->write_at(from, std::size_t(n) * sizeof(T), offset(b));
  }

  FieldFileOptions options_;
  const InputFile& in_;
  std::string start_;
  NpyHeader header_;
  Shape shape_;
  AtomicFile* out_ = nullptr;
  ReadBack written_;
};

class NpyFile : public FieldFile {
 public:
  NpyFile(const std::string& input, const std::string& output, const FieldFileOptions& options) {
    input_ = std::make_unique<InputFile>(input);
    fields_.push_back(std::make_unique<NpyField>(*input_, options));
    open_output(output, options.joins);
    field().set_output(*output_);
  }

 private:
  void read_back() override { field().read_back(); }
  NpyField& field() const { return static_cast<NpyField&>(*fields_.front()); }
};

}  // namespace

std::unique_ptr<FieldFile> open_npy(const std::string& input, const std::string& output,
                                    const FieldFileOptions& options) {
  return std::make_unique<NpyFile>(input, output, options);
}

}  // namespace parity::io
