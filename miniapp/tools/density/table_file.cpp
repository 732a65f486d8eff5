// SPDX-License-Identifier: BSD-3-Clause
#include "tools/density/table_file.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include "io/atomic_file.hpp"
#include "io/input.hpp"
#include "io/npy.hpp"
#include "runtime/error.hpp"
#include "runtime/parallel.hpp"
#include "runtime/processes.hpp"
#include "runtime/text.hpp"

namespace parity::io {
namespace {

using runtime::UsageError;
using runtime::Values;

std::string header_of(Format format, std::size_t rows, const std::string& name) {
  if (format == Format::csv) return fmt::format("point,{}\n", name);
  std::string header = fmt::format("{{'descr': '{}f8', 'fortran_order': False, 'shape': ({}, 2), }}",
                                   is_little_endian ? '<' : '>', rows);
  header.append(64 - (10 + header.size() + 1) % 64, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + char(header.size() & 0xff) + char(header.size() >> 8) + header;
}

void add_rows(Format format, const double* points, const double* densities, std::int64_t n, Bytes& bytes) {
  if (format == Format::npy) {
    bytes.resize(std::size_t(n) * 2 * sizeof(double));
    auto* const rows = reinterpret_cast<double*>(bytes.data());  // aligned: it begins an allocation
    for (std::int64_t i = 0; i < n; ++i) {
      rows[2 * i] = points[i];
      rows[2 * i + 1] = densities[i];
    }
    return;
  }
  constexpr std::size_t longest = 64;  // two numbers of at most 24 characters and their terminators
  bytes.resize(std::size_t(n) * longest);
  char* at = bytes.data();
  for (std::int64_t i = 0; i < n; ++i) {
    at = std::to_chars(at, at + 30, points[i]).ptr;
    *at++ = ',';
    at = std::to_chars(at, at + 30, densities[i]).ptr;
    *at++ = '\n';
  }
  bytes.resize(std::size_t(at - bytes.data()));
}

}  // namespace

TableTarget table_target(const std::string& path, const std::string& asked, Format of_input) {
  if (path.empty()) throw UsageError("the output's name is empty; give a file name");
  TableTarget target{path, of_input};
  const std::string small = runtime::lowered(path);
  const bool npy = runtime::ends_with(small, ".npy"), csv = runtime::ends_with(small, ".csv");
  if (!asked.empty())
    target.format = asked == "npy" ? Format::npy : Format::csv;
  else if (npy || csv)
    target.format = npy ? Format::npy : Format::csv;
  else if (path != "-")
    throw UsageError(fmt::format("{}: the output is .npy or .csv; name it so, or give --format", path));
  if ((npy && target.format == Format::csv) || (csv && target.format == Format::npy))
    throw UsageError(
        fmt::format("{}: --format {} writes something else than the name says; name it *.{} or omit --format",
                    path, asked, asked));
  if (path == "-" && target.format == Format::npy && isatty(STDOUT_FILENO))
    throw UsageError("standard output is a terminal, and .npy is no text; give --format csv or a file");
  return target;
}

void require_writable(const TableTarget& target) {
  if (target.path == "-" && runtime::standard_output_is_closed())
    throw UsageError("standard output: cannot be written: it is closed");
  if (!is_stream(target.path))
    AtomicFile(target.path);
  else if (target.path != "-" && access(target.path.c_str(), W_OK) != 0)
    throw UsageError(fmt::format("{}: cannot be written: {}", target.path, std::strerror(errno)));
}

void write_table(const TableTarget& target, Values points, Values densities, const std::string& name,
                 const std::function<void(double)>& reached) {
  const runtime::RankInfo here = runtime::rank_info();
  const auto output = open_on_all_ranks<AtomicFile>(
      [&] { return std::make_unique<AtomicFile>(target.path); },
      [&](const std::string& temporary) { return std::make_unique<AtomicFile>(target.path, temporary); });
  constexpr std::int64_t block = 1 << 16;  // rows that one thread converts and writes at once
  const auto m = std::int64_t(points.size());
  const auto convert = [&](std::int64_t first, std::int64_t count, Bytes& rows) {
    runtime::stop_if_interrupted();
    add_rows(target.format, points.data() + first, densities.data() + first, count, rows);
  };
  // Each rank's rows begin where those of the previous rank end.
  std::int64_t all_rows = m;
  std::vector<std::int64_t> sizes(std::size_t(here.ranks), 0);
  if (here.ranks > 1) {
    std::atomic<std::int64_t> own{0};
    runtime::collective_or_throw([&] {
      runtime::for_ranges(m, block, [&](std::int64_t begin, std::int64_t end) {
        Bytes rows;
        convert(begin, end - begin, rows);
        own += std::int64_t(rows.size());
      });
    });
    sizes[std::size_t(here.rank)] = own;
    runtime::add_over_ranks(sizes.data(), here.ranks);
    runtime::add_over_ranks(&all_rows, 1);
  }
  const std::string header = header_of(target.format, std::size_t(all_rows), name);
  std::int64_t offset =
      std::accumulate(sizes.begin(), sizes.begin() + here.rank, std::int64_t(header.size()));
  runtime::collective_or_throw([&] {
    if (here.rank == 0) output->write_at(header.data(), header.size(), 0);
    runtime::FirstFailure failure;
#pragma omp parallel
    {
      Bytes rows;
#pragma omp for ordered schedule(dynamic, 1)
      for (std::int64_t first = 0; first < m; first += block) {
        const std::int64_t count = std::min(block, m - first);
        failure.guard([&] { convert(first, count, rows); });
        std::int64_t at = 0;
#pragma omp ordered
        {
          at = offset;
          offset += std::int64_t(rows.size());
          if (output->is_stream()) failure.guard([&] { output->write_at(rows.data(), rows.size(), at); });
        }
        if (!output->is_stream()) failure.guard([&] { output->write_at(rows.data(), rows.size(), at); });
        if (omp_get_thread_num() == 0 && m > block) failure.guard([&] { reached(double(first + count)); });
      }
    }
    failure.rethrow();
  });
  commit_on_all_ranks(*output);
}

}  // namespace parity::io
