// SPDX-License-Identifier: BSD-3-Clause
// Text for people: safe display of names from files, a line of progress.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/progress.hpp"
#include "runtime/device.hpp"
#include "runtime/text.hpp"
#include "virtual_clock.hpp"

using namespace parity;
using runtime::shown;

TEST(Device, AnIdentityIsWrittenAsTheDriversToolsDo) {
  std::string bytes;
  for (int k = 0; k < 16; ++k) bytes += char(k == 15 ? 0xfe : k);
  EXPECT_EQ(runtime::uuid_text(bytes.data()), "GPU-00010203-0405-0607-0809-0a0b0c0d0efe");
}

TEST(Shown, EscapesWhatATerminalObeys) {
  EXPECT_EQ(shown("a\x1b[31m\n\x7f"), "a\\x1b[31m\\x0a\\x7f");
  EXPECT_EQ(shown("\xc2\x9b"
                  "1m"),
            "\\xc2\\x9b1m");                            // CSI in one character
  EXPECT_EQ(shown("\xe2\x80\xae"), "\\xe2\\x80\\xae");  // writes from right to left
  EXPECT_EQ(shown("\xef\xbb\xbf"), "\\xef\\xbb\\xbf");  // byte-order mark
  EXPECT_EQ(shown(std::string_view("\0", 1)), "\\x00");
}

TEST(Shown, EscapesWhatIsNoUtf8) {
  EXPECT_EQ(shown("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(shown("\xc3"), "\\xc3");           // cut short
  EXPECT_EQ(shown("\xc0\xaf"), "\\xc0\\xaf");  // overlong encoding
  EXPECT_EQ(shown("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");
  EXPECT_EQ(shown("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a surrogate pair
  EXPECT_EQ(shown("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(Shown, CutsBetweenCharacters) {
  EXPECT_EQ(shown(std::string(60, 'x')), std::string(60, 'x'));
  EXPECT_EQ(shown(std::string(61, 'x')), std::string(60, 'x') + "\xe2\x80\xa6");
  EXPECT_EQ(shown("\xc3\xa9\xc3\xa9\xc3\xa9", 2), "\xc3\xa9\xc3\xa9\xe2\x80\xa6");
}

TEST(Progress, WritesALineAMinuteIntoALog) {
  const test::VirtualClock clock;
  testing::internal::CaptureStderr();
  {
    harness::Progress progress(100, "rows");
    progress.log_every(60);
    progress.update(50, "before the first minute");
    test::VirtualClock::pass(61);
    progress.update(20, "process 1 of 2");
    progress.update(21, "the same minute");
    test::VirtualClock::pass(61);
    progress.update(50, "later");
    harness::Progress quiet(100, "rows", true);
    quiet.log_every(60);
    test::VirtualClock::pass(61);
    quiet.update(1, "nothing");
    harness::Progress plain(100, "rows");
    plain.update(1, "nothing");
  }
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(said.substr(0, said.find(", until")), "20 %, 20 of 100 rows, 0.328 rows/s, 4 min 4 s left");
  EXPECT_NE(said.find(": process 1 of 2\n50 %, 50 of 100 rows, 0.41 rows/s, 2 min 2 s left, until "),
            std::string::npos)
      << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 2) << said;
}
