// `statmill profile --agent`, of a prepared answer of a server.
#include "tools/statmill/profile/agent_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/fake_server.h"
#include "tests/tools/run_command.h"

namespace statmill {
namespace {

using testing::HasSubstr;

// An agent that takes 0.4 % of a processor, of which two collectors take 0.3 %; and a program that takes 0.1
// %.
constexpr std::string_view kAnswer =
    R"({"status":"success","data":{"resultType":"vector","result":[)"
    R"({"metric":{"collector":"other"},"value":[1700000000,"1000000"]},)"
    R"({"metric":{"collector":"cpu"},"value":[1700000000,"1000000"]},)"
    R"({"metric":{"collector":"cgroup"},"value":[1700000000,"2000000"]},)"
    R"({"metric":{"collector":"sched","program":"sched_switch"},"value":[1700000000,"1000000"]}]}})";
constexpr std::string_view kNothing = R"({"status":"success","data":{"resultType":"vector","result":[]}})";

Outcome run(const FakeServer& server, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"profile", "--agent", "web1"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_command(server.url(), arguments);
}

TEST(AgentProfile, ATableHasCollectorsAndPrograms) {
  const FakeServer server(200, std::string(kAnswer));
  const Outcome outcome = run(server);
  EXPECT_EQ(outcome.messages, "");
  EXPECT_EQ(outcome.output,
            "CPU of the agent of web1 in 60.0 s: 0.500 % of one\n"
            "\n"
            "collector  of a CPU   share\n"
            "cgroup      0.200 %  40.0 %  ██████████████████████████████\n"
            "cpu         0.100 %  20.0 %  ███████████████\n"
            "other       0.100 %  20.0 %  ███████████████\n"
            "\n"
            "program             of a CPU   share\n"
            "sched/sched_switch   0.100 %  20.0 %  ██████████████████████████████\n");
}

TEST(AgentProfile, CsvAndJsonHaveTheSame) {
  const FakeServer server(200, std::string(kAnswer));
  EXPECT_EQ(run(server, {"--format", "csv", "--duration", "5m"}).output,
            "part,name,threads,cpu,share\n"
            "collector,cgroup,,0.002000,0.400000\n"
            "collector,cpu,,0.001000,0.200000\n"
            "collector,other,,0.001000,0.200000\n"
            "program,sched/sched_switch,,0.001000,0.200000\n");
  EXPECT_THAT(run(server, {"--format", "json"}).output,
              testing::StartsWith(R"({"seconds":6E1,"cpu":5E-3,"collectors":[{"name":"cgroup",)"));
}

TEST(AgentProfile, AsksForTheSeriesOfTheHostWhateverItsName) {
  const FakeServer server(200, std::string(kNothing));
  run_command(server.url(), {"profile", "--agent", "a\"b\\c", "--duration", "2m"});
  EXPECT_THAT(server.requests().back(),
              testing::StartsWith("GET /prometheus/api/v1/query?query=sum%20by%20"));
  // host="a\"b\\c"
  EXPECT_THAT(
      server.requests().back(),
      HasSubstr("%7B%22host.agent.collector_cpu_ns%22%2Chost%3D%22a%5C%22b%5C%5Cc%22%7D%5B120000ms%5D"));
}

TEST(AgentProfile, AnAgentWithoutFiguresIsAnError) {
  const FakeServer server(200, std::string(kNothing));
  const Outcome outcome = run(server);
  EXPECT_NE(outcome.code, ExitCode::kOk);
  EXPECT_THAT(outcome.messages, HasSubstr("no figures of the agent of web1 in the last 1m"));
}

TEST(AgentProfile, WhatIsNoAnswerIsRefused) {
  for (const std::string_view text : {"", "{}", R"({"data":{"result":{}}})", R"({"data":{"result":[1]}})",
                                      R"({"data":{"result":[{"metric":{},"value":[1]}]}})",
                                      R"({"data":{"result":[{"metric":{},"value":[1,"x"]}]}})",
                                      R"({"data":{"result":[{"metric":[],"value":[1,"1"]}]}})"}) {
    EXPECT_FALSE(parse_agent_profile(text, "web1", std::chrono::minutes(1))) << text;
  }
}

TEST(AgentProfile, RefusesTimesShorterThanItsReports) {
  const FakeServer server(200, std::string(kAnswer));
  EXPECT_THAT(run(server, {"--duration", "19s"}).messages, HasSubstr("--duration 19s is not from 20s to 1h"));
}

}  // namespace
}  // namespace statmill
