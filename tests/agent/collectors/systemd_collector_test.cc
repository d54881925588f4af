// The systemd collector with a bus of the test, with one that hangs, and without any.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/collectors/host_collectors.h"
#include "agent/collectors/systemd_bus.h"
#include "tests/agent/collectors/fake_systemd.h"
#include "tests/agent/collectors/sys_fixture.h"

namespace statmill {

// What the bus and systemd answer to.
const sd_bus_vtable FakeSystemd::kBusTable[] = {
    SD_BUS_VTABLE_START(0), SD_BUS_METHOD("Hello", "", "s", FakeSystemd::greet, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END};
const sd_bus_vtable FakeSystemd::kManagerTable[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_PROPERTY("SystemState", "s", FakeSystemd::get, 0, 0),
    SD_BUS_PROPERTY("NNames", "u", FakeSystemd::get, 0, 0),
    SD_BUS_PROPERTY("NJobs", "u", FakeSystemd::get, 0, 0),
    SD_BUS_METHOD("ListUnitsFiltered", "as", "a(ssssssouso)", FakeSystemd::list, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END};

namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::Pair;
using testing::StartsWith;
using Level = CollectorStatus::Level;

class SystemdCollectorTest : public SysFixture {
 protected:
  void boot() {
    std::filesystem::create_directories(root_.path() / "run/systemd/system");
    systemd_ = std::make_unique<FakeSystemd>(socket());
  }
  std::filesystem::path socket() const { return root_.path() / "run/dbus/system_bus_socket"; }
  // Collects until the bus has answered, or has failed to.
  CollectorStatus collect_all() {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    CollectorStatus status = collect(*collector_);
    while (sink_.gauges.empty() && status.level != Level::kUnavailable &&
           std::chrono::steady_clock::now() < limit) {
      sink_ = {};
      status = collector_->collect(sink_);
    }
    return status;
  }

  std::unique_ptr<FakeSystemd> systemd_;
  std::unique_ptr<Collector> collector_ = make_systemd_collector(root_.path().string(), clock_, log_);
};

TEST_F(SystemdCollectorTest, ReportsTheStateOfTheSystemAndItsFailedUnits) {
  boot();
  systemd_->set({.state = "degraded",
                 .names = 412,
                 .jobs = 3,
                 .units = {{"web.service", "failed"},
                           {"a@b\\x2d1.service", "failed"},
                           {"sshd.service", "active"},
                           {"slow.service", "activating"}}});
  EXPECT_EQ(collect_all(), CollectorStatus{});
  EXPECT_THAT(sink_.gauges,
              AllOf(Contains(Pair("host.systemd.state;state=degraded", 1)),
                    Contains(Pair("host.systemd.state;state=running", 0)),
                    Contains(Pair("host.systemd.units;state=failed", 2)),
                    Contains(Pair("host.systemd.units;state=activating", 1)),
                    Contains(Pair("host.systemd.units;state=reloading", 0)),
                    Contains(Pair("host.systemd.failed;unit=web.service", 1)),
                    Contains(Pair("host.systemd.failed;unit=a@b\\x2d1.service", 1)),
                    Contains(Pair("host.systemd.unit_names", 412)), Contains(Pair("host.systemd.jobs", 3))));
  EXPECT_THAT(systemd_->asked(), ElementsAre("failed", "activating", "deactivating", "reloading"))
      << "never all units";
}

TEST_F(SystemdCollectorTest, AUnitThatIsWellAgainHasNoSeries) {
  boot();
  systemd_->set({.units = {{"web.service", "failed"}}});
  collect_all();
  EXPECT_THAT(sink_.gauges, Contains(Key("host.systemd.failed;unit=web.service")));
  systemd_->set({});
  collect_all();
  EXPECT_THAT(sink_.gauges, AllOf(Not(Contains(Key("host.systemd.failed;unit=web.service"))),
                                  Contains(Pair("host.systemd.units;state=failed", 0))));
  EXPECT_EQ(systemd_->connections(), 2U) << "nobody can fill one that it keeps";
}

TEST_F(SystemdCollectorTest, NamesAtMostFiftyUnits) {
  boot();
  FakeSystemd::World world;
  for (int i = 100; i < 151; ++i) world.units.push_back({std::to_string(i) + ".service", "failed"});
  world.units.push_back({"not a name.service", "failed"});
  systemd_->set(world);
  EXPECT_EQ(collect_all(), CollectorStatus::degraded("only the first 50 units that failed"));
  EXPECT_THAT(sink_.gauges, AllOf(Contains(Pair("host.systemd.units;state=failed", 52)),
                                  Contains(Key("host.systemd.failed;unit=149.service")),
                                  Not(Contains(Key("host.systemd.failed;unit=150.service")))));
}

TEST_F(SystemdCollectorTest, ConnectsAgainAfterTheBusWasRestarted) {
  boot();
  collect_all();
  systemd_.reset();
  std::filesystem::remove(socket());
  EXPECT_EQ(collect_all().level, Level::kUnavailable);
  boot();
  EXPECT_EQ(collect_all(), CollectorStatus{});
  EXPECT_THAT(sink_.gauges, Contains(Pair("host.systemd.state;state=running", 1)));
}

TEST_F(SystemdCollectorTest, AHostWithoutSystemdHasNoSeriesAndIsOk) {
  EXPECT_EQ(collect(*collector_), CollectorStatus{});
  EXPECT_THAT(sink_.gauges, IsEmpty());
}

TEST_F(SystemdCollectorTest, WithoutItsBusItIsUnavailable) {
  std::filesystem::create_directories(root_.path() / "run/systemd/system");
  EXPECT_EQ(collect_all(),
            CollectorStatus::unavailable(socket().string() + ": connect: No such file or directory"));
  EXPECT_THAT(sink_.gauges, IsEmpty());
}

TEST_F(SystemdCollectorTest, SignalsOfOthersAreNoAnswers) {
  boot();
  systemd_->set({.state = "degraded", .units = {{"web.service", "failed"}}, .signals = 100});
  EXPECT_EQ(collect_all(), CollectorStatus{});
  EXPECT_THAT(sink_.gauges, AllOf(Contains(Pair("host.systemd.state;state=degraded", 1)),
                                  Contains(Key("host.systemd.failed;unit=web.service"))));
}

TEST_F(SystemdCollectorTest, AFloodOfSignalsEndsTheConversation) {
  boot();
  systemd_->set({.units = {}, .signals = SIZE_MAX});
  const SystemdBus many(socket().string(), Duration(60'000));
  const Result<SystemdReport> report = many.read();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().message, socket().string() + ": SystemState: more than 1000 messages");
}

TEST_F(SystemdCollectorTest, ABusThatHangsHoldsUpNothingForLong) {
  boot();
  for (const bool is_greeted : {false, true}) {
    systemd_->set({.units = {}, .answers = is_greeted, .answers_questions = false});
    const auto begin = std::chrono::steady_clock::now();
    const SystemdBus bus(socket().string(), Duration(100));
    const Result<SystemdReport> report = bus.read();
    ASSERT_FALSE(report);
    // A busy machine may not greet in that time.
    EXPECT_THAT(report.error().message,
                is_greeted ? EndsWith(": Connection timed out") : EndsWith("connect: Connection timed out"));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::minutes(1))
        << "sd-bus alone would wait for 90 s";
    EXPECT_GE(std::chrono::steady_clock::now() - begin, Duration(100));
  }
}

}  // namespace
}  // namespace statmill
