// SPDX-License-Identifier: BSD-3-Clause
// Instructions that are executed one by one: as many as the machine code says, and none of what comes after.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "runtime/instruction_counts.hpp"
#include "virtual_clock.hpp"

namespace parity::runtime {
namespace {

class InstructionCounter : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_instruction_counts(); !why.empty()) GTEST_SKIP() << why;
  }
};

#if defined(__x86_64__)
/// Three instructions each time.
[[gnu::noinline]] void three_times(long times) {
  asm volatile("1: nop\n dec %0\n jnz 1b" : "+r"(times)::"cc");
}
#else
void three_times(long) {}
#endif

/// Those of the program.
std::uint64_t total(const InstructionCounts& counts) {
  std::uint64_t sum = 0;
  for (const auto& [address, times] : counts.here) sum += times;
  return sum;
}

TEST_F(InstructionCounter, CountsEachInstructionOfALoop) {
  const auto few = count_instructions([] { three_times(1000); });
  const auto many = count_instructions([] { three_times(1700); });
  EXPECT_EQ(total(many) - total(few), 3u * 700u);
  EXPECT_EQ(std::count_if(many.here.begin(), many.here.end(), [](const auto& i) { return i.second == 1700; }),
            3);
  for (const auto& [address, times] : few.here) EXPECT_TRUE(times == 1000 || times < 10) << address;
}

TEST_F(InstructionCounter, EndsWithTheWork) {
  const auto nothing = count_instructions([] {});
  three_times(100000);
  const auto again = count_instructions([] {});
  EXPECT_LT(total(nothing), 100u);
  EXPECT_LT(total(again), 100u);
}

TEST_F(InstructionCounter, ThatOfALibraryIsElsewhere) {
  void* (*volatile fill)(void*, int, std::size_t) = std::memset;
  char bytes[64];
  const auto with = count_instructions([&] { fill(bytes, 1, sizeof bytes); });
  const auto without = count_instructions([] {});
  EXPECT_GT(with.elsewhere, without.elsewhere);
}

TEST_F(InstructionCounter, AnErrorOfTheWorkComesThrough) {
  EXPECT_THROW(count_instructions([] { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_LT(total(count_instructions([] {})), 100u);
}

TEST_F(InstructionCounter, EndsWithItsTimeAndTheWorkGoesOn) {
  const test::VirtualClock clock;
  bool done = false;
  const auto work = [&done] {
    three_times(1000);
    test::VirtualClock::pass(2);
    three_times(1000);
    done = true;
  };
  const auto cut = count_instructions(work, 1);
  EXPECT_TRUE(cut.cut);
  EXPECT_TRUE(done);
  EXPECT_GE(total(cut), 3u * 1000u);
  EXPECT_LT(total(cut), 3u * 1500u) << "it goes on after its time";
  const auto whole = count_instructions(work, 3);
  EXPECT_FALSE(whole.cut);
  EXPECT_GE(total(whole), 3u * 2000u);
  EXPECT_EQ(whole.total(), double(total(whole) + whole.elsewhere));
}

}  // namespace
}  // namespace parity::runtime
