// SPDX-License-Identifier: BSD-3-Clause
#include "harness/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "harness/schema_1.hpp"
#include "runtime/error.hpp"
#include "runtime/text.hpp"

namespace parity::harness {
namespace {

using Json = nlohmann::json;
using runtime::UsageError;

constexpr int schema = 3;

// The description: every field with its name, for both directions.

template <class F>
void describe(F& f, RunIdentity& r) {
  f("id", r.id), f("commit", r.commit), f("modified", r.modified), f("changes", r.changes);
  f("build", r.build);
  f("device", r.device), f("host", r.host), f("job", r.job);
}
template <class F>
void describe(F& f, CostModel& m) {
  f("launches", m.launches), f("submissions", m.submissions), f("bytes", m.bytes), f("flops", m.flops);
  f("exponentials", m.exponentials), f("active_lanes", m.active_lanes), f("barriers", m.barriers);
}
template <class F>
void describe(F& f, Verdict& v) {
  f("error", v.error), f("tolerance", v.tolerance), f("reference", v.reference);
  f.unless_empty("caveat", v.caveat);
}
template <class F>
void describe(F& f, Metric& m) {
  f("name", m.name), f("value", m.value), f("unit", m.unit), f("better", m.better);
}
template <class F>
void describe(F& f, Energy& e) {
  f("start", e.start), f("meter", e.meter), f("runs", e.runs), f("window_seconds", e.seconds);
  f("counted_joules", e.counted), f("integrated_joules", e.integrated), f("idle_watts", e.idle_watts);
  f("load_watts", e.load_watts), f("limit_watts", e.limit_watts), f("load_found", e.load_found);
  f("run_joules", e.joules), f("refused", e.refused);
}
/// What was to be run, where.
template <class F>
void describe_what(F& f, Measurement& m) {
  f("study", m.study), f("variant", m.variant), f("kernel", m.kernel), f("mechanism", m.mechanism);
  f("tuning", m.tuning), f("tuning_axes", m.tuning_axes), f("twin", m.twin), f("family", m.family);
  f("floor", m.floor), f("expert", m.expert), f("method", m.method), f("problem", m.problem);
  f("starts", m.starts), f("run", m.run);
}
template <class F>
void describe(F& f, Measurement& m) {
  describe_what(f, m);
  f("setup_seconds", m.setup_seconds), f("capture_seconds", m.capture_seconds);
  f("load_seconds", m.load_seconds), f("store_seconds", m.store_seconds);
  f("first_seconds", m.first_seconds), f("processes", m.processes);
  f("stolen_seconds", m.stolen_seconds);
  f.samples("host_seconds", m.host_seconds), f.samples("device_seconds", m.device_seconds);
  f.unless_empty("energy", m.energy);
  f("stop", m.stop), f("model", m.model), f("metrics", m.metrics), f("verification", m.verdict);
}
template <class F>
void describe(F& f, SkippedRow& s) {
  describe_what(f, s.row);
  f("reason", s.reason);
}

constexpr const char* better_names[] = {"neither", "higher", "lower"};

class Writer {
 public:
  Json json = Json::object();
  template <class T>
  void operator()(const char* name, const T& value) {
    json[name] = written(value);
  }
  template <class T>
  void unless_empty(const char* name, const T& values) {
    if (!values.empty()) json[name] = written(values);
  }
  /// The samples, with what they come to for other readers.
  void samples(const char* name, const Blocks& blocks) {
    const Estimate e = estimate(blocks);
    std::vector<double> all;
    for (const std::vector<double>& block : blocks) all.insert(all.end(), block.begin(), block.end());
    const Summary s = summarise(std::move(all));
    json[name] = {{"samples", blocks},
                  {"median", e.value},
                  {"low", e.interval ? Json(e.interval->low) : Json()},
                  {"high", e.interval ? Json(e.interval->high) : Json()},
                  {"minimum", s.minimum},
                  {"maximum", s.maximum},
                  {"lower_quartile", s.lower_quartile},
                  {"upper_quartile", s.upper_quartile},
                  {"mean", s.mean}};
  }

