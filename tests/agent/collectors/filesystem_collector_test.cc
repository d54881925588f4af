// The filesystem collector with a fixture of mountinfo and an answer for each path.
#include "agent/collectors/filesystem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/agent/collectors/hanging_calls.h"
#include "tests/agent/collectors/recording_sink.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::Pair;
using testing::StartsWith;
using Level = CollectorStatus::Level;

constexpr std::string_view kMounts =
    "27 1 254:1 / / rw - ext4 /dev/vda1 rw\n"
    "28 27 0:50 / /mnt/nfs ro - nfs4 files:/export rw\n";
constexpr std::string_view kRoot = ";device=/dev/vda1;mount=/;type=ext4";
constexpr std::string_view kNfs = ";device=files:/export;mount=/mnt/nfs;type=nfs4";

std::string series(std::string_view fact, std::string_view tags) {
  return "host.filesystem." + std::string(fact) + std::string(tags);
}

class FilesystemCollectorTest : public testing::Test {
 protected:
  FilesystemCollectorTest() { root_.write("1/mountinfo", kMounts); }

  void make(SpaceReader::Read read) {
    collector_ = make_filesystem_collector(proc_, clock_, {.read = std::move(read)});
  }
  // Collects once, into sink_.
  CollectorStatus collect() {
    sink_ = {};
    return collector_->collect(sink_);
  }
  // Goes on in the same slot until a series has come: a busy computer may be late. Returns the last status.
  CollectorStatus collect_until(const std::string& name) {
    RecordingSink all;
    CollectorStatus status;
    do {
      status = collect();
      all.gauges.insert(sink_.gauges.begin(), sink_.gauges.end());
    } while (!all.gauges.contains(name));
    sink_ = all;
    return status;
  }

  const TempDirectory root_;
  ProcReader proc_{root_.path().string()};
  ManualClock clock_;
  std::unique_ptr<Collector> collector_;
  RecordingSink sink_;
};

