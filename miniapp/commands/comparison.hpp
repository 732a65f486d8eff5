// SPDX-License-Identifier: BSD-3-Clause
// What the commands that compare variants on one problem share: options, tables, files.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/whole_file.hpp"
#include "study/entry.hpp"
#include "study/measure.hpp"
#include "study/selection.hpp"

namespace parity::commands {

struct ComparisonOptions {
  std::string precision = "float", baseline, json, csv, tunings;
  std::vector<std::string> variants{"*"};
  study::RunOptions run;
  bool tune = false, quiet = false;
};

/// Adds the options to a subcommand; words: examples of --variants.
void add_comparison_options(CLI::App& command, ComparisonOptions& options, const std::string& words);

/// The words of --variants, asking for all tunings with --tune.
std::vector<std::string> words_of(const ComparisonOptions& options, const std::string& study);

/// The tunings of --tunings, or none.
study::Tunings tunings_of(const ComparisonOptions& options);

/// The files of --json and --csv, opened before anything is measured: an unwritable name must not cost a
/// finished measurement. They appear whole or not at all.
class OutputFiles {
 public:
  OutputFiles(const std::string& json, const std::string& csv);
  /// 'table': the text for --csv.
  void write(const std::vector<study::Row>& rows, const std::function<std::string()>& table);

 private:
  std::unique_ptr<io::WholeFile> json_, csv_;
};

/// Opens the output files, measures, prints and writes. variants: how many are measured, for the progress
/// line; title: the first line. Returns an exit code.
int compare(const ComparisonOptions& options, const std::string& study, const std::string& title,
            const std::vector<const study::EntryBase*>& registry, std::size_t variants,
            const std::function<study::Measured(const std::function<void(const std::string&)>&)>& measure);

}  // namespace parity::commands
