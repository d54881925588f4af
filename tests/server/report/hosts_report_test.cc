// The text of /api/v1/hosts.
#include "server/report/hosts_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "ingest/intake.h"
#include "proto/istatd/parser.h"
#include "tests/support/times.h"

namespace statmill {
namespace {

class NullObserver final : public AgentObserver {
 public:
  void on_durable(AckFrame) override {}
  void on_ended(RefuseReason) override {}
};

class HostsReportTest : public testing::Test {
 protected:
  void send(std::string_view lines) {
    Batch batch;
    batch.set_sender(LineSender::http());
    parse_istatd_lines(lines, batch);
    ASSERT_EQ(intake_.submit(batch, account_, now_.wall), batch.samples.size());
  }
  AgentRegistry::Lease open(uint8_t id, std::string_view host) {
    HelloFrame frame{.acknowledged = {.epoch = 1},
                     .clock = now_.wall + std::chrono::milliseconds(12),
                     .host = host,
                     .agent_version = "1.4.0",
                     .kernel = "6.1.0-18-amd64",
                     .uptime = std::chrono::hours(1)};
    frame.id.bytes.fill(id);
    const auto opened = agents_.open(frame, LineSender::http(), std::make_shared<NullObserver>(), now_);
    const auto* const one = std::get_if<AgentRegistry::Opened>(&opened);
    return one != nullptr ? one->lease : AgentRegistry::Lease{};
  }
  boost::json::array hosts() {
    const std::string text = hosts_json(table_, agents_, now_.wall);
    return boost::json::parse(text).at("hosts").as_array();
  }

  const Timestamp start_ = from_unix_seconds(kNow);
  TickTime now_{start_, SteadyTime(std::chrono::hours(1))};
  Table table_{*Tiers::parse("10s:10d"), {}};
  Registry registry_;
  Intake intake_{table_, registry_};
  const ListenerAccount account_ = intake_.account("http");
  AgentRegistry agents_{{}, registry_};
};

TEST_F(HostsReportTest, NoHostIsAnEmptyList) {
  send("cpu;host=web1 1\n");
  EXPECT_EQ(hosts_json(table_, agents_, now_.wall),
            "{\"now\":" + std::to_string(kNow) + ",\"hosts\":[],\"truncated\":false}\n");
}

TEST_F(HostsReportTest, HostsHaveTheTagsOfTheirNewestPresenceAndTheNumberOfTheirSeries) {
  send("*host.up;dc=ams;host=web1 " + std::to_string(kNow - 600) + " 1\n");
  send("*host.up;dc=fra;host=web1;role=web 1\ncpu;host=web1 1\nmem.free;host=web1 2\ncpu;host=web2 1\n");
  send("*host.up;host=db3 " + std::to_string(kNow - 100) + " 1\n");
  const auto list = hosts();
  ASSERT_EQ(list.size(), 2);
  EXPECT_EQ(list[0].at("host"), "db3");
  EXPECT_EQ(list[0].at("up"), false);
  EXPECT_EQ(list[0].at("last_s"), kNow - 100);
  EXPECT_TRUE(list[0].at("agent").is_null());
  EXPECT_EQ(boost::json::serialize(list[1].at("tags")), R"({"dc":"fra","role":"web"})");
  EXPECT_EQ(list[1].at("up"), true);
  EXPECT_EQ(list[1].at("series"), 4);
}

TEST_F(HostsReportTest, AHostIsUpUntilItsCounterIsSilentForAWholeSlot) {
  send("*host.up;host=web1 1\n");
  now_.wall = start_ + std::chrono::seconds(19);
  EXPECT_EQ(hosts()[0].at("up"), true);
  now_.wall = start_ + std::chrono::seconds(20);
  EXPECT_EQ(hosts()[0].at("up"), false);
}

TEST_F(HostsReportTest, AgentsAreJoinedAlsoBeforeTheirFirstSample) {
  const auto lease = open(1, "web1");
  agents_.note_status(lease, {.spool_bytes = 4096}, {});
  agents_.accept(lease, GapFrame{.first = 1, .seq = 2, .lines_before = 7, .time = now_.wall}, now_,
                 [](auto, const auto& on_applied) { on_applied(0, {}); });
  const auto list = hosts();
  ASSERT_EQ(list.size(), 1);
  EXPECT_EQ(list[0].at("up"), false);
  EXPECT_TRUE(list[0].at("last_s").is_null());
  const auto& agent = list[0].at("agent").as_object();
  EXPECT_EQ(agent.at("connected"), true);
  EXPECT_EQ(agent.at("version"), "1.4.0");
  EXPECT_EQ(agent.at("kernel"), "6.1.0-18-amd64");
  EXPECT_EQ(agent.at("booted_s"), kNow - 3600) << "by the server's clock, not by the agent's";
  EXPECT_EQ(agent.at("skew_ms"), 12);
  EXPECT_EQ(agent.at("spool_bytes"), 4096);
  EXPECT_EQ(agent.at("gaps"), 1);
  EXPECT_EQ(agent.at("lines_lost"), 7);
}

TEST_F(HostsReportTest, CollectorsHaveTheReasonOfTheAgentOrElseTheStateOfTheSeries) {
  send(
      "*host.up;host=web1 1\n"
      "host.agent.collector_status;collector=cpu;host=web1 0\n"
      "host.agent.collector_status;collector=net;host=web1 1\n"
      "host.agent.collector_status;collector=pmu;host=web1 2\n");
  const auto states = [this] { return boost::json::serialize(hosts()[0].at("collectors")); };
  EXPECT_EQ(states(), R"({"cpu":"ok","net":"degraded","pmu":"unavailable"})");
  StatusFrame status;
  status.collectors = {{"cpu", 0, ""}, {"net", 0, ""}, {"pmu", 2, "no PMU"}};
  agents_.note_status(open(1, "web1"), status, {});
  EXPECT_EQ(states(), R"({"cpu":"ok","net":"ok","pmu":"unavailable: no PMU"})");
}

TEST_F(HostsReportTest, OfTwoAgentsTheConnectedOneIsShown) {
  agents_.close(open(1, "web1"));
  open(2, "web1");
  ASSERT_EQ(hosts().size(), 1);
  EXPECT_EQ(hosts()[0].at("agent").at("connected"), true);
}

}  // namespace
}  // namespace statmill
