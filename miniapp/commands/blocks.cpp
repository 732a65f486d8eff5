// SPDX-License-Identifier: BSD-3-Clause
#include "commands/blocks.hpp"

#include <fmt/format.h>

#include "io/whole_file.hpp"
#include "runtime/error.hpp"
#include "runtime/signals.hpp"

namespace parity::commands {

ProcessRepeats::ProcessRepeats(harness::RunOptions& options) {
  if (!shared_.possible) options.blocks = 1;
  count_ = options.blocks_needed();
  options.block = number();
}

void ProcessRepeats::open(const std::string& output, harness::Existing existing, bool energy) {
  const bool aside = output.empty() || io::is_stream(output);
  if (aside && existing != harness::Existing::refuse)
    throw runtime::UsageError(
        fmt::format("--resume needs a file of records, and {} is none; give --output one", output));
  if (!is_first() && existing == harness::Existing::refuse) existing = harness::Existing::resume;
  file_ = std::make_unique<harness::RecordFile>(aside ? runtime::memory_file() : output, existing);
  if (energy) file_->want_energy();
  if (is_first()) {
    shared_.rows_kept = file_->finished(count_);
    shared_.lines_kept = file_->lines();
  }
  wrong_before_ = file_->wrong_rows(shared_.lines_kept);
}

std::string ProcessRepeats::text() const {
  return count_ == 1 ? "" : fmt::format("start {} of {}: ", number(), count_);
}

int ProcessRepeats::go_on(double last_log_line) {
  shared_.again = true;
  shared_.last_log_line = last_log_line;
  const std::string stays = runtime::what_stays();
  shared_.what_stays[stays.copy(shared_.what_stays, sizeof shared_.what_stays - 1)] = 0;
  return runtime::exit_ok;
}

}  // namespace parity::commands
