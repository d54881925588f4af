// Unit and help of families: they come from programs, lines and statsd, are answered by the API and the
// command line, survive kill -9, follow renamed series, go with the last one, and are in backups.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class FamiliesE2e : public testing::Test {
 protected:
  void SetUp() override { server_.start(); }
  void TearDown() override {
    EXPECT_EQ(server_.conservation(), "");
    EXPECT_EQ(cli({"check"}).status, 0) << "the stored data are inconsistent";
    EXPECT_EQ(server_.stop(), 0);
  }
  Ended cli(std::vector<std::string> arguments) { return server_.cli(std::move(arguments)); }
  void kill_and_start() {
    server_.wait_until_durable();
    server_.kill();
    server_.start();
  }
  // Returns Prometheus' metadata of a metric, or of all.
  static std::string metadata(const ServerProcess& server, const std::string& metric) {
    return server.get("/prometheus/api/v1/metadata?metric=" + metric);
  }
  std::string metadata(const std::string& metric) const { return metadata(server_, metric); }

  const TempDirectory directory_;
  ServerProcess server_{STATMILL_BIN, {"--flush.interval", "2s", "--statsd.listen", "127.0.0.1:0"}};
};

constexpr const char* kHeat =
    R"({"status":"success","data":{"room.heat":[{"type":"gauge","help":"Heat at the door.","unit":"celsius"}]}})";
constexpr const char* kNone = R"({"status":"success","data":{}})";

TEST_F(FamiliesE2e, AProgramSaysWhatItsCountsMean) {
  Process example({.program = STATMILL_BIN "/example-requests",
                   .arguments = {"tcp:" + server_.line().text()},
                   .environment = {}});
  ASSERT_EQ(example.wait(), 0) << example.standard_error();
  ASSERT_TRUE(server_.wait_for_metric("statmill_samples_received_total{listener=\"tcp\"}", 2));
  EXPECT_EQ(server_.metric("statmill_metadata_lines_total{listener=\"tcp\"}"), 2) << "they are not samples";
  EXPECT_THAT(server_.get("/api/v1/series?match=shop.*"),
              AllOf(HasSubstr(R"("name":"shop.latency_us","kind":"distribution","unit":"us",)"
                              R"("help":"Request duration in microseconds.")"),
                    HasSubstr(R"("name":"shop.requests;code=200","kind":"event","unit":"",)"
                              R"("help":"Requests answered.")")));
  EXPECT_THAT(cli({"ls", "-l", "shop.*"}).out,
              AllOf(HasSubstr("Request duration in microseconds."), HasSubstr("  us  ")));
  EXPECT_THAT(
      cli({"describe", "shop.requests;code=200"}).out,
      AllOf(HasSubstr("\n  kind          event\n"), HasSubstr("\n  help          Requests answered.\n"),
            HasSubstr("\n  tags          code=200\n"), HasSubstr("\n  retention     10s:")));
}

TEST_F(FamiliesE2e, AKillLosesNoneThatWasDurable) {
  server_.send("$m g room.heat celsius Heat at the door.\nroom.heat;door=1 20\n");
  ServerProcess::send_to(server_.listener("statsd"), "web.latency:12|ms\nweb.size:12|h\n");
  ASSERT_TRUE(server_.wait_for_metric("statmill_samples_received_total{listener=\"statsd_tcp\"}", 2));
  const std::string timers = "/api/v1/query?series=web.latency&max_points=1";
  EXPECT_THAT(server_.get(timers), HasSubstr(R"("kind":"distribution","unit":"ms",)"));
  const std::string heatmap = "/api/v1/heatmap?max_points=1&series=";
  EXPECT_THAT(server_.get(heatmap + "web.latency"), HasSubstr(R"("unit":"ms")"));
  EXPECT_THAT(server_.get(heatmap + "web.*"), Not(HasSubstr("unit"))) << "series of several units";
  for (int start = 0; start < 2; ++start) {
    kill_and_start();
    EXPECT_THAT(metadata("room.heat"), HasSubstr(kHeat));
    EXPECT_THAT(metadata("web.latency"), HasSubstr(R"("unit":"ms")"));
    EXPECT_THAT(metadata("web.size"), HasSubstr(kNone));
  }
}

