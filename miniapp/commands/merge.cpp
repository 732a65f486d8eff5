// SPDX-License-Identifier: BSD-3-Clause
// parity export --records: the records of a plan's slices in one file.
#include <fmt/format.h>
#include <unistd.h>

#include <map>
#include <set>
#include <tuple>

#include "commands/of_records.hpp"
#include "commands/output_files.hpp"
#include "harness/records.hpp"
#include "runtime/error.hpp"
#include "runtime/text.hpp"

namespace parity::commands {
namespace {

/// A skipped row's run, key and starts.
using Skip = std::tuple<std::string, std::string, std::vector<int>>;
Skip skip_of(const harness::SkippedRow& s) { return {s.row.run.id, key(s.row), s.row.starts}; }

}  // namespace

int merge_records(const Paths& parts, const std::string& output) {
  std::string text;
  std::map<std::string, std::string> part_of;                // a row's key -> the file that holds it
  std::set<std::pair<std::string, std::vector<int>>> lines;  // key and run with the starts
  std::map<Skip, std::string> part_of_skip;
  const auto both = [](const std::string& one, const std::string& other, const std::string& row) {
    return runtime::UsageError(
        fmt::format("{} and {} both hold the row {}; leave one of them out", one, other, row));
  };
  for (const std::string& part : parts)
    for (const harness::RecordLine& line : harness::read_lines(part)) {
      text += line.text + "\n";
      if (line.skipped) {
        // What one run measured another may have skipped.
        const auto [at, is_new] = part_of_skip.emplace(skip_of(*line.skipped), part);
        if (!is_new) throw both(at->second, part, key(line.skipped->row));
      }
      if (!line.measurement) continue;
      const auto at = part_of.emplace(key(*line.measurement), part).first;
      const std::string row = line.measurement->run.id + " " + key(*line.measurement);
      if (at->second != part || !lines.emplace(row, line.measurement->starts).second)
        throw both(at->second, part, at->first);
    }
  if (part_of.empty() && part_of_skip.empty())
    throw runtime::UsageError(fmt::format(
        "{}: no measurement to merge; give files written by 'parity measure'", fmt::join(parts, " ")));
  if (access(output.c_str(), F_OK) == 0)
    for (const harness::RecordLine& line : harness::read_lines(output))
      if ((line.measurement && part_of.count(key(*line.measurement)) == 0) ||
          (line.skipped && part_of_skip.count(skip_of(*line.skipped)) == 0))
        throw runtime::UsageError(fmt::format(
            "{}: holds rows that none of the files has, which would be lost; give another --output", output));
  write_text(output, text);
  std::set<std::string> skipped;
  for (const auto& [skip, part] : part_of_skip)
    if (part_of.count(std::get<1>(skip)) == 0) skipped.insert(std::get<1>(skip));
  fmt::print("{} rows{} of {} files: {}\n", part_of.size(),
             skipped.empty() ? std::string() : fmt::format(" and {} that were skipped", skipped.size()),
             parts.size(), runtime::shown(output, 4096));
  return runtime::exit_ok;
}

}  // namespace parity::commands
