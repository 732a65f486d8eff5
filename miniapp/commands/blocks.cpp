// SPDX-License-Identifier: BSD-3-Clause
#include "commands/blocks.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "io/whole_file.hpp"
#include "runtime/error.hpp"
#include "runtime/messages.hpp"
#include "runtime/restart.hpp"
#include "runtime/signals.hpp"

namespace parity::commands {
namespace {

std::string new_temporary() {
  const char* const folder = std::getenv("TMPDIR");
  std::string path = std::string(folder && *folder ? folder : "/tmp") + "/parity-records-XXXXXX";
  const int file = runtime::make_temporary(path);
  if (file < 0)
    throw runtime::UsageError(fmt::format("{}: cannot be written: {}; set TMPDIR to a folder that can", path,
                                          std::strerror(errno)));
  close(file);
  return path;
}

}  // namespace

BlocksOfRun::BlocksOfRun(harness::RunOptions& options) {
  // MPI lets no rank start again.
  if (runtime::several_ranks()) options.blocks = 1;
  count_ = options.blocks_needed();
  if (const std::string& told = runtime::told_by_last_start(); !told.empty()) {
    const auto state = nlohmann::json::parse(told);
    number_ = state.at("block");
    kept_ = state.at("kept");
    lines_before_ = state.at("lines");
    last_log_line_ = state.at("last_log_line");
    temporary_ = state.at("temporary");
    if (!temporary_.empty()) runtime::adopt_temporary(temporary_);
  }
  options.block = number_;
}

void BlocksOfRun::open(const std::string& output, harness::Existing existing, bool energy) {
  if (is_first() && (output.empty() || io::is_stream(output))) {
    if (existing != harness::Existing::refuse)
      throw runtime::UsageError(
          fmt::format("--resume needs a file of records, and {} is none; give --output one", output));
    temporary_ = new_temporary();
  }
  if (!is_first() && existing == harness::Existing::refuse) existing = harness::Existing::resume;
  file_ = std::make_unique<harness::RecordFile>(temporary_.empty() ? output : temporary_, existing);
  if (energy) file_->want_energy();
  if (is_first()) {
    kept_ = file_->finished(count_);
    lines_before_ = file_->lines();
  }
  // Not told from start to start: what a program is started with has room for some hundred keys.
  wrong_before_ = file_->wrong_rows(lines_before_);
}

BlocksOfRun::~BlocksOfRun() {
  if (!temporary_.empty() && !goes_on_) runtime::remove_temporary(temporary_);
}

std::string BlocksOfRun::text() const {
  return count_ == 1 ? "" : fmt::format("start {} of {}: ", number_, count_);
}

void BlocksOfRun::start_next(double last_log_line) {
  goes_on_ = true;
  throw runtime::StartAgain{nlohmann::json{
      {"block", number_ + 1},
      {"kept", kept_},
      {"lines", lines_before_},
      {"last_log_line", last_log_line},
      {"temporary", temporary_}}.dump()};
}

}  // namespace parity::commands
