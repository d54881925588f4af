// `statmill doctor`: what it makes of a host's facts and of a server's answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/fake_server.h"
#include "tools/statmill/cli.h"
#include "tools/statmill/doctor/host_facts.h"
#include "tools/statmill/doctor/server_facts.h"

namespace statmill {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr int64_t kNow_s = 1'800'000'000;
const Timestamp kNow = from_unix_seconds(kNow_s);

auto is_finding(Verdict verdict, std::string_view subject, std::string_view text) {
  return AllOf(Field(&Finding::verdict, verdict), Field(&Finding::subject, std::string(subject)),
               Field(&Finding::text, HasSubstr(std::string(text))));
}
const auto is_well = Field(&Finding::verdict, Verdict::kOk);

TEST(Doctor, AHostWithAllIsWell) {
  const HostFacts facts{"6.12.3", true, true, uint64_t{32} << 20, 65'536};
  EXPECT_THAT(judge_host(facts), Each(is_well));
  EXPECT_THAT(judge_host({"7.0", true, std::nullopt, std::nullopt, 1 << 20}), Each(is_well))
      << "what cannot be read is no fault";
}

TEST(Doctor, AHostThatLacksThingsGetsAdvice) {
  const std::vector<Finding> findings = judge_host({"5.10.0-30-amd64", true, false, 212'992, 1024});
  EXPECT_THAT(findings, ElementsAre(is_finding(Verdict::kWarning, "kernel", "Linux 5.10.0-30-amd64"),
                                    is_finding(Verdict::kWarning, "clock", "no program keeps it right"),
                                    is_finding(Verdict::kWarning, "datagrams", "208 KiB"),
                                    is_finding(Verdict::kWarning, "open files", "1024")));
  EXPECT_THAT(findings, Each(Field(&Finding::advice, Not(IsEmpty()))));
  EXPECT_THAT(judge_host({"6.1.0", false, true, 1 << 30, 1 << 20}).front(),
              is_finding(Verdict::kWarning, "kernel", "without /sys/kernel/btf/vmlinux"));
  EXPECT_THAT(judge_host({"strange", true, true, 1 << 30, 1 << 20}).front(),
              is_finding(Verdict::kWarning, "kernel", "strange"));
}

TEST(Doctor, ThisHostCanBeRead) {
  const HostFacts facts = read_host_facts();
  EXPECT_FALSE(facts.kernel.empty());
  EXPECT_GT(facts.open_files_max, 0U);
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

// A server that is well, with further or other pairs.
Pairs status_with(const Pairs& further) {
  Pairs all = further;
  for (const auto& [key, text] : Pairs{{"version", STATMILL_VERSION},
                                       {"now", std::to_string(kNow_s)},
                                       {"uptime_s", "3600"},
                                       {"disk_free_bytes", "1073741824"},
                                       {"samples.tcp.received", "1000"}})
    all.emplace_back(key, text);  // a map keeps the first
  return all;
}

std::vector<Finding> judge(const Pairs& further) { return judge_status(status_with(further), kNow); }

TEST(Doctor, AServerThatIsWell) {
  EXPECT_THAT(judge({}), ElementsAre(is_finding(Verdict::kOk, "server", "up for 1h"),
                                     is_finding(Verdict::kOk, "disk", "1024 MiB of its disk are free"),
                                     is_finding(Verdict::kOk, "samples", "1000 since the start")));
}

TEST(Doctor, ProblemsAndWarningsOfTheServerAreFindings) {
  const auto findings = judge({{"problems.store", "read-only"}, {"warnings.loop.http", "held for 3 s"}});
  EXPECT_THAT(findings, AllOf(Contains(is_finding(Verdict::kFault, "store", "read-only")),
                              Contains(is_finding(Verdict::kWarning, "loop.http", "held for 3 s"))));
}

TEST(Doctor, NamesThePortsOfTheServer) {
  EXPECT_THAT(judge({{"listeners.line", "127.0.0.1:8111"}, {"listeners.agent", "[::]:8113"}})[1],
              is_finding(Verdict::kOk, "ports", "agent at [::]:8113, line at 127.0.0.1:8111"));
}

TEST(Doctor, AFullDiskIsAFault) {
  EXPECT_THAT(judge({{"disk_free_bytes", "4096"}})[1], is_finding(Verdict::kFault, "disk", "0 MiB"));
  const auto unknown = judge_status({{"version", STATMILL_VERSION}, {"now", std::to_string(kNow_s)}}, kNow);
  EXPECT_THAT(unknown[1], is_finding(Verdict::kOk, "disk", "not known"));
}

TEST(Doctor, TheTimeSinceTheStartHasOneUnit) {
  const auto text = [](const char* seconds) { return judge({{"uptime_s", seconds}})[0].text; };
  EXPECT_THAT(text("172803"), HasSubstr("up for 2d"));
  EXPECT_THAT(text("3661"), HasSubstr("up for 1h"));
  EXPECT_THAT(text("61.9"), HasSubstr("up for 1m"));
  EXPECT_THAT(text("59"), HasSubstr("up for 59s"));
}

TEST(Doctor, AFullDiskIsForeseen) {
  const auto verdict = [](const char* days) {
    return judge({{"disk_forecast.full_in_days", days}})[1].verdict;
  };
  EXPECT_EQ(verdict("100.5"), Verdict::kOk);
  EXPECT_EQ(verdict("29"), Verdict::kWarning);
  EXPECT_EQ(verdict("2.9"), Verdict::kFault);
  EXPECT_EQ(verdict("null"), Verdict::kOk);
}

TEST(Doctor, WhatIsRefusedOrDroppedIsNamedByPort) {
  const auto findings = judge({{"samples.udp.received", "100"},
                               {"samples.udp.refused.too_old", "10"},
                               {"samples.udp.refused.too_new", "1"},
                               {"samples.udp.dropped", "7"},
                               {"samples.tcp.refused.too_old", "10"}});
  EXPECT_THAT(findings,
              ElementsAre(is_well, is_well,
                          is_finding(Verdict::kWarning, "samples, udp",
                                     "11 of 100 were refused: too_new 1, too_old 10"),
                          is_finding(Verdict::kWarning, "samples, udp", "7 datagrams were dropped")))
      << "one in a hundred is nothing to worry about";
}

TEST(Doctor, AnotherVersionOrClockIsAWarning) {
  EXPECT_THAT(judge({{"version", "9.9"}}).front(),
              is_finding(Verdict::kWarning, "server", "version 9.9, up for 1h; this client has version "));
  EXPECT_THAT(judge({{"now", std::to_string(kNow_s - 60)}})[1],
              is_finding(Verdict::kWarning, "server clock", "60 s behind that of this host"));
  EXPECT_THAT(judge({{"damaged_frames", "2"}}).back(),
              is_finding(Verdict::kWarning, "journal", "2 entries were damaged"));
}

ListedAgent agent(std::string host) {
  ListedAgent out;
  out.host = std::move(host);
  out.is_connected = true;
  out.seen_s = kNow_s;
  out.version = "1.0";
  out.clock_ms = "3";
  out.lines_lost = "0";
  out.troubles = "0";
  return out;
}

TEST(Doctor, AgentsThatAreNotWellAreNamed) {
  KnownAgents agents{9, 8, {}};
  for (int i = 0; i < 5; ++i) {
    agents.agents.push_back(agent("old" + std::to_string(i)));
    agents.agents.back().version = "0.9";
  }
  agents.agents.push_back(agent("late"));
  agents.agents.back().clock_ms = "-7200000";
  agents.agents.push_back(agent("full"));
  agents.agents.back().lines_lost = "12";
  agents.agents.push_back(agent("weak"));
  agents.agents.back().troubles = "2";
  agents.agents.push_back(agent("gone"));
  agents.agents.back().is_connected = false;
  agents.agents.back().seen_s = kNow_s - 3600;
  EXPECT_THAT(
      judge_agents(agents, "1.0", kNow),
      ElementsAre(
          is_finding(Verdict::kOk, "agents", "8 of 9 known ones are connected"),
          is_finding(Verdict::kWarning, "agents", "away: 1, gone"),
          is_finding(Verdict::kWarning, "agents",
                     "of another version than the server: 5, old0 (0.9), old1 (0.9), old2 (0.9) and "
                     "2 more"),
          is_finding(Verdict::kWarning, "agents",
                     "with a clock that differs from the server's: 1, late (-7200000 ms)"),
          is_finding(Verdict::kWarning, "agents", "that have lost lines: 1, full (12 lines)"),
          is_finding(Verdict::kWarning, "agents", "with collectors that lack something: 1, weak (2)")));
}

TEST(Doctor, SaysThatItLooksAtTheFirstAgentsOnly) {
  EXPECT_THAT(judge_agents({5000, 5000, {agent("web")}}, "1.0", kNow),
              ElementsAre(is_well, is_finding(Verdict::kWarning, "agents", "only the first 1 by host")));
}

TEST(Doctor, AgentsThatAreWellAreOneFinding) {
  EXPECT_THAT(judge_agents({1, 1, {agent("web")}}, "1.0", kNow), ElementsAre(is_well));
  EXPECT_THAT(judge_agents({0, 0, {}}, "1.0", kNow), ElementsAre(is_well));
}

TEST(Doctor, PrintsALineForEachFindingAndItsAdvice) {
  EXPECT_EQ(findings_text({{Verdict::kOk, "server", "up"}, {Verdict::kWarning, "open files", "few", "more"}}),
            "ok       server      up\n"
            "warning  open files  few\n"
            "                     -> more\n");
  EXPECT_EQ(findings_json({{Verdict::kFault, "disk", "f\"ull", "buy"}}),
            R"([{"verdict":"fault","subject":"disk","text":"f\"ull","advice":"buy"}])"
            "\n");
}

Outcome run(const std::string& server, std::vector<std::string> arguments = {}) {
  arguments.insert(arguments.begin(), "doctor");
  return run_cli(arguments, {.default_server = server, .now = kNow});
}

TEST(Doctor, AServerThatCannotBeReachedIsAFault) {
  const Outcome outcome = run("http://127.0.0.1:1");
  EXPECT_EQ(outcome.code, ExitCode::kFailed);
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("fault    server"), HasSubstr("-> is statmilld running")));
}

TEST(Doctor, AServerThatWantsATokenIsAFault) {
  const FakeServer server(401, R"({"error":"a token is needed","status":401})");
  EXPECT_THAT(run(server.url()).output, AllOf(HasSubstr("a token is needed"), HasSubstr("STATMILL_TOKEN")));
}

TEST(Doctor, AsksForStatusAndAgents) {
  const FakeServer server(200, R"({"version":")" STATMILL_VERSION R"(","now":1800000000,"uptime_s":1,)"
                               R"("known":0,"connected":0,"agents":[]})");
  const Outcome outcome = run(server.url(), {"--format", "json"});
  EXPECT_EQ(outcome.code, ExitCode::kOk) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr(R"("subject":"agents","text":"0 of 0 known ones are connected")"));
  EXPECT_THAT(server.requests(), ElementsAre("GET /api/v1/status", "GET /api/v1/status/agents"));
}

TEST(Doctor, HasNoRows) { EXPECT_EQ(run("http://127.0.0.1:1", {"--format", "csv"}).code, ExitCode::kUsage); }

}  // namespace
}  // namespace statmill
