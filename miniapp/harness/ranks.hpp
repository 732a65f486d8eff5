// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 runs commands and decides; the other ranks do what it orders: make the same trials, take the same
// samples. So no rank can decide otherwise.
#pragma once
#include <memory>
#include <vector>

#include "harness/study.hpp"
#include "runtime/transport.hpp"

namespace parity::harness {

/// Of rank 0: the others follow until its end. Does nothing where there are none.
class Leading {
 public:
  Leading() = default;
  ~Leading();
  Leading(const Leading&) = delete;
  Leading& operator=(const Leading&) = delete;
};

/// Of the others: does what rank 0 orders until it orders the end.
void follow(const Studies& studies);

/// The task's trials; of several ranks, what is asked of one is done by all.
std::vector<std::unique_ptr<Trial>> trials_on_all_ranks(const Task& task, const std::vector<Choice>& choices,
                                                        const Note& note);

/// Why messages cannot travel so here; nullopt where they can. NCCL is tried the first time that it is asked
/// for, on all ranks.
std::optional<std::string> why_no_messages(runtime::Transport transport, bool on_device);

/// Free memory that a rank has for itself, of the rank that has least: host memory is shared by the ranks of
/// a node.
runtime::MemoryNeed free_memory_of_a_rank();

}  // namespace parity::harness
