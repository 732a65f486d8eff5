// SPDX-License-Identifier: BSD-3-Clause
// Inputs that are written to while they are read.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "io/field_file.hpp"
#include "io/steady_file.hpp"
#include "runtime/error.hpp"

namespace {

using namespace parity;

class SteadyFiles : public testing::Test {
 protected:
  void SetUp() override {
    const std::string base = testing::TempDir() + "parity_steady_" + std::to_string(getpid());
    in_ = base + ".npy";
    out_ = base + "_out.npy";
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }";
    header.append(128 - 10 - header.size() - 1, ' ');
    whole_ = std::string("\x93NUMPY\x01\x00", 8) + char(118) + '\0' + header + '\n' + std::string(16, '\0');
    write(whole_);
  }
  void TearDown() override {
    unlink(in_.c_str());
    unlink(out_.c_str());
  }
  void write(const std::string& bytes) const { std::ofstream(in_, std::ios::binary) << bytes; }
  /// Two writes may fall into one tick of the file system's clock: a later time is set by hand.
  void write_later(const std::string& bytes) const {
    write(bytes);
    const timespec times[2] = {{0, UTIME_NOW}, {2000000000, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, in_.c_str(), times, 0), 0);
  }
  std::string in_, out_, whole_;
};

TEST_F(SteadyFiles, AnotherSizeOrTimeIsSeen) {
  const int file = open(in_.c_str(), O_RDONLY);
  ASSERT_GE(file, 0);
  {
    const io::SteadyFile same(file, in_);
    EXPECT_NO_THROW(same.require_unchanged());
    chmod(in_.c_str(), 0600);
    EXPECT_NO_THROW(same.require_unchanged());
    write_later(whole_);
    EXPECT_THROW(same.require_unchanged(), runtime::UsageError);
  }
  const io::SteadyFile longer(file, in_);
  write(whole_ + "x");
  EXPECT_THROW(longer.require_unchanged(), runtime::UsageError);
  close(file);
}

TEST_F(SteadyFiles, APipeIsNeverRefused) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const io::SteadyFile reading(ends[0], "-");
  EXPECT_EQ(::write(ends[1], "x", 1), 1);
  EXPECT_NO_THROW(reading.require_unchanged());
  close(ends[0]);
  close(ends[1]);
}

TEST_F(SteadyFiles, AFieldThatChangesIsNotWritten) {
  const auto file = io::open_fields(in_, out_, {});
  std::vector<float> values(4);
  const auto blocks = file->fields().front()->blocks(1);
  file->fields().front()->read(blocks.front(), values.data());
  file->fields().front()->write(blocks.front(), values.data());
  write_later(whole_);
  EXPECT_THROW(file->commit(), runtime::UsageError);
  EXPECT_NE(access(out_.c_str(), F_OK), 0);
}

}  // namespace