 private:
  static Json written(int v) { return v; }
  static Json written(const std::vector<int>& v) { return v; }
  static Json written(const std::vector<double>& v) { return v; }
  static Json written(const std::vector<std::string>& v) { return v; }
  static Json written(const std::string& v) { return v; }
  static Json written(double v) { return v; }  // JSON has no infinity: null
  static Json written(bool v) { return v; }
  static Json written(Family v) { return name(v); }
  static Json written(Better v) { return better_names[int(v)]; }
  static Json written(const Values& values) {
    Json j = Json::object();
    for (const auto& [name, value] : values) std::visit([&j, &n = name](const auto& v) { j[n] = v; }, value);
    return j;
  }
  template <class T>
  static Json written(const std::vector<T>& all) {
    Json j = Json::array();
    for (const T& described : all) j.push_back(written(described));
    return j;
  }
  template <class T>
  static Json written(const T& described) {
    Writer nested;
    describe(nested, const_cast<T&>(described));  // reads only
    return nested.json;
  }
};

class Reader {
 public:
  Reader(const Json& json, const std::string& where) : json_(json), where_(where) {
    if (!json.is_object()) fail("is no object");
  }
  template <class T>
  void operator()(const char* name, T& value) {
    const auto at = json_.find(name);
    if (at != json_.end()) read(*at, where_ + name, value);
  }
  template <class T>
  void unless_empty(const char* name, T& values) {
    (*this)(name, values);
  }
  /// A list for each block; of schemas before 3 one list.
  void samples(const char* name, Blocks& blocks) {
    const auto at = json_.find(name);
    if (at == json_.end() || at->is_null()) return;
    const auto list = at->find("samples");
    if (!at->is_object() || list == at->end() || !list->is_array())
      fail(std::string(name) + " holds no samples");
    const auto add = [&](const Json& samples) {
      blocks.emplace_back();
      for (const Json& s : samples) {
        if (!s.is_number()) fail(std::string(name) + " holds a sample that is no number");
        blocks.back().push_back(s.get<double>());
      }
    };
    if (!list->empty() && !list->front().is_array()) return add(*list);
    for (const Json& block : *list) {
      if (!block.is_array()) fail(std::string(name) + " holds a block that is no list");
      add(block);
    }
  }

 private:
  const Json& json_;
  std::string where_;

