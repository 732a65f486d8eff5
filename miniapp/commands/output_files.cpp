// SPDX-License-Identifier: BSD-3-Clause
#include "commands/output_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/environment.hpp"
#include "harness/records.hpp"
#include "io/whole_file.hpp"
#include "runtime/error.hpp"

namespace parity::commands {

namespace {

std::string plain(const std::string& name) {
  std::error_code none;
  const std::filesystem::path whole = std::filesystem::absolute(name, none);
  return none ? name : whole.lexically_normal().string();
}

bool is_one_place(const std::string& a, const std::string& b) {
  if (io::is_standard_output(a) || io::is_standard_output(b))
    return io::is_standard_output(a) && io::is_standard_output(b);
  std::error_code none;
  if (std::filesystem::is_character_file(a, none)) return false;  // /dev/null takes any number of files
  return plain(a) == plain(b) || io::is_same_file(a, b);
}

}  // namespace

void write_whole(io::WholeFile& file, const std::string& text) {
  file.write_at(text.data(), text.size(), 0);
  file.commit();
}

OutputFiles::OutputFiles(const std::string& json, const std::string& csv, bool now) {
  const auto open = [now](const std::string& path) {
    // A stream cannot be tried.
    return path.empty() || (!now && io::is_stream(path)) ? nullptr : std::make_unique<io::WholeFile>(path);
  };
  json_ = open(json);
  csv_ = open(csv);
}

void OutputFiles::write(const std::vector<harness::Measurement>& rows,
                        const std::vector<harness::SkippedRow>& skipped,
                        const std::function<std::string()>& table) {
  if (json_) {
    const harness::Environment header = harness::this_environment();
    std::string lines = to_json(header).dump() + "\n";
    const auto add = [&](const auto& all) {
      for (const auto& row : all)
        lines +=
            record_of(row, header.run.id).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
            "\n";
    };
    add(rows);
    add(skipped);
    write_whole(*json_, lines);
  }
  if (csv_) write_whole(*csv_, table());
}

void write_text(const std::string& path, const std::string& text) {
  io::WholeFile file(path);
  write_whole(file, text);
}

void require_apart(const std::vector<Place>& outputs, const std::vector<std::string>& inputs) {
  for (auto one = outputs.begin(); one != outputs.end(); ++one) {
    if (one->name.empty()) continue;
    for (auto other = outputs.begin(); other != one; ++other)
      if (!other->name.empty() && is_one_place(other->name, one->name))
        throw runtime::UsageError(
            fmt::format("{} and {} go to the same place; give one of them another file name", other->option,
                        one->option));
    for (const std::string& input : inputs)
      if (!input.empty() && io::is_same_file(harness::file_of_records(input), one->name))
        throw runtime::UsageError(
            fmt::format("{} {}: is read by this command, and would be replaced; give another file name",
                        one->option, one->name));
  }
}

}  // namespace parity::commands
