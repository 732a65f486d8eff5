// SPDX-License-Identifier: BSD-3-Clause
// What other ways of launching would save in a traced program's step, from its own kernel times and the
// launch figures of its device. Every prediction is an interval. It rests on these bounds:
//   a kernel's recorded time is that of a null kernel, which figures have in them, and its own work;
//   a null kernel takes no longer than the interval of two queued ones, nor than the shortest kernel
//   recorded.
#pragma once
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "analysis/launch_figures.hpp"
#include "analysis/pace.hpp"
#include "analysis/steps.hpp"

namespace parity::analysis {

/// One way of launching.
struct Way {
  std::string
      name;  ///< "graph", "unrolled graph", "dependent launches", "fused", "fused on chip", "persistent"
  std::string means;                 ///< in a sentence
  Figure step;                       ///< seconds
  Figure saved;                      ///< seconds a step; below zero: it costs
  std::optional<Figure> pays_after;  ///< repetitions of the step; infinite where it may never
};

/// What a Way is worth: at least a twentieth of the step.
enum class Worth { yes, perhaps, no };
Worth worth_of(const Way& way, double step_seconds);

/// What predictions are made of, of one step; seconds.
struct StepModel {
  std::vector<int> groups;  ///< kernels, copies and fills between two waits of the host, in order
  int kernels = 0;
  int fusable = 0;   ///< launches left if neighbours on a stream become one kernel each
  int launches = 0;  ///< calls that launch kernels
  bool has_copies = false;
  Figure work;         ///< of kernels beyond what a null kernel takes
  Figure on_chip;      ///< of the longest of each group that may become one kernel, together
  Figure copying;      ///< copies and fills on the device
  Figure rest;         ///< the host's own time: beyond that of as many null launches, and before other calls
  Figure between;      ///< the part of it before the first launch of each group: what a graph leaves
  Figure other_calls;  ///< the host in calls that copy and fill and do not wait
  Figure now;          ///< the step as it is, without what recording or counting added
  int waits = 0;
};

/// What recording took of the traced program.
struct Recording {
  double event = 0;                     ///< seconds of an event
  double launch = 0, launch_alone = 0;  ///< seconds of a launch, recorded and not; 0 where unknown
  double launch_counted = 0;            ///< the same, only counted
  std::optional<Pace> pace;             ///< the step where nothing of it is recorded
};
/// Kernels in whose names one of the words 'apart' is are fused with one another alone.
StepModel model_of(const Step& step, const FamilyFigures& figures, const Recording& recording,
                   const std::vector<std::string>& apart = {});

// Seconds a step would take.
Figure graph_step(const StepModel& m, const FamilyFigures& f);
/// 'steps' in one graph.
Figure unrolled_step(const StepModel& m, const FamilyFigures& f, int steps);
Figure dependent_step(const StepModel& m, const FamilyFigures& f);
Figure fused_step(const StepModel& m, const FamilyFigures& f);
Figure on_chip_step(const StepModel& m, const FamilyFigures& f);
Figure persistent_step(const StepModel& m, const FamilyFigures& f);

/// Advice on one step.
struct StepAdvice {
  Step step;
  std::string refused;  ///< why nothing is predicted; empty: it is
  Figure now;           ///< the step without what recording or counting added
  std::optional<Pace> pace;
  std::vector<Way> ways;
  /// What launching its operations alone takes on other machines, and what a graph and fusion leave of it: a
  /// kernel's own time there is not known.
  struct Elsewhere {
    std::string device;
    Figure stream, graph, fused;
  };
  std::vector<Elsewhere> elsewhere;
  std::string verdict;  ///< one sentence
};

/// machines: figures, of which those with the name of the trace's device are its own.
/// apart: see model_of; least: see steps_of.
std::vector<StepAdvice> advise(const Trace& trace, const std::vector<LaunchFigures>& machines,
                               const std::vector<std::string>& apart = {}, std::size_t least = 1);

}  // namespace parity::analysis