  [[noreturn]] void fail(const std::string& what) const { throw UsageError(where_ + what); }
  [[noreturn]] static void wrong(const std::string& field, const char* wanted) {
    throw UsageError(fmt::format("{} is no {}", field, wanted));
  }
  static void read(const Json& j, const std::string& field, std::string& v) {
    if (!j.is_string()) wrong(field, "string");
    v = j.get<std::string>();
  }
  static void read(const Json& j, const std::string& field, double& v) {
    if (!j.is_number() && !j.is_null()) wrong(field, "number");
    v = j.is_null() ? std::numeric_limits<double>::infinity() : j.get<double>();
  }
  static void read(const Json& j, const std::string& field, std::vector<std::string>& v) {
    if (!j.is_array()) wrong(field, "list");
    for (const Json& item : j) {
      v.emplace_back();
      read(item, field, v.back());
    }
  }
  static void read(const Json& j, const std::string& field, std::vector<double>& v) {
    if (!j.is_array()) wrong(field, "list");
    for (const Json& item : j) {
      v.emplace_back();
      read(item, field, v.back());
    }
  }
  static void read(const Json& j, const std::string& field, std::vector<int>& v) {
    if (!j.is_array()) wrong(field, "list");
    for (const Json& item : j) {
      if (!item.is_number_integer() || item < 1 || item > 1000000) wrong(field, "list of numbers of starts");
      v.push_back(item.get<int>());
    }
  }
  static void read(const Json& j, const std::string& field, bool& v) {
    if (!j.is_boolean()) wrong(field, "truth value");
    v = j.get<bool>();
  }
  static void read(const Json& j, const std::string& field, Family& v) {
    const auto family = j.is_string() ? family_of(j.get<std::string>()) : std::nullopt;
    if (!family) wrong(field, "family of variants");
    v = *family;
  }
  static void read(const Json& j, const std::string& field, Better& v) {
    for (int b = 0; b < 3; ++b)
      if (j == better_names[b]) {
        v = Better(b);
        return;
      }
    wrong(field, "direction");
  }
  static void read(const Json& j, const std::string& field, Values& values) {
    if (!j.is_object()) wrong(field, "object");
    for (const auto& [name, value] : j.items()) {
      if (value.is_number_unsigned() && value > std::numeric_limits<std::int64_t>::max())
        values[name] = value.dump();  // no whole number of ours
      else if (value.is_number_integer())
        values[name] = value.get<std::int64_t>();
      else if (value.is_number())
        values[name] = value.get<double>();
      else if (value.is_string())
        values[name] = value.get<std::string>();
      else
        wrong(field + "." + name, "number or word");
    }
  }
  static void read(const Json& j, const std::string& field, int& v) {
    if (!j.is_number_integer() || j < 1 || j > 1000000) wrong(field, "number of a start");
    v = j.get<int>();
  }
  template <class T>
  static void read(const Json& j, const std::string& field, std::vector<T>& all) {
    if (!j.is_array()) wrong(field, "list");
    for (const Json& item : j) {
      all.emplace_back();
      read(item, field + ".", all.back());
    }
  }
  template <class T>
  static void read(const Json& j, const std::string& field, T& described) {
    Reader nested(j, field + (field.back() == '.' ? "" : "."));
    describe(nested, described);
  }
};

}  // namespace

double Measurement::metric(const std::string& wanted, double fallback) const {
  for (const Metric& m : metrics)
    if (m.name == wanted) return m.value;
  return fallback;
}

namespace {
template <class T>
T parameter(const Measurement& m, const std::string& name, const char* kind) {
  const auto at = m.problem.find(name);
  if (at != m.problem.end()) {
    if (const T* value = std::get_if<T>(&at->second)) return *value;
    if constexpr (std::is_same_v<T, double>) {
      if (const auto* whole = std::get_if<std::int64_t>(&at->second)) return double(*whole);
    }
  }
  throw UsageError(fmt::format("{}problem.{} of {} is no {}", m.place, name, m.full_name(), kind));
}
}  // namespace

double Measurement::number(const std::string& p) const { return parameter<double>(*this, p, "number"); }
std::int64_t Measurement::integer(const std::string& p) const {
  return parameter<std::int64_t>(*this, p, "whole number");
}
std::string Measurement::word(const std::string& p) const { return parameter<std::string>(*this, p, "word"); }

std::string text_of(const Values& problem) {
  std::string text;
  for (const auto& [name, value] : problem) {
    // As JSON writes numbers, so that 1.0 and 1 stay apart.
    const std::string shown =
        std::holds_alternative<double>(value) ? Json(std::get<double>(value)).dump() : to_string(value);
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, shown);
  }
  return text;
}

std::string key(const Measurement& row) {
  return row.study + "/" + row.variant + "/" + row.tuning + " " + row.problem_text();
}

namespace {

/// The samples of a's blocks whose process b ran in too, in order, and b's.
std::pair<Blocks, Blocks> common_blocks(const Measurement& a, const Measurement& b) {
  std::pair<Blocks, Blocks> both;
  for (std::size_t i = 0; i < a.host_seconds.size(); ++i)
    for (std::size_t k = 0; k < b.host_seconds.size(); ++k)
      if (a.run.id == b.run.id && a.processes.at(i) == b.processes.at(k)) {
        both.first.push_back(a.host_seconds[i]);
        both.second.push_back(b.host_seconds[k]);
      }
  return both;
}

}  // namespace

Estimate time_ratio(const Measurement& numerator, const Measurement& denominator) {
  const auto [a, b] = common_blocks(numerator, denominator);
  return ratio(a, b);
}

