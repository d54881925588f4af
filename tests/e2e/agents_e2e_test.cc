// `statmill agents` and `statmill forget-agent` with a running server and running agents.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <chrono>

#include "tests/e2e/agent_host.h"
#include "tests/e2e/agent_ledger.h"
#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

constexpr int kLines = 500;
constexpr size_t kIdDigitsShown = 8;

class AgentsE2e : public testing::Test {
 protected:
  ~AgentsE2e() override {
    if (web_.is_up()) {
      EXPECT_EQ(web_.stop(), 0) << web_.said();
    }
    EXPECT_EQ(server_.conservation(), "");
    EXPECT_EQ(server_.stop(), 0);
  }

  // Sends kLines lines and waits until they are durable at the server.
  void feed(const std::string& series) {
    EXPECT_TRUE(web_.feed_ones(series, kLines)) << web_.said();
    const std::string name = web_.name() + "." + series;
    EXPECT_TRUE(wait_until([&] { return sum_of(series) >= web_.sent_sums().at(name); })) << web_.said();
    EXPECT_EQ(sum_of(series), web_.sent_sums().at(name));
    server_.wait_until_durable();
  }
  double sum_of(const std::string& series) const {
    return server_.totals(web_.name() + ".*")[web_.name() + "." + series].sum;
  }
  boost::json::value listed() const {
    const Ended ended = server_.cli({"agents", "--format", "json"});
    EXPECT_EQ(ended.status, 0) << ended.said;
    return boost::json::parse(ended.out);
  }
  std::string id() const { return std::string(listed().at("agents").at(0).at("id").as_string()); }
  bool is_connected() const { return account_of_host(server_, "web").is_connected; }

  struct StartedServer : ServerProcess {
    StartedServer() : ServerProcess(STATMILL_BIN) { start(); }
  };
  StartedServer server_;
  AgentHost web_{STATMILL_BIN, "web", {server_.agent()}};
};

TEST_F(AgentsE2e, ListsAgentsByTheFirstDigitsOfTheirIdsWithClocksAndStatus) {
  EXPECT_THAT(server_.cli({"agents"}).said, HasSubstr("statmill: 0 known agents, 0 connected"));
  web_.start();
  feed("a");
  ASSERT_TRUE(wait_until([&] { return !listed().at("agents").at(0).at("spool_bytes").is_null(); }));
  const boost::json::value document = listed();
  const boost::json::value& agent = document.at("agents").at(0);
  EXPECT_EQ(agent.at("host").as_string(), "web");
  EXPECT_THAT(std::string(agent.at("peer").as_string()), ContainsRegex("^127\\.0\\.0\\.1:[0-9]+$"));
  EXPECT_TRUE(agent.at("connected").as_bool());
  EXPECT_TRUE(agent.at("clock_difference_ms").is_int64()) << "both run on this host";
  EXPECT_GT(agent.at("spool_bytes").to_number<double>(), 0);
  EXPECT_EQ(agent.at("collectors").to_number<int>(), 1);
  EXPECT_EQ(agent.at("collectors_not_ok").to_number<int>(), 0);

  const Ended table = server_.cli({"agents"});
  EXPECT_EQ(table.status, 0);
  EXPECT_THAT(table.out, ContainsRegex("host +id +connected +peer +version +clock ms +durable"));
  EXPECT_THAT(table.out, ContainsRegex("web +[0-9a-f]{8} +yes +127\\.0\\.0\\.1:[0-9]+ "));
  EXPECT_THAT(table.said, HasSubstr("statmill: 1 known agents, 1 connected"));

  EXPECT_EQ(web_.stop(), 0) << web_.said();
  const std::string whole = read_spool(web_.spool()).agent;
  EXPECT_EQ(id(), whole.substr(0, kIdDigitsShown));
  EXPECT_THAT(server_.get("/api/v1/status/agents") + table.out, Not(HasSubstr(whole)));
  ASSERT_TRUE(wait_until([&] { return !is_connected(); }));
  EXPECT_THAT(server_.cli({"agents"}).out, ContainsRegex("web +[0-9a-f]{8} +no +127"));
}

TEST_F(AgentsE2e, AConnectedAgentIsForgottenOnlyWithForce) {
  web_.start();
  feed("a");
  const Ended refused = server_.cli({"forget-agent", id()});
  EXPECT_EQ(refused.status, 1) << refused.said;
  EXPECT_THAT(refused.said, HasSubstr("is connected; stop it first, or use force"));
  EXPECT_EQ(listed().at("known").as_int64(), 1);
  EXPECT_EQ(server_.cli({"forget-agent", "xyz"}).status, 1);
  EXPECT_EQ(server_.cli({"forget-agent"}).status, 2);

  const Ended forgotten = server_.cli({"forget-agent", "--force", id()});
  EXPECT_EQ(forgotten.status, 0) << forgotten.said;
  EXPECT_THAT(forgotten.out, ContainsRegex("^forgot agent [0-9a-f]{32} of host\\.web\n"));
  EXPECT_EQ(server_.metric("statmill_agents_forgotten_total"), 1);
  feed("b");
  EXPECT_EQ(sum_of("a"), kLines) << "its samples stay and are not counted again";
}

TEST_F(AgentsE2e, AForgottenAgentReturnsWithAGapAndNothingCountsTwice) {
  web_.start();
  feed("a");
  const std::string known = id();
  EXPECT_EQ(web_.stop(), 0) << web_.said();
  ASSERT_TRUE(wait_until([&] { return !is_connected(); }));
  const Ended forgotten = server_.cli({"forget-agent", known});
  EXPECT_EQ(forgotten.status, 0) << forgotten.said;
  EXPECT_EQ(listed().at("known").as_int64(), 0);
  const Ended again = server_.cli({"forget-agent", known});
  EXPECT_EQ(again.status, 1);
  EXPECT_THAT(again.said, HasSubstr("no agent has an id that starts with " + known));

  web_.start();
  feed("b");
  EXPECT_EQ(sum_of("a"), kLines);
  EXPECT_EQ(id(), known) << "the agent keeps its identity";
  const boost::json::value document = listed();
  const boost::json::value& agent = document.at("agents").at(0);
  ASSERT_EQ(agent.at("gaps").to_number<int>(), 1);
  EXPECT_EQ(agent.at("last_gaps").at(0).at("reason").as_string(), "evicted");
  EXPECT_GE(agent.at("lines_lost").to_number<double>(), 1)
      << "the server no longer knows that it has these lines";
}

// Their samples are added up, so both must be named.
TEST_F(AgentsE2e, TwoAgentsThatSendAsOneHostAreShown) {
  AgentHost other{STATMILL_BIN, web_.name(), {server_.agent()}};
  web_.start();
  other.start();
  const auto conflicts = [&] {
    return boost::json::parse(server_.get("/api/v1/status/agents")).at("host_conflicts").as_array();
  };
  ASSERT_TRUE(wait_until([&] { return conflicts().size() == 1; })) << other.said();
  EXPECT_EQ(conflicts().at(0).at("host").as_string(), web_.name());
  EXPECT_EQ(conflicts().at(0).at("agents").as_array().size(), 2U);
  EXPECT_EQ(other.stop(), 0) << other.said();
  EXPECT_EQ(web_.stop(), 0) << web_.said();
}

}  // namespace
}  // namespace statmill
