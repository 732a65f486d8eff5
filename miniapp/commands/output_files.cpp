// SPDX-License-Identifier: BSD-3-Clause
#include "commands/output_files.hpp"

#include <nlohmann/json.hpp>

#include "harness/environment.hpp"

namespace parity::commands {

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
        lines += record_of(row, header.run.id).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
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

}  // namespace parity::commands
