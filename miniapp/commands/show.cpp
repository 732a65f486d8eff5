// SPDX-License-Identifier: BSD-3-Clause
// parity show: the two sides of a pair side by side, from the sources of this program.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>

#include "commands/commands.hpp"
#include "runtime/error.hpp"
#include "runtime/program.hpp"
#include "runtime/stream.hpp"
#include "runtime/text.hpp"
#include "variant_sources.hpp"

namespace parity::commands {
namespace {

struct Options {
  const harness::Studies* studies = nullptr;
  std::string algorithm;
  bool tuned = false, openmp = false;
};

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (line.rfind("// SPDX", 0) != 0) lines.push_back(line);
  return lines;
}

std::size_t lines_of_code(const Lines& lines) {
  return std::size_t(std::count_if(lines.begin(), lines.end(), [](const std::string& line) {
    const std::size_t first = line.find_first_not_of(' ');
    return first != std::string::npos && line.compare(first, 2, "//") != 0;
  }));
}

/// Wraps lines at 'width'; the rest continues, indented, on the next line.
Lines folded(const Lines& lines, std::size_t width) {
  Lines all;
  for (std::string line : lines) {
    while (line.size() > width) {
      std::size_t at = line.rfind(' ', width);
      const std::size_t indent = line.find_first_not_of(' ');
      if (at == std::string::npos || at <= indent) at = width;
      all.push_back(line.substr(0, at));
      line = std::string(std::min(indent + 4, width / 2), ' ') + line.substr(line[at] == ' ' ? at + 1 : at);
    }
    all.push_back(line);
  }
  return all;
}

std::size_t screen() { return std::max<std::size_t>(help_width(), 80); }

struct Side {
  std::string path;
  Lines lines;
  std::string title() const {
    return lines.empty() ? path + ": there is none"
                         : fmt::format("{}: {} lines of code", path, lines_of_code(lines));
  }
};

Side side_of(const std::string& path) {
  const auto found = variant_sources().find(path);
  return {path, found == variant_sources().end() ? Lines() : lines_of(found->second)};
}

void print_beside(const Side& left, const Side& right) {
  const std::size_t all = screen(), width = (all - 3) / 2;
  if (width < 76) {  // too narrow for two columns of code: one under the other
    for (const Side* side : {&left, &right})
      fmt::print("== {}\n{}\n", side->title(), fmt::join(folded(side->lines, all), "\n"));
    return;
  }
  const Lines a = folded(left.lines, width), b = folded(right.lines, width);
  fmt::print("{:<{}} | {}\n{:-<{}}-+-{:-<{}}\n", left.title(), width, right.title(), "", width, "", width);
  for (std::size_t n = 0; n < std::max(a.size(), b.size()); ++n)
    fmt::print("{:<{}} | {}\n", n < a.size() ? a[n] : "", width, n < b.size() ? b[n] : "");
}

/// The study and the algorithm that a word names: "kde/direct", "direct" or a variant's name.
std::pair<std::string, std::string> find_algorithm(const harness::Studies& studies, const std::string& word) {
  const std::string wanted = runtime::with_dashes(word);
  std::vector<std::string> known;
  std::set<std::pair<std::string, std::string>> found;
  for (const harness::Study* study : studies)
    for (const harness::Entry* e : study->entries()) {
      if (e->algorithm.empty()) continue;
      known.push_back(e->algorithm);
      if (wanted == e->algorithm || wanted == study->name() + "/" + e->algorithm || wanted == e->name)
        found.emplace(study->name(), e->algorithm);
    }
  if (found.empty())
    throw runtime::UsageError(fmt::format("'{}' is no algorithm{} ('parity list' shows them)",
                                          runtime::shown(word), runtime::did_you_mean(wanted, known)));
  if (found.size() > 1)
    throw runtime::UsageError(fmt::format("'{}' is an algorithm of several studies: write {}/{} or {}/{}",
                                          word, found.begin()->first, wanted, found.rbegin()->first, wanted));
  return *found.begin();
}

/// The two sides to show: a Kokkos version and the native one of a tier that makes a pair with it, OpenMP's
/// if CUDA has none.
std::pair<Side, Side> pair_of(const harness::Studies& studies, const std::string& folder, bool tuned,
                              bool openmp) {
  using harness::Family;
  using harness::Tier;
  const auto path = [&](Family family, Tier tier) {
    return folder + name(family) + (tier == Tier::tuned ? "_tuned" : "") +
           (family == Family::cuda ? ".cu" : ".cpp");
  };
  const Tier asked = tuned ? Tier::tuned : Tier::first;
  const auto find = [&](Family family, const auto& fits) -> std::optional<Side> {
    for (const harness::Study* study : studies)
      for (const harness::Entry* e : study->entries())
        if (study->name() + "/" + e->algorithm + "/" == runtime::with_dashes(folder) && e->family == family &&
            fits(e->tier))
          return side_of(path(family, e->tier));
    return std::nullopt;
  };
  Tier tier = asked;
  const auto portable = find(Family::kokkos, [&](Tier its) {
    return its == asked || (!tuned && its == Tier::only) ? (tier = its, true) : false;
  });
  std::optional<Side> native;
  for (const Family family : {Family::cuda, Family::openmp})
    if (!native && (family == Family::openmp || !openmp))
      native = find(family, [&](Tier its) { return makes_pair(tier, its); });
  return {portable ? *portable : side_of(path(Family::kokkos, asked)),
          native ? *native : side_of(path(openmp ? Family::openmp : Family::cuda, asked))};
}

int show(const Options& o) {
  const auto [study, algorithm] = find_algorithm(*o.studies, o.algorithm);
  std::string folder = study + "/" + algorithm + "/";
  std::replace(folder.begin(), folder.end(), '-', '_');
  const auto [portable, other] = pair_of(*o.studies, folder, o.tuned, o.openmp);
  if (o.tuned && portable.lines.empty() && (o.openmp || other.lines.empty()))
    throw runtime::UsageError(
        fmt::format("{} has no tuned version; leave out --tuned ('parity list {}' shows its versions)",
                    algorithm, study));
  Lines about = side_of(folder + "algorithm.hpp").lines;
  about.erase(std::find_if(about.begin(), about.end(), [](auto& line) { return line.rfind("//", 0) != 0; }),
              about.end());
  for (const std::string& line : folded(about, screen())) fmt::print("{}\n", line);
  print_beside(portable, other);
  if (!o.tuned && variant_sources().count(folder + "kokkos_tuned.cpp"))
    fmt::print("The tuned pair: {} show {} --tuned\n", runtime::build_info().program, algorithm);
  if (!o.openmp && runtime::why_no_cuda() && variant_sources().count(folder + "openmp.cpp"))
    fmt::print("The OpenMP kernel, which this build runs: {} show {}{} --openmp\n",
               runtime::build_info().program, algorithm, o.tuned ? " --tuned" : "");
  return runtime::exit_ok;
}

}  // namespace

Action add_show(CLI::App& app, const harness::Studies& studies) {
  auto o = std::make_shared<Options>();
  o->studies = &studies;
  CLI::App* c = app.add_subcommand(
      "show", "The Kokkos kernel of an algorithm beside its native one, from this program's sources");
  c->add_option("algorithm", o->algorithm,
                "An algorithm, STUDY/ALGORITHM or a variant ('parity list' shows them)")
      ->required();
  c->add_flag("--tuned", o->tuned, "The tuned versions instead of the first ones");
  c->add_flag("--openmp", o->openmp, "The OpenMP kernel in place of the CUDA kernel");
  return [o] { return show(*o); };
}

}  // namespace parity::commands
