// SPDX-License-Identifier: BSD-3-Clause
// The studies for which a program's versions register themselves (parity/study.hpp), for the harness.
#include <cxxabi.h>
#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>

#include "own/own.hpp"
#include "parity/study.hpp"
#include "runtime/host_memory.hpp"
#include "runtime/program.hpp"
#include "runtime/signals.hpp"
#include "runtime/stream.hpp"
#include "runtime/text.hpp"
#include "variant_sources.hpp"

namespace parity {
namespace {

using detail::AnyProblem;
using detail::AnyVersion;
using harness::Choice;

struct Entry : harness::Entry {
  const AnyVersion* version = nullptr;
};
const AnyVersion& version_of(const harness::Entry& e) { return *static_cast<const Entry&>(e).version; }

/// Registrations made before main, by the problem's name.
struct Registered {
  std::function<AnyProblem()> problem;
  std::deque<AnyVersion> versions;  ///< a deque: addresses stay valid
};
std::map<std::string, Registered>& registered() {
  static std::map<std::string, Registered> all;
  return all;
}

/// Call it once all are registered. A version in an omitted file names its problem as its source does, which
/// may be inside the problem's namespace; this adds it to the problem.
const std::map<std::string, Registered>& complete() {
  static const bool joined = [] {
    for (const auto& [name, r] : registered())
      for (auto& [whole, its] : registered())
        if (!r.problem && its.problem && runtime::ends_with(whole, "::" + name))
          its.versions.insert(its.versions.end(), r.versions.begin(), r.versions.end());
    return true;
  }();
  (void)joined;
  return registered();
}

/// "my::SevenPoint" -> "seven-point".
std::string command_of(const std::string& type) {
  std::string word;
  for (const char c : type.substr(type.rfind(':') + 1)) {
    if (std::isupper(c) && !word.empty() && word.back() != '-') word += '-';
    word += c == '_' ? '-' : char(std::tolower(c));
  }
  return word;
}

std::string file_name(const AnyVersion& v) { return v.file.substr(v.file.rfind('/') + 1); }

/// "kokkos_tuned"; a name may contain '-'.
std::string cell_of(const AnyVersion& v) {
  return v.backend + (*v.rung.name ? std::string("_") + v.rung.name : "");
}

/// Why a mechanism cannot start the version's launches; nullopt if it can.
std::optional<std::string> why_no_mechanism(const harness::Entry& e, std::size_t mechanism) {
  const AnyVersion& version = version_of(e);
  if (Mechanism(mechanism) == Mechanism::graph)
    return version.stream ? runtime::why_no_cuda() : "only a GPU's stream can be captured";
  if (Mechanism(mechanism) == Mechanism::kokkos_graph && !version.queued)
    return "a Kokkos graph holds launches of 'run(problem, queue)' with Kokkos::parallel_for(queue, ...)";
  return std::nullopt;
}

/// Message of a process that dies while a version runs; empty otherwise.
char last_words[300];

extern "C" void say_who_died(int number) {
  [[maybe_unused]] const ssize_t n = write(STDERR_FILENO, last_words, std::strlen(last_words));
  std::signal(number, SIG_DFL);
  raise(number);
}

/// Exits at once: later destructors would only fail, too.
[[noreturn]] void end_without_device(const std::string& version, const char* why) {
  runtime::remove_temporaries();
  std::fflush(stdout);
  std::fprintf(stderr,
               "%s: %s lost the GPU (%s), which computes nothing more for this process: fix it, or leave it "
               "out of --variants\n",
               runtime::build_info().program, version.c_str(), why);
  std::_Exit(runtime::exit_check_failed);
}

/// A version that throws gets a wrong result that says why; the other versions continue.
class OwnTrial : public harness::ExecutionTrial {
 public:
  using Make = std::function<std::unique_ptr<detail::Work>()>;
  OwnTrial(std::string name, Make make, Mechanism mechanism)
      : name_(std::move(name)), make_(std::move(make)), mechanism_(mechanism) {
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(number, say_who_died);
  }
  Verdict start(harness::Measurement& row) override {
    return judged([&] { return ExecutionTrial::start(row); });
  }
  void warm_up() override {
    judged([&] { return ExecutionTrial::warm_up(), Verdict(); });
  }
  harness::Sample sample() override {
    harness::Sample s;
    judged([&] { return s = ExecutionTrial::sample(), Verdict(); });
    return s;
  }
  bool run_again() override {
    return judged([&] { return ExecutionTrial::run_again(), Verdict(); }).passed();
  }
  Verdict finish(harness::Measurement& row) override {
    return judged([&] { return ExecutionTrial::finish(row); });
  }

