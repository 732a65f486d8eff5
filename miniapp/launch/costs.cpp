// SPDX-License-Identifier: BSD-3-Clause
#include "launch/costs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "study/error.hpp"
#include "study/statistics.hpp"

namespace parity::launch {
namespace {

std::string device_of(const nlohmann::json& environment) {
  const auto& gpu = environment.contains("gpu") ? environment["gpu"] : nlohmann::json();
  if (gpu.is_object() && environment.value("kokkos_default", "") == "Cuda") return gpu.value("name", "GPU");
  return environment.value("cpu", "CPU");
}

/// The first launch record of a family's variants with this figure, or 0.
class Figures {
 public:
  explicit Figures(const std::vector<nlohmann::json>& records) {
    for (const auto& r : records)
      if (r.value("study", "") == "launch" && r.value("/verification/passed"_json_pointer, false))
        rows_.push_back(&r);
  }
  bool empty() const { return rows_.empty(); }
  double median(const std::string& variant, const std::string& quantity) const {
    for (const auto* r : rows_)
      if (matches(*r, variant, quantity)) return (*r)["host_seconds"]["median"];
    return 0;
  }
  /// By the problem's value of 'axis'.
  Curve curve(const std::string& variant, const std::string& quantity, const char* axis) const {
    Curve c;
    for (const auto* r : rows_)
      if (matches(*r, variant, quantity) && (*r)["problem"].value("topology", "line") == "line")
        c.add((*r)["problem"][axis].get<double>(), (*r)["host_seconds"]["median"]);
    return c;
  }
  double largest_rate(const std::string& quantity, double per) const {
    double rate = 0;
    for (const auto* r : rows_)
      if ((*r)["problem"].value("quantity", "") == quantity)
        rate = std::max(
            rate, (*r)["model"]["flops"].get<double>() / per / (*r)["host_seconds"]["median"].get<double>());
    return rate;
  }
  double smallest_barrier(const std::string& variant, double blocks) const {
    double least = 0;
    for (const auto* r : rows_)
      if (matches(*r, variant, "barrier") && (*r)["problem"]["blocks"].get<double>() >= blocks) {
        const double s = (*r)["host_seconds"]["median"];
        if (least == 0 || s < least) least = s;
      }
    return least;
  }

