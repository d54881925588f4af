// The sched collector with cells of the test: sums over CPUs, cgroups by name, released slots.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "agent/collectors/bpf_collectors.h"
#include "agent/collectors/container_names.h"
#include "agent/collectors/sched_cgroups.h"
#include "bpf/sched.h"
#include "tests/agent/collectors/container_fixture.h"
#include "tests/agent/collectors/fake_bpf_probe.h"
#include "tests/agent/collectors/recording_sink.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Pair;

class SchedCollectorTest : public testing::Test {
 protected:
  SchedCollectorTest() {
    mount_.write("cgroup.controllers", "cpu");
    mount_.write("shop.slice/web/cgroup.procs", "");
    auto probe = std::make_unique<FakeBpfProbe>();
    probe_ = probe.get();
    banks_ = probe_->make<sched_bank>("sched_banks");
    collector_ = make_sched_collector(LoadedProbe(std::move(probe)),
                                      {.log = log_, .clock = clock_, .cgroup_mount = mount_.path().string()});
  }

  CollectorStatus collect() {
    sink_ = {};
    return collector_->collect(sink_);
  }
  uint64_t id_of(const std::string& path) const {
    struct stat status {};
    EXPECT_EQ(::stat((mount_.path() / path).c_str(), &status), 0);
    return status.st_ino;
  }

  Log log_{LogLevel::kError};
  ManualClock clock_;
  TempDirectory mount_;
  FakeBpfProbe* probe_ = nullptr;
  std::span<sched_bank> banks_;
  std::unique_ptr<Collector> collector_;
  RecordingSink sink_;
};

TEST_F(SchedCollectorTest, AddsUpTheCpus) {
  h2_record(&banks_[0].runqueue_wait, 1000);
  h2_record(&banks_[1].runqueue_wait, 1000);
  banks_[0].switches_voluntary = 3;
  banks_[1].switches_voluntary = 4;
  probe_->set_hooks({{"sched_switch", "tp_btf/sched_switch", ""}, {"migrate", "tp_btf/migrate", ""}});
  probe_->set_uses(
      {{.is_known = true, .runs = 9, .run_ns = 900, .misses = 2}, {.is_known = true, .misses = 3}});
  EXPECT_EQ(collect(), CollectorStatus{});
  const RecordedDistribution& wait = sink_.distributions["host.sched.runqueue_wait_ns"];
  EXPECT_EQ(wait.counts[h2_index(1000)], 2U);
  EXPECT_EQ(wait.sum, 2000U);
  EXPECT_THAT(sink_.totals, Contains(Pair("host.sched.switches;type=voluntary", 7)));
  EXPECT_THAT(sink_.totals, Contains(Pair("host.agent.ebpf_missed;collector=sched", 5)));
  EXPECT_THAT(sink_.totals,
              Contains(Pair("host.agent.program_cpu_ns;collector=sched;program=sched_switch", 900)));
  // The kernel measures no longer: that is not 0.
  sink_ = {};
  collect();
  EXPECT_THAT(sink_.totals, testing::Not(Contains(testing::Key(testing::HasSubstr("program_cpu_ns")))));
}

TEST_F(SchedCollectorTest, NamesCgroupsInAnySlot) {
  banks_[0].cgroups[5] = {.id = id_of("shop.slice/web"),
                          .runqueue_wait_ns = 20,
                          .switches = 1,
                          .preempted = {},
                          .runqueue_waits = {}};
  banks_[1].cgroups[8] = {.id = id_of("shop.slice/web"),
                          .runqueue_wait_ns = 2,
                          .switches = 1,
                          .preempted = {},
                          .runqueue_waits = {}};
  banks_[1].cgroups[9] = {
      .id = id_of("."), .runqueue_wait_ns = 0, .switches = 1, .preempted = {}, .runqueue_waits = {}};
  collect();
  EXPECT_THAT(sink_.totals, Contains(Pair("host.cgroup.switches;cgroup=/shop.slice/web", 2)));
  EXPECT_THAT(sink_.totals, Contains(Pair("host.cgroup.runqueue_wait_ns;cgroup=/shop.slice/web", 22)));
  EXPECT_THAT(sink_.totals, Contains(Pair("host.cgroup.switches;cgroup=/", 1)));
  EXPECT_THAT(sink_.gauges, Contains(Pair("host.agent.cgroups_unnamed", 0)));
}