TEST_F(FilesystemCollectorTest, ReportsSpaceAndInodes) {
  make([](const MountPlace& place) -> Result<FilesystemSpace> {
    if (place.path != "/") return FilesystemSpace{.block_bytes = 1024, .blocks = 7};
    return FilesystemSpace{4096, 100, 50, 40, 1000, 900};
  });
  EXPECT_EQ(collect_until(series("read_only", kNfs)), CollectorStatus{});
  EXPECT_THAT(sink_.gauges, AllOf(Contains(Pair(series("size_bytes", kRoot), 409'600)),
                                  Contains(Pair(series("free_bytes", kRoot), 204'800)),
                                  Contains(Pair(series("available_bytes", kRoot), 163'840)),
                                  Contains(Pair(series("inodes", kRoot), 1000)),
                                  Contains(Pair(series("inodes_free", kRoot), 900)),
                                  Contains(Pair(series("read_only", kRoot), 0))));
  EXPECT_THAT(sink_.gauges,
              AllOf(Contains(Pair(series("size_bytes", kNfs), 7168)),
                    Contains(Pair(series("available_bytes", kNfs), 0)) /* it is full */,
                    Contains(Pair(series("read_only", kNfs), 1)), Not(Contains(Key(series("inodes", kNfs)))),
                    Not(Contains(Key(series("inodes_free", kNfs))))));
  EXPECT_THAT(sink_.gauges, AllOf(Contains(Pair("host.filesystem.hanging", 0)),
                                  Contains(Pair("host.filesystem.unreadable", 0)),
                                  Contains(Pair("host.agent.filesystems_left_out", 0))));
}

// As in a container, where the root of the host is mounted at /host.
TEST_F(FilesystemCollectorTest, AsksBelowTheRootOfTheHost) {
  const auto read = [](const MountPlace& place) -> Result<FilesystemSpace> {
    if (place.path == "/host/") return FilesystemSpace{.block_bytes = 1, .blocks = 100};
    if (place.path == "/host/mnt/nfs") return FilesystemSpace{.block_bytes = 1, .blocks = 200};
    return Error{ErrorCode::kNotFound, place.path};
  };
  collector_ = make_filesystem_collector(proc_, clock_, {.read = read, .root = "/host"});
  collect_until(series("size_bytes", kNfs));
  EXPECT_THAT(sink_.gauges, AllOf(Contains(Pair(series("size_bytes", kRoot), 100)),
                                  Contains(Pair(series("size_bytes", kNfs), 200))));
}

TEST_F(FilesystemCollectorTest, OthersGoOnWhileOneHangs) {
  HangingCalls calls;
  make([&](const MountPlace& place) { return calls.call(place); });
  calls.hang("/mnt/nfs");
  EXPECT_EQ(collect_until(series("size_bytes", kRoot)), CollectorStatus{}) << "it may only be slow";
  EXPECT_THAT(sink_.gauges, Not(Contains(Key(series("size_bytes", kNfs)))));
  clock_.advance(std::chrono::seconds(1));
  EXPECT_EQ(collect(), CollectorStatus::degraded("no answer from /mnt/nfs"));
  EXPECT_THAT(sink_.gauges, Contains(Pair("host.filesystem.hanging", 1)));
  for (int slot = 0; slot < 3; ++slot) {
    clock_.advance(std::chrono::seconds(10));
    EXPECT_EQ(collect_until(series("size_bytes", kRoot)).level, Level::kDegraded);
    EXPECT_THAT(sink_.gauges, Contains(Pair("host.filesystem.hanging", 1)));
    EXPECT_THAT(sink_.gauges, Not(Contains(Key(series("size_bytes", kNfs)))));
  }
  EXPECT_EQ(calls.count("/mnt/nfs"), 1U);
  EXPECT_EQ(calls.count("/"), 4U);
  calls.let_return("/mnt/nfs");
  EXPECT_EQ(collect_until(series("size_bytes", kNfs)), CollectorStatus{});
  EXPECT_THAT(sink_.gauges, Contains(Pair("host.filesystem.hanging", 0)));
  clock_.advance(std::chrono::seconds(10));
  collect_until(series("size_bytes", kNfs));
  EXPECT_EQ(calls.count("/mnt/nfs"), 2U);
}

TEST_F(FilesystemCollectorTest, ReadsOnceInASlotAndKeepsItsSeriesInBetween) {
  HangingCalls calls;
  make([&](const MountPlace& place) { return calls.call(place); });
  collect_until(series("size_bytes", kNfs));
  clock_.advance(std::chrono::seconds(5));
  collect();
  EXPECT_THAT(sink_.gauges, IsEmpty());
  EXPECT_EQ(sink_.kept, "host.filesystem.");
  clock_.advance(std::chrono::seconds(5));
  collect_until(series("size_bytes", kNfs));
  EXPECT_EQ(calls.count("/"), 2U);
}

TEST_F(FilesystemCollectorTest, NamesWhatItCannotRead) {
  make([](const MountPlace& place) -> Result<FilesystemSpace> {
    if (place.path == "/") return FilesystemSpace{.block_bytes = 1, .blocks = 1};
    return Error{ErrorCode::kIo, place.path + ": Permission denied"};
  });
  CollectorStatus status;
  do status = collect();
  while (status == CollectorStatus{});
  EXPECT_EQ(status, CollectorStatus::degraded("/mnt/nfs: Permission denied"));
  clock_.advance(std::chrono::seconds(10));
  collect_until(series("size_bytes", kRoot));
  EXPECT_THAT(sink_.gauges, Contains(Pair("host.filesystem.unreadable", 1)));
  EXPECT_THAT(sink_.gauges, Not(Contains(Key(series("size_bytes", kNfs))))) << "absent is never 0";
  root_.write("1/mountinfo", kMounts.substr(0, kMounts.find('\n') + 1));
  clock_.advance(std::chrono::seconds(10));
  EXPECT_EQ(collect_until(series("size_bytes", kRoot)), CollectorStatus{}) << "it is not mounted any more";
}

TEST_F(FilesystemCollectorTest, WhatIsHiddenIsCountedAndIsNoFault) {
  make([](const MountPlace& place) -> Result<FilesystemSpace> {
    if (place.path == "/") return FilesystemSpace{.block_bytes = 1, .blocks = 1};
    return Error{ErrorCode::kNotFound, place.path + ": hidden by another filesystem"};
  });
  collect_until(series("size_bytes", kRoot));
  do {
    clock_.advance(std::chrono::seconds(10));
    EXPECT_EQ(collect(), CollectorStatus{});
  } while (sink_.gauges["host.filesystem.unreadable"] == 0);
}

TEST_F(FilesystemCollectorTest, WithoutTheListOfTheHostItDoesNotKnowWhatIsReadOnly) {
  std::filesystem::rename(root_.path() / "1", root_.path() / "self");
  make([](const MountPlace&) { return FilesystemSpace{.block_bytes = 1, .blocks = 1}; });
  const CollectorStatus status = collect_until(series("size_bytes", kNfs));
  EXPECT_EQ(status.level, Level::kDegraded);
  EXPECT_THAT(status.reason, HasSubstr("1/mountinfo: No such file"));
  EXPECT_THAT(sink_.gauges, Not(Contains(Key(StartsWith("host.filesystem.read_only")))));
}

TEST_F(FilesystemCollectorTest, IsUnavailableWithoutAnyList) {
  std::filesystem::remove_all(root_.path() / "1");
  make([](const MountPlace&) { return FilesystemSpace{.block_bytes = 1, .blocks = 1}; });
  const CollectorStatus status = collect();
  EXPECT_EQ(status.level, Level::kUnavailable);
  EXPECT_THAT(status.reason, HasSubstr("1/mountinfo: No such file"));
  EXPECT_THAT(sink_.gauges, IsEmpty());
}

TEST_F(FilesystemCollectorTest, WhatHasNoBlocksHasNoSeries) {
  make([](const MountPlace& place) {
    return FilesystemSpace{.block_bytes = 4096, .blocks = place.path == "/" ? 1U : 0U, .inodes = 5};
  });
  collect_until(series("size_bytes", kRoot));
  clock_.advance(std::chrono::seconds(10));
  collect_until(series("size_bytes", kRoot));
  EXPECT_THAT(sink_.gauges, Not(Contains(Key(HasSubstr("/mnt/nfs")))));
}

TEST_F(FilesystemCollectorTest, CountsWhatItsLimitLeavesOut) {
  std::string text;
  for (int i = 0; i < 300; ++i)
    text += "27 1 8:" + std::to_string(i) + " / /m" + std::to_string(1000 + i) + " rw - ext4 x rw\n";
  root_.write("1/mountinfo", text);
  make([](const MountPlace&) { return FilesystemSpace{.block_bytes = 1, .blocks = 1}; });
  EXPECT_EQ(collect(), CollectorStatus::degraded("some filesystems are left out"));
  EXPECT_THAT(sink_.gauges, Contains(Pair("host.agent.filesystems_left_out", 44)));
}

}  // namespace
}  // namespace statmill
