// SPDX-License-Identifier: BSD-3-Clause
// parity merge: the records of a plan's slices in one file.
#include <fmt/format.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <set>

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

int run(const Options& o) {
  std::string text;
  std::map<std::string, std::string> part_of;                // a row's key -> the file that holds it
  std::set<std::pair<std::string, std::vector<int>>> lines;  // key and run with the starts
  for (const std::string& part : o.parts)
    for (const harness::RecordLine& line : harness::read_lines(part)) {
      text += line.text + "\n";
      if (!line.measurement) continue;
      const auto at = part_of.emplace(key(*line.measurement), part).first;
      const std::string row = line.measurement->run.id + " " + key(*line.measurement);
      if (at->second != part || !lines.emplace(row, line.measurement->starts).second)
        throw runtime::UsageError(fmt::format("{} and {} both hold the row {}; leave one of them out",
                                              at->second, part, at->first));
    }
  if (part_of.empty())
    throw runtime::UsageError(fmt::format(
        "{}: no measurement to merge; give files written by 'parity measure'", fmt::join(o.parts, " ")));
  if (access(o.output.c_str(), F_OK) == 0)
    for (const harness::RecordLine& line : harness::read_lines(o.output))
      if (line.measurement && part_of.count(key(*line.measurement)) == 0)
        throw runtime::UsageError(fmt::format(
            "{}: holds rows that none of the files has, which would be lost; give another --output",
            o.output));
  write_text(o.output, text);
  fmt::print("{} rows of {} files: {}\n", part_of.size(), o.parts.size(), runtime::shown(o.output, 4096));
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
