// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/kernel_work.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "runtime/error.hpp"

namespace parity::analysis {
namespace {

constexpr const char* header =
    "kernel,tuning,precision,launches,grows_with,fields,side,planes,threads,blocks,instructions,"
    "l1_wavefronts,l2_bytes,memory_bytes,seconds,source";
constexpr std::size_t columns = 16;

[[noreturn]] void refuse(const std::string& path, int line, const std::string& why) {
  throw runtime::UsageError(
      fmt::format("{}: line {}: {}; make the file by jobs/report/kernel_work.py", path, line, why));
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == ',' && cells.size() < columns)
      cells.emplace_back();
    else if (c != '\r')
      cells.back() += c;
  }
  return cells;
}

}  // namespace

KernelTable KernelTable::read(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw runtime::UsageError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  std::string line;
  std::getline(in, line);
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (line != header) refuse(path, 1, fmt::format("must be {}", header));
  const std::map<std::string, Extent> extents = {
      {"field", Extent::field}, {"edge", Extent::edge}, {"plane", Extent::plane}, {"pairs", Extent::pairs}};
  KernelTable table;
  for (int number = 2; std::getline(in, line); ++number) {
    if (line.empty()) continue;
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() != columns) refuse(path, number, fmt::format("has not {} cells", columns));
    const auto value = [&](std::size_t i, double least) {
      char* end = nullptr;
      const double v = std::strtod(cells[i].c_str(), &end);
      if (cells[i].empty() || *end != '\0' || !std::isfinite(v) || v < least)
        refuse(path, number, fmt::format("'{}' is no number from {:g}", cells[i], least));
      return v;
    };
    const auto extent = extents.find(cells[4]);
    if (extent == extents.end())
      refuse(path, number, fmt::format("'{}' is none of field, edge, plane, pairs", cells[4]));
    KernelWork w;
    w.launches = value(3, 1), w.extent = extent->second, w.fields = value(5, 1), w.side = value(6, 1);
    w.planes = value(7, 1), w.threads = value(8, 1), w.blocks = value(9, 1), w.instructions = value(10, 0);
    w.l1_wavefronts = value(11, 0), w.l2_bytes = value(12, 0), w.memory_bytes = value(13, 0);
    w.seconds = cells[14].empty() ? 0 : value(14, 0);
    w.source = cells[15];
    table.kernels_[{cells[0], cells[1], cells[2]}].push_back(w);
  }
  return table;
}

const std::vector<KernelWork>* KernelTable::find(const std::string& kernel, const std::string& tuning,
                                                 const std::string& precision) const {
  for (const std::string& of : {tuning, std::string()})
    if (const auto found = kernels_.find({kernel, of, precision}); found != kernels_.end())
      return &found->second;
  return nullptr;
}

double KernelTable::block_rate() const {
  const auto* fill = find("fill", "", "float");
  return fill && fill->front().seconds > 0 ? fill->front().blocks / fill->front().seconds : 0;
}

std::vector<std::string> KernelTable::sources() const {
  std::set<std::string> all;
  for (const auto& [of, kernels] : kernels_)
    for (const KernelWork& w : kernels) all.insert(w.source);
  return {all.begin(), all.end()};
}

}  // namespace parity::analysis
