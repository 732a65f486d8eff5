// SPDX-License-Identifier: BSD-3-Clause
// Fields in a user's file, read and written in blocks of planes.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/atomic_file.hpp"
#include "io/input.hpp"
#include "runtime/precision.hpp"
#include "runtime/share.hpp"

namespace parity::io {

/// A field of nz planes of ny x nx points; a 2-D field has one plane, leading dimensions are merged.
struct Shape {
  std::int64_t nz = 1, ny = 0, nx = 0;
  runtime::Precision precision = runtime::Precision::f32;  ///< the filter's precision

  std::int64_t plane() const { return ny * nx; }
};

/// Planes that are read and written together: a box in the leading dimensions.
struct Block {
  std::vector<std::size_t> start, extent;  ///< one number per leading dimension
  std::int64_t planes() const;
};

/// Divides the leading dimensions 'lengths' into boxes of at most 'most' planes, in order. chunks: the file's
/// chunk sizes; no block splits a chunk that fits.
std::vector<Block> blocks_of(const std::vector<std::size_t>& lengths, const std::vector<std::size_t>& chunks,
                             std::int64_t most);
/// The same for a range of planes, numbered through all leading dimensions: the boxes cover only these.
std::vector<Block> blocks_of(const std::vector<std::size_t>& lengths, const std::vector<std::size_t>& chunks,
                             std::int64_t most, const runtime::Share& planes);

/// Treatment of NaN and missing values.
enum class Missing {
  refuse,  ///< runtime::UsageError names the position of the first one
  keep     ///< read() returns NaN for them; write() stores the original value for NaN
};

/// Boundary condition at both ends of an axis: periodic, or closed. why: the source of this choice.
struct Edge {
  bool closed = false;
  std::string why;
};

/// One field. One thread reads blocks in order and one thread writes them in order, concurrently; each may
/// use as many OpenMP threads as its caller allows.
class Field {
 public:
  virtual ~Field() = default;
  virtual std::string name()
      const = 0;  ///< for messages: the file's name, and the variable's if the file has several
  virtual std::string variable() const { return ""; }  ///< escaped for messages
  virtual Shape shape() const = 0;
  /// Divides a range of planes, such as one process's part, into blocks.
  virtual std::vector<Block> blocks(std::int64_t most_planes, const runtime::Share& planes) const = 0;
  /// The number of planes that must stay on one process if so many processes share the field.
  virtual std::int64_t planes_together(std::int64_t /*processes*/) const { return 1; }
  /// The boundary that the file gives for its last dimension, x, or for y, the one before.
  virtual Edge edge(bool /*of_x*/) const { return {false, ".npy says nothing of edges"}; }
  /// Name of the k-th plane of a block: "plane 12", or "time 2, lev 0".
  virtual std::string plane_name(const Block& block, std::int64_t k) const = 0;
  /// Reads values of shape (planes, ny, nx) in the type of shape().precision. Throws runtime::UsageError for
  /// infinities, for NaN and missing values (unless kept), and for unreadable data.
  virtual void read(const Block& block, float* values) = 0;
  virtual void read(const Block& block, double* values) = 0;
  virtual void write(const Block& block, const float* values) = 0;
  virtual void write(const Block& block, const double* values) = 0;
  /// Every process calls it after writing its blocks; most: the largest number of blocks of any process. Some
  /// formats need every process to take part in every write.
  virtual void end_writing(std::int64_t /*most*/) {}
  /// Bytes that the format's library uses to read and write this field: the best amount, and the minimum.
  struct Caches {
    double wanted = 0, least = 0;
  };
  virtual Caches caches() const { return {}; }
  /// Limits the caches to so many bytes.
  virtual void set_caches(double /*most*/) {}
  /// After commit: the largest difference between stored and written values, and its cause.
  struct Loss {
    double most = 0;
    std::string by = {};
  };
  virtual Loss loss() const { return {}; }
};

/// The fields of one file, and its output, which is an atomic file: it appears at commit() or not at all.
class FieldFile {
 public:
  virtual ~FieldFile() = default;
  const std::vector<std::unique_ptr<Field>>& fields() const { return fields_; }
  /// Path of the output before commit, for the processes that write parts of a shared file; "" for a stream.
  std::string temporary() const { return output_->is_stream() ? "" : output_->path(); }
  /// Opens the output for writing; leave() closes a shared one after the last write. Both are collective for
  /// a shared file, which every process has opened.
  virtual void join() {}
  virtual void leave() {}
  /// Reads back what this process wrote and makes it durable. Throws runtime::Error if the file holds other
  /// values. So does commit().
  void flush();
  void commit();

 protected:
  /// joins: see FieldFileOptions.
  void open_output(const std::string& name, const std::string& joins);
  /// Called after this process has written everything.
  virtual void close_output() {}
  /// Compares the output with the values that were written.
  virtual void read_back() = 0;

  std::unique_ptr<InputFile> input_;
  std::unique_ptr<AtomicFile> output_;
  std::vector<std::unique_ptr<Field>> fields_;

 private:
  void settle();
  bool settled_ = false;
};

struct FieldFileOptions {
  std::vector<std::string> variables;  ///< NetCDF variables; empty for the only field of a file
  /// Names of the last two dimensions if the user asserts that they are y and x, whatever the file says.
  std::vector<std::string> plane = {};
  Missing missing = Missing::refuse;
  bool overwrite_input = false;  ///< the output may be the input
  /// Several processes read and write parts of the file, which cannot be a pipe.
  bool shared = false;
  double most_bytes = 0;   ///< of host memory; 0: half of the free memory
  std::string joins = {};  ///< path of the temporary output that another process created; empty: create it
};

/// Opens a .npy or NetCDF file, told apart by content. "-" is standard input and output, for .npy. Throws
/// runtime::UsageError for any fault of the input or the output's name, before it creates an output.
std::unique_ptr<FieldFile> open_fields(const std::string& input, const std::string& output,
                                       const FieldFileOptions& options);

std::unique_ptr<FieldFile> open_npy(const std::string& input, const std::string& output,
                                    const FieldFileOptions& options);
std::unique_ptr<FieldFile> open_netcdf(const std::string& input, const std::string& output,
                                       const FieldFileOptions& options);

/// Throws runtime::UsageError with the position of the block's first infinite value, or first NaN if missing
/// values are refused.
template <class T>
void require_finite(const Field& field, const Block& block, const T* values, const FieldFileOptions& options);

}  // namespace parity::io
