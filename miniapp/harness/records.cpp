// SPDX-License-Identifier: BSD-3-Clause
#include "harness/records.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "runtime/error.hpp"

namespace parity::harness {
namespace {

using runtime::UsageError;

/// The lines of a file's text, and how many bytes of it are complete lines.
std::vector<RecordLine> parse_lines(const std::string& path, const std::string& text, std::size_t& complete) {
  std::vector<RecordLine> lines;
  RunIdentity run;
  complete = 0;
  for (int number = 1; complete < text.size(); ++number) {
    const std::size_t end = text.find('\n', complete);
    if (end == std::string::npos) break;
    RecordLine line;
    line.text = text.substr(complete, end - complete);
    const std::string where = fmt::format("{}: line {}: ", path, number);
    const auto json = nlohmann::json::parse(line.text, nullptr, false);
    const std::string type = json.is_object() && json.contains("type") && json["type"].is_string()
                                 ? json["type"].get<std::string>()
                                 : "";
    if (type.empty())
      throw UsageError(fmt::format(
          "{}: line {} is not a Parity record; give a file written by 'parity measure'", path, number));
    if (type == "environment") {
      // Records of before have no identity of their own: the place of their environment is one.
      line.environment = environment_of(json, fmt::format("{}:{}", path, number));
      run = line.environment->run;
    } else if (type == "measurement") {
      line.measurement = measurement_of(json, where);
      if (line.measurement->run.id.empty()) {
        line.measurement->run = run;
        if (run.id.empty()) line.measurement->run.id = path;
      }
    }
    lines.push_back(std::move(line));
    complete = end + 1;
  }
  return lines;
}

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw UsageError(fmt::format("{}: {}", path, std::strerror(errno)));
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad()) throw UsageError(fmt::format("{}: cannot be read", path));
  return text.str();
}

}  // namespace

std::vector<RecordLine> read_lines(const std::string& path) {
  struct stat status {};
  const bool folder = stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
  const std::string file = folder ? path + "/records.jsonl" : path;
  std::size_t complete = 0;
  return parse_lines(file, read_text(file), complete);
}

Records read_records(const std::vector<std::string>& paths) {
  Records records;
  for (const std::string& path : paths)
    for (RecordLine& line : read_lines(path)) {
      if (line.environment) records.environments.push_back(std::move(*line.environment));
      if (line.measurement) records.measurements.push_back(std::move(*line.measurement));
    }
  if (records.measurements.empty())
    throw UsageError(fmt::format("{}: holds no measurement", fmt::join(paths, " ")));
  return records;
}

RecordFile::RecordFile(const std::string& path, bool resume) : path_(path) {
  file_ = open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0) throw UsageError(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
  const auto give_up = [this](const std::string& why) {
    close(file_);
    throw UsageError(why);
  };
  // Some file systems of clusters know no locks: any other error lets the run go on without one.
  if (flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    give_up(fmt::format("{}: another run is writing to it; wait for it or give another --output", path));
  const off_t size = lseek(file_, 0, SEEK_END);
  if (size < 0) give_up(fmt::format("{}: is no regular file; give --output a file name", path));
  if (size == 0) return;
  if (!resume)
    give_up(fmt::format("{}: holds records already; add --resume to go on with them, or give another file",
                        path));
  try {
    std::size_t complete = 0;
    for (const RecordLine& line : parse_lines(path, read_text(path), complete)) {
      if (!line.measurement) continue;
      finished_.insert(key(*line.measurement));
      if (!line.measurement->verdict.passed()) failed_before_ = true;
    }
    if (ftruncate(file_, off_t(complete)) != 0)
      throw UsageError(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
  } catch (...) {
    close(file_);
    throw;
  }
}

RecordFile::~RecordFile() {
  if (file_ >= 0) close(file_);
}

void RecordFile::append(const Measurement& row) {
  append_line(to_json(row));
  finished_.insert(key(row));
}

void RecordFile::append(const Environment& environment) { append_line(to_json(environment)); }

void RecordFile::append_line(const nlohmann::json& record) {
  const std::string line = record.dump() + "\n";
  const off_t before = lseek(file_, 0, SEEK_END);
  errno = ENOSPC;  // what a short write means
  if (write(file_, line.data(), line.size()) != ssize_t(line.size()) || fdatasync(file_) != 0) {
    const std::string why = std::strerror(errno);
    // Half a line would have to be told from a whole one by every reader.
    const bool whole = ftruncate(file_, before) == 0;
    throw UsageError(fmt::format("{}: cannot be written: {}{}; free some space and go on with --resume",
                                 path_, why, whole ? "" : " (its last line is unfinished)"));
  }
}

}  // namespace parity::harness
