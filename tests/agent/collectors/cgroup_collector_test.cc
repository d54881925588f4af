// The cgroup collector with directories in the form of both cgroup versions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/collectors/cgroup_files.h"
#include "agent/collectors/collector.h"
#include "agent/collectors/container_names.h"
#include "tests/agent/collectors/container_fixture.h"
#include "tests/agent/collectors/recording_sink.h"
#include "tests/agent/collectors/without_file_rights.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::Pair;

class CgroupCollectorTest : public ContainerFixture {
 protected:
  CollectorStatus collect() {
    sink_ = {};
    return collector_->collect(sink_);
  }

  const TempDirectory mount_;
  ManualClock clock_;
  Log log_{LogLevel::kError};
  ContainerNames containers_{std::make_unique<ContainerReader>(root_.path().string()), clock_, log_};
  std::unique_ptr<Collector> collector_ = make_cgroup_collector(mount_.path().string(), clock_, containers_);
  RecordingSink sink_;
};

TEST_F(CgroupCollectorTest, ReadsVersion2) {
  mount_.write("cgroup.controllers", "cpu memory");
  mount_.write(
      "a.slice/cpu.stat",
      "usage_usec 30\nuser_usec 20\nsystem_usec 10\nnr_periods 7\nnr_throttled 2\nthrottled_usec 5\n");
  mount_.write("a.slice/memory.current", "8192\n");
  mount_.write("a.slice/memory.max", "max\n");
  mount_.write("a.slice/memory.events", "low 0\nhigh 3\nmax 4\noom 5\noom_kill 6\n");
  mount_.write(
      "a.slice/io.stat",
      "254:0 rbytes=100 wbytes=200 rios=1 wios=2 dbytes=0 dios=0\n8:0 rbytes=1 wbytes=2 rios=3 wios=4\n");
  EXPECT_EQ(collect(), CollectorStatus{});
  EXPECT_THAT(sink_.totals, AllOf(Contains(Pair("host.cgroup.cpu_ns;cgroup=/a.slice", 30'000)),
                                  Contains(Pair("host.cgroup.cpu_throttled_ns;cgroup=/a.slice", 5'000)),
                                  Contains(Pair("host.cgroup.cpu_throttled_periods;cgroup=/a.slice", 2)),
                                  Contains(Pair("host.cgroup.memory_oom_kills;cgroup=/a.slice", 6)),
                                  Contains(Pair("host.cgroup.io_bytes;cgroup=/a.slice;op=read", 101)),
                                  Contains(Pair("host.cgroup.io_operations;cgroup=/a.slice;op=write", 6))));
  EXPECT_THAT(sink_.gauges, AllOf(Contains(Pair("host.cgroup.memory_bytes;cgroup=/a.slice", 8192)),
                                  Not(Contains(Key("host.cgroup.memory_max_bytes;cgroup=/a.slice"))),
                                  Not(Contains(Key("host.cgroup.tasks;cgroup=/a.slice"))),
                                  Contains(Pair("host.agent.cgroups_left_out", 0))));
}

TEST_F(CgroupCollectorTest, ReadsVersion1WithOneTreePerController) {
  for (const char* controller : {"cpuacct", "memory", "blkio"})
    mount_.write(std::string(controller) + "/cgroup.procs", "");
  mount_.write("cpuacct/job/cpuacct.usage", "123\n");
  mount_.write("memory/job/memory.usage_in_bytes", "4096\n");
  mount_.write("memory/job/memory.limit_in_bytes", "9223372036854771712\n");
  mount_.write("blkio/job/blkio.throttle.io_service_bytes",
               "8:0 Read 5\n8:0 Write 6\n9:0 Read 7\nTotal 18\n");
  EXPECT_EQ(collect(), CollectorStatus{});
  EXPECT_THAT(sink_.totals, AllOf(Contains(Pair("host.cgroup.cpu_ns;cgroup=/job", 123)),
                                  Contains(Pair("host.cgroup.io_bytes;cgroup=/job;op=read", 12)),
                                  Contains(Pair("host.cgroup.io_bytes;cgroup=/job;op=write", 6))));
  EXPECT_THAT(sink_.gauges, AllOf(Contains(Pair("host.cgroup.memory_bytes;cgroup=/job", 4096)),
                                  Not(Contains(Key("host.cgroup.memory_max_bytes;cgroup=/job")))));
}

TEST_F(CgroupCollectorTest, ReadsAtTheEndOfEachSlotAndKeepsItsTotalsInBetween) {
  mount_.write("cgroup.controllers", "");
  mount_.write("cpu.stat", "usage_usec 1\n");
  const auto reads = [&] {
    EXPECT_EQ(collect(), CollectorStatus{});
    EXPECT_EQ(sink_.totals.empty(), sink_.kept == "host.cgroup.");
    return !sink_.totals.empty();
  };
  EXPECT_TRUE(reads());
  clock_.advance(Duration(8'999));
  EXPECT_FALSE(reads());
  clock_.advance(Duration(401));
  EXPECT_TRUE(reads());
  EXPECT_FALSE(reads());
  clock_.advance(Duration(8'999));
  EXPECT_FALSE(reads());
  clock_.advance(Duration(1'000));
  EXPECT_TRUE(reads()) << "a timer that is 1 ms early does not cost a slot its reading";
}

TEST_F(CgroupCollectorTest, StopsAtItsLimitAndReportsIt) {
  mount_.write("cgroup.controllers", "");
  for (int i = 0; i < 300; ++i) mount_.write(std::to_string(i) + "/pids.current", "1\n");
  collect();
  EXPECT_EQ(sink_.gauges.size(), 255U + 2) << "the root has no pids.current";
  EXPECT_THAT(sink_.gauges, Contains(Pair("host.agent.cgroups_left_out", 45)));
}

TEST_F(CgroupCollectorTest, SeriesOfContainersHaveTheirNames) {
  const std::string docker = "/system.slice/docker-" + container_id(1) + ".scope";
  const std::string pod = "/kubepods/pod1/" + container_id(2);
  const std::string unknown = "/docker/" + container_id(3);
  write_docker(container_id(1), "web");
  root_.write("var/log/containers/shop-1_prod_db-" + container_id(2) + ".log", "");
  mount_.write("cgroup.controllers", "");
  for (const std::string& path : {docker, docker + "/init.scope", pod, unknown}) {
    mount_.write(path.substr(1) + "/pids.current", "1\n");
    mount_.write(path.substr(1) + "/io.stat", "8:0 rbytes=7\n");
    mount_.write(path.substr(1) + "/cpu.stat", "usage_usec 1\n");
  }
  EXPECT_EQ(collect(), CollectorStatus{});
  EXPECT_THAT(
      sink_.gauges,
      AllOf(Contains(Pair("host.cgroup.tasks;cgroup=" + docker + ";container=web", 1)),
            Contains(Pair("host.cgroup.tasks;cgroup=" + docker + "/init.scope", 1)),
            Contains(Pair("host.cgroup.tasks;cgroup=" + pod + ";container=db;namespace=prod;pod=shop-1", 1)),
            Contains(Pair("host.cgroup.tasks;cgroup=" + unknown, 1)),
            Contains(Pair("host.agent.containers_unnamed", 1))));
  EXPECT_THAT(sink_.totals,
              AllOf(Contains(Pair("host.cgroup.cpu_ns;cgroup=" + docker + ";container=web", 1000)),
                    Contains(Pair("host.cgroup.io_bytes;cgroup=" + pod +
                                      ";container=db;namespace=prod;op=read;pod=shop-1",
                                  7))));
}

TEST_F(CgroupCollectorTest, WithoutTheRightToReadNamesItIsDegradedAndGoesOn) {
  write_docker(container_id(1), "web");
  std::filesystem::permissions(root_.path() / "var/lib/docker", std::filesystem::perms::none);
  mount_.write("cgroup.controllers", "");
  mount_.write("docker/" + container_id(1) + "/pids.current", "1\n");
  const WithoutFileRights without;  // the thread that reads names has its rights from this one
  EXPECT_EQ(collect(), CollectorStatus::degraded("names of containers: " + root_.path().string() +
                                                 "/var/lib/docker/containers: Permission denied"));
  EXPECT_THAT(sink_.gauges, AllOf(Contains(Pair("host.cgroup.tasks;cgroup=/docker/" + container_id(1), 1)),
                                  Contains(Pair("host.agent.containers_unnamed", 1))));
}

TEST_F(CgroupCollectorTest, IsUnavailableWithoutCgroups) {
  EXPECT_EQ(collect().level, CollectorStatus::Level::kUnavailable);
}

TEST(CgroupFiles, InvalidTextIsNotANumber) {
  using Form = CgroupField::Form;
  constexpr EventFamily kFamily = "host.cgroup.cpu_ns";
  const struct {
    std::string_view text;
    CgroupField field;
  } table[] = {{"", {"", "f", Form::kNumber, "", kFamily}},
               {"max\n", {"", "f", Form::kNumber, "", kFamily}},
               {"-1\n", {"", "f", Form::kNumber, "", kFamily}},
               {"18446744073709551615\n", {"", "f", Form::kNumber, "", kFamily, "", 1000}},
               {"other 1\n", {"", "f", Form::kKeyed, "key", kFamily}},
               {"8:0 rbytes=x\n", {"", "f", Form::kDevices, "rbytes", kFamily}},
               {"8:0 Read\n", {"", "f", Form::kOldIo, "Read", kFamily}}};
  for (const auto& t : table) EXPECT_EQ(find_cgroup_number(t.text, t.field), std::nullopt) << t.text;
  EXPECT_EQ(find_cgroup_number("", {"", "f", Form::kDevices, "rbytes", kFamily}), 0U) << "no device yet";
}

}  // namespace
}  // namespace statmill
