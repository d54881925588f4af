// Reports of agents: the JSON of their status, the alarms, and the route that forgets an agent.
#include "server/report/agents_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/admin/agent_routes.h"
#include "server/agents/agent_alarms.h"

namespace statmill {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view kSecretByte = "5e";

class NullObserver final : public AgentObserver {
 public:
  void on_durable(AckFrame) override {}
  void on_ended(RefuseReason) override {}
};

class AgentsReportTest : public testing::Test {
 protected:
  HelloFrame hello(uint8_t agent, Duration ahead = {}) const {
    HelloFrame frame{.acknowledged = {.epoch = 1},
                     .clock = now_.wall + ahead,
                     .host = agent == 1 ? "web1" : "web2",
                     .agent_version = "1.2",
                     .kernel = "6.1",
                     .uptime = std::chrono::seconds(1000)};
    frame.id.bytes.fill(agent);
    frame.secret.bytes.fill(0x5e);
    return frame;
  }
  void open(const HelloFrame& hello, uint16_t port) {
    const auto opened =
        agents_.open(hello, LineSender::host({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 7}, port),
                     std::make_shared<NullObserver>(), now_);
    if (const auto* one = std::get_if<AgentRegistry::Opened>(&opened)) lease_ = one->lease;
  }
  void batch() {
    RefusalCounts refused{};
    refused[static_cast<size_t>(Refusal::kTooOld)] = 3;
    agents_.accept(lease_, BatchFrame{1, 0, 10, now_.wall, {}, {}}, now_,
                   [&](auto, const auto& on_applied) { on_applied(0, refused); });
    StoreBatch stored;
    agents_.add_to(0, stored, now_.wall);
    agents_.committed(stored);
  }

  TickTime after(Duration passed) const { return {now_.wall + passed, now_.steady + passed}; }