 private:
  static bool matches(const nlohmann::json& r, const std::string& variant, const std::string& quantity) {
    return r.value("variant", "") == variant && r["problem"].value("quantity", "") == quantity;
  }
  std::vector<const nlohmann::json*> rows_;
};

Curve sum(const Curve& a, const Curve& b, const Curve& c) {
  Curve s;
  for (const auto& [x, y] : a.points()) s.add(x, y + b.at(x) + c.at(x));
  return s;
}

FamilyCosts gpu_family(const Figures& f, const std::string& launcher, const std::string& graph) {
  FamilyCosts c;
  c.launch_host = f.median(launcher, "null-overhead");
  c.launch_device = f.median(launcher, "device-interval");
  c.latency = f.median(launcher, "latency");
  c.node = f.median(graph, "node");
  c.graph_repeat = f.curve(graph, "graph-repeat", "launches");
  c.graph_setup =
      sum(f.curve(graph, "graph-create", "launches"), f.curve(graph, "graph-instantiate", "launches"),
          f.curve(graph, "graph-upload", "launches"));
  c.copy = f.curve(graph, "copy", "bytes");
  c.copy_stream = f.curve(launcher, "copy", "bytes");
  return c;
}

FamilyCosts host_family(const Figures& f, const std::string& launcher) {
  FamilyCosts c;
  c.launch_device = c.node = f.median(launcher, "null-overhead");
  c.latency = f.median(launcher, "latency");
  c.copy = c.copy_stream = f.curve(launcher, "copy", "bytes");
  return c;
}

}  // namespace

double Curve::at(double x) const {
  if (points_.empty()) return 0;
  const auto above = points_.lower_bound(x);
  if (above == points_.begin()) return above->second;
  auto b = above, a = std::prev(above);
  if (above == points_.end()) {
    if (points_.size() == 1) return a->second;
    b = a--;
  }
  return a->second + (x - a->first) * (b->second - a->second) / (b->first - a->first);
}

namespace {

/// Between what the smallest copy takes, which is all launch, and what a larger one does.
Curve bandwidth_of(const Curve& copy) {
  Curve rate;
  const auto smallest = copy.points().begin();
  for (const auto& [bytes, seconds] : copy.points())
    // Below a megabyte the difference is noise.
    if (bytes >= 1048576 && seconds > smallest->second)
      rate.add(bytes, 2 * (bytes - smallest->first) / (seconds - smallest->second));
  if (!rate.empty()) rate.add(1e15, rate.points().rbegin()->second);
  return rate;
}

/// The studies' floors, an empty kernel a step, in the files that are to be explained: what launching cost
/// there and then, in place of the launch study's figures. By family, seconds.
struct Floors {
  std::map<std::string, std::vector<double>> a_launch, one_step;
  explicit Floors(const std::vector<nlohmann::json>& records) {
    for (const auto& r : records) {
      const std::string kernel = r.value("kernel", "");
      if (r.value("study", "") != "diffusion" || (kernel != "cuda-empty" && kernel != "kokkos-empty") ||
          r.value("mechanism", "") != "stream")
        continue;
      const double steps = r["problem"]["steps"], seconds = r["host_seconds"]["median"];
      if (steps == 1) one_step[r["family"]].push_back(seconds);
      if (steps >= 200) a_launch[r["family"]].push_back(seconds / steps);
    }
  }
};

}  // namespace

Costs costs_of(const std::vector<nlohmann::json>& records) {
  Costs costs;
  for (const auto& r : records) {
    // CuPy rows come with an environment of their own, from the same machine.
    if (r.value("type", "") != "environment" || !r.contains("kokkos_default")) continue;
    const std::string device = device_of(r);
    if (!costs.device.empty() && costs.device != device)
      throw study::UsageError(fmt::format(
          "the records come from different devices ({} and {}); give those of one", costs.device, device));
    costs.device = device;
    costs.gpu = r.value("kokkos_default", "") == "Cuda";
  }
  const Figures f(records);
  if (f.empty())
    throw study::UsageError(
        "the files hold no figures of launches; measure jobs/plans/launch_model.toml on the same machine and "
        "give "
        "its records too");
  if (costs.gpu) {
    costs.family["cuda"] = gpu_family(f, "cuda-traditional", "cuda-graph");
    costs.family["kokkos"] = gpu_family(f, "kokkos-range", "kokkos-graph");
    costs.family["cuda"].dependent = f.median("cuda-dependent", "null-overhead");
    costs.family["cuda"].dependent_device = f.median("cuda-dependent", "device-interval");
    costs.grid_barrier = f.smallest_barrier("cuda-grid-sync", 100);
    costs.issue_rate = f.largest_rate("multiply-add", 64);  // 32 lanes, two operations each
    costs.exponential_rate = f.largest_rate("exponential", 1);
  } else {
    costs.family["openmp"] = host_family(f, "openmp-parallel-for");
    costs.family["kokkos"] = host_family(f, "kokkos-range");
    costs.issue_rate = f.largest_rate("multiply-add", 2);
  }
  const Curve& copy = costs.family[costs.gpu ? "cuda" : "openmp"].copy;
  if (!copy.empty()) costs.bandwidth = bandwidth_of(copy);
  const Floors floors(records);
  for (auto& [name, c] : costs.family) {
    if (const auto found = floors.a_launch.find(name); found != floors.a_launch.end())
      c.launch_host = study::summarise(found->second).median;
    if (const auto found = floors.one_step.find(name); found != floors.one_step.end())
      c.latency = study::summarise(found->second).median;
  }
  for (const auto& [name, c] : costs.family)
    if (costs.bandwidth.empty() || c.latency <= 0 || c.copy.points().size() < 2 || costs.issue_rate <= 0 ||
        (costs.gpu && (c.launch_host <= 0 || c.node <= 0 || c.graph_repeat.empty())))
      throw study::UsageError(
          fmt::format("figures of launches are missing for {}: measure all of "
                      "jobs/plans/launch_model.toml",
                      name));
  return costs;
}

}  // namespace parity::launch
