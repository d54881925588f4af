// `statmill profile` with a real server under load.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <csignal>
#include <map>
#include <string>
#include <thread>

#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

namespace json = boost::json;

class ProfileE2e : public testing::Test {
 protected:
  void SetUp() override { server_.start(); }
  void TearDown() override {
    EXPECT_EQ(server_.conservation(), "");
    EXPECT_EQ(server_.stop(), 0) << server_.process().standard_error();
  }
  // Sends lines until the profile is done.
  json::object profile_under_load() {
    std::string lines;
    for (int i = 0; i < 5000; ++i) lines += "shop.orders." + std::to_string(i) + " 17.25\n";
    std::jthread sender([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) server_.send(lines);
    });
    const Ended ended = server_.cli({"profile", "--duration", "1s", "--format", "json"});
    EXPECT_EQ(ended.status, 0) << ended.said;
    boost::system::error_code error;
    return json::parse(ended.out, error).as_object();
  }

  ServerProcess server_{STATMILL_BIN};
};

TEST_F(ProfileE2e, LinesArePaidForByParseAndApply) {
  const json::object profile = profile_under_load();
  EXPECT_NEAR(profile.at("seconds").to_number<double>(), 1, 0.5);
  std::map<std::string, double> stages;
  double sum = 0;
  for (const json::value& stage : profile.at("stages").as_array()) {
    const double share = stage.at("share").to_number<double>();
    stages[std::string(stage.at("name").as_string())] = share;
    sum += share;
  }
  EXPECT_NEAR(sum, 1, 0.01) << json::serialize(profile);
  EXPECT_GT(stages.at("parse"), 0.02) << json::serialize(profile);
  EXPECT_GT(stages.at("apply"), 0.1) << json::serialize(profile);
  EXPECT_GT(stages.at("collect"), 0) << json::serialize(profile);
  EXPECT_GT(stages.at("commit"), 0) << json::serialize(profile);
  EXPECT_TRUE(stages.contains("fsync")) << json::serialize(profile);
  EXPECT_EQ(stages.at("print"), 0) << "nobody asks";
  double of_threads = 0;
  for (const json::value& thread : profile.at("threads").as_array())
    of_threads += thread.at("share").to_number<double>();
  EXPECT_NEAR(of_threads, 1, 0.01) << json::serialize(profile);
}

TEST_F(ProfileE2e, ATableIsForPeople) {
  const Ended ended = server_.cli({"profile", "--duration", "100ms"});
  EXPECT_EQ(ended.status, 0) << ended.said;
  EXPECT_THAT(ended.out, testing::StartsWith("CPU of the server in 0.1 s: "));
  EXPECT_THAT(ended.out, testing::HasSubstr("\nthread"));
}

// The agent reports its collectors every 10 s, as growth: so there are figures after 10 s.
TEST_F(ProfileE2e, TheCostOfAnAgentIsKnownByCollector) {
  Process agent({std::string(STATMILL_BIN) + "/statmill-agent",
                 {"--server", server_.agent().text(), "--interval", "1s", "--agent.host", "web1.example.org"},
                 {}});
  json::object profile;
  const auto has_figures = [&] {
    const Ended ended = server_.cli({"profile", "--agent", "web1.example.org", "--format", "json"});
    boost::system::error_code error;
    if (ended.status == 0) profile = json::parse(ended.out, error).as_object();
    return ended.status == 0 && profile.at("collectors").as_array().size() > 10;
  };
  const auto has_series = [&] { return !server_.totals("host.agent.collector_cpu_ns;*").empty(); };
  ASSERT_TRUE(wait_until(has_series)) << agent.standard_error();
  ASSERT_TRUE(wait_until(has_figures)) << agent.standard_error();
  std::map<std::string, double> of;
  for (const json::value& row : profile.at("collectors").as_array())
    of[std::string(row.at("name").as_string())] = row.at("cpu").to_number<double>();
  for (const char* name : {"cpu", "processes", "other"}) EXPECT_GT(of[name], 0) << json::serialize(profile);
  EXPECT_LT(profile.at("cpu").to_number<double>(), 1) << json::serialize(profile);
  agent.signal(SIGTERM);
  EXPECT_EQ(agent.wait(), 0) << agent.standard_error();
}

}  // namespace
}  // namespace statmill
