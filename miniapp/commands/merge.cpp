// SPDX-License-Identifier: BSD-3-Clause
// parity merge: the records of a plan's slices in one file.
#include <fmt/format.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "commands/commands.hpp"
#include "commands/output_files.hpp"
#include "harness/records.hpp"
#include "runtime/error.hpp"
#include "runtime/text.hpp"

namespace parity::commands {
namespace {

struct Options {
  std::vector<std::string> parts;
  std::string output;
};

/// A skipped row's run, key and starts.
using Skip = std::tuple<std::string, std::string, std::vector<int>>;
Skip skip_of(const harness::SkippedRow& s) { return {s.row.run.id, key(s.row), s.row.starts}; }

int run(const Options& o) {
  std::string text;
  std::map<std::string, std::string> part_of;                // a row's key -> the file that holds it
  std::set<std::pair<std::string, std::vector<int>>> lines;  // key and run with the starts
  std::map<Skip, std::string> part_of_skip;
  const auto both = [](const std::string& one, const std::string& other, const std::string& row) {
    return runtime::UsageError(
        fmt::format("{} and {} both hold the row {}; leave one of them out", one, other, row));
  };
  for (const std::string& part : o.parts)
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
        "{}: no measurement to merge; give files written by 'parity measure'", fmt::join(o.parts, " ")));
  if (access(o.output.c_str(), F_OK) == 0)
    for (const harness::RecordLine& line : harness::read_lines(o.output))
      if ((line.measurement && part_of.count(key(*line.measurement)) == 0) ||
          (line.skipped && part_of_skip.count(skip_of(*line.skipped)) == 0))
        throw runtime::UsageError(fmt::format(
            "{}: holds rows that none of the files has, which would be lost; give another --output",
            o.output));
  write_text(o.output, text);
  std::set<std::string> skipped;
  for (const auto& [skip, part] : part_of_skip)
    if (part_of.count(std::get<1>(skip)) == 0) skipped.insert(std::get<1>(skip));
  fmt::print("{} rows{} of {} files: {}\n", part_of.size(),
             skipped.empty() ? std::string() : fmt::format(" and {} that were skipped", skipped.size()),
             o.parts.size(), runtime::shown(o.output, 4096));
  return runtime::exit_ok;
}

}  // namespace

Action add_merge(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c =
      app.add_subcommand("merge", "Join the records of a plan's slices (measure --slice) in one file");
  c->add_option("parts", o->parts, "Files of records")->required();
  c->add_option("--output", o->output, "File to write; appears whole or not at all")->required();
  return [o] { return run(*o); };
}

}  // namespace parity::commands
