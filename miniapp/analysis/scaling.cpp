// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "runtime/error.hpp"

namespace parity::analysis {
namespace {

using harness::Measurement;

std::int64_t integer_or(const Measurement& m, const char* parameter, std::int64_t standard) {
  return m.problem.count(parameter) ? m.integer(parameter) : standard;
}
std::string word_or(const Measurement& m, const char* parameter, const char* standard) {
  return m.problem.count(parameter) ? m.word(parameter) : standard;
}

/// Points and ranks of each axis.
struct Parts {
  std::int64_t nx = 1, ny = 1, nz = 1;
  int ranks_x = 1, ranks_y = 1, ranks_z = 1;
  int ranks() const { return ranks_x * ranks_y * ranks_z; }
  bool cut() const { return ranks_x * ranks_y > 1; }
  double points() const { return double(nx) * double(ny) * double(nz); }
  /// The largest part.
  Parts part() const {
    const auto share = [](std::int64_t n, int ranks) { return (n + ranks - 1) / ranks; };
    return {share(nx, ranks_x), share(ny, ranks_y), share(nz, ranks_z), 1, 1, 1};
  }
  bool same_points(const Parts& o) const { return nx == o.nx && ny == o.ny && nz == o.nz; }
  std::string text() const { return fmt::format("{}x{}x{}", nx, ny, nz); }
};

Parts shape_of(const Measurement& m) {
  return {m.integer("nx"),
          m.integer("ny"),
          m.integer("nz"),
          int(integer_or(m, "ranks_x", 1)),
          int(integer_or(m, "ranks_y", 1)),
          int(integer_or(m, "ranks_z", 1))};
}

bool counts(const Measurement& m) {
  return m.study == "diffusion" && m.comparable() && m.method.empty() && m.problem.count("nx") &&
         m.problem.count("steps");
}

double word_bytes(const Measurement& m) { return m.word("precision") == "double" ? 8 : 4; }

double step_seconds(const Measurement& m) { return m.host().value / double(m.integer("steps")); }

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}
/// Kernels are the same whoever carries the messages, and one rank has none for NCCL to carry.
bool by_nccl(const Measurement& m) { return ends_with(m.kernel, "-nccl"); }
std::string algorithm_of(const Measurement& m) {
  return by_nccl(m) ? m.kernel.substr(0, m.kernel.size() - 5) : m.kernel;
}

/// Rows that do the same on the same device: they differ in their size, their ranks and who carries messages.
using SameWork = std::tuple<std::string, std::string, std::string, std::string, std::int64_t, std::string>;
SameWork same_work_of(const Measurement& m) {
  return {algorithm_of(m),          m.mechanism, m.tuning, m.word("precision"),
          integer_or(m, "halo", 2), m.run.device};
}

/// Steps from exchange to exchange: the tuning of deep halos.
int steps_of_exchange(const Measurement& m) {
  return ends_with(algorithm_of(m), "-deep") && !m.tuning.empty() ? std::max(1, std::atoi(m.tuning.c_str()))
                                                                  : 1;
}
Overlap overlap_of(const Measurement& m) {
  const std::string algorithm = algorithm_of(m);
  return ends_with(algorithm, "-overlap") || ends_with(algorithm, "-deep") ? Overlap::hidden : Overlap::none;
}
bool exchanges(const Measurement& m) {
  return ends_with(algorithm_of(m), "-exchange") || overlap_of(m) == Overlap::hidden;
}

double together(Overlap overlap, double kernel, double messages) {
  return overlap == Overlap::hidden ? std::max(kernel, messages) : kernel + messages;
}

/// Which messages a row needs.
struct Way {
  bool on_device = false, leaves_node = false;
  std::string transport, device;
  bool operator<(const Way& o) const {
    return std::tie(on_device, leaves_node, transport, device) <
           std::tie(o.on_device, o.leaves_node, o.transport, o.device);
  }
  std::string text() const {
    return fmt::format("messages {}{} of {} of {}", leaves_node ? "to another node" : "on a node",
                       transport.empty() ? "" : " (" + transport + ")", on_device ? "GPUs" : "hosts", device);
  }
};

/// What rank 0 waits for by the bytes that it sends at once.
std::map<Way, TimeBySize> times_of_messages(const std::vector<Measurement>& rows) {
  std::map<Way, TimeBySize> both_ways, one_way;
  for (const Measurement& m : rows) {
    if (m.study != "launch" || !m.comparable() || !m.problem.count("ranks")) continue;
    const std::string quantity = m.word("quantity");
    const Way way = {m.family == harness::Family::cuda, m.metric("leaves_node") > 0,
                     m.family == harness::Family::cuda ? word_or(m, "messages", "") : "", m.run.device};
    const double bytes = double(m.integer("bytes"));
    if (quantity == "neighbours")
      both_ways.try_emplace(way, false)
          .first->second.add((m.integer("ranks") > 2 ? 2 : 1) * bytes, m.host().value);
    if (quantity == "round-trip")
      one_way.try_emplace(way, false).first->second.add(bytes, 0.5 * m.host().value);
  }
  // An exchange sends and receives at once, as neighbours do; where they were not measured a message one way
  // stands for it.
  for (auto& [way, times] : one_way) both_ways.emplace(way, times);
  return both_ways;
}

/// Kernel times of one kind on one rank.
struct Kernels {
  TimeBySize by_points{/*from_zero=*/true};
  std::vector<const Measurement*> rows;
  const Measurement* of(const Parts& shape) const {
    for (const Measurement* m : rows)
      if (shape_of(*m).same_points(shape)) return m;
    return nullptr;
  }
  double seconds(const Parts& part) const {
    const Measurement* const same = of(part);
    return same ? step_seconds(*same) : by_points.seconds(part.points());
  }
  bool measured(const Parts& part) const {
    return part.points() >= by_points.smallest() && part.points() <= by_points.largest();
  }
};

std::map<SameWork, Kernels> kernels_of(const std::vector<Measurement>& rows) {
  std::map<SameWork, Kernels> all;
  for (const Measurement& m : rows) {
    if (!counts(m) || shape_of(m).ranks() > 1) continue;
    Kernels& k = all[same_work_of(m)];
    k.by_points.add(shape_of(m).points(), step_seconds(m));
    k.rows.push_back(&m);
  }
  return all;
}

Way way_of(const Measurement& m, bool leaves_node) {
  const bool on_device = !m.device_seconds.empty();
  const std::string transport = by_nccl(m) ? "nccl" : word_or(m, "messages", "");
  return {on_device, leaves_node, on_device ? transport : "", m.run.device};
}

ScaledRow scaled(const Measurement& m, const std::map<SameWork, Kernels>& kernels,
                 const std::map<Way, TimeBySize>& messages) {
  const Parts shape = shape_of(m);
  ScaledRow s;
  s.row = &m;
  s.ranks = shape.ranks();
  s.measured = step_seconds(m);
  const auto of_kind = kernels.find(same_work_of(m));
  if (of_kind == kernels.end()) {
    s.missing = "a row of the same variant on one rank";
    return s;
  }
  const Kernels& k = of_kind->second;
  if (const Measurement* part = k.of(shape.part()); part && m.integer("nx") % shape.ranks_x == 0 &&
                                                    m.integer("ny") % shape.ranks_y == 0 &&
                                                    m.integer("nz") % shape.ranks_z == 0)
    s.weak = step_seconds(*part) / s.measured;
  if (const Measurement* whole = k.of(shape)) s.strong = step_seconds(*whole) / (s.ranks * s.measured);
  s.kernel = k.seconds(shape.part());
  if (shape.cut()) {
    if (!(m.metric("exchanges") > 0)) {
      s.missing = "the number and the bytes of its exchanges, which records of before do not have";
      return s;
    }
    const Way way = way_of(m, m.metric("nodes", 1) > 1);
    const auto times = messages.find(way);
    if (times == messages.end()) {
      s.missing = way.text();
      return s;
    }
    s.messages =
        m.metric("exchanges") / double(m.integer("steps")) * times->second.seconds(m.metric("bytes_sent"));
  }
  s.predicted = together(overlap_of(m), s.kernel, s.messages);
  return s;
}

/// Bytes that a part of these points sends where it has others on all sides that are cut; corners are others'
/// too.
double bytes_sent(const Parts& part, bool cut_x, bool cut_y, std::int64_t depth, double word) {
  const double h = double(depth), columns = cut_x ? 2 * h * double(part.ny) : 0,
               rows = cut_y ? 2 * h * double(part.nx) : 0, corners = cut_x || cut_y ? 4 * h * h : 0;
  return word * double(part.nz) * (columns + rows + corners);
}

/// Most nearly square: ranks in y not fewer than in x.
std::pair<int, int> square(int ranks) {
  int x = int(std::sqrt(double(ranks)));
  while (ranks % x != 0) --x;
  return {x, ranks / x};
}

Extrapolated extrapolated(const Measurement& base, const Kernels& kernels,
                          const std::map<Way, TimeBySize>& messages, int ranks, int ranks_per_node,
                          bool strong, bool* no_other_node) {
  const auto [x, y] = square(ranks);
  Extrapolated e;
  e.name = base.name();
  e.device = base.run.device;
  e.strong = strong;
  e.ranks = ranks;
  Parts one = shape_of(base);
  e.problem = one.text() + " " + base.word("precision");
  if (strong) {
    one.ranks_x = x;
    one.ranks_y = y;
  }
  const Parts part = one.part();
  e.kernel = kernels.seconds(part);
  e.beyond = !kernels.measured(part);
  const int steps = steps_of_exchange(base);
  const double bytes = bytes_sent(
      part, x > 1, y > 1, std::max<std::int64_t>(integer_or(base, "halo", 2), 2 * steps), word_bytes(base));
  auto times = messages.find(way_of(base, ranks > ranks_per_node));
  if (times == messages.end() && ranks > ranks_per_node) {
    times = messages.find(way_of(base, false));
    *no_other_node = true;
  }
  if (ranks > 1) {
    e.messages = times->second.seconds(bytes) / steps;
    e.beyond = e.beyond || bytes < times->second.smallest() || bytes > times->second.largest();
  }
  e.seconds = together(overlap_of(base), e.kernel, e.messages);
  const double alone = step_seconds(base);
  e.efficiency = strong ? alone / (ranks * e.seconds) : alone / e.seconds;
  return e;
}

MachinePrediction predicted_on(const PublishedMachine& machine, const Measurement& base) {
  const Parts part = shape_of(base);
  const int steps = steps_of_exchange(base);
  const double kernel = base.model.bytes / double(base.integer("steps")) / machine.bytes_per_second;
  const double bytes =
      bytes_sent(part, true, true, std::max<std::int64_t>(integer_or(base, "halo", 2), 2 * steps),
                 word_bytes(base)) /
      steps;
  const auto with = [&](double bandwidth) { return together(overlap_of(base), kernel, bytes / bandwidth); };
  return {&machine,
          base.name(),
          part.text() + " " + base.word("precision"),
          kernel,
          with(machine.link_bytes_per_second),
          with(machine.network_bytes_per_second)};
}

// ---- direct sums in a ring of ranks

bool is_ring(const Measurement& m) {
  return m.study == "kde" && m.comparable() && m.problem.count("n") && ends_with(m.kernel, "-ring");
}
int ranks_of_ring(const Measurement& m) { return int(integer_or(m, "ranks", 1)); }
/// The sum of a pair costs the same whatever the samples are.
SameWork same_ring_of(const Measurement& m) {
  return {m.kernel, m.mechanism, m.tuning, m.word("precision"), 0, m.run.device};
}
double pairs_of_ring(const Measurement& m) { return double(m.integer("n")) * double(m.integer("n")); }

/// Rings on one rank: seconds by pairs.
struct Rings {
  TimeBySize by_pairs{/*from_zero=*/true};
  std::vector<const Measurement*> rows;
};

/// A ring of so many ranks: seconds of all blocks, and of a hop from rank to rank.
struct RingTimes {
  double kernel = 0, hop = 0;
  /// All hops but the last block's are on their way while a block is added up.
  double seconds(int ranks) const {
    const double block = kernel / ranks;
    return block + (ranks - 1) * std::max(block, hop);
  }
};
/// Messages of its kind: MPI is given the GPU's addresses where it takes them.
const TimeBySize* messages_of_ring(const Measurement& m, bool leaves_node,
                                   const std::map<Way, TimeBySize>& messages) {
  const bool on_device = !m.device_seconds.empty();
  for (const char* const transport : {"direct", "staged"}) {
    const auto times = messages.find({on_device, leaves_node, on_device ? transport : "", m.run.device});
    if (times != messages.end()) return &times->second;
  }
  return nullptr;
}
double bytes_of_hop(const Measurement& m, int ranks) {
  return word_bytes(m) * std::ceil(double(m.integer("n")) / ranks);
}

ScaledRow scaled_ring(const Measurement& m, const std::map<SameWork, Rings>& rings,
                      const std::map<Way, TimeBySize>& messages) {
  ScaledRow s;
  s.row = &m;
  s.ranks = ranks_of_ring(m);
  s.measured = m.host().value;
  const auto alone = rings.find(same_ring_of(m));
  if (alone == rings.end()) {
    s.missing = "a row of the same variant on one rank";
    return s;
  }
  for (const Measurement* one : alone->second.rows)
    if (one->integer("n") == m.integer("n")) s.strong = one->host().value / (s.ranks * s.measured);
  RingTimes times;
  times.kernel = s.kernel = alone->second.by_pairs.seconds(pairs_of_ring(m) / s.ranks);
  const bool leaves_node = m.metric("nodes", 1) > 1;
  const TimeBySize* const by_size = messages_of_ring(m, leaves_node, messages);
  if (!by_size) {
    s.missing = Way{!m.device_seconds.empty(), leaves_node, "", m.run.device}.text();
    return s;
  }
  times.hop = by_size->seconds(bytes_of_hop(m, s.ranks));
  s.messages = (s.ranks - 1) * times.hop;
  s.predicted = times.seconds(s.ranks);
  return s;
}

/// The largest sum that was measured on one rank, by more and more of them.
void extrapolate_ring(const Rings& alone, const std::map<Way, TimeBySize>& messages, int most_ranks,
                      int ranks_per_node, Scaling& all, bool* no_other_node) {
  const Measurement& base = **std::max_element(
      alone.rows.begin(), alone.rows.end(),
      [](const Measurement* a, const Measurement* b) { return pairs_of_ring(*a) < pairs_of_ring(*b); });
  for (int ranks = 1; ranks <= most_ranks && ranks <= base.integer("n"); ranks *= 2) {
    const TimeBySize* by_size = messages_of_ring(base, ranks > ranks_per_node, messages);
    if (!by_size && ranks > ranks_per_node) {
      by_size = messages_of_ring(base, false, messages);
      *no_other_node = *no_other_node || by_size;
    }
    if (!by_size && ranks > 1) continue;
    Extrapolated e;
    e.name = base.name();
    e.device = base.run.device;
    e.problem = fmt::format("n={} {}", base.integer("n"), base.word("precision"));
    e.strong = true;
    e.ranks = ranks;
    RingTimes times;
    const double pairs = pairs_of_ring(base) / ranks, bytes = bytes_of_hop(base, ranks);
    times.kernel = e.kernel = base.host().value / ranks;
    e.beyond = pairs < alone.by_pairs.smallest();
    if (ranks > 1) {
      times.hop = by_size->seconds(bytes);
      e.messages = (ranks - 1) * times.hop;
      e.beyond = e.beyond || bytes < by_size->smallest() || bytes > by_size->largest();
    }
    e.seconds = times.seconds(ranks);
    e.efficiency = base.host().value / (ranks * e.seconds);
    all.extrapolated.push_back(e);
  }
}

}  // namespace

