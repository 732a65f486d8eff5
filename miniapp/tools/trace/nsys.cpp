// SPDX-License-Identifier: BSD-3-Clause
// Reads the output of 'nsys export --type sqlite'. Opens SQLite's library on first use: every system with
// Python has it, and no build needs it.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <map>
#include <memory>

#include "runtime/error.hpp"
#include "runtime/text.hpp"
#include "tools/trace/trace.hpp"

namespace parity::analysis {
namespace {

using runtime::UsageError;
using trace::Kind;

struct Database;   // sqlite3
struct Statement;  // sqlite3_stmt

struct Sqlite {
  int (*open)(const char*, Database**, int, const char*) = nullptr;
  int (*close)(Database*) = nullptr;
  const char* (*message)(Database*) = nullptr;
  int (*prepare)(Database*, const char*, int, Statement**, const char**) = nullptr;
  int (*step)(Statement*) = nullptr;
  int (*finalize)(Statement*) = nullptr;
  long long (*whole)(Statement*, int) = nullptr;
  const unsigned char* (*text)(Statement*, int) = nullptr;
  int (*limit)(Database*, int, int) = nullptr;
  void (*progress)(Database*, int, int (*)(void*), void*) = nullptr;

  Sqlite() {
    void* const library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
    const auto find = [library](auto& function, const char* name) {
      function = library ? reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name)) : nullptr;
      return function != nullptr;
    };
    if (!find(open, "sqlite3_open_v2") || !find(close, "sqlite3_close") || !find(message, "sqlite3_errmsg") ||
        !find(prepare, "sqlite3_prepare_v2") || !find(step, "sqlite3_step") ||
        !find(finalize, "sqlite3_finalize") || !find(whole, "sqlite3_column_int64") ||
        !find(text, "sqlite3_column_text") || !find(limit, "sqlite3_limit") ||
        !find(progress, "sqlite3_progress_handler"))
      throw runtime::CannotRunError(
          "an export of Nsight Systems is read with libsqlite3.so.0, which is not here: install it, such as "
          "with 'apt install libsqlite3-0'");
  }
};

class Export {
 public:
  explicit Export(const std::string& path) : path_(runtime::shown(path, 200)) {
    constexpr int read_only = 1, by_uri = 0x40, length = 0, longest = 1 << 18;
    std::string uri = "file:";
    for (const unsigned char c : std::filesystem::absolute(path).string()) uri += fmt::format("%{:02x}", c);
    // Immutable: SQLite creates no journal next to the file, and ignores existing ones.
    if (sqlite_.open((uri + "?immutable=1").c_str(), &database_, read_only | by_uri, nullptr) != 0) fail();
    sqlite_.limit(database_, length, longest);
    // A damaged or forged file may cause endless queries.
    std::error_code none;
    most_rows_ = std::int64_t(std::filesystem::file_size(path, none));
    turns_ = 1000 + most_rows_ / 10'000;
    sqlite_.progress(
        database_, 1'000'000, [](void* left) { return int(--*static_cast<std::int64_t*>(left) < 0); },
        &turns_);
  }
  ~Export() { sqlite_.close(database_); }
  Export(const Export&) = delete;
  Export& operator=(const Export&) = delete;

  [[noreturn]] void fail() {
    throw UsageError(fmt::format("{}: no export of Nsight Systems that can be read: {}", path_,
                                 most_rows_ < 0 || turns_ < 0
                                     ? "it has no end; export it again"
                                     : runtime::shown(sqlite_.message(database_), 200)));
  }
  bool has(const std::string& table) {
    bool found = false;
    bool is_table = true;  // and not a foreign view or module, which may never end
    rows("SELECT type = 'table' AND rootpage > 0 FROM sqlite_master WHERE name = '" + table +
             "' COLLATE NOCASE",
         [&](Statement* s) { found = true, is_table = is_table && whole(s, 0) != 0; });
    if (!is_table)
      throw UsageError(
          fmt::format("{}: {} is no table, as Nsight Systems makes it: export it again", path_, table));
    return found;
  }
  /// why_not: receives the error if the query does not match the file's columns; null: fail.
  template <class Each>
  void rows(const std::string& query, const Each& each, std::string* why_not = nullptr) {
    constexpr int unfit = 1, row = 100, done = 101;
    Statement* s = nullptr;
    const int code = sqlite_.prepare(database_, query.c_str(), -1, &s, nullptr);
    if (code == unfit && why_not) return void(*why_not = runtime::shown(sqlite_.message(database_), 200));
    if (code != 0) fail();
    int state = 0;
    while ((state = sqlite_.step(s)) == row && --most_rows_ >= 0) each(s);
    sqlite_.finalize(s);
    if (state != done) fail();
  }
  long long whole(Statement* s, int column) { return sqlite_.whole(s, column); }
  std::string text(Statement* s, int column) {
    const unsigned char* const words = sqlite_.text(s, column);
    return words ? reinterpret_cast<const char*>(words) : "";
  }