 private:
  harness::Execution& make() override { return *(work_ = make_()); }
  void load() override { work_->load(); }
  bool prepares() const override { return mechanism_ != Mechanism::stream; }
  void prepare() override {
    try {
      work_->prepare(mechanism_);
    } catch (const std::runtime_error& e) {
      throw CannotRun(fmt::format("no graph of its run can be made: {}", e.what()));
    }
  }
  void store() override { work_->store(); }
  Verdict check() override { return work_->check(); }

  template <class Step>
  Verdict judged(const Step& step) {
    const auto failed = [this](const std::string& why) {
      failed_ = Verdict{INFINITY, 0, "it failed: " + runtime::shown(why, 300)};
    };
    if (failed_) return *failed_;
    const auto [end, size] =
        fmt::format_to_n(last_words, sizeof last_words - 1,
                         "{}: {} ended the process: fix it, or leave it out of --variants\n",
                         runtime::build_info().program, name_);
    *end = 0;
    Verdict verdict;
    try {
      verdict = step();
    } catch (const DeviceLost& e) {
      end_without_device(name_, e.what());
    } catch (const runtime::Error&) {
      throw;
    } catch (const runtime::Interrupted&) {
      throw;
    } catch (const std::bad_alloc&) {
      throw CannotRun("there is not enough memory for it");
    } catch (const std::exception& e) {
      failed(e.what());
    } catch (...) {
      failed("what it throws is no std::exception");
    }
    last_words[0] = 0;
    return failed_.value_or(verdict);
  }

  const std::string name_;
  std::optional<Verdict> failed_;
  Make make_;
  Mechanism mechanism_;
  std::unique_ptr<detail::Work> work_;
};

class OwnTask : public harness::Task {
 public:
  OwnTask(const std::string& study, const AnyProblem& any, const harness::Values& values)
      : study_(study), any_(any), problem_(any.make(values)) {
    const auto precision = values.find("precision");
    precision_ =
        precision == values.end() ? any.precisions.front() : std::get<std::string>(precision->second);
    costs_ = any.costs(problem_.get(), is_double() ? 8 : 4);
  }
  std::string study() const override { return study_; }
  harness::Values values() const override {
    harness::Values all = any_.values(problem_.get());
    all["precision"] = precision_;
    return all;
  }
  std::string text() const override {
    const harness::Values all = values();
    std::string text;
    for (const harness::Parameter& p : any_.parameters)
      text += p.name + "=" + harness::to_string(all.at(p.name)) + " ";
    return text + precision_;
  }
  runtime::MemoryNeed need(const Choice& c) const override {
    return c.entry->on_device() ? runtime::MemoryNeed{0, costs_.memory}
                                : runtime::MemoryNeed{costs_.memory, 0};
  }
  double data_bytes() const override { return 2 * costs_.memory; }
  std::string memory_fix() const override { return "reduce the problem"; }
  double seconds(const Choice& c) const override {
    const double bandwidth = runtime::copy_bandwidth(c.entry->on_device(), std::int64_t(64) << 20);
    const double flops = c.entry->on_device() ? 1e13 : 1e10;  // for a plan's estimate only
    return std::max(costs_.bytes / std::max(bandwidth, 1.0), costs_.flops / flops) + 4e-6;
  }
  harness::CostModel model(const Choice&) const override {
    harness::CostModel m;
    m.launches = m.submissions = 1;
    m.bytes = costs_.bytes, m.flops = costs_.flops;
    return m;
  }
  std::vector<harness::Metric> metrics(const Choice&, const harness::Measurement& row) const override {
    std::vector<harness::Metric> all;
    const double seconds = row.host().value;
    const auto higher = harness::Better::higher;
    if (row.model.bytes > 0) all.push_back({"bandwidth", 1e-9 * row.model.bytes / seconds, "GB/s", higher});
    if (row.model.flops > 0)
      all.push_back({"operations", 1e-9 * row.model.flops / seconds, "GFLOP/s", higher});
    if (all.empty()) all.push_back({"rate", 1 / seconds, "1/s", higher});
    return all;
  }
  std::vector<std::unique_ptr<harness::Trial>> trials(const std::vector<Choice>& choices,
                                                      const harness::Note& note) const override {
    if (note) note("data");
    const auto data = any_.data(problem_.get(), is_double());
    std::vector<std::unique_ptr<harness::Trial>> trials;
    for (const Choice& c : choices)
      trials.push_back(std::make_unique<OwnTrial>(
          c.name(),
          [p = problem_, data, tuning = c.tuning, &make = version_of(*c.entry).make[is_double()]] {
            return make(p.get(), data, tuning);
          },
          Mechanism(c.mechanism)));
    return trials;
  }

