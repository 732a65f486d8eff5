// SPDX-License-Identifier: BSD-3-Clause
#include "study/records.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "study/error.hpp"

namespace parity::study {
namespace {

nlohmann::json to_json(const Summary& s, const std::vector<double>& samples) {
  return {{"median", s.median},
          {"low", s.low},
          {"high", s.high},
          {"lower_quartile", s.lower_quartile},
          {"upper_quartile", s.upper_quartile},
          {"minimum", s.minimum},
          {"maximum", s.maximum},
          {"mean", s.mean},
          {"samples", samples}};
}

/// The records of a file's text, and how many bytes of it are complete lines.
std::vector<nlohmann::json> parse_lines(const std::string& path, const std::string& text,
                                        std::size_t& complete) {
  std::vector<nlohmann::json> records;
  complete = 0;
  for (int line = 1; complete < text.size(); ++line) {
    const std::size_t end = text.find('\n', complete);
    if (end == std::string::npos) break;
    const auto parsed = nlohmann::json::parse(text.begin() + std::ptrdiff_t(complete),
                                              text.begin() + std::ptrdiff_t(end), nullptr, false);
    if (!parsed.is_object() || !parsed.contains("type"))
      throw UsageError(fmt::format(
          "{}: line {} is not a Parity record; give a file written by 'parity measure'", path, line));
    records.push_back(parsed);
    complete = end + 1;
  }
  return records;
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

double Row::floor_share() const {
  const double seconds = host().median;
  return copy_bandwidth > 0 && seconds > 0 ? floor_bytes / copy_bandwidth / seconds : 0;
}

std::string key(const nlohmann::json& r) {
  return r.value("study", "") + "/" + r.value("variant", "") + "/" + r.value("tuning", "") + " " +
         r.value("problem", nlohmann::json()).dump();
}

std::string key(const Row& row) {
  return key(nlohmann::json{
      {"study", row.study}, {"variant", row.variant}, {"tuning", row.tuning}, {"problem", row.problem}});
}

nlohmann::json to_json(const Row& row) {
  nlohmann::json j = {
      {"schema", 1},
      {"type", "measurement"},
      {"study", row.study},
      {"variant", row.variant},
      {"kernel", row.kernel},
      {"mechanism", row.mechanism},
      {"tuning", row.tuning},
      {"family", name(row.family)},
      {"floor", row.floor},
      {"problem", row.problem},
      {"setup_seconds", row.setup_seconds},
      {"record_seconds", row.record_seconds},
      {"load_seconds", row.load_seconds},
      {"store_seconds", row.store_seconds},
      {"end_to_end_seconds", row.end_to_end_seconds()},
      {"stop", row.samples.stop},
      {"host_seconds", to_json(row.host(), row.samples.host_seconds)},
      {"device_seconds", nullptr},
      {"model",
       {{"launches", row.model.launches},
        {"submissions", row.model.submissions},
        {"bytes", row.model.bytes},
        {"flops", row.model.flops}}},
      {"floor_bytes", row.floor_bytes},
      {"copy_bandwidth", row.copy_bandwidth},
      {"floor_share", row.floor_share()},
      {"verification",
       {{"error", row.verdict.error},  // JSON has no infinity: null
        {"tolerance", row.verdict.tolerance},
        {"reference", row.verdict.reference},
        {"passed", row.verdict.passed()}}},
  };
  if (row.yardstick > 0) j["yardstick"] = row.yardstick;
  if (!row.twin.empty()) j["twin"] = row.twin;
  if (row.pairs > 0) {
    j["pairs"] = row.pairs;
    j["pairs_per_second"] = row.pairs_per_second();
    j["pair_ceiling"] = row.pair_ceiling;
    j["occupancy"] = row.occupancy;
  }
  if (!row.samples.device_seconds.empty())
    j["device_seconds"] = to_json(summarise(row.samples.device_seconds), row.samples.device_seconds);
  return j;
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
    for (const nlohmann::json& r : parse_lines(path, read_text(path), complete)) {
      if (r.value("type", "") != "measurement") continue;
      finished_.insert(key(r));
      if (!r.value("/verification/passed"_json_pointer, false)) failed_before_ = true;
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

void RecordFile::append(const nlohmann::json& record) {
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
  if (record.value("type", "") == "measurement") finished_.insert(key(record));
}

std::vector<nlohmann::json> read_records(const std::string& path) {
  struct stat status {};
  const bool folder = stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
  const std::string file = folder ? path + "/records.jsonl" : path;
  std::size_t complete = 0;
  return parse_lines(file, read_text(file), complete);
}

std::vector<nlohmann::json> read_records(const std::vector<std::string>& paths) {
  std::vector<nlohmann::json> records;
  for (const std::string& path : paths)
    for (nlohmann::json& r : read_records(path)) records.push_back(std::move(r));
  return records;
}

}  // namespace parity::study
