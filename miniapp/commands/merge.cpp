// SPDX-License-Identifier: BSD-3-Clause
// parity merge: the records of a plan's slices in one file.
#include <fmt/format.h>
#include <unistd.h>

#include <map>
#include <memory>

#include "commands/commands.hpp"
#include "io/whole_file.hpp"
#include "study/error.hpp"
#include "study/records.hpp"

namespace parity::commands {
namespace {

struct Options {
  std::vector<std::string> parts;
  std::string output;
};

int run(const Options& o) {
  std::string text;
  std::map<std::string, std::string> part_of;  // a row's key -> the file that holds it
  for (const std::string& part : o.parts)
    for (const nlohmann::json& r : study::read_records(part)) {
      text += r.dump() + "\n";
      if (r["type"] != "measurement") continue;
      const auto [at, is_new] = part_of.emplace(study::key(r), part);
      if (!is_new)
        throw study::UsageError(fmt::format("{} and {} both hold the row {}; leave one of them out",
                                            at->second, part, at->first));
    }
  if (part_of.empty())
    throw study::UsageError(fmt::format("{}: no measurement to merge; give files written by 'parity measure'",
                                        fmt::join(o.parts, " ")));
  if (access(o.output.c_str(), F_OK) == 0)
    for (const nlohmann::json& r : study::read_records(o.output))
      if (r["type"] == "measurement" && part_of.count(study::key(r)) == 0)
        throw study::UsageError(fmt::format(
            "{}: holds rows that none of the files has, which would be lost; give another --output",
            o.output));
  io::WholeFile file(o.output);
  file.write_at(text.data(), text.size(), 0);
  file.commit();
  fmt::print("{} rows of {} files: {}\n", part_of.size(), o.parts.size(), o.output);
  return study::exit_ok;
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