Estimate time_difference(const Measurement& a, const Measurement& b) {
  const auto [first, second] = common_blocks(a, b);
  return difference(first, second);
}

Estimate time_left(const Measurement& whole, const std::vector<const Measurement*>& parts) {
  Blocks left;
  for (std::size_t i = 0; i < whole.host_seconds.size(); ++i) {
    double seconds = median_of(whole.host_seconds[i]);
    std::size_t found = 0;
    for (const Measurement* part : parts)
      for (std::size_t k = 0; k < part->host_seconds.size(); ++k)
        if (part->run.id == whole.run.id && part->processes.at(k) == whole.processes.at(i)) {
          seconds -= median_of(part->host_seconds[k]);
          ++found;
        }
    if (found == parts.size()) left.push_back({seconds});
  }
  return estimate(left);
}

namespace {

/// A row of several blocks as rows of one each.
std::vector<Measurement> blocks_of(const Measurement& m) {
  if (m.starts.size() < 2 || m.host_seconds.size() != m.starts.size()) return {m};
  std::vector<Measurement> all(m.starts.size(), m);
  for (std::size_t k = 0; k < all.size(); ++k) {
    all[k].starts = {m.starts[k]};
    all[k].processes = {m.processes[k]};
    all[k].host_seconds = {m.host_seconds[k]};
    all[k].stolen_seconds.clear();
    if (m.stolen_seconds.size() == m.starts.size()) all[k].stolen_seconds = {m.stolen_seconds[k]};
    all[k].energy.clear();
    for (const Energy& e : m.energy)
      if (e.start == m.starts[k]) all[k].energy = {e};
    all[k].device_seconds.clear();
    if (k < m.device_seconds.size()) all[k].device_seconds = {m.device_seconds[k]};
  }
  return all;
}

}  // namespace

