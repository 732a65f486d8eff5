// SPDX-License-Identifier: BSD-3-Clause
// The files that commands write: records, tables for other programs.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands/commands.hpp"
#include "harness/environment.hpp"
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

void write_whole(io::AtomicFile& file, const std::string& text) {
  file.write_at(text.data(), text.size(), 0);
  file.commit();
}

}  // namespace

OutputFiles::OutputFiles(const std::string& json, const std::string& csv) {
  const auto open = [](const std::string& path) {
    return path.empty() ? nullptr : std::make_unique<io::AtomicFile>(path);
  };
  json_ = open(json);
  csv_ = open(csv);
}

void OutputFiles::write(const harness::Records& records, const std::function<std::string()>& table) {
  if (json_) {
    const harness::Environment& header = records.environments.front();
    std::string lines = to_json(header).dump() + "\n";
    const auto add = [&](const auto& all) {
      for (const auto& row : all)
        lines +=
            record_of(row, header.run.id).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
            "\n";
    };
    add(records.measurements);
    add(records.skipped);
    write_whole(*json_, lines);
  }
  if (csv_) write_whole(*csv_, table());
}

void write_text(const std::string& path, const std::string& text) {
  io::AtomicFile file(path);
  write_whole(file, text);
}

void require_apart(const std::vector<Place>& outputs, const Paths& inputs) {
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

namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *whole);
  if (const auto* number = std::get_if<double>(&cell)) return fmt::format("{}", *number);
  if (const auto* truth = std::get_if<bool>(&cell)) return *truth ? "1" : "0";
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* list = std::get_if<std::vector<std::string>>(&cell))
    return fmt::format("{}", fmt::join(*list, " "));
  return "";
}

/// JSON has no infinity: it becomes null.
Json json_of(const Cell& cell) {
  return std::visit(
      [](const auto& value) {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
          return Json();
        else
          return Json(value);
      },
      cell);
}

Json json_of(const TableExport& table_export) {
  Json rows = Json::array();
  for (const auto& row : table_export.rows) {
    Json object = Json::object();
    for (std::size_t k = 0; k < table_export.columns.size(); ++k)
      object[table_export.columns[k]] = json_of(row.at(k));
    rows.push_back(std::move(object));
  }
  return rows;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += c;
    quoted += c;
  }
  return quoted + "\"";
}

void append_line(std::string& text, const std::vector<std::string>& cells) {
  for (std::size_t k = 0; k < cells.size(); ++k) {
    if (k > 0) text += ',';
    text += csv_cell(cells[k]);
  }
  text += '\n';
}

}  // namespace

std::string csv_of(const TableExport& table_export) {
  std::string text;
  append_line(text, table_export.columns);
  for (const auto& row : table_export.rows) {
    std::vector<std::string> cells;
    for (const Cell& cell : row) cells.push_back(text_of(cell));
    append_line(text, cells);
  }
  return text;
}

void ExportOptions::add_to(CLI::App& command) {
  command.add_option("--json", json, "Write the table as JSON to this file; -: standard output");
  command.add_option("--csv", csv, "Write the table as CSV to this file; -: standard output");
}

OutputFiles::OutputFiles(const ExportOptions& o, const Paths& inputs)
    : OutputFiles((require_apart({{"--json", o.json}, {"--csv", o.csv}}, inputs), o.json), o.csv) {}

void OutputFiles::write(const std::vector<TableExport>& exports) {
  if (json_) {
    Json json = Json::object();
    for (const TableExport& table_export : exports) json[table_export.name] = json_of(table_export);
    if (exports.size() == 1) json = Json(json_of(exports.front()));
    write_whole(*json_, json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  }
  if (csv_) write_whole(*csv_, csv_of(exports.front()));
}

}  // namespace parity::commands
