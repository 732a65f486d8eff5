// SPDX-License-Identifier: BSD-3-Clause
// The files that a command writes.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/measurement.hpp"
#include "io/whole_file.hpp"

namespace parity::commands {

/// "-" is standard output: then the readable table goes to standard error. Opened before anything is
/// measured: an unwritable name must not cost a finished measurement. They appear whole or not at all.
class OutputFiles {
 public:
  /// 'now': whether they will be written; otherwise only whether they can be is found out.
  OutputFiles(const std::string& json, const std::string& csv, bool now = true);
  bool wanted() const { return json_ || csv_; }
  /// 'skipped': for --json, beside the rows; 'table': the text for --csv.
  void write(const std::vector<harness::Measurement>& rows, const std::vector<harness::SkippedRow>& skipped,
             const std::function<std::string()>& table);

 private:
  std::unique_ptr<io::WholeFile> json_, csv_;
};

/// Writes all of a file, which then appears.
void write_whole(io::WholeFile& file, const std::string& text);
/// The same of a file by its name.
void write_text(const std::string& path, const std::string& text);

/// Outputs of a command must not be one file, nor one that it reads.
struct Place {
  std::string option, name;  ///< an empty name: not asked for
};

/// Throws runtime::UsageError where two outputs go to the same place, or where one would replace an input:
/// what was measured cannot be measured again. inputs: files, or folders of results.
void require_apart(const std::vector<Place>& outputs, const std::vector<std::string>& inputs = {});

}  // namespace parity::commands
