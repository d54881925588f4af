// `statmill query` against a server with prepared answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/tools/fake_server.h"
#include "tests/tools/run_command.h"

namespace statmill {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(QueryCommand, SendsItsOptionsAsParameters) {
  const FakeServer server(200, R"({"from":0,"until":0,"step":60,"tier":10,"series":[]})");
  const Outcome outcome =
      run_command(server.url(), {"query", "a.{b,c}*", "x y&z+%", "--from", "-1h", "--until", "now", "--step",
                                 "1m", "--max-points", "50", "--stats", "avg,max"});
  EXPECT_EQ(outcome.code, ExitCode::kOk) << outcome.messages;
  EXPECT_EQ(outcome.messages, "statmill: no series matches\n");
  ASSERT_EQ(server.requests().size(), 1U);
  EXPECT_THAT(server.requests().front(), StartsWith("GET /api/v1/query?series=a.%7Bb%2Cc%7D%2A&"));
  EXPECT_THAT(server.requests().front(), HasSubstr("&series=x%20y%26z%2B%25&"));
  EXPECT_THAT(server.requests().front(),
              HasSubstr("&from=-1h&until=now&step=1m&max_points=50&stats=avg%2Cmax"));
}

TEST(QueryCommand, SendsAnExpressionInPlaceOfNames) {
  const FakeServer server(200, R"({"from":0,"until":0,"step":60,"tier":null,"series":[]})");
  EXPECT_EQ(run_command(server.url(), {"query", "--expr", "a + 1", "--step", "10"}).code, ExitCode::kOk);
  EXPECT_THAT(server.requests().back(),
              StartsWith("GET /api/v1/query?expr=a%20%2B%201&from=-1h&until=now&step=10"));
  run_command(server.url(), {"query", "--expr", "a", "--stats", "avg,p50"});
  EXPECT_THAT(server.requests().back(), HasSubstr("&stats=avg%2Cp50"));
}

constexpr std::string_view kExpressionAnswer =
    R"({"from":1700000000,"until":1700000020,"step":10,"tier":10,"series":[)"
    R"({"labels":{"__name__":"up","job":"a"},"value":[1.25,null]},)"
    R"({"labels":{},"avg":[2,"NaN"],"p50":[1,2]}],"infos":["means"],"warnings":["damaged"]})";

TEST(QueryCommand, PrintsTheColumnsOfAnExpression) {
  const FakeServer server(200, std::string(kExpressionAnswer));
  const auto print = [&](const std::string& form) {
    return run_command(server.url(), {"query", "--expr", "up", "--format", form});
  };
  EXPECT_EQ(print("json").output, std::string(kExpressionAnswer) + "\n");
  EXPECT_EQ(print("csv").output,
            "series,time,unix,value,avg,p50\n"
            "\"up{job=\"\"a\"\"}\",2023-11-14T22:13:20Z,1700000000,1.25,,\n"
            "\"up{job=\"\"a\"\"}\",2023-11-14T22:13:30Z,1700000010,,,\n"
            "{},2023-11-14T22:13:20Z,1700000000,,2,1\n"
            "{},2023-11-14T22:13:30Z,1700000010,,NaN,2\n");
  EXPECT_EQ(print("table").output,
            "up{job=\"a\"}  step 10s\n"
            "time (UTC)           value\n"
            "2023-11-14 22:13:20   1.25\n"
            "2023-11-14 22:13:30      -\n"
            "\n"
            "{}  step 10s\n"
            "time (UTC)           avg  p50\n"
            "2023-11-14 22:13:20    2    1\n"
            "2023-11-14 22:13:30  NaN    2\n");
  EXPECT_EQ(print("csv").messages, "statmill: warning: damaged\nstatmill: note: means\n");
}

TEST(QueryCommand, PrintsAllDigitsOfADecimalForPrograms) {
  const FakeServer server(200, R"({"from":1700000000,"until":1700000010,"step":10,"tier":10,"series":[)"
                               R"({"name":"a","kind":"event","sum":[999999999999999999],)"
                               R"("avg":[33.501999999999995010]}]})");
  const auto print = [&](const std::string& form) {
    return run_command(server.url(), {"query", "a", "--stats", "sum,avg", "--format", form}).output;
  };
  EXPECT_EQ(print("table"),
            "a  event  step 10s\n"
            "time (UTC)              sum     avg\n"
            "2023-11-14 22:13:20  1000 P  33.5/s\n");
  EXPECT_EQ(print("csv"),
            "series,time,unix,sum,avg\n"
            "a,2023-11-14T22:13:20Z,1700000000,999999999999999999,33.501999999999995010\n");
}

TEST(QueryCommand, MarksWhereAnExpressionIsWrong) {
  const auto said = [](const std::string& position, const std::string& expression, int status = 400) {
    const FakeServer server(status, R"({"error":"parameter expr: )" + position + R"("})");
    const Outcome outcome = run_command(server.url(), {"query", "--expr", expression});
    EXPECT_EQ(outcome.code, status == 400 ? ExitCode::kUsage : ExitCode::kFailed);
    EXPECT_THAT(outcome.messages, StartsWith("statmill: parameter expr: " + position + "\n"));
    return outcome.messages.substr(outcome.messages.find('\n') + 1);
  };
  EXPECT_EQ(said("1:8: parse error: why", "sum(cpu"), "  sum(cpu\n         ^\n");
  EXPECT_EQ(said("1:1: parse error: why", ""), "  \n  ^\n");
  EXPECT_EQ(said("2:5: parse error: why", "a +\n\"é\" b"), "  \"é\" b\n     ^\n") << "bytes are not columns";
  EXPECT_EQ(said("3:1: parse error: why", "a"), "");
  EXPECT_EQ(said("1:9: parse error: why", "a"), "");
  EXPECT_EQ(said("info: experimental", "info(a)", 422), "");
  EXPECT_EQ(said("0:x: parse error", "a"), "");
}

// A day on which the clocks in Berlin go back: the command reads and prints its local times.
TEST(QueryCommand, TimesAreLocalUnlessAZoneIsGiven) {
  if (!std::filesystem::exists("/usr/share/zoneinfo/Europe/Berlin"))
    GTEST_SKIP() << "this system has no /usr/share/zoneinfo; the package tzdata has it";
  const FakeServer server(200, R"({"from":1792886400,"until":1792893600,"step":3600,"tier":3600,"series":[)"
                               R"({"name":"a","kind":"gauge","avg":[1,2]}]})");
  const auto run = [&](const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {"query", "a", "--stats", "avg", "--from", "2026-10-25 02:00"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run_command(server.url(), arguments);
  };
  EXPECT_EQ(run({"--tz", "Europe/Berlin"}).output,
            "a  gauge  step 1h\n"
            "time (CEST, CET)     avg\n"
            "2026-10-25 02:00:00    1\n"
            "2026-10-25 02:00:00    2\n");
  const std::string in_berlin = server.requests().back();
  EXPECT_TRUE(in_berlin.find("from=1792886400") != std::string::npos ||
              in_berlin.find("from=1792890000") != std::string::npos)
      << in_berlin << ": 02:00 comes twice";
  EXPECT_THAT(run({"--utc"}).output, HasSubstr("time (UTC)           avg\n2026-10-25 00:00:00"));
  EXPECT_THAT(server.requests().back(), HasSubstr("from=1792893600&until=now"));
  EXPECT_EQ(run({"--tz", "Nowhere"}).messages.substr(0, 42), "statmill: --tz: \"Nowhere\" is no time zone ");
  EXPECT_EQ(run({"--tz", "../etc/passwd"}).code, ExitCode::kUsage);
  EXPECT_EQ(run({"--tz", "Europe/Berlin", "--utc"}).code, ExitCode::kUsage);
}

TEST(QueryCommand, ShowsItsHelpForTheShortOptionToo) {
  const Outcome help = run_command("http://127.0.0.1:1", {"query", "-h"});
  EXPECT_EQ(help.code, ExitCode::kOk);
  EXPECT_EQ(help.output, run_command("http://127.0.0.1:1", {"query", "--help"}).output);
  EXPECT_THAT(help.output, HasSubstr("14:30"));
}

TEST(QueryCommand, TheServerMayBeGivenAsHostAndPort) {
  const FakeServer server(200, R"({"from":0,"until":0,"step":10,"tier":10,"series":[]})");
  const std::string endpoint = server.url().substr(std::string("http://").size());
  EXPECT_EQ(run_command(endpoint, {"query", "a"}).code, ExitCode::kOk);
  EXPECT_EQ(run_command("http://127.0.0.1:1", {"query", "a", "--server", endpoint}).code, ExitCode::kOk);
}

TEST(QueryCommand, AcceptsAStepInSeconds) {
  const FakeServer server(200, R"({"from":0,"until":0,"step":10,"tier":10,"series":[]})");
  EXPECT_EQ(run_command(server.url(), {"query", "a", "--step", "10"}).code, ExitCode::kOk);
  EXPECT_THAT(server.requests().front(), HasSubstr("&step=10&"));
}

TEST(QueryCommand, EndsWithAStatusThatSaysWhy) {
  const auto code = [](int status) {
    const FakeServer server(status, R"({"error":"why"})");
    const Outcome outcome = run_command(server.url(), {"query", "a"});
    EXPECT_EQ(outcome.messages, "statmill: why\n");
    return outcome.code;
  };
  EXPECT_EQ(code(400), ExitCode::kUsage);
  EXPECT_EQ(code(404), ExitCode::kFailed);
  EXPECT_EQ(code(422), ExitCode::kFailed);
  EXPECT_EQ(code(500), ExitCode::kFailed);
  EXPECT_EQ(code(503), ExitCode::kUnreachable);
}

TEST(QueryCommand, AnAnswerThatIsCutShortIsNotPrinted) {
  const std::string begin = R"({"from":0,"until":20,"step":10,"tier":10,"series":[)";
  for (const std::string& bytes :
       {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n33\r\n" + begin + "\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + begin,
        "HTTP/1.1 200 OK\r\nContent-Length: 51\r\n\r\n" + begin}) {
    const FakeServer server(bytes);
    for (const std::string format : {"json", "csv", "table"}) {
      const Outcome outcome = run_command(server.url(), {"query", "a", "--format", format});
      EXPECT_EQ(outcome.code, ExitCode::kFailed) << outcome.messages;
      EXPECT_EQ(outcome.output, "");
    }
  }
}

constexpr std::string_view kQueryAnswer =
    R"({"from":1700000000,"until":1700000020,"step":10,"tier":10,)"
    R"("series":[{"name":"a","kind":"gauge","avg":[1.25,null],"max":[2,null]}]})";

TEST(QueryCommand, PrintsEachFormat) {
  const FakeServer server(200, std::string(kQueryAnswer));
  const std::vector<std::string> query = {"query", "a", "--stats", "max,avg", "--format"};
  const auto print = [&](const std::string& form) {
    std::vector<std::string> arguments = query;
    arguments.push_back(form);
    return run_command(server.url(), arguments).output;
  };
  EXPECT_EQ(print("json"), std::string(kQueryAnswer) + "\n");
  EXPECT_EQ(print("csv"),
            "series,time,unix,max,avg\n"
            "a,2023-11-14T22:13:20Z,1700000000,2,1.25\n"
            "a,2023-11-14T22:13:30Z,1700000010,,\n");
  EXPECT_EQ(print("table"),
            "a  gauge  step 10s\n"
            "time (UTC)           max   avg\n"
            "2023-11-14 22:13:20    2  1.25\n"
            "2023-11-14 22:13:30    -     -\n");
}

TEST(QueryCommand, RefusesUnexpectedAnswers) {
  const std::vector<std::string_view> answers = {
      "",
      "{}",
      "[]",
      "null",
      R"({"from":0,"until":10,"step":0,"series":[]})",
      R"({"from":0,"until":20,"step":10,"series":[{"name":"a","kind":"gauge","avg":[1]}]})",
      R"({"from":0,"until":10,"step":10,"series":[{"name":"a","kind":"gauge","avg":["1"]}]})",
      R"({"from":0,"until":10,"step":10,"series":[{"name":7,"kind":"gauge","avg":[1]}]})",
      R"({"from":0,"until":10,"step":10,"series":[{"name":"a","kind":"gauge"}]})",
  };
  for (const std::string_view answer : answers) {
    const FakeServer server(200, std::string(answer));
    const Outcome outcome = run_command(server.url(), {"query", "a", "--stats", "avg"});
    EXPECT_EQ(outcome.code, ExitCode::kFailed) << answer;
    EXPECT_THAT(outcome.messages, HasSubstr("not as expected")) << answer;
  }
}

TEST(QueryCommand, PrintsTheWarningsOfTheServer) {
  const FakeServer server(
      200, R"({"from":0,"until":10,"step":10,"tier":10,"series":[{"name":"a","kind":"gauge","avg":[1]}],)"
           R"("warnings":["3 stored frames are damaged","odd"]})");
  const Outcome outcome = run_command(server.url(), {"query", "a", "--stats", "avg", "--format", "csv"});
  EXPECT_EQ(outcome.code, ExitCode::kOk);
  EXPECT_EQ(outcome.messages, "statmill: warning: 3 stored frames are damaged\nstatmill: warning: odd\n");
}

}  // namespace
}  // namespace statmill
