// SPDX-License-Identifier: BSD-3-Clause
// The interface of a study: the harness lists, plans, measures, verifies and records it through this. A study
// is a StudyOf, its problems derive from TaskOf; the compiler names what is missing.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/parameters.hpp"
#include "harness/trial.hpp"
#include "runtime/error.hpp"
#include "runtime/host_memory.hpp"

namespace parity::harness {

/// A word that users type, and its meaning.
struct Term {
  std::string word, meaning;
};

/// The part of a run for which energy is reported, such as "step", and the number of parts per run.
struct Portion {
  std::string name = "run";
  double parts = 1;
};

/// One problem of a study, ready to be measured. Studies derive from TaskOf.
class Task {
 public:
  virtual ~Task() = default;
  virtual std::string study() const = 0;
  virtual Values values() const = 0;
  /// "128x128x64 N=1024 float", for tables and messages.
  virtual std::string text() const = 0;
  /// True if a name pattern selects the choice for this problem.
  virtual bool applies_to(const Choice&) const { return true; }
  /// Why the choice cannot compute the problem here; nullopt if it can. All ranks call it together.
  std::optional<std::string> why_not(const Choice& choice) const;
  virtual runtime::MemoryNeed need(const Choice& choice) const = 0;
  /// Bytes on the host for the input and for checking, whichever choice runs.
  virtual double data_bytes() const = 0;
  /// Tells the user what to reduce if memory is short.
  virtual std::string memory_fix() const = 0;
  /// Modelled seconds of one sample, shown to a plan's reader.
  virtual double seconds(const Choice& choice) const = 0;
  virtual CostModel model(const Choice& choice) const = 0;
  /// The metrics of a timed result, the figure of merit first.
  virtual std::vector<Metric> metrics(const Choice& choice, const Measurement& row) const = 0;
  virtual Portion portion() const { return {}; }
  /// One trial per choice. Makes the input and the reference once.
  virtual std::vector<std::unique_ptr<Trial>> trials(const std::vector<Choice>& choices,
                                                     const Note& note) const = 0;

 private:
  /// Reasons beyond the entry's own why_unavailable().
  virtual std::optional<std::string> refuse(const Choice&) const { return std::nullopt; }
  /// True if several ranks can share a problem.
  virtual bool knows_ranks() const { return false; }
};

/// A task for a problem of type P.
template <class P>
class TaskOf : public Task {
 public:
  TaskOf(const char* study, const ParametersOf<P>& list, const P& problem)
      : p(problem), study_(study), list_(list) {}
  std::string study() const final { return study_; }
  Values values() const final { return list_.values(p); }

 protected:
  const P p;

 private:
  const char* study_;
  const ParametersOf<P>& list_;
};

class Study {
 public:
  /// Descriptions for users.
  struct About {
    std::string name, summary;  ///< summary: its computation, in one line for 'parity list'
    std::string help;           ///< description of 'parity NAME', in one sentence
    std::string examples;       ///< example variants
    std::string notes = {};     ///< meanings of the table's columns, one per line
    /// Ways to launch a variant's kernels, the plain one first; empty if the study has only that one.
    std::vector<Term> mechanisms = {};
    /// True if a mechanism pattern selects this mechanism for this variant.
    bool (*knows)(const Entry&, std::size_t mechanism) = [](const Entry&, std::size_t m) { return m == 0; };
    bool has_tunings = true;  ///< false if no variant has tunings
    /// True if a time is itself a result, shown in microseconds with its check's outcome, not as a rate.
    bool times_are_results = false;
    RunOptions options = {};  ///< defaults of the study's command
  };
  explicit Study(About about) : about_(std::move(about)) {}
  virtual ~Study() = default;
  const About& about() const { return about_; }
  const std::string& name() const { return about_.name; }
  virtual const std::vector<Parameter>& parameters() const = 0;
  virtual const std::vector<JointAxis>& joint_axes() const = 0;
  virtual std::vector<const Entry*> entries() const = 0;
  /// Throws runtime::UsageError if the values make no problem.
  virtual std::unique_ptr<Task> task(const Values& values) const = 0;

 private:
  About about_;
};

using Studies = std::vector<const Study*>;

/// A study of problems P with entries E. 'list' and 'registry' are first called once ranks and device are
/// known.
template <class P, class E>
class StudyOf : public Study {
 public:
  /// make: makes the task of a problem whose parameters are in range. It throws runtime::UsageError if they
  /// do not fit together, and resets parameters that do not affect the problem to their standard value.
  StudyOf(About about, const ParametersOf<P>& (*list)(), const std::vector<E>& (*registry)(),
          std::unique_ptr<Task> (*make)(const P&))
      : Study(std::move(about)), list_(list), registry_(registry), make_(make) {}
  ~StudyOf() override {}  // an implicit one is constexpr in C++20, for which Clang wants a complete P
  const std::vector<Parameter>& parameters() const final { return list().list(); }
  const std::vector<JointAxis>& joint_axes() const final { return list().joint(); }
  std::vector<const Entry*> entries() const final {
    std::vector<const Entry*> all;
    for (const E& e : registry()) all.push_back(&e);
    return all;
  }
  std::unique_ptr<Task> task(const Values& values) const final { return task_of(list().problem(values)); }
  /// For a problem in the study's own type.
  std::unique_ptr<Task> task_of(const P& problem) const {
    list().check(problem);
    return make_(problem);
  }
  const ParametersOf<P>& list() const { return list_(); }
  const std::vector<E>& registry() const { return registry_(); }

 private:
  const ParametersOf<P>& (*list_)();
  const std::vector<E>& (*registry_)();
  std::unique_ptr<Task> (*make_)(const P&);
};

}  // namespace parity::harness