TEST_F(FamiliesE2e, ARelayPassesThemOnAndTheAgentSendsItsOwn) {
  Process agent({std::string(STATMILL_BIN) + "/statmill-agent",
                 {"--server", server_.agent().text(), "--collectors", "load", "--line.listen", "127.0.0.1:0",
                  "--statsd.listen", "127.0.0.1:0"},
                 {}});
  const auto port = [&](const std::string& setting) {
    const auto line = agent.wait_for_line("setting=" + setting);
    EXPECT_TRUE(line) << agent.standard_error();
    return endpoint_of(log_value(line.value_or("address=127.0.0.1:1"), "address"));
  };
  ServerProcess::send_to(port("line.listen"), "$m g room.heat celsius Heat at the door.\nroom.heat 20\n");
  ServerProcess::send_to(port("statsd.listen"), "web.latency:12|ms\n");
  const auto deadline = std::chrono::steady_clock::now() + kProcessTimeout;
  const auto has_collected = [&] {
    return metadata("host.agent.rss_bytes").find("memory") != std::string::npos;
  };
  while (!has_collected() && std::chrono::steady_clock::now() < deadline) continue;
  agent.signal(SIGTERM);
  EXPECT_EQ(agent.wait(), 0) << agent.standard_error();
  EXPECT_THAT(metadata("room.heat"), HasSubstr(kHeat));
  EXPECT_THAT(metadata("web.latency"), HasSubstr(R"("unit":"ms")"));
  EXPECT_THAT(metadata("host.agent.rss_bytes"), HasSubstr("Resident memory of the agent."));
  EXPECT_THAT(server_.get("/api/v1/status/agents"), HasSubstr(R"("lines_refused":0)"));
}

TEST_F(FamiliesE2e, FollowRenamedSeriesAndGoWithTheLastOne) {
  server_.send("$m g room.heat celsius Heat at the door.\nroom.heat;door=1 20\nroom.heat;door=2 20\n");
  server_.wait_until_durable();
  EXPECT_EQ(cli({"rename", "room.heat;door=1", "hall.heat;door=1"}).status, 0);
  EXPECT_THAT(metadata("hall.heat"), HasSubstr("celsius"));
  EXPECT_THAT(metadata("room.heat"), HasSubstr(kHeat)) << "a series is left";
  EXPECT_EQ(cli({"delete", "room.heat;door=2"}).status, 0);
  kill_and_start();
  EXPECT_THAT(metadata("hall.heat"), HasSubstr("celsius"));
  EXPECT_THAT(metadata("room.heat"), HasSubstr(kNone));
}

TEST_F(FamiliesE2e, AreInBackups) {
  server_.send("$m g room.heat celsius Heat at the door.\nroom.heat 20\n");
  server_.wait_until_durable();
  const std::string backup = directory_.path() / "backup";
  EXPECT_EQ(cli({"backup", backup}).status, 0);
  EXPECT_EQ(cli({"check", backup}).status, 0);
  ServerProcess restored(STATMILL_BIN);
  EXPECT_EQ(cli({"restore", backup, restored.data() / "data"}).status, 0);
  restored.start();
  EXPECT_THAT(metadata(restored, "room.heat"), HasSubstr(kHeat));
  EXPECT_EQ(restored.stop(), 0);
}

TEST_F(FamiliesE2e, BadLinesAreCountedByReason) {
  server_.send("$m g room.heat Celsius x\n$m g a;b=c s x\n$m q a s x\n$m g a\n");
  EXPECT_EQ(server_.metric("statmill_samples_refused_total{listener=\"tcp\",reason=\"bad_metadata\"}"), 1);
  EXPECT_EQ(server_.metric("statmill_samples_refused_total{listener=\"tcp\",reason=\"bad_name\"}"), 1);
  EXPECT_EQ(server_.metric("statmill_samples_refused_total{listener=\"tcp\",reason=\"reserved\"}"), 1);
  EXPECT_EQ(server_.metric("statmill_samples_refused_total{listener=\"tcp\",reason=\"field_count\"}"), 1);
  EXPECT_THAT(cli({"rejects"}).out, HasSubstr("$m g room.heat Celsius x"));
}

}  // namespace
}  // namespace statmill