 private:
  bool is_double() const { return precision_ == "double"; }
  std::optional<std::string> refuse(const Choice& c) const override {
    if (const auto reason = why_no_mechanism(*c.entry, c.mechanism)) return reason;
    const AnyVersion& version = version_of(*c.entry);
    return version.refuse ? version.refuse(problem_.get(), c.tuning) : std::nullopt;
  }
  std::string study_;
  const AnyProblem& any_;
  std::shared_ptr<const void> problem_;
  std::string precision_;
  AnyProblem::Costs costs_;
};

class OwnStudy : public harness::Study {
 public:
  OwnStudy(About about, AnyProblem any, const std::deque<AnyVersion>& versions)
      : Study(std::move(about)), any_(std::move(any)), parameters_(any_.parameters), versions_(versions) {
    parameters_.push_back(harness::word_parameter(
        "precision", fmt::format("{}", fmt::join(any_.precisions, " or ")), any_.precisions));
    parameters_.back().standard = any_.precisions.front();
  }
  const std::vector<harness::Parameter>& parameters() const override { return parameters_; }
  const std::vector<harness::JointAxis>& joint_axes() const override { return any_.joint; }
  std::vector<const harness::Entry*> entries() const override {
    if (entries_.empty()) {
      for (const AnyVersion& v : versions_) {
        Entry e;
        describe_cell(e, v.algorithm.c_str(), cell_of(v), v.rung.tier, v.class_name.c_str());
        e.tunings = v.values, e.tuning_axes = v.axes, e.version = &v;
        entries_.push_back(std::move(e));
      }
      std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
        return std::tuple(a.algorithm, a.family != harness::Family::kokkos, a.name) <
               std::tuple(b.algorithm, b.family != harness::Family::kokkos, b.name);
      });
      entries_ = harness::with_twins(std::move(entries_));
    }
    std::vector<const harness::Entry*> all;
    for (const Entry& e : entries_) all.push_back(&e);
    return all;
  }
  std::unique_ptr<harness::Task> task(const harness::Values& values) const override {
    return std::make_unique<OwnTask>(name(), any_, values);
  }

 private:
  AnyProblem any_;
  std::vector<harness::Parameter> parameters_;
  const std::deque<AnyVersion>& versions_;
  mutable std::vector<Entry> entries_;
};

std::string place_of(const AnyVersion& v) {
  return fmt::format("{} at {}:{}", v.class_name, file_name(v), v.line);
}

}  // namespace

std::string detail::type_name(const std::type_info& type) {
  char* const text = abi::__cxa_demangle(type.name(), nullptr, nullptr, nullptr);
  const std::string name = text ? text : type.name();
  std::free(text);
  return name;
}

AnyVersion& detail::add_version(const std::string& problem, const std::function<AnyProblem()>& type,
                                AnyVersion version) {
  Registered& r = registered()[problem];
  if (type) r.problem = type;
  r.versions.push_back(std::move(version));
  return r.versions.back();
}

Verdict detail::verdict_of(double deviation, double largest, double tolerance, std::size_t at, double got,
                           double wanted) {
  Verdict v{largest > 0 ? deviation / largest : deviation, tolerance, "what is expected"};
  if (std::isnan(deviation)) v.error = INFINITY;
  if (!v.passed())
    v.reference =
        std::isnan(got)
            ? fmt::format("value {} is NaN, as one that was never written, where {:.9g} is expected", at,
                          wanted)
            : fmt::format("value {} is {:.9g} where {:.9g} is expected", at, got, wanted);
  return v;
}