 private:
  Sqlite sqlite_;
  Database* database_ = nullptr;
  std::string path_;
  std::int64_t most_rows_ = 0, turns_ = 0;  ///< limits derived from the file's size
};

/// Seconds between two times, exact to the nanosecond; a forged file may contain any numbers.
double seconds_from(long long from, long long to) {
  return 1e-9 * double(static_cast<long long>(static_cast<unsigned long long>(to) -
                                              static_cast<unsigned long long>(from)));
}

/// A table of device records; all have start, end, device, stream and correlation.
struct Table {
  const char* name;
  Kind kind;
  const char* label;  ///< an SQL expression
  const char *bytes, *blocks, *threads;
};
constexpr const char* kernel_name = "(SELECT value FROM StringIds WHERE id = demangledName)";
constexpr const char *blocks = "gridX * gridY * gridZ", *threads = "blockX * blockY * blockZ";
constexpr const char* direction =
    "'copy ' || CASE copyKind WHEN 1 THEN 'HtoD' WHEN 2 THEN 'DtoH' ELSE 'DtoD' END";
/// Appended to 'direction' if the export tells which host memory is pageable.
constexpr const char* pageable =
    " || CASE WHEN EXISTS (SELECT 1 FROM ENUM_CUDA_MEM_KIND k WHERE k.id IN (srcKind, dstKind) AND k.name "
    "LIKE "
    "'%PAGEABLE') THEN ' pageable' ELSE '' END";
constexpr Table tables[] = {{"KERNEL", Kind::kernel, kernel_name, "0", blocks, threads},
                            {"CONCURRENT_KERNEL", Kind::kernel, kernel_name, "0", blocks, threads},
                            {"MEMCPY", Kind::copy, direction, "bytes", "0", "0"},
                            {"MEMSET", Kind::set, "'fill'", "bytes", "0", "0"},
                            {"GRAPH_TRACE", Kind::graph, "'graph'", "0", "0", "0"}};
constexpr const char* without_work[] = {"RUNTIME", "SYNCHRONIZATION", "CUDA_EVENT"};
const std::string prefix = "CUPTI_ACTIVITY_KIND_";

/// Versions of a table are named KERNEL_V2, MEMCPY2, ….
bool is_version_of(const std::string& table, const std::string& name) {
  return table.rfind(name, 0) == 0 &&
         table.find_first_not_of("_V0123456789", name.size()) == std::string::npos;
}

}  // namespace