void TimeBySize::add(double size, double seconds) {
  const auto [at, is_new] = times_.emplace(size, seconds);
  if (!is_new) at->second = std::min(at->second, seconds);
}

double TimeBySize::seconds(double size) const {
  if (times_.size() == 1)
    return from_zero_ ? times_.begin()->second * size / times_.begin()->first : times_.begin()->second;
  auto right = times_.lower_bound(size);
  if (right == times_.begin()) ++right;
  if (right == times_.end()) --right;
  const auto left = std::prev(right);
  const double slope = (right->second - left->second) / (right->first - left->first);
  return std::max(0.0, left->second + slope * (size - left->first));
}

const std::vector<PublishedMachine>& published_machines() {
  static const std::vector<PublishedMachine> machines = {
      {"P100 (SXM2, 16 GB)", 732e9, 80e9, 12.5e9 / 4,
       "NVIDIA Tesla P100 data sheet (732 GB/s; NVLink 160 GB/s both ways); InfiniBand EDR, 100 Gb/s, one "
       "port "
       "for 4 GPUs"},
      {"V100 (SXM2, 16 GB)", 900e9, 150e9, 12.5e9 / 4,
       "NVIDIA Tesla V100 data sheet (900 GB/s; NVLink 300 GB/s both ways); InfiniBand EDR, 100 Gb/s, one "
       "port "
       "for 4 GPUs"}};
  return machines;
}

