// SPDX-License-Identifier: BSD-3-Clause
// One problem with the variants selected for it, so that commands and plans need not know the study.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "study/measure.hpp"

namespace parity::study {

class Case {
 public:
  virtual ~Case() = default;
  virtual std::string text() const = 0;
  virtual std::size_t size() const = 0;  ///< selected variants
  virtual std::string variant(std::size_t v) const = 0;
  /// Identifies the row in a file of records.
  virtual std::string row_key(std::size_t v) const = 0;
  /// Why the variant cannot compute the problem here; nullopt when it can.
  virtual std::optional<std::string> reason(std::size_t v) const = 0;
  virtual MemoryNeed need(std::size_t v) const = 0;
  /// Modelled seconds of one sample, for a plan's reader.
  virtual double seconds(std::size_t v) const = 0;
  /// Throws UsageError when one of the variants that can run does not fit into memory.
  virtual void require_memory() const = 0;
  /// A row's time in the unit users of the study think in.
  virtual std::string row_text(const Row& row) const = 0;
  virtual Measured run(const std::vector<std::size_t>& variants, const RunOptions& options,
                       const std::function<void(const std::string&)>& before,
                       const std::function<void(const Row&)>& on_row) const = 0;
};

/// A case of a study that offers describe, why_not, memory_need, check_memory, estimate, row_text, blank_row
/// and measure for its Problem and Selected.
template <class Problem, class Selected>
class TypedCase : public Case {
 public:
  TypedCase(const Problem& problem, std::vector<Selected> selected)
      : problem_(problem), selected_(std::move(selected)) {}
  std::string text() const override { return describe(problem_); }
  std::size_t size() const override { return selected_.size(); }
  std::string variant(std::size_t v) const override { return selected_[v].name(); }
  std::string row_key(std::size_t v) const override { return key(blank_row(problem_, selected_[v])); }
  std::optional<std::string> reason(std::size_t v) const override { return why_not(selected_[v], problem_); }
  MemoryNeed need(std::size_t v) const override { return memory_need(problem_, *selected_[v].entry); }
  double seconds(std::size_t v) const override { return estimate(problem_, selected_[v]); }
  void require_memory() const override {
    std::vector<Selected> runnable;
    for (const Selected& s : selected_)
      if (!why_not(s, problem_)) runnable.push_back(s);
    check_memory(problem_, runnable);
  }
  std::string row_text(const Row& row) const override { return time_text(problem_, row); }
  Measured run(const std::vector<std::size_t>& variants, const RunOptions& options,
               const std::function<void(const std::string&)>& before,
               const std::function<void(const Row&)>& on_row) const override {
    std::vector<Selected> some;
    for (const std::size_t v : variants) some.push_back(selected_[v]);
    return measure(problem_, some, options, before, on_row);
  }

 private:
  Problem problem_;
  std::vector<Selected> selected_;
};

}  // namespace parity::study
