// SPDX-License-Identifier: BSD-3-Clause
// Measurements as JSON: complete, for readers in other languages, and as a line of a record file.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "harness/measurement.hpp"
#include "runtime/error.hpp"
#include "runtime/text.hpp"

namespace parity::harness {
namespace {

using Json = nlohmann::json;
using runtime::UsageError;

// Describes the records: every field with its name, for reading and writing.

template <class F>
void describe(F& f, RunIdentity& r) {
  f("id", r.id), f("commit", r.commit), f("modified", r.modified), f("changes", r.changes);
  f("build", r.build), f.unless_empty("kokkos", r.kokkos);
  f("device", r.device), f("host", r.host), f("job", r.job);
}
template <class F>
void describe(F& f, CostModel& m) {
  f("launches", m.launches), f("submissions", m.submissions), f("bytes", m.bytes), f("flops", m.flops);
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
  f("start", e.process), f("meter", e.meter), f("runs", e.runs), f("window_seconds", e.seconds);
  f("counted_joules", e.counted), f("idle_watts", e.idle_watts), f("run_joules", e.joules);
  f("refused", e.refused);
}
template <class F>
void describe_what(F& f, Measurement& m) {
  f("study", m.study), f("variant", m.variant), f("kernel", m.kernel), f("mechanism", m.mechanism);
  f("tuning", m.tuning), f("tuning_axes", m.tuning_axes), f("twin", m.twin), f("family", m.family);
  f("floor", m.floor), f("tier", m.tier), f("problem", m.problem);
  f("starts", m.processes), f("run", m.run);
}
template <class F>
void describe(F& f, Measurement& m) {
  describe_what(f, m);
  f("setup_seconds", m.setup_seconds), f("capture_seconds", m.capture_seconds);
  f("load_seconds", m.load_seconds), f("store_seconds", m.store_seconds);
  f("first_seconds", m.first_seconds), f("processes", m.process_names);
  f.samples("host_seconds", m.host_seconds, m.preemptions), f.samples("device_seconds", m.device_seconds);
  f.unless_empty("preemptions", m.preemptions), f.unless_empty("energy", m.energy);
  f("stop", m.stop), f("model", m.model), f("metrics", m.metrics), f("verification", m.verdict);
}
template <class F>
void describe(F& f, SkippedRow& s) {
  describe_what(f, s.row);
  f("reason", s.reason);
}

constexpr const char* better_names[] = {"neither", "higher", "lower"};

template <class T>
struct IsList : std::false_type {};
template <class T>
struct IsList<std::vector<T>> : std::true_type {};

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
  /// Writes the samples, and their statistics for other readers.
  void samples(const char* name, const ByProcess& blocks, const ByProcess& preemptions = {}) {
    const Estimate e = estimate(quiet(blocks, preemptions));
    json[name] = {{"samples", blocks},
                  {"median", e.value},
                  {"low", e.interval ? Json(e.interval->low) : Json()},
                  {"high", e.interval ? Json(e.interval->high) : Json()}};
  }
  template <class T>
  static Json written(const T& v) {
    if constexpr (std::is_same_v<T, Family> || std::is_same_v<T, Tier>) {
      return name(v);
    } else if constexpr (std::is_same_v<T, Better>) {
      return better_names[int(v)];
    } else if constexpr (std::is_same_v<T, Values>) {
      Json j = Json::object();
      for (const auto& [name, value] : v) std::visit([&j, &n = name](const auto& x) { j[n] = x; }, value);
      return j;
    } else if constexpr (std::is_constructible_v<Json, T>) {
      return v;  // JSON has no infinity: it becomes null
    } else if constexpr (IsList<T>::value) {
      Json j = Json::array();
      for (const auto& item : v) j.push_back(written(item));
      return j;
    } else {
      Writer nested;
      describe(nested, const_cast<T&>(v));  // it only reads
      return nested.json;
    }
  }
};

class Reader {
 public:
  /// where: beginning of messages; field: the object's name, empty for a record.
  Reader(const Json& json, const std::string& where, const std::string& field = "")
      : json_(json), prefix_(where + field + (field.empty() ? "" : ".")) {
    if (!json.is_object()) wrong(where + field, "object");
  }
  template <class T>
  void operator()(const char* name, T& value) {
    const auto at = json_.find(name);
    if (at != json_.end()) read(*at, prefix_ + name, value);
  }
  template <class T>
  void unless_empty(const char* name, T& values) {
    (*this)(name, values);
  }
  /// Reads a list of samples per process, alone or in an object with statistics.
  void samples(const char* name, ByProcess& blocks, const ByProcess& = {}) {
    const auto at = json_.find(name);
    if (at == json_.end() || at->is_null()) return;
    const Json list = at->is_object() ? at->value("samples", Json()) : *at;
    const auto is_block = [](const Json& block) {
      return block.is_array() &&
             std::all_of(block.begin(), block.end(), [](const Json& s) { return s.is_number(); });
    };
    if (!list.is_array() || !std::all_of(list.begin(), list.end(), is_block))
      wrong(prefix_ + name, "list of lists of samples");
    blocks = list.get<ByProcess>();
  }