Scaling scaling_of(const std::vector<Measurement>& rows, int most_ranks, int ranks_per_node) {
  const std::map<SameWork, Kernels> kernels = kernels_of(rows);
  const std::map<Way, TimeBySize> messages = times_of_messages(rows);
  Scaling all;
  std::set<SameWork> scaled_kinds;
  for (const Measurement& m : rows) {
    if (!counts(m) || shape_of(m).ranks() < 2) continue;
    all.rows.push_back(scaled(m, kernels, messages));
    scaled_kinds.insert(same_work_of(m));
  }
  std::map<SameWork, Rings> rings;
  for (const Measurement& m : rows) {
    if (!is_ring(m) || ranks_of_ring(m) > 1) continue;
    Rings& r = rings[same_ring_of(m)];
    r.by_pairs.add(pairs_of_ring(m), m.host().value);
    r.rows.push_back(&m);
  }
  std::set<SameWork> scaled_rings;
  for (const Measurement& m : rows) {
    if (!is_ring(m) || ranks_of_ring(m) < 2) continue;
    all.rows.push_back(scaled_ring(m, rings, messages));
    scaled_rings.insert(same_ring_of(m));
  }
  if (all.rows.empty())
    throw runtime::UsageError(
        "no verified row of several ranks is in these records: measure jobs/plans/scaling_weak.toml or "
        "scaling_strong.toml under mpirun");
  bool no_other_node = false;
  for (const SameWork& kind : scaled_kinds) {
    const auto of_kind = kernels.find(kind);
    if (of_kind == kernels.end()) continue;
    const auto larger = [](const Measurement* a, const Measurement* b) {
      return shape_of(*a).points() < shape_of(*b).points();
    };
    const Measurement& base =
        **std::max_element(of_kind->second.rows.begin(), of_kind->second.rows.end(), larger);
    if (!exchanges(base) || base.floor) continue;
    if (messages.count(way_of(base, false)) + messages.count(way_of(base, true)) == 0) continue;
    for (const bool strong : {false, true})
      for (int ranks = 1; ranks <= most_ranks; ranks *= 2) {
        const auto way = way_of(base, ranks > ranks_per_node);
        if (ranks > 1 && ranks <= ranks_per_node && !messages.count(way)) continue;
        const Parts whole = shape_of(base);
        const auto [x, y] = square(ranks);
        const std::int64_t depth =
            std::max<std::int64_t>(integer_or(base, "halo", 2), 2 * steps_of_exchange(base));
        if (strong && (whole.nx / x < depth || whole.ny / y < depth)) break;  // no parts left to exchange
        all.extrapolated.push_back(
            extrapolated(base, of_kind->second, messages, ranks, ranks_per_node, strong, &no_other_node));
      }
    for (const PublishedMachine& machine : published_machines())
      all.predictions.push_back(predicted_on(machine, base));
  }
  for (const SameWork& kind : scaled_rings)
    if (rings.count(kind))
      extrapolate_ring(rings.at(kind), messages, most_ranks, ranks_per_node, all, &no_other_node);
  all.assumptions = {
      "a step takes its kernels and its messages one after the other; of '-overlap' and '-deep' the longer "
      "of "
      "the two",
      "kernels, packing included, take what the same variant took on one rank: of the same part where it was "
      "measured, else by straight lines over the points (of one size alone in proportion)",
      "an exchange takes what the launch study's 'neighbours' took for as many bytes of a rank, or without "
      "them half a 'round-trip'; several neighbours cost one latency",
      fmt::format(
          "beyond the measured ranks: x and y are cut as nearly square as can be, {} ranks share a "
          "node, every rank is as fast as the one that was measured, and no message meets another one "
          "in the network",
          ranks_per_node)};
  if (!scaled_rings.empty())
    all.assumptions.push_back(
        "a ring's pairs take as long on every rank as the same variant took for them on one; a block is on "
        "its "
        "way while one is added up, and the longer of the two counts; a hop takes what 'neighbours' took for "
        "as "
        "many bytes");
  if (no_other_node)
    all.assumptions.push_back(
        "no message to another node was measured: those on a node stand for them, which is too fast");
  all.assumptions.push_back(
      "published machines: memory and messages run at their published bandwidths, launches and latencies "
      "cost "
      "nothing; so these are the least that it can take");
  return all;
}

}  // namespace parity::analysis
