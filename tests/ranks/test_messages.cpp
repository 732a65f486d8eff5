// SPDX-License-Identifier: BSD-3-Clause
// Ranks know the transport of messages and each other's nodes.
#include <gtest/gtest.h>

#include "runtime/exchange_paths.hpp"
#include "runtime/messages.hpp"

namespace {

using namespace parity;

TEST(Messages, BetweenHostsThereIsNothingToChoose) {
  using runtime::Transport;
  // With a GPU 'automatic' becomes one of the others.
  for (const Transport nothing_said : {Transport::automatic, runtime::resolved(Transport::automatic)})
    EXPECT_FALSE(runtime::why_no_messages(nothing_said, false));
  for (const Transport gpus : {Transport::nccl, Transport::peer})
    EXPECT_EQ(runtime::why_no_messages(gpus, false).has_value(),
              gpus != runtime::resolved(Transport::automatic));
}

TEST(Messages, RanksOfOneMachineAreOnOneNode) {
  EXPECT_TRUE(runtime::on_this_node(runtime::rank_info().ranks - 1));
  EXPECT_EQ(runtime::nodes(), 1);
}

}  // namespace
