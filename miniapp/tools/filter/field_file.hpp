// SPDX-License-Identifier: BSD-3-Clause
// A user's fields in a file, read and written in blocks of planes.
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

/// A field of nz planes of ny x nx points; a 2-D field has one plane, leading dimensions are taken together.
struct Shape {
  std::int64_t nz = 1, ny = 0, nx = 0;
  runtime::Precision precision = runtime::Precision::f32;  ///< what the filter computes in

  std::int64_t plane() const { return ny * nx; }
};

/// Planes that are read and written together: a box of the leading dimensions.
struct Block {
  std::vector<std::size_t> start, extent;  ///< one number a leading dimension
  std::int64_t planes() const;
};

/// A box for each block of at most 'most' planes that together cover the leading dimensions 'lengths', in
/// order. chunks: how the file stores them; no block cuts a chunk that fits.
std::vector<Block> blocks_of(const std::vector<std::size_t>& lengths, const std::vector<std::size_t>& chunks,
                             std::int64_t most);
/// The same of some of the planes, counted through all leading dimensions: boxes that cover them alone.
std::vector<Block> blocks_of(const std::vector<std::size_t>& lengths, const std::vector<std::size_t>& chunks,
                             std::int64_t most, const runtime::Share& planes);

/// What happens to NaN and missing values.
enum class Missing {
  refuse,  ///< runtime::UsageError names the first one's place
  keep     ///< they are NaN for the reader of a block; a NaN that is written becomes what was read
};

/// How planes go on beyond both ends of an axis: round to the other end, or not at all.
struct Edge {
  bool closed = false;
  std::string why;
};

/// One field. Blocks are read in order by one thread and written in order by one thread, at the same time;
/// each may use as many OpenMP threads as it was given.
class Field {
 public:
  virtual ~Field() = default;
  virtual std::string name()
      const = 0;  ///< for messages: the file's, and the variable's where it has several
  virtual std::string variable() const { return ""; }  ///< as a message may hold it
  virtual Shape shape() const = 0;
  /// Divides some planes, such as those of one process of several, into blocks.
  virtual std::vector<Block> blocks(std::int64_t most_planes, const runtime::Share& planes) const = 0;
  /// Planes that stay together where so many processes share them.
  virtual std::int64_t planes_together(std::int64_t /*processes*/) const { return 1; }
  /// What the file says of its last dimension, x, or of y, the one before.
  virtual Edge edge(bool /*of_x*/) const { return {false, ".npy says nothing of edges"}; }
  /// "plane 12", or "time 2, lev 0"; the k-th plane of a block.
  virtual std::string plane_name(const Block& block, std::int64_t k) const = 0;
  /// Values of shape (planes, ny, nx) of the type of shape().precision. Throws runtime::UsageError for what
  /// cannot be filtered: infinities, NaN and missing values (unless kept), unreadable data.
  virtual void read(const Block& block, float* values) = 0;
  virtual void read(const Block& block, double* values) = 0;
  virtual void write(const Block& block, const float* values) = 0;
  virtual void write(const Block& block, const double* values) = 0;
  /// Every process calls it when it has written its blocks; most: those of the process that has most. Some
  /// formats want every process to take part in every write.
  virtual void end_writing(std::int64_t /*most*/) {}
  /// Bytes that the format's library holds for reading and writing this field: at best, and whatever it may.
  struct Caches {
    double wanted = 0, least = 0;
  };
  virtual Caches caches() const { return {}; }
  /// Bounds them.
  virtual void set_caches(double /*most*/) {}
  /// After commit: by how much stored values differ at most from those that were written, and what took it.
  struct Loss {
    double most = 0;
    std::string by = {};
  };
  virtual Loss loss() const { return {}; }
};

/// Fields of one file, and the output that appears whole, at commit(), or not at all.
class FieldFile {
 public:
  virtual ~FieldFile() = default;
  const std::vector<std::unique_ptr<Field>>& fields() const { return fields_; }
  /// Of a shared file the output that is not there yet, for the processes that write parts of it.
  std::string temporary() const { return output_->is_stream() ? "" : output_->path(); }
  /// Of a shared file: every process has it open, and all of them call it together. So they do when nothing
  /// is left to write.
  virtual void join() {}
  virtual void leave() {}
  /// Makes durable what this process wrote, once it was read back and is what was meant: throws
  /// runtime::Error where it is not. So does commit().
  void flush();
  void commit();

 protected:
  /// joins: see FieldFileOptions.
  void open_output(const std::string& name, const std::string& joins);
  /// When this process has written everything.
  virtual void close_output() {}
  /// Holds the output against what was meant.
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
  /// The last two dimensions' names where the user vouches that they are y and x, whatever the file says.
  std::vector<std::string> plane = {};
  Missing missing = Missing::refuse;
  bool overwrite_input = false;  ///< the output may be the input
  /// Several processes read and write parts of the file, which is no pipe.
  bool shared = false;
  double most_bytes = 0;   ///< of host memory; 0: half of what is free
  std::string joins = {};  ///< the temporary output of the process that made it; empty: this one
};

/// Opens a .npy or NetCDF file, told apart by content. "-" is standard input and output, for .npy. Everything
/// that can be wrong with the input or the output's name throws runtime::UsageError before any output exists.
std::unique_ptr<FieldFile> open_fields(const std::string& input, const std::string& output,
                                       const FieldFileOptions& options);

std::unique_ptr<FieldFile> open_npy(const std::string& input, const std::string& output,
                                    const FieldFileOptions& options);
std::unique_ptr<FieldFile> open_netcdf(const std::string& input, const std::string& output,
                                       const FieldFileOptions& options);

/// Throws runtime::UsageError when one of the block's values is infinite, or NaN where missing values are
/// refused; names the first one's place.
template <class T>
void require_finite(const Field& field, const Block& block, const T* values, const FieldFileOptions& options);

}  // namespace parity::io