 private:
  const Json& json_;
  const std::string prefix_;

  [[noreturn]] static void wrong(const std::string& field, const char* wanted) {
    throw UsageError(fmt::format("{} is no {}", field, wanted));
  }
  template <class T>
  static void read(const Json& j, const std::string& field, T& v) {
    const auto require = [&field](bool fine, const char* wanted) {
      if (!fine) wrong(field, wanted);
    };
    if constexpr (std::is_same_v<T, std::string>) {
      require(j.is_string(), "string");
      v = j.get<std::string>();
    } else if constexpr (std::is_same_v<T, double>) {
      require(j.is_number() || j.is_null(), "number");
      v = j.is_null() ? std::numeric_limits<double>::infinity() : j.get<double>();
    } else if constexpr (std::is_same_v<T, int>) {
      require(j.is_number_integer() && j >= 1 && j <= 1000000, "number of a start");
      v = j.get<int>();
    } else if constexpr (std::is_same_v<T, std::vector<int>>) {
      require(j.is_array() && std::all_of(j.begin(), j.end(),
                                          [](const Json& item) {
                                            return item.is_number_integer() && item >= 1 && item <= 1000000;
                                          }),
              "list of numbers of starts");
      v = j.get<std::vector<int>>();
    } else if constexpr (std::is_same_v<T, bool>) {
      require(j.is_boolean(), "truth value");
      v = j.get<bool>();
    } else if constexpr (std::is_same_v<T, Family>) {
      const auto family = j.is_string() ? family_of(j.get<std::string>()) : std::nullopt;
      require(family.has_value(), "family of variants");
      v = *family;
    } else if constexpr (std::is_same_v<T, Tier>) {
      const auto tier = j.is_string() ? tier_of(j.get<std::string>()) : std::nullopt;
      require(tier.has_value(), "tier: first, tuned, further or only");
      v = *tier;
    } else if constexpr (std::is_same_v<T, Better>) {
      const auto at = std::find(std::begin(better_names), std::end(better_names), j);
      require(at != std::end(better_names), "direction");
      v = Better(at - std::begin(better_names));
    } else if constexpr (std::is_same_v<T, Values>) {
      read_values(j, field, v);
    } else if constexpr (IsList<T>::value) {
      require(j.is_array(), "list");
      for (const Json& item : j) read(item, field, v.emplace_back());
    } else {
      // A record line holds metrics as short lists.
      const bool is_short = std::is_same_v<T, Metric> && j.is_array() && j.size() == 4;
      const Json fields =
          is_short ? Json{{"name", j[0]}, {"value", j[1]}, {"unit", j[2]}, {"better", j[3]}} : j;
      Reader nested(fields, "", field);
      describe(nested, v);
    }
  }
  static void read_values(const Json& j, const std::string& field, Values& values) {
    if (!j.is_object()) wrong(field, "object");
    for (const auto& [name, value] : j.items()) {
      if (value.is_number_unsigned() && value > std::numeric_limits<std::int64_t>::max())
        values[name] = value.dump();  // does not fit std::int64_t
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
};

/// Requires a name to be one word, as tables and 'parity findings --merit' need it.
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

/// Checks the numbers that analyses multiply and divide by.
void check_model(const CostModel& m, const std::string& where) {
  const std::pair<const char*, double> numbers[] = {
      {"launches", m.launches}, {"submissions", m.submissions}, {"bytes", m.bytes}, {"flops", m.flops}};
  for (const auto& [name, value] : numbers)
    if (!(value >= 0 && value < 1e30))
      throw UsageError(fmt::format("{}model.{} is no number from 0", where, name));
}

void check_what(const Json& record, const Measurement& m, const std::string& where) {
  for (const auto& [text, field] : {std::pair(&m.study, "study"), {&m.variant, "variant"}})
    if (text->empty()) throw UsageError(fmt::format("{}{} is missing", where, field));
  if (!record.contains("problem")) throw UsageError(where + "problem is missing");
  if (m.problem.empty()) throw UsageError(where + "problem holds no parameter");
  check_names(m, where);
}

/// Refuses incomplete records, so that nothing reads as better than it was written.
void check_complete(const Json& record, const Measurement& m, const std::string& where) {
  check_what(record, m, where);
  for (const char* needed : {"host_seconds", "verification"})
    if (!record.contains(needed)) throw UsageError(fmt::format("{}{} is missing", where, needed));
  const Json& verification = record["verification"];
  for (const char* needed : {"error", "tolerance"})
    if (!verification.contains(needed))
      throw UsageError(fmt::format("{}verification.{} is missing", where, needed));
  if (!verification.value("passed", Json(true)).is_boolean())
    throw UsageError(where + "verification.passed is no truth value");
  if (m.verdict.passed() && !m.timed()) throw UsageError(where + "holds no time");
  if (m.timed() &&
      (m.processes.size() != m.host_seconds.size() || m.process_names.size() != m.processes.size()))
    throw UsageError(where + "starts and processes are not as many as host_seconds has blocks");
}

/// Rounds to ten digits: clocks count nanoseconds, and statistics of samples need no more.
Json rounded(const Json& j) {
  if (j.is_array()) {
    Json all = Json::array();
    for (const Json& item : j) all.push_back(rounded(item));
    return all;
  }
  if (!j.is_number_float()) return j;
  return std::strtod(fmt::format("{:.10g}", j.get<double>()).c_str(), nullptr);
}

/// "fused" for "kokkos-fused".
std::string without_family(const std::string& kernel) { return kernel.substr(kernel.find('-') + 1); }

/// The tier of a kernel in a record that does not say it, as before 1.1.
Tier tier_by_name(const std::string& kernel, const std::string& twin) {
  static const std::string of_one_form =
      " empty blas exchange fused-exchange fused-overlap fused-deep plane-lanes plane-registers "
      "plane-cluster resident temporal-exchange grid-barrier spmv spectral shared-tile "
      "register-tile split-atomic split-ticket split-cluster symmetric symmetric-ticket ring "
      "transform transform-ranks window binned original-fixed kernel-reduce dependent message ";
  const std::string algorithm = without_family(kernel);
  if (runtime::ends_with(kernel, "-tuned")) return Tier::tuned;
  if (kernel == "cuda-temporal") return Tier::further;
  if (kernel.rfind("openmp-", 0) == 0 || algorithm == "temporal" ||
      of_one_form.find(" " + algorithm + " ") != std::string::npos)
    return Tier::only;
  return twin.empty() || without_family(twin) == algorithm ? Tier::first : Tier::further;
}

/// Derives missing fields from the names of the kernel and the variant.
void complete_names(Measurement& m, const Json& record) {
  const bool family_is_given = record.contains("family");
  const std::size_t plus = m.variant.find('+');
  if (m.kernel.empty()) m.kernel = m.variant.substr(0, plus);
  if (m.mechanism.empty()) m.mechanism = plus == std::string::npos ? "stream" : m.variant.substr(plus + 1);
  if (!family_is_given) m.family = family_of(m.kernel.substr(0, m.kernel.find('-'))).value_or(m.family);
  // Results of another method than the study's, in records before 3.0, are not ranked with others.
  m.floor |= record.contains("method") && record["method"] != "";
  if (record.contains("tier")) return;
  m.tier = tier_by_name(m.kernel, m.twin);
  if (!m.twin.empty() && !makes_pair(m.tier, tier_by_name(m.twin, ""))) m.twin.clear();
}

/// Omits what a reader takes from elsewhere: the run's header, names, standard values.
Json compact(Json j, const Measurement& m, const std::string& header_run) {
  static const Json blank = to_json(Measurement());
  Measurement named;
  named.variant = m.variant;
  complete_names(named, {});
  if (m.kernel == named.kernel) j.erase("kernel");
  if (m.mechanism == named.mechanism) j.erase("mechanism");
  if (m.family == named.family) j.erase("family");
  if (m.run.id == header_run) j.erase("run");
  j.erase("schema");
  for (const char* part : {"model", ""}) {
    Json& object = *part ? j[part] : j;
    const Json& standard = *part ? blank[part] : blank;
    for (auto at = object.begin(); at != object.end();) {
      const bool left_out = at.key() != "family" && at.key() != "tier" && at.key() != "type" &&
                            at.key() != "verification" && standard.contains(at.key()) &&
                            standard[at.key()] == at.value();
      at = left_out ? object.erase(at) : std::next(at);
    }
  }
  if (j["model"].empty()) j.erase("model");
  return j;
}

/// check: completes the result that was read, or refuses it.
template <class Row, class Check>
Row read_record(const Json& record, const std::string& where, const Check& check) {
  schema_of(record, where);
  try {
    Row row;
    Reader reader(record, where);
    describe(reader, row);
    check(row);
    return row;
  } catch (const Json::exception&) {
    throw UsageError(where + "is damaged");
  }
}

}  // namespace

Json to_json(const RunIdentity& run) { return Writer::written(run); }

Json to_json(const Measurement& row) {
  Json j = Writer::written(row);
  j["schema"] = record_schema;
  j["type"] = "measurement";
  j["verification"]["passed"] = row.verdict.passed();
  j["end_to_end_seconds"] = row.end_to_end_seconds();
  return j;
}

Json to_json(const SkippedRow& skipped) {
  Json j = Writer::written(skipped);
  j["schema"] = record_schema;
  j["type"] = "skipped";
  return j;
}

int schema_of(const Json& record, const std::string& where) {
  if (!record.is_object()) throw UsageError(where + "is no record");
  const Json version = record.value("schema", Json(record_schema));
  if (!version.is_number_integer() || version < 1)
    throw UsageError(where + "schema is no whole number from 1");
  if (version > record_schema)
    throw UsageError(fmt::format("{}was written by a newer Parity (schema {}); read it with that one", where,
                                 version.dump()));
  if (version < 3)
    throw UsageError(fmt::format("{}was written by a Parity before 1.0 (schema {}); measure it again", where,
                                 version.dump()));
  return version.get<int>();
}

Json record_of(const Measurement& row, const std::string& header_run) {
  Json j = to_json(row);
  j.erase("end_to_end_seconds");
  if (row.verdict.passed()) j["verification"].erase("passed");
  for (const char* name : {"host_seconds", "device_seconds"}) j[name] = rounded(j[name]["samples"]);
  for (const char* name :
       {"setup_seconds", "capture_seconds", "load_seconds", "store_seconds", "first_seconds"})
    j[name] = rounded(j[name]);
  Json metrics = Json::array();
  for (const Json& m : j["metrics"])
    metrics.push_back({m["name"], rounded(m["value"]), m["unit"], m["better"]});
  j["metrics"] = metrics;
  if (j["device_seconds"].empty()) j.erase("device_seconds");
  if (j["metrics"].empty()) j.erase("metrics");
  return compact(std::move(j), row, header_run);
}

Json record_of(const SkippedRow& skipped, const std::string& header_run) {
  return compact(to_json(skipped), skipped.row, header_run);
}

Measurement measurement_of(const Json& record, const std::string& where) {
  return read_record<Measurement>(record, where, [&](Measurement& m) {
    complete_names(m, record);
    check_complete(record, m, where);
    check_model(m.model, where);
    // The writer may have known more than the two numbers say.
    if (!record["verification"].value("passed", true) && m.verdict.passed()) {
      m.verdict.error = std::numeric_limits<double>::infinity();
      m.verdict.caveat.clear();
    }
    m.place = where;
  });
}

SkippedRow skipped_of(const Json& record, const std::string& where) {
  return read_record<SkippedRow>(record, where, [&](SkippedRow& s) {
    check_what(record, s.row, where);
    complete_names(s.row, record);
    if (s.row.processes.empty()) throw UsageError(where + "starts is missing");
    if (s.reason.empty()) throw UsageError(where + "reason is missing");
    s.row.place = where;
  });
}

}  // namespace parity::harness
