// SPDX-License-Identifier: BSD-3-Clause
// Reads what 'nsys export --type sqlite' writes. SQLite's library is opened when it is wanted: every system
// with Python has it, and no build needs it.
#include <dlfcn.h>
#include <fmt/format.h>

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

  Sqlite() {
    void* const library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
    const auto find = [library](auto& function, const char* name) {
      function = library ? reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name)) : nullptr;
      return function != nullptr;
    };
    if (!find(open, "sqlite3_open_v2") || !find(close, "sqlite3_close") || !find(message, "sqlite3_errmsg") ||
        !find(prepare, "sqlite3_prepare_v2") || !find(step, "sqlite3_step") ||
        !find(finalize, "sqlite3_finalize") || !find(whole, "sqlite3_column_int64") ||
        !find(text, "sqlite3_column_text"))
      throw runtime::CannotRunError(
          "an export of Nsight Systems is read with libsqlite3.so.0, which is not here: install it, such as "
          "with 'apt install libsqlite3-0'");
  }
};

class Export {
 public:
  explicit Export(const std::string& path) : path_(runtime::shown(path, 200)) {
    constexpr int read_only = 1;
    if (sqlite_.open(path.c_str(), &database_, read_only, nullptr) != 0) fail();
  }
  ~Export() { sqlite_.close(database_); }
  Export(const Export&) = delete;
  Export& operator=(const Export&) = delete;

  [[noreturn]] void fail() {
    throw UsageError(fmt::format("{}: no export of Nsight Systems that can be read: {}", path_,
                                 runtime::shown(sqlite_.message(database_), 200)));
  }
  bool has(const std::string& table) {
    bool found = false;
    rows("SELECT 1 FROM sqlite_master WHERE name = '" + table + "'", [&](Statement*) { found = true; });
    return found;
  }
  template <class Each>
  void rows(const std::string& query, const Each& each) {
    constexpr int row = 100, done = 101;
    Statement* s = nullptr;
    if (sqlite_.prepare(database_, query.c_str(), -1, &s, nullptr) != 0) fail();
    int state = 0;
    while ((state = sqlite_.step(s)) == row) each(s);
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
};

/// A table of the device's records: all have start, end, device, stream and correlation.
struct Table {
  const char* name;
  Kind kind;
  const char* label;  ///< an expression
  const char* bytes;
};
constexpr Table tables[] = {{"CUPTI_ACTIVITY_KIND_KERNEL", Kind::kernel,
                             "(SELECT value FROM StringIds WHERE id = demangledName)", "0"},
                            {"CUPTI_ACTIVITY_KIND_MEMCPY", Kind::copy, "'copy'", "bytes"},
                            {"CUPTI_ACTIVITY_KIND_MEMSET", Kind::set, "'fill'", "bytes"},
                            {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", Kind::graph, "'graph'", "0"}};

}  // namespace

std::vector<Trace> read_nsys(const std::string& path) {
  Export file(path);
  constexpr const char* calls = "CUPTI_ACTIVITY_KIND_RUNTIME";
  if (!file.has(calls))
    throw UsageError(fmt::format("{}: holds no calls of CUDA: record with 'nsys profile --trace cuda'",
                                 runtime::shown(path, 200)));
  // The numbers of threads and processes are serialised: the process's part is above the thread's 24 bits.
  std::map<long long, Trace> processes;
  std::map<long long, int> threads;
  const auto add = [&](long long process, TracedEvent e, const std::string& name, long long begin,
                       long long end) {
    Trace& t = processes[process];
    e.name = t.number_of(name);
    e.begin = 1e-9 * double(begin);
    e.seconds = 1e-9 * double(end - begin);
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
  for (const Table& table : tables)
    if (file.has(table.name))
      file.rows(fmt::format("SELECT start, end, globalPid, correlationId, {}, {}, deviceId, streamId FROM {}",
                            table.label, table.bytes, table.name),
                [&](Statement* s) {
                  TracedEvent e;
                  e.kind = table.kind;
                  e.correlation = std::uint32_t(file.whole(s, 3));
                  e.bytes = std::uint64_t(file.whole(s, 5));
                  e.device = int(file.whole(s, 6));
                  e.stream = std::uint32_t(file.whole(s, 7));
                  add(file.whole(s, 2) >> 24, e, file.text(s, 4), file.whole(s, 0), file.whole(s, 1));
                });
  std::vector<TracedDevice> devices;  // of the machine
  if (file.has("TARGET_INFO_GPU"))
    file.rows("SELECT id, name FROM TARGET_INFO_GPU", [&](Statement* s) {
      devices.push_back({int(file.whole(s, 0)), file.text(s, 1)});
    });
  std::vector<Trace> all;
  for (auto& [process, t] : processes) {
    t.file = runtime::shown(path, 200);
    t.process = process & 0xffffff;
    t.devices = devices;
    finish_trace(t);
    all.push_back(std::move(t));
  }
  return all;
}

}  // namespace parity::analysis
