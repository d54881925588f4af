// Which kernel runs, and since when, as the files of /proc tell it.
#include "agent/host_boot.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

class HostBootTest : public testing::Test {
 protected:
  void write(const std::string& file, std::string_view text) const {
    const auto path = proc_.path() / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  HostBoot read() const { return read_host_boot(proc_.path().string(), now_); }

  const TempDirectory proc_;
  const Timestamp now_ = from_unix_seconds(1'700'000'000);
};

TEST_F(HostBootTest, IsReadFromProc) {
  write("sys/kernel/osrelease", "6.1.0-18-amd64\n");
  write("sys/kernel/random/boot_id", "9f1c2a34-0000-4000-8000-0123456789ab\n");
  write("uptime", "3600.25 14000.10\n");
  EXPECT_EQ(read(), (HostBoot{"6.1.0-18-amd64", "9f1c2a34-0000-4000-8000-0123456789ab",
                              now_ - std::chrono::hours(1)}));
}

TEST_F(HostBootTest, WhatCannotBeReadIsNotKnown) {
  EXPECT_EQ(read(), HostBoot());
  write("sys/kernel/osrelease", "");
  write("sys/kernel/random/boot_id", std::string(1000, 'x'));
  write("uptime", "soon\n");
  EXPECT_EQ(read(), (HostBoot{"", std::string(64, 'x'), {}}));
  for (const char* odd : {"-5 1", "1e300 1", "nan 1", "99999999999 1", " "}) {
    write("uptime", odd);
    EXPECT_EQ(read().time, Timestamp()) << odd;
  }
}

TEST_F(HostBootTest, ThisHostHasAll) {
  const HostBoot boot = read_host_boot("/proc", now_);
  EXPECT_FALSE(boot.kernel.empty());
  EXPECT_FALSE(boot.id.empty());
  EXPECT_LT(boot.time, now_);
}

}  // namespace
}  // namespace statmill
