// `statmill graph` against a server with prepared answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/fake_server.h"
#include "tests/tools/run_command.h"

namespace statmill {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kDrawnNames =
    R"({"from":0,"until":20,"step":10,"tier":10,"series":[{"name":"a","kind":"gauge",)"
    R"("avg":[1,2],"min":[0,1],"max":[4,5],"count":[3,1]}]})";
constexpr std::string_view kDrawnExpression =
    R"({"from":0,"until":30,"step":10,"tier":10,"series":[{"labels":{"host":"a"},"value":[2,null,4]}],)"
    R"("infos":["means"]})";

TEST(GraphCommand, AsksForWhatTheChartShows) {
  const FakeServer server(200, std::string(kDrawnNames));
  const Outcome outcome = run_command(server.url(), {"graph", "a", "--columns", "70"});
  EXPECT_EQ(outcome.code, ExitCode::kOk) << outcome.messages;
  EXPECT_THAT(server.requests().front(),
              HasSubstr("?series=a&from=-1h&until=now&max_points=120&stats=avg%2Cmin"));
  EXPECT_THAT(outcome.output, HasSubstr("avg (dots: min to max) · 10s a point"));
  EXPECT_THAT(outcome.output, HasSubstr("2         1.25            0            5")) << "last avg min max";
}

TEST(GraphCommand, DrawsTheValueOfAnExpression) {
  const FakeServer server(200, std::string(kDrawnExpression));
  const Outcome outcome =
      run_command(server.url(), {"graph", "--expr", "sum by (host) (x)", "--step", "10", "--columns", "70"});
  EXPECT_EQ(outcome.code, ExitCode::kOk) << outcome.messages;
  EXPECT_THAT(server.requests().front(),
              HasSubstr("?expr=sum%20by%20%28host%29%20%28x%29&from=-1h&until=now&step=10"));
  EXPECT_THAT(outcome.output, HasSubstr("value · 10s a point"));
  EXPECT_THAT(outcome.output, HasSubstr(R"({host="a"})"));
  EXPECT_THAT(outcome.output, HasSubstr("4            3            2            4")) << "last avg min max";
  EXPECT_EQ(outcome.messages, "statmill: note: means\n");
}

TEST(GraphCommand, AnExpressionWithAStatHasItsBand) {
  const FakeServer server(200, std::string(kDrawnNames));
  const Outcome outcome =
      run_command(server.url(), {"graph", "--expr", "x", "--stat", "max", "--columns", "70"});
  EXPECT_THAT(server.requests().front(), HasSubstr("?expr=x&"));
  EXPECT_THAT(server.requests().front(), HasSubstr("&stats=max%2Cavg%2Cmin%2Ccount"));
  EXPECT_THAT(outcome.output, HasSubstr("max (dots: min to max)"));
}

TEST(GraphCommand, BucketsWithoutAStatAreAverages) {
  const FakeServer server(200,
                          R"({"from":0,"until":10,"step":10,"tier":10,"series":[{"labels":{},"avg":[7]}]})");
  const Outcome outcome = run_command(server.url(), {"graph", "--expr", "x", "--columns", "70"});
  EXPECT_THAT(outcome.output, HasSubstr("avg · 10s a point"));
  EXPECT_THAT(outcome.output, HasSubstr("7            7            7            7"));
  EXPECT_THAT(server.requests().front(), Not(HasSubstr("stats")));
}

TEST(GraphCommand, MarksWhereAnExpressionIsWrong) {
  const FakeServer server(400, R"({"error":"parameter expr: 1:3: parse error: unexpected end of input"})");
  const Outcome outcome = run_command(server.url(), {"graph", "--expr", "1+"});
  EXPECT_EQ(outcome.code, ExitCode::kUsage);
  EXPECT_THAT(outcome.messages, HasSubstr("\n  1+\n    ^\n"));
}

}  // namespace
}  // namespace statmill
