// SPDX-License-Identifier: BSD-3-Clause
#include "tools/trace/try.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "harness/statistics.hpp"
#include "runtime/device.hpp"
#include "runtime/error.hpp"
#include "runtime/signals.hpp"
#include "runtime/text.hpp"

namespace parity::replay {
namespace {

using analysis::Figure;
using analysis::StepAdvice;
using Json = nlohmann::json;
using Time = std::chrono::steady_clock;

constexpr double whole_try = 20, enough = 14, one_play = 0.8, calibration = 0.5;  ///< seconds
constexpr int processes = 5, calibrations = 2;
constexpr double reproduced = 0.05;  ///< relative to the recorded time

Json play_here([[maybe_unused]] const std::vector<Plan>& plans, [[maybe_unused]] double seconds) {
  std::string why;
  const auto device = runtime::device(&why);
  if (!device) return {{"cannot", why}};
  Json list = Json::array();
#ifdef PARITY_HAS_CUDA
  for (const Timing& t : play(plans, seconds))
    list.push_back({{"samples", t.samples}, {"setup", t.setup}, {"refused", t.refused}});
#endif
  return {{"device", device->name}, {"plans", list}};
}

/// Runs 'work' in a child process, which may use CUDA; this process, the parent, may not. An alarm ends the
/// child at the deadline.
Json in_child(const std::function<Json()>& work, Time::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::seconds>(deadline - Time::now()).count();
  int ends[2];
  std::fflush(nullptr);
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw runtime::CannotRunError(fmt::format("no pipe: {}", std::strerror(errno)));
  const pid_t child = fork();
  if (child < 0) {
    const int number = errno;
    close(ends[0]), close(ends[1]);
    throw runtime::CannotRunError(fmt::format("no process: {}", std::strerror(number)));
  }
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int number = 1; number <= SIGRTMAX; ++number)
      std::signal(number, SIG_DFL);  // the child does not have the parent's signal-watching thread
    alarm(unsigned(std::max<decltype(left)>(1, left)));
    Json found;
    try {
      found = work();
    } catch (const std::exception& e) {
      found = {{"cannot", e.what()}};
    }
    dprintf(ends[1], "%s", found.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
    close(ends[1]);
    // A recorder writes at exit; the parent prints everything else.
    const int nothing = open("/dev/null", O_RDWR);
    for (const int stream : {1, 2}) dup2(nothing, stream);
    if (std::getenv("PARITY_TRACE_FILE")) std::exit(0);
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char part[4096];
  for (ssize_t n = 1; n > 0 || (n < 0 && errno == EINTR);) {
    n = read(ends[0], part, sizeof part);
    text.append(part, std::size_t(std::max<ssize_t>(0, n)));
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  runtime::stop_if_interrupted();  // the signal may have gone to both processes
  const Json found = Json::parse(text, nullptr, false);
  if (!found.is_discarded() && !found.contains("cannot")) return found;
  throw runtime::CannotRunError(
      !found.is_discarded() ? runtime::shown(found["cannot"].get<std::string>(), 300)
      : WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM
          ? fmt::format("it did not end within {:.0f} s: is the GPU busy? Try again", whole_try)
          : "its process crashed");
}

/// The same, for results that a try cannot do without.
Json found_in_child(const std::function<Json()>& work, Time::time_point deadline) try {
  return in_child(work, deadline);
} catch (const runtime::CannotRunError& e) {
  throw runtime::CannotRunError(
      fmt::format("--try replays the step on a GPU: {}; leave --try out for advice by a model", e.what()));
}

/// Corrects the kernels and gaps until the recorder sees them here as it saw the program's. Returns the
/// duration of the recorded step here; nullopt and the reason in 'why' if nothing can be recorded.
std::optional<double> calibrate(Skeleton& skeleton, const analysis::Step& step, Time::time_point deadline,
                                std::string& why) {
  std::error_code none;
  const auto place = std::filesystem::temp_directory_path(none);
  const char* const given = std::getenv("TMPDIR");
  std::string file = ((none && given ? std::filesystem::path(given) : place) / "parity-try-XXXXXX").string();
  const int made = runtime::make_temporary(file, 0600);
  if (made < 0)
    throw runtime::CannotRunError(
        fmt::format("--try: no temporary file {}: {}; set TMPDIR to a folder that "
                    "can be written to",
                    runtime::shown(file, 200), std::strerror(errno)));
  close(made);
  std::optional<double> wall;
  for (int k = 0; k < calibrations; ++k) {
    try {
      const Json done = in_child(
          [&]() -> Json {
            runtime::leave_temporary(file);  // the file belongs to the parent, which reads it
            const std::string unrecorded = record_this_process(file);
            if (!unrecorded.empty()) return {{"plans", Json::array()}, {"unrecorded", unrecorded}};
            return play_here({{"as recorded", "", skeleton}}, calibration);
          },
          deadline);
      const bool recorded = !done["plans"].empty();
      why = recorded ? "too few of its steps were recorded" : done["unrecorded"].get<std::string>();
      // The first calibration measures kernels and gaps that are not yet corrected.
      if (recorded) wall = adjust(skeleton, step, analysis::read_traces(file).front());
    } catch (const runtime::Error& e) {
      wall.reset();
      why = e.what();
    }
    if (!wall) break;
  }
  runtime::remove_temporary(file);
  return wall;
}

/// Repetitions of the step that recover a setup of so many seconds.
Figure repetitions(double setup, const Figure& saved) {
  const auto over = [setup](double by) {
    return by > 0 ? setup / by : std::numeric_limits<double>::infinity();
  };
  return {over(saved.value), over(saved.high), over(saved.low)};
}

Figure figure_of(const harness::ByProcess& samples) {
  const harness::Estimate e = harness::estimate(samples);
  return {e.value, e.interval ? e.interval->low : e.least, e.interval ? e.interval->high : e.value};
}

}  // namespace

void try_ways(const analysis::Trace& trace, std::vector<StepAdvice>& advice,
              const analysis::AdviceOptions& options) {
  if (advice.empty())
    throw runtime::UsageError(trace.file +
                              ": no sequence of launches, copies and waits repeats: nothing can be tried");
  StepAdvice& a = advice.front();
  if (const auto why = why_not(trace, a.step))
    throw runtime::UsageError(fmt::format("{}: this step cannot be tried: {}", trace.file, *why));
#ifndef PARITY_HAS_CUDA
  throw runtime::CannotRunError(
      "--try replays the step on a GPU, and this build has no CUDA: configure with -DPARITY_ENABLE_CUDA=ON, "
      "or "
      "leave --try out for advice by a model");
#endif
  const Time::time_point began = Time::now();
  const Time::time_point deadline =
      began + std::chrono::duration_cast<Time::duration>(std::chrono::duration<double>(whole_try));
  Skeleton skeleton = skeleton_of(a.step, options.apart);
  std::string why_not_here;
  const std::optional<double> recorded_here = calibrate(skeleton, a.step, deadline, why_not_here);
  double shorter = 0;
  if (a.pace) {
    const Json found = found_in_child(
        [&] {
          return play_here({{"as recorded", "", skeleton}}, calibration);
        },
        deadline);
    const auto seconds = harness::median_of(found["plans"].at(0)["samples"].get<std::vector<double>>());
    shorter = shorten_gaps(skeleton, seconds - a.pace->step.value);
  }
  std::vector<Plan> plans = plans_of(skeleton);
  if (shorter > 0)
    plans.front().means +=
        fmt::format("; the host's gaps are {:.0f} % shorter than recorded, as the step is without recording",
                    100 * shorter);
  std::vector<harness::ByProcess> samples(plans.size());
  std::vector<std::vector<double>> setups(plans.size());
  std::vector<std::string> refused(plans.size());
  std::string device, lost;
  for (int process = 0; process < processes; ++process) {
    if (process >= harness::least_processes && Time::now() - began > std::chrono::duration<double>(enough))
      break;
    Json found;
    try {
      found =
          (process == 0 ? found_in_child : in_child)([&] { return play_here(plans, one_play); }, deadline);
    } catch (const runtime::CannotRunError& e) {
      if (process == 0) throw;
      lost = fmt::format("these are times of {} of {} processes: {}", process, processes, e.what());
      break;
    }
    device = found["device"];
    for (std::size_t k = 0; k < plans.size(); ++k) {
      const Json& one = found["plans"].at(k);
      refused[k] = one["refused"];
      if (!refused[k].empty()) continue;
      samples[k].push_back(one["samples"]);
      setups[k].push_back(one["setup"]);
    }
  }
  a.refused.clear();
  a.ways.clear();
  analysis::Tried tried;
  tried.replay = figure_of(samples.front());
  // If a step's time is known only with recording, it is compared with a recorded replay.
  tried.while_recorded = !a.pace && recorded_here;
  tried.seen = tried.while_recorded ? *recorded_here : tried.replay.value;
  tried.recorded = a.pace ? a.pace->step.value : a.step.wall.value;
  const double off = std::abs(tried.seen / tried.recorded - 1);
  const std::string traced = trace.devices.empty() ? "" : trace.devices.front().name;
  if (analysis::plain_device_name(traced) != analysis::plain_device_name(device))
    tried.distrust = fmt::format("it was traced on {} and is replayed on {}",
                                 traced.empty() ? "an unknown GPU" : runtime::shown(traced, 60), device);
  else if (!recorded_here)  // the host may hide that its kernels are too short
    tried.distrust = "the replay's kernels could not be held against the recorded ones: " + why_not_here;
  else if (off > reproduced)
    tried.distrust = !a.pace ? "the program does what its trace does not hold"
                             : "recording changed what the program does beside its launches, or it does "
                               "what its trace does not hold";
  a.tried = tried;
  if (!lost.empty()) a.tried->refused.push_back(lost);
  for (std::size_t k = 0; k < plans.size(); ++k) {
    if (!refused[k].empty()) {
      a.tried->refused.push_back(plans[k].name + ": " + refused[k]);
      continue;
    }
    analysis::Way w = analysis::way_of(plans[k].name, plans[k].means, figure_of(samples[k]), tried.replay);
    if (k == 0) w.worth = "-";
    if (plans[k].graph) {
      const double setup = harness::median_of(setups[k]);
      w.pays_after = repetitions(setup, w.saved);
    }
    a.ways.push_back(std::move(w));
  }
}

}  // namespace parity::replay