Measurement merged(std::vector<Measurement> rows) {
  if (rows.size() == 1) return std::move(rows.front());
  std::vector<Measurement> all;
  std::reverse(rows.begin(), rows.end());
  for (const Measurement& row : rows)
    for (Measurement& block : blocks_of(row)) all.push_back(std::move(block));
  const auto number = [](const Measurement& m) { return m.starts.empty() ? 0 : m.starts.front(); };
  std::stable_sort(all.begin(), all.end(),
                   [&](const Measurement& a, const Measurement& b) { return number(a) < number(b); });
  all.erase(std::unique(all.begin(), all.end(),
                        [&](const Measurement& a, const Measurement& b) { return number(a) == number(b); }),
            all.end());
  Measurement m = all.front();
  if (all.size() == 1) return m;
  const auto median = [&all](const auto& value) {
    std::vector<double> values;
    for (const Measurement& block : all) values.push_back(value(block));
    return median_of(std::move(values));
  };
  for (double Measurement::*seconds :
       {&Measurement::setup_seconds, &Measurement::capture_seconds, &Measurement::load_seconds,
        &Measurement::store_seconds, &Measurement::first_seconds})
    m.*seconds = median([&](const Measurement& block) { return block.*seconds; });
  const auto share = [](const Verdict& v) { return v.tolerance > 0 ? v.error / v.tolerance : v.error; };
  for (std::size_t k = 1; k < all.size(); ++k) {
    Measurement& block = all[k];
    const auto append = [](auto& to, auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    append(m.starts, block.starts);
    append(m.processes, block.processes);
    append(m.stolen_seconds, block.stolen_seconds);
    append(m.host_seconds, block.host_seconds);
    append(m.device_seconds, block.device_seconds);
    append(m.energy, block.energy);
    for (const Metric& metric : block.metrics)  // joules that the first start did not count
      if (std::none_of(m.metrics.begin(), m.metrics.end(),
                       [&](const Metric& known) { return known.name == metric.name; }))
        m.metrics.push_back(metric);
    if (block.stop != "repeats") m.stop = block.stop;
    const bool worse = m.verdict.passed() == block.verdict.passed() ? share(block.verdict) > share(m.verdict)
                                                                    : m.verdict.passed();
    if (worse) m.verdict = block.verdict;
  }
  if (m.stolen_seconds.size() != m.starts.size()) m.stolen_seconds.clear();  // of some starts is of none
  if (!m.verdict.passed()) {
    m.host_seconds.clear();
    m.device_seconds.clear();
    m.energy.clear();
    m.metrics.clear();
  }
  const double time = m.host().value;
  for (Metric& metric : m.metrics) {
    // What follows from the time alone, as a rate of known work does, follows from the row's.
    const double power = metric.better == Better::higher ? 1 : -1;
    const auto work = [&](const Measurement& block) {
      return block.metric(metric.name, metric.value) * std::pow(block.host().value, power);
    };
    const double first = time > 0 ? work(all.front()) : 0;
    const bool follows = first > 0 && std::all_of(all.begin(), all.end(), [&](const Measurement& block) {
                           return std::abs(work(block) / first - 1) < 1e-9;
                         });
    metric.value =
        follows ? first / std::pow(time, power)
                : median([&](const Measurement& block) { return block.metric(metric.name, metric.value); });
  }
  return m;
}

SkippedRow merged(const std::vector<SkippedRow>& starts) {
  SkippedRow all = starts.front();
  std::vector<std::string> reasons;
  for (const SkippedRow& s : starts) {
    all.row.starts.insert(all.row.starts.end(), s.row.starts.begin(), s.row.starts.end());
    if (std::find(reasons.begin(), reasons.end(), s.reason) == reasons.end()) reasons.push_back(s.reason);
  }
  std::sort(all.row.starts.begin(), all.row.starts.end());
  all.row.starts.erase(std::unique(all.row.starts.begin(), all.row.starts.end()), all.row.starts.end());
  all.reason = fmt::format("{}", fmt::join(reasons, "; "));
  return all;
}

std::optional<SkippedRow> without_measured(SkippedRow skipped, const std::vector<int>& measured) {
  std::vector<int>& starts = skipped.row.starts;
  starts.erase(std::remove_if(starts.begin(), starts.end(),
                              [&measured](int start) {
                                return std::find(measured.begin(), measured.end(), start) != measured.end();
                              }),
               starts.end());
  return starts.empty() ? std::nullopt : std::optional<SkippedRow>(std::move(skipped));
}

Json to_json(const RunIdentity& run) {
  Writer w;
  describe(w, const_cast<RunIdentity&>(run));  // reads only
  return w.json;
}

Json to_json(const Measurement& row) {
  Writer w;
  describe(w, const_cast<Measurement&>(row));  // reads only
  w.json["schema"] = schema;
  w.json["type"] = "measurement";
  w.json["verification"]["passed"] = row.verdict.passed();
  w.json["end_to_end_seconds"] = row.end_to_end_seconds();
  return w.json;
}

Json to_json(const SkippedRow& skipped) {
  Writer w;
  describe(w, const_cast<SkippedRow&>(skipped));  // reads only
  w.json["schema"] = schema;
  w.json["type"] = "skipped";
  return w.json;
}

namespace {

/// A name is one word, as tables and 'parity findings --merit' need it.
void check_name(const std::string& text, const char* field, const std::string& where) {
  const bool word = text.size() <= 200 && text.find(' ') == std::string::npos;
  if (!word) throw UsageError(fmt::format("{}{} '{}' is no name", where, field, runtime::shown(text)));
}

void check_names(const Measurement& m, const std::string& where) {
  check_name(m.study, "study", where), check_name(m.variant, "variant", where);
  check_name(m.kernel, "kernel", where), check_name(m.mechanism, "mechanism", where);
  check_name(m.tuning, "tuning", where), check_name(m.twin, "twin", where);
  for (const auto& [name, value] : m.problem) {
    check_name(name, "problem", where);
    check_name(to_string(value), "problem", where);
  }
  for (const Metric& metric : m.metrics) {
    check_name(metric.name, "metrics.name", where);
    check_name(metric.unit, "metrics.unit", where);
  }
}

/// What analyses multiply and divide by.
void check_model(const CostModel& m, const std::string& where) {
  const std::pair<const char*, double> numbers[] = {
      {"launches", m.launches}, {"submissions", m.submissions},   {"bytes", m.bytes},
      {"flops", m.flops},       {"exponentials", m.exponentials}, {"active_lanes", m.active_lanes}};
  for (const auto& [name, value] : numbers)
    if (!(value >= 0 && value < 1e30))
      throw UsageError(fmt::format("{}model.{} is no number from 0", where, name));
  if (m.active_lanes == 0) throw UsageError(fmt::format("{}model.active_lanes is 0", where));
}

/// What identifies a row, measured or skipped.
void check_what(const Json& record, const Measurement& m, const std::string& where) {
  for (const auto& [text, field] : {std::pair(&m.study, "study"), {&m.variant, "variant"}})
    if (text->empty()) throw UsageError(fmt::format("{}{} is missing", where, field));
  if (!record.contains("problem")) throw UsageError(fmt::format("{}problem is missing", where));
  if (!record["problem"].is_object() || record["problem"].empty())
    throw UsageError(fmt::format("{}problem holds no parameter", where));
  check_names(m, where);
}

/// Nothing may be read as better than it was written.
void check_complete(const Json& record, const Measurement& m, const std::string& where) {
  check_what(record, m, where);
  for (const char* needed : {"host_seconds", "verification"})
    if (!record.contains(needed)) throw UsageError(fmt::format("{}{} is missing", where, needed));
  for (const char* needed : {"error", "tolerance", "passed"})
    if (!record["verification"].contains(needed))
      throw UsageError(fmt::format("{}verification.{} is missing", where, needed));
  if (!record["verification"]["passed"].is_boolean())
    throw UsageError(fmt::format("{}verification.passed is no truth value", where));
  if (m.verdict.passed() && !m.timed()) throw UsageError(fmt::format("{}holds no time", where));
  if (m.timed() && (m.starts.size() != m.host_seconds.size() || m.processes.size() != m.starts.size()))
    throw UsageError(fmt::format("{}starts and processes are not as many as host_seconds has blocks", where));
}

}  // namespace

int schema_of(const Json& record, const std::string& where) {
  if (!record.is_object()) throw UsageError(where + "is no record");
  const Json version = record.value("schema", Json(1));
  if (!version.is_number_integer() || version < 1)
    throw UsageError(where + "schema is no whole number from 1");
  if (version > schema)
    throw UsageError(fmt::format("{}was written by a newer Parity (schema {}); read it with that one", where,
                                 version.dump()));
  return version.get<int>();
}

Measurement measurement_of(const Json& record, const std::string& where) {
  const int version = schema_of(record, where);
  try {
    const Json current = version < 2 ? from_schema_1(record, where) : record;
    Measurement m;
    m.place = where;
    Reader reader(current, where);
    describe(reader, m);
    if (m.kernel.empty()) m.kernel = m.variant;
    if (version < 3) {
      m.starts.assign(m.host_seconds.size(), 1);
      m.processes.assign(m.host_seconds.size(), "1");
    }
    check_complete(current, m, where);
    check_model(m.model, where);
    // Who wrote it may have known more than the two numbers say.
    if (!current["verification"]["passed"].get<bool>() && m.verdict.passed())
      m.verdict.error = std::numeric_limits<double>::infinity();
    return m;
  } catch (const Json::exception&) {
    throw UsageError(fmt::format("{}is damaged", where));
  }
}

SkippedRow skipped_of(const Json& record, const std::string& where) {
  schema_of(record, where);
  try {
    SkippedRow s;
    s.row.place = where;
    Reader reader(record, where);
    describe(reader, s);
    check_what(record, s.row, where);
    if (s.row.kernel.empty()) s.row.kernel = s.row.variant;
    if (s.row.starts.empty()) throw UsageError(where + "starts is missing");
    if (s.reason.empty()) throw UsageError(where + "reason is missing");
    return s;
  } catch (const Json::exception&) {
    throw UsageError(fmt::format("{}is damaged", where));
  }
}

}  // namespace parity::harness