TEST_F(SchedCollectorTest, SplitsTheTimeOffTheCpuByReason) {
  h2_record(&banks_[0].off_cpu_preempted, 1);
  h2_record(&banks_[0].off_cpu_sleep, 2);
  h2_record(&banks_[1].off_cpu_disk, 3);
  collect();
  EXPECT_EQ(sink_.distributions["host.sched.off_cpu_ns;reason=preempted"].sum, 1U);
  EXPECT_EQ(sink_.distributions["host.sched.off_cpu_ns;reason=sleep"].sum, 2U);
  EXPECT_EQ(sink_.distributions["host.sched.off_cpu_ns;reason=disk"].sum, 3U);
}

TEST_F(SchedCollectorTest, TellsWhoPreemptsACgroup) {
  banks_[0].cgroups[5] = {.id = id_of("shop.slice/web"),
                          .runqueue_wait_ns = 0,
                          .switches = 0,
                          .preempted = {1, 2, 3},
                          .runqueue_waits = {}};
  banks_[1].cgroups[8] = {.id = id_of("shop.slice/web"),
                          .runqueue_wait_ns = 0,
                          .switches = 0,
                          .preempted = {10, 20, 30},
                          .runqueue_waits = {}};
  collect();
  const std::string name = "host.cgroup.preemptions;by=";
  EXPECT_THAT(sink_.totals, Contains(Pair(name + "same;cgroup=/shop.slice/web", 11)));
  EXPECT_THAT(sink_.totals, Contains(Pair(name + "other;cgroup=/shop.slice/web", 22)));
  EXPECT_THAT(sink_.totals, Contains(Pair(name + "system;cgroup=/shop.slice/web", 33)));
}

TEST_F(SchedCollectorTest, AddsUpTheWaitsOfACgroup) {
  const std::string name = "host.cgroup.runqueue_latency_ns;cgroup=/shop.slice/web";
  for (sched_bank& bank : banks_.first(2)) {
    bank.cgroups[5].id = id_of("shop.slice/web");
    h2_small_record(&bank.cgroups[5].runqueue_waits, 1000);
  }
  h2_small_record(&banks_[0].cgroups[5].runqueue_waits, 0);
  collect();
  EXPECT_EQ(sink_.distributions[name].counts[h2_small_index(1000)], 2U);
  EXPECT_EQ(sink_.distributions[name].counts[0], 1U);
  EXPECT_EQ(sink_.distributions[name].sum, 2000U);
  EXPECT_EQ(sink_.distributions[name].counts.size(), size_t{H2_SMALL_BUCKETS});
}

TEST_F(SchedCollectorTest, WaitsOfACgroupOutliveTheirCellsOf32Bits) {
  const std::string name = "host.cgroup.runqueue_latency_ns;cgroup=/shop.slice/web";
  sched_cgroup& slot = banks_[0].cgroups[5];
  slot.id = id_of("shop.slice/web");
  const uint32_t almost = UINT32_MAX - 1;
  slot.runqueue_waits = {.counts = {0, almost}, .sum = almost, .finished = almost, .reserved = 0};
  collect();
  EXPECT_EQ(sink_.distributions[name].counts[1], almost);
  for (int i = 0; i < 3; ++i) h2_small_record(&slot.runqueue_waits, 1);
  EXPECT_EQ(slot.runqueue_waits.counts[1], 1U);
  collect();
  EXPECT_EQ(sink_.distributions[name].counts[1], uint64_t{almost} + 3);
  EXPECT_EQ(sink_.distributions[name].sum, uint64_t{almost} + 3);
}

TEST_F(SchedCollectorTest, NamesTheContainerThatACgroupIsIn) {
  const std::string path = "docker/" + container_id(1) + "/init.scope";
  const TempDirectory root;
  root.write("var/lib/docker/containers/" + container_id(1) + "/config.v2.json",
             ContainerFixtureText::docker_text(container_id(1), "web"));
  ContainerNames containers(std::make_unique<ContainerReader>(root.path().string()), clock_, log_);
  mount_.write(path + "/cgroup.procs", "");
  SchedCgroups cgroups(mount_.path().string(), {clock_, &containers});
  banks_[0].cgroups[5] = {
      .id = id_of(path), .runqueue_wait_ns = 20, .switches = 1, .preempted = {}, .runqueue_waits = {}};
  cgroups.report(banks_, sink_);
  EXPECT_THAT(sink_.totals,
              Contains(Pair("host.cgroup.runqueue_wait_ns;cgroup=/" + path + ";container=web", 20)));
}

