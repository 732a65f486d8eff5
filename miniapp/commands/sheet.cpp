// SPDX-License-Identifier: BSD-3-Clause
#include "commands/sheet.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "commands/output_files.hpp"

namespace parity::commands {
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

Json json_of(const Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return *whole;
  if (const auto* number = std::get_if<double>(&cell)) return *number;  // JSON has no infinity: null
  if (const auto* truth = std::get_if<bool>(&cell)) return *truth;
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* list = std::get_if<std::vector<std::string>>(&cell)) return *list;
  return nullptr;
}

Json json_of(const Sheet& sheet) {
  Json rows = Json::array();
  for (const auto& row : sheet.rows) {
    Json object = Json::object();
    for (std::size_t k = 0; k < sheet.columns.size(); ++k) object[sheet.columns[k]] = json_of(row.at(k));
    rows.push_back(std::move(object));
  }
  return rows;
}

void append_line(std::string& text, const std::vector<std::string>& cells) {
  for (std::size_t k = 0; k < cells.size(); ++k) {
    if (k > 0) text += ',';
    text += csv_cell(cells[k]);
  }
  text += '\n';
}

std::string csv_of(const Sheet& sheet) {
  std::string text;
  append_line(text, sheet.columns);
  for (const auto& row : sheet.rows) {
    std::vector<std::string> cells;
    for (const Cell& cell : row) cells.push_back(text_of(cell));
    append_line(text, cells);
  }
  return text;
}

std::string csv_of(const std::vector<Sheet>& sheets) {
  std::string text = "table,row,column,value\n";
  for (const Sheet& sheet : sheets)
    for (std::size_t r = 0; r < sheet.rows.size(); ++r)
      for (std::size_t k = 0; k < sheet.columns.size(); ++k)
        append_line(text,
                    {sheet.name, std::to_string(r + 1), sheet.columns[k], text_of(sheet.rows[r].at(k))});
  return text;
}

}  // namespace

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += c;
    quoted += c;
  }
  return quoted + "\"";
}

void SheetOptions::add_to(CLI::App& command) {
  command.add_option("--json", json, "Write the table as JSON to this file; -: standard output");
  command.add_option("--csv", csv, "Write the table as CSV to this file; -: standard output");
}

SheetFiles::SheetFiles(const SheetOptions& o, const std::vector<std::string>& inputs) {
  require_apart({{"--json", o.json}, {"--csv", o.csv}}, inputs);
  if (!o.json.empty()) json_ = std::make_unique<io::WholeFile>(o.json);
  if (!o.csv.empty()) csv_ = std::make_unique<io::WholeFile>(o.csv);
}

void SheetFiles::write(const std::vector<Sheet>& sheets) {
  if (json_) {
    Json json = Json::object();
    for (const Sheet& sheet : sheets) json[sheet.name] = json_of(sheet);
    if (sheets.size() == 1) json = Json(json_of(sheets.front()));
    write_whole(*json_, json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  }
  if (csv_) write_whole(*csv_, sheets.size() == 1 ? csv_of(sheets.front()) : csv_of(sheets));
}

}  // namespace parity::commands
