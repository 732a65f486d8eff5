// SPDX-License-Identifier: BSD-3-Clause
// Limits of memory and processors, from files in the kernel's formats.
#include "runtime/host_memory.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

using namespace parity;

namespace {

constexpr std::int64_t mib = 1 << 20, huge = std::int64_t(1) << 60;

class Limits : public testing::Test {
 protected:
  Limits() : folder_(testing::TempDir() + "parity_limits_" + std::to_string(getpid())) {
    for (const char* name : variables) unsetenv(name);
  }
  ~Limits() override {
    std::filesystem::remove_all(folder_);
    for (const char* name : variables) unsetenv(name);
  }
  void write(const std::map<std::string, std::string>& files) {
    for (const auto& [name, text] : files) {
      const std::filesystem::path path = folder_ + "/" + name;
      std::filesystem::create_directories(path.parent_path());
      std::ofstream(path) << text << "\n";
    }
  }
  std::int64_t left() const { return runtime::memory_left_by_limits(kernel()); }

 private:
  static constexpr const char* variables[] = {"SLURMD_NODENAME",   "SLURM_MEM_PER_NODE",
                                              "SLURM_MEM_PER_CPU", "SLURM_CPUS_ON_NODE",
                                              "SLURM_MEM_PER_GPU", "SLURM_GPUS_ON_NODE"};
  runtime::KernelFolders kernel() const { return {folder_ + "/groups", folder_ + "/self"}; }
  std::string folder_;
};

std::string bytes(std::int64_t count) { return std::to_string(count); }

TEST_F(Limits, NoneWithoutGroups) {
  EXPECT_GT(left(), huge);
  write({{"self/cgroup", "0::/\n1:name=systemd:/x"}, {"groups/memory.current", "5"}});
  EXPECT_GT(left(), huge);
}

TEST_F(Limits, OfVersion2AreThoseOfAllGroupsAbove) {
  const std::string job = "groups/system.slice/slurmstepd.scope/job_7";
  write({{"self/cgroup", "0::/system.slice/slurmstepd.scope/job_7/step_0/user/task_0"},
         {job + "/memory.max", bytes(200 * mib)},
         {job + "/memory.current", bytes(150 * mib)},
         {job + "/memory.stat", "anon 1\nfile 2\ninactive_file " + bytes(30 * mib) + "\nactive_file " +
                                    bytes(10 * mib) + "\nslab_reclaimable " + bytes(mib)},
         {job + "/step_0/user/task_0/memory.max", "max"},
         {job + "/step_0/user/task_0/memory.current", bytes(mib)}});
  EXPECT_EQ(left(), 91 * mib);
  write({{job + "/step_0/memory.high", bytes(60 * mib)}, {job + "/step_0/memory.current", bytes(10 * mib)}});
  EXPECT_EQ(left(), 50 * mib) << "from there on the kernel slows processes down";
  write({{job + "/memory.current", bytes(300 * mib)}});
  EXPECT_EQ(left(), 0);
}

TEST_F(Limits, OfVersion1AreThoseOfAllGroupsAbove) {
  for (const char* controllers : {"memory", "hugetlb,memory"}) {
    const std::string top = std::string("groups/") + controllers;
    write(
        {{"self/cgroup", std::string("9:cpuset:/elsewhere\n4:") + controllers + ":/slurm/uid_1/job_7\n0::/"},
         {top + "/memory.limit_in_bytes", "9223372036854771712"},
         {top + "/memory.usage_in_bytes", "1"},
         {top + "/slurm/uid_1/memory.limit_in_bytes", bytes(100 * mib)},
         {top + "/slurm/uid_1/memory.usage_in_bytes", bytes(80 * mib)},
         {top + "/slurm/uid_1/memory.stat",
          "inactive_file 1\ntotal_inactive_file " + bytes(20 * mib) + "\ntotal_active_file 0"},
         {top + "/slurm/uid_1/job_7/memory.limit_in_bytes", "9223372036854771712"},
         {top + "/slurm/uid_1/job_7/memory.usage_in_bytes", "1"}});
    EXPECT_EQ(left(), 40 * mib) << controllers;
  }
}

TEST_F(Limits, OfAContainerThatSeesItsOwnGroupAsTheTop) {
  write({{"self/cgroup", "0::/docker/0123/inner"},
         {"groups/memory.max", bytes(50 * mib)},
         {"groups/memory.current", bytes(10 * mib)},
         {"groups/inner/memory.max", bytes(20 * mib)},
         {"groups/inner/memory.current", "0"}});
  EXPECT_EQ(left(), 20 * mib);
  write({{"self/cgroup", "0::/../../elsewhere"}});
  EXPECT_EQ(left(), 40 * mib);
}

TEST_F(Limits, OfSlurmWithoutGroups) {
  write({{"self/status", "Name:\tparity\nVmRSS:\t   10240 kB"}});
  setenv("SLURM_MEM_PER_NODE", "100", 1);
  EXPECT_GT(left(), huge) << "a shell of salloc runs on the login node";
  setenv("SLURMD_NODENAME", "n1", 1);
  EXPECT_EQ(left(), 90 * mib);
  setenv("SLURM_MEM_PER_NODE", "0", 1);
  EXPECT_GT(left(), huge);
  setenv("SLURM_MEM_PER_CPU", "20", 1);
  setenv("SLURM_CPUS_ON_NODE", "4", 1);
  EXPECT_EQ(left(), 70 * mib);
}

TEST_F(Limits, StatusOfThisProcess) {
  EXPECT_GT(runtime::kernel_bytes("/proc/self/status", "VmHWM"), mib);
  EXPECT_EQ(runtime::kernel_bytes("/proc/self/status", "VmNone"), -1);
}

}  // namespace