TEST_F(SchedCollectorTest, ReleasesTheSlotsOfRemovedCgroups) {
  const uint64_t web = id_of("shop.slice/web");
  banks_[0].cgroups[5] = {
      .id = web, .runqueue_wait_ns = 20, .switches = 1, .preempted = {}, .runqueue_waits = {}};
  banks_[0].cgroups[6] = {
      .id = UINT64_MAX, .runqueue_wait_ns = 20, .switches = 1, .preempted = {0, 7, 0}, .runqueue_waits = {}};
  h2_small_record(&banks_[0].cgroups[6].runqueue_waits, 20);
  collect();
  EXPECT_THAT(sink_.gauges, Contains(Pair("host.agent.cgroups_unnamed", 1)));
  EXPECT_EQ(banks_[0].cgroups[6].id, UINT64_MAX) << "a task that ends may still run";
  clock_.advance(BpfCgroups::kScanInterval);
  collect();
  EXPECT_EQ(banks_[0].cgroups[5].id, web);
  EXPECT_EQ(banks_[0].cgroups[6].id, 0U);
  EXPECT_EQ(banks_[0].cgroups[6].runqueue_wait_ns, 0U);
  EXPECT_EQ(banks_[0].cgroups[6].preempted[SCHED_BY_OTHER], 0U);
  EXPECT_EQ(banks_[0].cgroups[6].runqueue_waits.sum, 0U);
}

TEST_F(SchedCollectorTest, SearchesForUnknownCgroupsNotTooOften) {
  collect();
  mount_.write("late/cgroup.procs", "");
  banks_[0].cgroups[5] = {
      .id = 1, .runqueue_wait_ns = 20, .switches = 1, .preempted = {}, .runqueue_waits = {}};
  collect();
  banks_[0].cgroups[5] = {
      .id = id_of("late"), .runqueue_wait_ns = 20, .switches = 1, .preempted = {}, .runqueue_waits = {}};
  collect();
  EXPECT_THAT(sink_.gauges, Contains(Pair("host.agent.cgroups_unnamed", 0)))
      << "the first scan found it, too";
  mount_.write("later/cgroup.procs", "");
  banks_[0].cgroups[5].id = id_of("later");
  collect();
  EXPECT_THAT(sink_.gauges, Contains(Pair("host.agent.cgroups_unnamed", 1)));
  clock_.advance(Duration(5000));
  collect();
  EXPECT_THAT(sink_.totals, Contains(Pair("host.cgroup.runqueue_wait_ns;cgroup=/later", 20)));
}

TEST_F(SchedCollectorTest, IsDegradedByAMissingHook) {
  probe_->set_hooks({{"sched_switch", "tp_btf/sched_switch", ""}});
  auto probe = std::make_unique<FakeBpfProbe>();
  probe->make<sched_bank>("sched_banks");
  probe->set_hooks({{"a", "tp_btf/a", ""}, {"b", "tp_btf/b", "not in this kernel"}});
  const auto collector = make_sched_collector(
      LoadedProbe(std::move(probe)), {.log = log_, .clock = clock_, .cgroup_mount = mount_.path().string()});
  EXPECT_EQ(collector->collect(sink_), CollectorStatus::degraded("tp_btf/b: not in this kernel"));
}

TEST_F(SchedCollectorTest, IsUnavailableWithTheLoadersReason) {
  const auto collector = make_sched_collector(Error{ErrorCode::kUnavailable, "no BTF"},
                                              {.log = log_, .clock = clock_, .cgroup_mount = "/nowhere"});
  EXPECT_EQ(collector->collect(sink_), CollectorStatus::unavailable("no BTF"));
  EXPECT_THAT(sink_.totals, IsEmpty());
}

}  // namespace
}  // namespace statmill