  Registry registry_;
  AgentRegistry agents_{{}, registry_};
  Health health_;
  Log log_{LogLevel::kError};
  AgentAlarms alarms_{agents_, health_, log_};
  AgentRegistry::Lease lease_;
  TickTime now_{from_unix_seconds(1'700'000'000), SteadyTime(std::chrono::hours(1))};
};

TEST_F(AgentsReportTest, ShowsAllFieldsButNoSecret) {
  open(hello(1, std::chrono::seconds(2)), 99);
  batch();
  StatusFrame status{.spool_bytes = 4096, .lines_dropped = 5};
  status.collectors = {{"cpu", 0, ""}, {"block", 2, "no BTF"}};
  agents_.note_status(lease_, status, {});
  const std::string json = agents_json(agents_, now_.wall + std::chrono::seconds(9));
  EXPECT_EQ(
      json,
      R"({"known":1,"connected":1,"host_conflicts":[],"outdated":[],"agents":[{"host":"web1","id":"01010101","connected":true,)"
      R"("peer":"10.0.0.7:99","version":"1.2","kernel":"6.1","booted":1699999000,)"
      R"("ephemeral":false,"epoch":1,"accepted":1,"durable":1,)"
      R"("lag_s":9,)"
      R"("lines":10,"backlog_lines":0,"seen":1700000000,"gaps":0,"lines_lost":0,"lines_refused":3,"clock_difference_ms":2000,)"
      R"("refused":{"too_old":3},"spool_bytes":4096,"lines_dropped":5,"collectors":2,"collectors_not_ok":1,)"
      R"("troubles":[{"name":"block","state":"unavailable","reason":"no BTF"}],"last_gaps":[]}],"truncated":false})"
      "\n");
  EXPECT_THAT(json, Not(HasSubstr(std::string(kSecretByte) + std::string(kSecretByte))));
  agents_.close(lease_);
  EXPECT_THAT(agents_json(agents_, now_.wall),
              HasSubstr(R"("clock_difference_ms":null,"refused":{},"spool_bytes":null)"));
}

TEST_F(AgentsReportTest, ListsTheAgentsThatAreAskedFor) {
  open(hello(1), 1);
  batch();
  agents_.close(lease_);
  now_ = after(std::chrono::hours(1));
  open(hello(2), 2);
  const auto hosts = [this](const Reports::AgentFilter& filter) {
    const std::string json = agents_json(agents_, now_.wall, filter);
    EXPECT_THAT(json, HasSubstr(R"({"known":2,"connected":1,)")) << "the filter is of the list alone";
    std::string out;
    for (const char* host : {"web1", "web2"})
      out +=
          json.find("{\"host\":\"" + std::string(host)) != std::string::npos ? std::string(host) + " " : "";
    return out;
  };
  EXPECT_EQ(hosts({}), "web1 web2 ");
  EXPECT_EQ(hosts({.host = *Glob::parse("web1")}), "web1 ");
  EXPECT_EQ(hosts({.host = *Glob::parse("web*")}), "web1 web2 ");
  EXPECT_EQ(hosts({.since = now_.wall - std::chrono::hours(1)}), "web1 web2 ");
  EXPECT_EQ(hosts({.since = now_.wall - std::chrono::minutes(59)}), "web2 ");
  EXPECT_EQ(hosts({.since = now_.wall + std::chrono::hours(1)}), "web2 ") << "it is connected";
  EXPECT_EQ(hosts({.host = *Glob::parse("web1"), .since = now_.wall}), "");
}

TEST_F(AgentsReportTest, WarnsOfClocksBeyondAMinute) {
  open(hello(1, std::chrono::seconds(50)), 1);
  alarms_.tick(now_);
  EXPECT_THAT(health_.warnings(), IsEmpty());
  open(hello(2, -std::chrono::milliseconds(61400)), 2);
  alarms_.tick(after(AgentAlarms::kInterval));
  EXPECT_EQ(health_.warnings()["agent_clocks"], "compared with the server's clock, web2 is 61s behind");
  EXPECT_THAT(health_.problems(), IsEmpty());
  agents_.close(lease_);
  alarms_.tick(after(2 * AgentAlarms::kInterval));
  EXPECT_THAT(health_.warnings(), IsEmpty());
}

TEST_F(AgentsReportTest, WarnsOfClonesAndOfStolenIdsByBothPeers) {
  for (uint16_t port = 1; port <= 4; ++port) open(hello(1), port);
  batch();
  HelloFrame thief = hello(1);
  thief.secret = {};
  thief.host = "evil";
  open(thief, 5);
  alarms_.tick(now_);
  auto warnings = health_.warnings();
  EXPECT_THAT(warnings["agent_clones"], HasSubstr("web1 (10.0.0.7:3) and web1 (10.0.0.7:4)"));
  EXPECT_THAT(warnings["agent_owner"], HasSubstr("evil (10.0.0.7:5) was refused as agent 01010101"));
  EXPECT_THAT(warnings["agent_owner"], HasSubstr("web1 (10.0.0.7:4)"));
  alarms_.tick(after(AgentConflicts::kWindow));
  EXPECT_THAT(health_.warnings(), IsEmpty());
}

TEST_F(AgentsReportTest, WarnsOfTwoAgentsThatSendAsOneHost) {
  HelloFrame other = hello(2);
  other.host = "web1";
  open(hello(1), 4);
  batch();
  const AgentRegistry::Lease first = lease_;
  now_ = after(std::chrono::seconds(1));
  open(other, 5);
  alarms_.tick(now_);
  EXPECT_THAT(health_.warnings(), IsEmpty()) << "the first may be gone, and this its new identity";
  now_ = after(std::chrono::seconds(1));
  lease_ = first;
  agents_.accept(lease_, BatchFrame{2, 10, 10, now_.wall, {}, {}}, now_,
                 [&](auto, const auto& on_applied) { on_applied(0, {}); });
  alarms_.tick(after(AgentAlarms::kInterval));
  EXPECT_EQ(health_.warnings()["agent_hosts"],
            "2 agents send as host web1: 01010101 (10.0.0.7:4), 02020202 (10.0.0.7:5); give each its own "
            "--agent.host");
  EXPECT_THAT(agents_json(agents_, now_.wall),
              HasSubstr(R"("host_conflicts":[{"host":"web1","agents":[{"id":"01010101","peer":"10.0.0.7:4"},)"
                        R"({"id":"02020202","peer":"10.0.0.7:5"}]}])"));
  EXPECT_THAT(health_.problems(), IsEmpty());
  agents_.close(first);
  alarms_.tick(after(2 * AgentAlarms::kInterval));
  EXPECT_THAT(health_.warnings(), Not(IsEmpty())) << "it may come back";
  alarms_.tick(after(AgentRegistry::kRecent));
  EXPECT_THAT(health_.warnings(), IsEmpty());
}

TEST_F(AgentsReportTest, WarnsOfAgentsThatMustBeUpgraded) {
  const LineSender sender = LineSender::host({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 9}, 3);
  HelloFrame old = hello(1);
  old.version = kAgentProtocolRenamed;
  agents_.note_outdated(old, sender, now_.wall);
  agents_.note_outdated(old, sender, now_.wall);
  alarms_.tick(now_);
  EXPECT_EQ(health_.warnings()["agent_versions"],
            "web1 (10.0.0.9) speaks protocol 2, this server 3: upgrade the older one");
  EXPECT_THAT(agents_json(agents_, now_.wall),
              HasSubstr(R"("outdated":[{"host":"web1","address":"10.0.0.9","protocol":2,"version":"1.2",)"
                        R"("refused":2,"seen":1700000000}])"));
  alarms_.tick(after(OutdatedAgents::kWindow));
  EXPECT_THAT(health_.warnings(), IsEmpty());
}

TEST_F(AgentsReportTest, OutdatedAgentsAreBounded) {
  HelloFrame old{.version = 9};
  for (uint8_t i = 0; i < 200; ++i)
    agents_.note_outdated(old, LineSender::host({i}), now_.wall + Duration(i));
  const auto outdated = agents_.outdated(now_.wall);
  ASSERT_EQ(outdated.size(), OutdatedAgents::kKept);
  EXPECT_EQ(outdated.back().seen, now_.wall + Duration(199)) << "the newest are kept";
}

TEST_F(AgentsReportTest, TheAdminRouteForgetsAnAgent) {
  open(hello(1), 1);
  batch();
  const Router router(agent_routes([this](const auto& request) { return agents_.forget(request); }));
  const auto post = [&](std::string_view target) {
    return router.answer({.method = "POST",
                          .target = target,
                          .body = {},
                          .host = "localhost",
                          .origin = {},
                          .content_encoding = {}});
  };
  EXPECT_EQ(post("/admin/v1/forget-agent").status, 400U);
  EXPECT_EQ(post("/admin/v1/forget-agent?id=02").status, 404U);
  EXPECT_EQ(post("/admin/v1/forget-agent?id=01&force=1").status, 400U);
  EXPECT_EQ(post("/admin/v1/forget-agent?id=01").status, 503U) << "it is connected";
  EXPECT_EQ(post("/admin/v1/forget-agent?id=01&force=true").body,
            "{\"id\":\"01010101010101010101010101010101\",\"host\":\"web1\",\"lines\":10}\n");
}

}  // namespace
}  // namespace statmill