std::vector<Trace> read_nsys(const std::string& path) {
  Export file(path);
  constexpr const char* calls = "CUPTI_ACTIVITY_KIND_RUNTIME";
  if (!file.has(calls) || !file.has("StringIds"))
    throw UsageError(fmt::format("{}: holds no calls of CUDA: record with 'nsys profile --trace cuda'",
                                 runtime::shown(path, 200)));
  // Thread numbers are serialised: the process's part is above the lowest 24 bits.
  std::map<long long, Trace> processes;
  std::map<long long, int> threads;
  constexpr long long unknown = std::numeric_limits<long long>::min();
  long long zero = unknown;
  const auto add = [&](long long process, TracedEvent e, const std::string& name, long long begin,
                       long long end) {
    Trace& t = processes[process];
    e.name = t.number_of(name);
    if (zero == unknown) zero = begin;
    e.begin = seconds_from(zero, begin);  // times since 1970 have more digits than a double
    e.seconds = seconds_from(begin, end);
    t.events.push_back(e);
  };
  file.rows(
      fmt::format("SELECT start, end, globalTid, correlationId, value FROM {} JOIN StringIds ON id = nameId",
                  calls),
      [&](Statement* s) {
        TracedEvent e;
        const std::string name = file.text(s, 4);
        e.kind = trace::kind_of_call(name);
        if (e.kind == Kind::none) return;
        e.thread = threads.emplace(file.whole(s, 2), int(threads.size())).first->second;
        e.correlation = std::uint32_t(file.whole(s, 3));
        add(file.whole(s, 2) >> 24, e, name, file.whole(s, 0), file.whole(s, 1));
      });
  std::vector<std::string> found, unread;
  file.rows("SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name LIKE '" + prefix + "%'",
            [&](Statement* s) { found.push_back(file.text(s, 0).substr(prefix.size())); });
  for (const std::string& name : found) {
    const auto is_this = [&name](const char* known) { return is_version_of(name, known); };
    const auto* const table =
        std::find_if(std::begin(tables), std::end(tables), [&](const Table& t) { return is_this(t.name); });
    std::string why_not;
    bool has_sizes = false;  // older versions do not write them
    if (table != std::end(tables) && file.has(prefix + name)) {
      file.rows("SELECT name FROM pragma_table_info('" + prefix + name + "')",
                [&](Statement* s) { has_sizes = has_sizes || file.text(s, 0) == "blockZ"; });
      file.rows(
          fmt::format(
              "SELECT start, end, globalPid, correlationId, {}{}, {}, deviceId, streamId, {}, {} FROM {}{}",
              table->label, table->kind == Kind::copy && file.has("ENUM_CUDA_MEM_KIND") ? pageable : "",
              table->bytes, has_sizes ? table->blocks : "0", has_sizes ? table->threads : "0", prefix, name),
          [&](Statement* s) {
            TracedEvent e;
            e.kind = table->kind;
            e.correlation = std::uint32_t(file.whole(s, 3));
            e.bytes = std::uint64_t(file.whole(s, 5));
            e.device = int(file.whole(s, 6));
            e.stream = std::uint32_t(file.whole(s, 7));
            e.blocks = std::uint32_t(file.whole(s, 8));
            e.threads = std::uint32_t(file.whole(s, 9));
            add(file.whole(s, 2) >> 24, e, file.text(s, 4), file.whole(s, 0), file.whole(s, 1));
          },
          &why_not);
    } else if (std::none_of(std::begin(without_work), std::end(without_work), is_this)) {
      why_not = "unknown";
    }
    if (!why_not.empty())
      unread.push_back(
          fmt::format("a table is not read ({}): {}", why_not, runtime::shown(prefix + name, 100)));
  }
  std::vector<TracedDevice> devices;                          // of the machine
  std::map<long long, std::vector<TracedDevice>> devices_of;  // by process, with CUDA's numbers
  const bool has_gpus = file.has("TARGET_INFO_GPU");
  if (has_gpus && file.has("TARGET_INFO_CUDA_DEVICE"))
    file.rows("SELECT cudaId, name, pid FROM TARGET_INFO_CUDA_DEVICE JOIN TARGET_INFO_GPU ON id = gpuId",
              [&](Statement* s) {
                devices_of[file.whole(s, 2)].push_back({int(file.whole(s, 0)), file.text(s, 1)});
              });
  if (has_gpus && devices_of.empty())
    file.rows("SELECT id, name FROM TARGET_INFO_GPU", [&](Statement* s) {
      devices.push_back({int(file.whole(s, 0)), file.text(s, 1)});
    });
  std::vector<Trace> all;
  for (auto& [process, t] : processes) {
    t.file = runtime::shown(path, 200);
    t.process = process & 0xffffff;
    t.devices = devices_of.count(t.process) > 0 ? devices_of[t.process] : devices;
    t.doubts = unread;
    finish_trace(t);
    all.push_back(std::move(t));
  }
  return all;
}

}  // namespace parity::analysis
