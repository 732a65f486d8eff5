// SPDX-License-Identifier: BSD-3-Clause
#include "harness/schema_1.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/old_names.hpp"
#include "harness/statistics.hpp"
#include "harness/variant.hpp"
#include "runtime/error.hpp"
#include "runtime/text.hpp"

namespace parity::harness {
namespace {

using Json = nlohmann::json;

double number(const Json& record, const char* name) {
  const auto at = record.find(name);
  return at != record.end() && at->is_number() ? at->get<double>() : 0;
}
std::string word(const Json& record, const char* name) {
  const auto at = record.find(name);
  return at != record.end() && at->is_string() ? at->get<std::string>() : "";
}
Json metric(const char* name, double value, const char* unit, const char* better) {
  return {{"name", name}, {"value", value}, {"unit", unit}, {"better", better}};
}

/// From the fields that each study had for its own: a filter's floor, a density's pairs, a launch's neither.
Json metrics_of(const Json& r, double seconds) {
  Json metrics = Json::array();
  if (seconds == 0) return metrics;
  const double floor_bytes = number(r, "floor_bytes"), pairs = number(r, "pairs");
  const Json problem = r.contains("problem") && r["problem"].is_object() ? r["problem"] : Json::object();
  if (floor_bytes > 0) {
    // The floor is one read and one write a point and step.
    const double word_bytes = problem.value("precision", Json()) == "double" ? 8 : 4;
    const double point_steps = floor_bytes / (2 * word_bytes);
    metrics.push_back(metric("throughput", point_steps / seconds * 1e-9, "Gpt/s", "higher"));
    if (const double steps = problem.is_object() ? number(problem, "steps") : 0; steps > 0)
      metrics.push_back(metric("step_time", 1e6 * seconds / steps, "us", "lower"));
    metrics.push_back(metric("floor_share", number(r, "floor_share"), "1", "higher"));
    metrics.push_back(metric("copy_bandwidth", number(r, "copy_bandwidth"), "B/s", "neither"));
  } else if (pairs > 0) {
    metrics.push_back(metric("throughput", pairs / seconds * 1e-9, "Gpair/s", "higher"));
    if (const double ceiling = number(r, "pair_ceiling"); ceiling > 0) {
      metrics.push_back(metric("ceiling_share", pairs / seconds / ceiling, "1", "higher"));
      metrics.push_back(metric("pair_ceiling", ceiling * 1e-9, "Gpair/s", "neither"));
    }
    if (const double occupancy = number(r, "occupancy"); occupancy > 0)
      metrics.push_back(metric("occupancy", occupancy, "1", "neither"));
  } else {
    metrics.push_back(metric("time", 1e6 * seconds, "us", "lower"));
    if (const double yardstick = number(r, "yardstick"); yardstick > 0)
      metrics.push_back(metric("host_yardstick", yardstick, "s", "neither"));
  }
  return metrics;
}

/// What the program knew of its variants and did not write down.
void complete_model(Json& r) {
  static const std::set<std::string> block_widths = {"cuda-original-verbatim", "cuda-original-fixed",
                                                     "cuda-register-sum", "cuda-shared-tile"};
  Json& model = r["model"];
  if (!model.is_object()) model = Json::object();
  const std::string kernel = word(r, "kernel");
  model["barriers"] = kernel == "cuda-cooperative";
  const double pairs = number(r, "pairs");
  if (pairs == 0) return;
  if (number(r, "pair_ceiling") > 0)
    model["exponentials"] = pairs * (runtime::ends_with(kernel, "-polynomial")        ? 0.0
                                     : kernel.find("-symmetric") != std::string::npos ? 0.5
                                                                                      : 1.0);
  if (block_widths.count(kernel)) {
    r["tuning_axes"] = "block width";
    if (const auto width = parse_tuning(word(r, "tuning")))
      model["active_lanes"] = std::min(1.0, width->values.front() / 32.0);
  }
}

}  // namespace

Json from_schema_1(const Json& record, const std::string& where) {
  if (!record.is_object()) throw runtime::UsageError(where + "is no record");
  Json r = record;
  if (word(r, "kernel").empty()) r["kernel"] = word(r, "variant");
  if (word(r, "mechanism").empty()) r["mechanism"] = "stream";
  const std::string kernel = word(r, "kernel"), present = present_name(kernel);
  if (present != kernel) {
    const std::string variant = word(r, "variant");
    if (variant.rfind(kernel, 0) == 0) r["variant"] = present + variant.substr(kernel.size());
    r["kernel"] = present;
  }
  // Floors of filters were told by their names before records said so.
  if (number(r, "floor_bytes") > 0 &&
      (runtime::ends_with(kernel, "-empty") || runtime::ends_with(kernel, "-copy")))
    r["floor"] = true;
  if (const auto twin = word(r, "twin"); !twin.empty()) r["twin"] = present_name(twin);
  r["capture_seconds"] = number(r, "record_seconds");
  complete_model(r);
  std::vector<double> samples;
  if (const auto at = r.find("host_seconds"); at != r.end() && at->is_object() && at->contains("samples"))
    for (const Json& s : (*at)["samples"])
      if (s.is_number()) samples.push_back(s.get<double>());
  r["metrics"] = metrics_of(r, summarise(samples).median);
  return r;
}

}  // namespace parity::harness
