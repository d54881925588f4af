// `statmill query` against a server with prepared answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
