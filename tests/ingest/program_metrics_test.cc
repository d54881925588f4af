// The metrics of our own process are plausible.
#include "ingest/program_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <string>
#include <thread>

#include "base/descriptor.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

class ProgramMetricsTest : public testing::Test {
 protected:
  ProgramMetricsTest() { register_program_metrics(registry_); }
  double value(const std::string& name) const {
    for (const Reading& reading : registry_.read()) {
      if (reading.name == name) return reading.value();
    }
    ADD_FAILURE() << "no " << name;
    return 0;
  }

  Registry registry_;
};

TEST_F(ProgramMetricsTest, CpuTimeGrowsWithWork) {
  const double before = value("process.cpu_ns");
  EXPECT_GT(before, 0);
  while (value("process.cpu_ns") < before + 1e6) continue;
}

TEST_F(ProgramMetricsTest, MemoryIsPartOfVirtualMemory) {
  EXPECT_GT(value("process.resident_memory_bytes"), 1 << 20);
  EXPECT_GT(value("process.virtual_memory_bytes"), value("process.resident_memory_bytes"));
}

TEST_F(ProgramMetricsTest, ThreadsAndFilesAreCounted) {
  const double threads = value("process.threads");
  const double files = value("process.open_fds");
  EXPECT_GE(files, 3);
  EXPECT_GT(value("process.max_fds"), files);
  const Descriptor one(::dup(0));
  EXPECT_EQ(value("process.open_fds"), files + 1);
  double with_another = 0;
  std::thread([&] { with_another = value("process.threads"); }).join();
  EXPECT_EQ(with_another, threads + 1);
}

TEST_F(ProgramMetricsTest, WritesToTheDiskAreCounted) {
  const TempDirectory directory;
  const double before = value("process.disk_written_bytes");
  const auto path = directory.write("data", std::string(1 << 20, 'x'));
  struct statfs system {};
  ASSERT_EQ(::statfs(path.c_str(), &system), 0);
  if (system.f_type == TMPFS_MAGIC) GTEST_SKIP() << "a temporary directory in memory";
  EXPECT_GE(value("process.disk_written_bytes"), before + (1 << 20));
  EXPECT_LT(value("process.disk_written_bytes"), before + (2 << 20));
}

TEST_F(ProgramMetricsTest, StartIsInThePast) {
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_LT(value("process.start_time_seconds"), now + 0.1);
  EXPECT_GT(value("process.start_time_seconds"), now - 3600);
}

TEST_F(ProgramMetricsTest, PrometheusKnowsTheirNames) {
  const std::string text = prometheus_text(registry_.read());
  EXPECT_THAT(text, testing::ContainsRegex("statmill_build_info.compiler=\"(gcc|clang)-[0-9.]+\",version=\"" +
                                           std::string(STATMILL_VERSION) + "\". 1\n"));
  EXPECT_THAT(text, testing::HasSubstr("\nprocess_cpu_seconds_total "));
  EXPECT_THAT(text, testing::HasSubstr("\nprocess_start_time_seconds "));
}

}  // namespace
}  // namespace statmill
