// SPDX-License-Identifier: BSD-3-Clause
#include "harness/ranks.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "runtime/carrier.hpp"
#include "runtime/memory_share.hpp"
#include "runtime/messages.hpp"
#include "runtime/nccl.hpp"

namespace parity::harness {
namespace {

using Json = nlohmann::json;

/// What is done with a trial.
enum Work { start_trial, sample_trial, warm_up_trial, finish_trial };

Json to_json(const Value& value) {
  return std::visit([](const auto& v) { return Json(v); }, value);
}
Value value_of(const Json& j) {
  if (j.is_string()) return j.get<std::string>();
  if (j.is_number_integer()) return j.get<std::int64_t>();
  return j.get<double>();
}

void order(const Json& what) { runtime::told_by_rank_0(what.dump()); }

/// Trials by the numbers that rank 0 gave them.
using Trials = std::map<int, std::unique_ptr<Trial>>;

std::vector<std::unique_ptr<Trial>> made(const Task& task, const std::vector<Choice>& choices,
                                         const Note& note) {
  std::vector<std::unique_ptr<Trial>> trials;
  runtime::agreed([&] { trials = task.trials(choices, note); });
  return trials;
}

runtime::MemoryNeed least_free_memory() {
  const runtime::MemoryNeed here = runtime::free_memory_here();
  const double host = runtime::smallest(here.host);
  return {host, runtime::smallest(here.device)};
}

/// Orders others to do what this rank does.
class LedTrial : public Trial {
 public:
  LedTrial(int number, std::unique_ptr<Trial> own) : number_(number), own_(std::move(own)) {}
  ~LedTrial() override { order({{"drop", number_}}); }
  Verdict start(Measurement& row) override {
    tell(start_trial);
    return own_->start(row);
  }
  Sample sample() override {
    tell(sample_trial);
    return own_->sample();
  }
  void warm_up() override {
    tell(warm_up_trial);
    own_->warm_up();
  }
  Verdict finish(Measurement& row) override {
    tell(finish_trial);
    return own_->finish(row);
  }

 private:
  void tell(Work work) const { order({{"trial", number_}, {"work", int(work)}}); }
  int number_;
  std::unique_ptr<Trial> own_;
};

void make_trials(const Studies& studies, const Json& told, Trials& trials) {
  const auto study = std::find_if(studies.begin(), studies.end(),
                                  [&told](const Study* s) { return s->name() == told["study"]; });
  Values values;
  for (const auto& [name, value] : told["problem"].items()) values[name] = value_of(value);
  const auto task = (*study)->task(values);
  const std::vector<const Entry*> entries = (*study)->entries();
  std::vector<Choice> choices;
  for (const Json& c : told["choices"]) {
    Choice choice;
    choice.entry =
        *std::find_if(entries.begin(), entries.end(), [&c](const Entry* e) { return e->name == c[0]; });
    choice.mechanism = c[1];
    choice.tuning.values = c[2].get<std::vector<int>>();
    choices.push_back(choice);
  }
  int number = told["first"];
  for (auto& trial : made(*task, choices, {})) trials[number++] = std::move(trial);
}

void work_on(Trial& trial, Work work) {
  Measurement row;  // rank 0 has the one that counts
  switch (work) {
    case start_trial:
      trial.start(row);
      break;
    case sample_trial:
      trial.sample();
      break;
    case warm_up_trial:
      trial.warm_up();
      break;
    case finish_trial:
      trial.finish(row);
      break;
  }
}

/// False at the end.
bool obey(const Json& told, const Studies& studies, Trials& trials) {
  if (told.contains("end")) return false;
  try {
    if (told.contains("memory"))
      least_free_memory();
    else if (told.contains("nccl"))
      runtime::why_no_nccl();
    else if (told.contains("drop"))
      trials.erase(told["drop"].get<int>());
    else if (told.contains("trial"))
      work_on(*trials.at(told["trial"]), Work(told["work"].get<int>()));
    else
      make_trials(studies, told, trials);
  } catch (const runtime::Error&) {
    // The ranks agreed on it, so that rank 0 has it too and says it.
  }
  return true;
}

}  // namespace

Leading::~Leading() {
  if (runtime::several_ranks()) order({{"end", true}});
}

void follow(const Studies& studies) {
  Trials trials;
  runtime::linked([&] {
    while (obey(Json::parse(runtime::told_by_rank_0("")), studies, trials)) {
    }
  });
}

std::vector<std::unique_ptr<Trial>> trials_on_all_ranks(const Task& task, const std::vector<Choice>& choices,
                                                        const Note& note) {
  if (!runtime::several_ranks()) return task.trials(choices, note);
  static int made_before = 0;
  Json told = {{"study", task.study()},
               {"problem", Json::object()},
               {"choices", Json::array()},
               {"first", made_before}};
  for (const auto& [name, value] : task.values()) told["problem"][name] = to_json(value);
  for (const Choice& c : choices) told["choices"].push_back({c.entry->name, c.mechanism, c.tuning.values});
  order(told);
  std::vector<std::unique_ptr<Trial>> trials;
  for (auto& trial : made(task, choices, note))
    trials.push_back(std::make_unique<LedTrial>(made_before++, std::move(trial)));
  return trials;
}

std::optional<std::string> why_no_messages(runtime::Transport transport, bool on_device) {
  if (const auto why = runtime::why_not_so(transport, on_device)) return why;
  if (!on_device || transport != runtime::Transport::nccl) return std::nullopt;
  if (runtime::several_ranks()) order({{"nccl", true}});
  return runtime::why_no_nccl();
}

runtime::MemoryNeed free_memory_of_a_rank() {
  if (runtime::several_ranks()) order({{"memory", true}});
  return least_free_memory();
}

}  // namespace parity::harness
