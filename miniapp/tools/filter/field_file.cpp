// SPDX-License-Identifier: BSD-3-Clause
#include "tools/filter/field_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <future>
#include <numeric>
#include <utility>

#include "io/other_formats.hpp"
#include "runtime/error.hpp"
#include "runtime/text.hpp"

namespace parity::io {
namespace {

using runtime::UsageError;

std::int64_t product(const std::vector<std::size_t>& factors) {
  return std::accumulate(factors.begin(), factors.end(), std::int64_t(1),
                         [](std::int64_t a, std::size_t b) { return a * std::int64_t(b); });
}

/// Boxes that together cover a range of planes, in order.
void add_boxes(const std::vector<std::size_t>& lengths, std::size_t dimension, std::vector<std::size_t> start,
               std::int64_t first, std::int64_t size, std::vector<Block>& boxes) {
  if (size == 0) return;
  if (dimension == lengths.size()) return boxes.push_back({start, std::vector<std::size_t>(start.size(), 1)});
  std::int64_t inner = 1;
  for (std::size_t d = dimension + 1; d < lengths.size(); ++d) inner *= std::int64_t(lengths[d]);
  const std::int64_t end = first + size;
  const auto part = [&](std::int64_t begin, std::int64_t up_to) {
    start.push_back(std::size_t(begin / inner));
    add_boxes(lengths, dimension + 1, start, begin % inner, up_to - begin, boxes);
    start.pop_back();
  };
  const std::int64_t whole_from = (first + inner - 1) / inner, whole_to = end / inner;
  if (whole_from > whole_to) return part(first, end);
  part(first, whole_from * inner);
  if (whole_to > whole_from) {
    Block box{start, std::vector<std::size_t>(start.size(), 1)};
    box.start.push_back(std::size_t(whole_from));
    box.extent.push_back(std::size_t(whole_to - whole_from));
    for (std::size_t d = dimension + 1; d < lengths.size(); ++d) {
      box.start.push_back(0);
      box.extent.push_back(lengths[d]);
    }
    boxes.push_back(std::move(box));
  }
  part(whole_to * inner, end);
}

void require_no_names(const FieldFileOptions& options, const char* why) {
  if (!options.variables.empty() || !options.plane.empty())
    throw UsageError(
        fmt::format("--{} is for NetCDF; {}", options.variables.empty() ? "plane" : "variable", why));
}

/// The signature is at the beginning, or after a user block such as MATLAB writes.
bool is_hdf5(std::ifstream& in, std::int64_t size) {
  for (std::int64_t at = 0; at + 8 <= size; at = at == 0 ? 512 : 2 * at) {
    char magic[8] = {};
    in.clear();
    if (in.seekg(at) && in.read(magic, 8) && std::memcmp(magic, "\x89HDF\r\n\x1a\n", 8) == 0) return true;
  }
  return false;
}

}  // namespace

std::int64_t Block::planes() const { return product(extent); }

std::vector<Block> blocks_of(const std::vector<std::size_t>& lengths, const std::vector<std::size_t>& chunks,
                             std::int64_t most) {
  const std::size_t rank = lengths.size();
  std::vector<std::size_t> extent(rank);
  for (std::size_t d = 0; d < rank; ++d) extent[d] = std::min(chunks[d], lengths[d]);
  // Chunks that do not fit are read in parts, split along the outermost dimension first.
  for (std::size_t d = 0; d < rank && product(extent) > most; ++d) {
    const std::int64_t rest = product(extent) / std::int64_t(extent[d]);
    extent[d] = std::size_t(std::max<std::int64_t>(1, most / rest));
  }
  // Add chunks while they fit, whole rows of them before the next outer dimension.
  for (std::size_t d = rank; d-- > 0;) {
    const std::int64_t one = product(extent), times = most / one;
    extent[d] = std::min(lengths[d], extent[d] * std::size_t(std::max<std::int64_t>(1, times)));
    if (extent[d] < lengths[d]) break;
  }
  std::vector<Block> blocks;
  std::vector<std::size_t> start(rank, 0);
  while (true) {
    Block b{start, extent};
    for (std::size_t d = 0; d < rank; ++d) b.extent[d] = std::min(extent[d], lengths[d] - start[d]);
    blocks.push_back(std::move(b));
    std::size_t d = rank;
    for (; d-- > 0; start[d] = 0)
      if ((start[d] += extent[d]) < lengths[d]) break;
    if (d == std::size_t(-1)) return blocks;
  }
}

std::vector<Block> blocks_of(const std::vector<std::size_t>& lengths, const std::vector<std::size_t>& chunks,
                             std::int64_t most, const runtime::Share& planes) {
  std::vector<Block> boxes, blocks;
  add_boxes(lengths, 0, {}, planes.first, planes.size, boxes);
  for (const Block& box : boxes)
    for (Block& b : blocks_of(box.extent, chunks, most)) {
      for (std::size_t d = 0; d < lengths.size(); ++d) b.start[d] += box.start[d];
      blocks.push_back(std::move(b));
    }
  return blocks;
}

void FieldFile::open_output(const std::string& name, const std::string& joins) {
  output_ = joins.empty() ? std::make_unique<AtomicFile>(name) : std::make_unique<AtomicFile>(name, joins);
}

/// Reads the file back while it is flushed to disk.
void FieldFile::settle() {
  if (settled_ || output_->is_stream()) return;
  settled_ = true;
  close_output();
  auto durable = std::async(std::launch::async, [this] { output_->flush(); });
  read_back();
  durable.get();
}

void FieldFile::flush() {
  settle();
  input_->require_unchanged();
  output_->flush();
}

void FieldFile::commit() {
  settle();
  input_->require_unchanged();
  output_->commit();
}

std::unique_ptr<FieldFile> open_fields(const std::string& input, const std::string& output,
                                       const FieldFileOptions& options) {
  if (!options.overwrite_input && is_same_file(input, output))
    throw UsageError(
        fmt::format("{}: is the input too; give --force to replace it, or another output name", output));
  if (options.shared) {
    require_shareable_input(input);
    require_shareable_output(output);
  }
  if (is_standard_output(output) && isatty(STDOUT_FILENO))
    throw UsageError("standard output is a terminal, and fields are no text; give a file name or a pipe");
  if (input == "-" && isatty(STDIN_FILENO))
    throw UsageError("standard input is a terminal, and fields are no text; give a file name or a pipe");
  if (input == "-") {
    require_no_names(options, "a pipe carries .npy");
    return open_npy(input, output, options);
  }
  struct stat status {};
  if (stat(input.c_str(), &status) != 0) throw UsageError(fmt::format("{}: {}", input, std::strerror(errno)));
  if (S_ISDIR(status.st_mode)) throw UsageError(fmt::format("{}: is a folder; give a file", input));
  if (!S_ISREG(status.st_mode)) {
    require_no_names(options, "a pipe carries .npy");
    return open_npy(input, output, options);
  }
  if (status.st_size == 0) throw UsageError(fmt::format("{}: is empty; give a .npy or NetCDF file", input));
  std::ifstream in(input, std::ios::binary);
  char magic[8] = {};
  in.read(magic, 8);
  if (!in && !in.eof()) throw UsageError(fmt::format("{}: {}", input, std::strerror(errno)));
  const bool npy = std::memcmp(magic, "\x93NUMPY", 6) == 0;
  const bool netcdf = std::memcmp(magic, "CDF", 3) == 0 || is_hdf5(in, status.st_size);
  if (!npy && !netcdf) {
    const std::string known = what_it_is({magic, 8});
    throw UsageError(fmt::format("{}: is neither .npy nor NetCDF{}", input,
                                 known.empty() ? "; save it with numpy.save" : known));
  }
  for (const char* const end :
       {npy ? ".nc" : ".npy", npy ? ".h5" : ".npz", ".npz", ".csv", ".txt", ".tif", ".gz", ".zarr"})
    if (runtime::ends_with(runtime::lowered(output), end))
      throw UsageError(
          fmt::format("{}: the output keeps the input's format; name it {}", output, npy ? "*.npy" : "*.nc"));
  if (npy) require_no_names(options, "a .npy file has one field, and no names");
  return npy ? open_npy(input, output, options) : open_netcdf(input, output, options);
}

template <class T>
void require_finite(const Field& field, const Block& block, const T* values,
                    const FieldFileOptions& options) {
  const Shape s = field.shape();
  const std::int64_t n = block.planes() * s.plane();
  const bool keep = options.missing == Missing::keep;
  std::int64_t first = n;
#pragma omp parallel for reduction(min : first) schedule(static)
  for (std::int64_t i = 0; i < n; ++i)
    if (keep ? std::isinf(values[i]) : !std::isfinite(values[i])) first = std::min(first, i);
  if (first == n) return;
  throw UsageError(fmt::format("{}: value {} at {}, row {}, column {}: the filter would spread it; {}",
                               field.name(), std::isnan(values[first]) ? "NaN" : "infinity",
                               field.plane_name(block, first / s.plane()), first / s.nx % s.ny, first % s.nx,
                               std::isnan(values[first]) ? "fill such points first, or give --missing keep"
                                                         : "fill such points first"));
}
template void require_finite<float>(const Field&, const Block&, const float*, const FieldFileOptions&);
template void require_finite<double>(const Field&, const Block&, const double*, const FieldFileOptions&);

}  // namespace parity::io