void detail::fill_on_host(void* to, const void* from, std::size_t bytes) {
#pragma omp parallel
  {
    const std::size_t threads = std::size_t(omp_get_num_threads()), me = std::size_t(omp_get_thread_num());
    const std::size_t begin = bytes * me / threads, size = bytes * (me + 1) / threads - begin;
    char* const part = static_cast<char*>(to) + begin;
    from ? std::memcpy(part, static_cast<const char*>(from) + begin, size) : std::memset(part, 0xff, size);
  }
}

void detail::require_memory(double bytes, bool on_device) {
  const runtime::MemoryNeed free = runtime::free_memory_here();
  if (const double here = on_device ? free.device : free.host; bytes > 0.9 * here)
    throw CannotRun(fmt::format(
        "it allocates {} where {} of {} memory are free; reduce the problem or measure fewer versions",
        runtime::bytes_text(bytes), runtime::bytes_text(here), on_device ? "GPU" : "host"));
}

std::vector<std::string> own::mistakes() {
  std::vector<std::string> all;
  for (const auto& [name, r] : complete()) {
    if (!r.problem) continue;
    for (const harness::Parameter& p : r.problem().parameters)
      if (p.words.empty() && p.allowed.empty() && p.most == harness::Parameter().most)
        all.push_back(
            fmt::format("parameter '{0}' of {1} has no range: .add(&{1}::{0}, {{\"{0}\", \"help\", \"unit\", "
                        "least, most}})",
                        p.name, name));
    std::map<std::string, const AnyVersion*> seen;
    for (const AnyVersion& v : r.versions) {
      constexpr const char* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
      std::vector<std::string> names = {v.algorithm};
      if (v.rung.tier == harness::Tier::further) names.push_back(v.rung.name);
      for (const std::string& n : names)
        if (n.empty() || n.find_first_not_of(letters) != std::string::npos)
          all.push_back(
              fmt::format("{}: \"{}\" is no name for lists and plans: give letters, digits, '-' and '_'",
                          place_of(v), n));
      for (const std::string& t : v.values)
        if (!harness::parse_tuning(t))
          all.push_back(
              fmt::format("{}: '{}' is no tuning: give whole numbers as in \"8x32\"", place_of(v), t));
      for (const AnyVersion& o : r.versions)
        if (&o < &v && o.type && v.type && *o.type == *v.type && o.file != v.file)
          all.push_back(
              fmt::format("two classes have one name, and the linker keeps one: {} and {}; rename one",
                          place_of(o), place_of(v)));
      const auto [other, added] = seen.emplace(cell_of(v) + " of " + v.algorithm, &v);
      if (!added)
        all.push_back(fmt::format("two versions are {}: {} and {}; make one tuned or further(\"name\")",
                                  other->first, place_of(*other->second), place_of(v)));
    }
  }
  if (all.empty() && own::studies().empty())
    all.push_back("no version is registered: add PARITY_VERSION(Class, \"algorithm\", first); below one");
  return all;
}

const harness::Studies& own::studies() {
  static std::deque<OwnStudy> own;
  static const harness::Studies list = [] {
    harness::Studies all;
    for (const auto& [name, r] : complete()) {
      if (!r.problem) continue;
      AnyProblem any = r.problem();
      harness::Study::About about{command_of(name), any.about.empty() ? name : any.about,
                                  "Compare the versions of " + name + " (verified)", "'kokkos-*'"};
      about.mechanisms = {{"stream", "each launch on its own"},
                          {"graph-whole", "the run in one captured CUDA graph"},
                          {"kokkos-graph-whole", "the run in one graph of Kokkos"}};
      about.knows = [](const harness::Entry& e, std::size_t m) { return !why_no_mechanism(e, m); };
      all.push_back(&own.emplace_back(std::move(about), std::move(any), r.versions));
    }
    return all;
  }();
  return list;
}

/// Keyed as 'show' looks for them: by study, algorithm and cell.
const std::map<std::string, const char*>& variant_sources() {
  static const std::map<std::string, const char*> texts = [] {
    std::map<std::string, const char*> all;
    for (const auto& [name, r] : complete())
      for (const AnyVersion& v : r.versions)
        for (const auto& [file, text] : own::sources())
          if (runtime::ends_with("/" + v.file, "/" + file)) {
            std::string folder = command_of(name) + "/" + v.algorithm + "/";
            std::replace(folder.begin(), folder.end(), '-', '_');
            all[folder + cell_of(v) + (v.backend == "cuda" ? ".cu" : ".cpp")] = text;
          }
    return all;
  }();
  return texts;
}

}  // namespace parity
