// GET /api/v1/query with `expr`, over series in a table.
#include "server/promql/expression_route.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/server/promql/promql_world.h"

namespace statmill {
namespace {

using Parameters = std::vector<std::pair<std::string, std::string>>;

TEST(ExpressionGrid, HasTheEndsOfTheBins) {
  const auto text_of = [](const Bins& bins) {
    const Grid grid = expression_grid(bins);
    return std::to_string(grid.start_ms / 1000) + " " + std::to_string(grid.end_ms / 1000) + " " +
           std::to_string(grid.step_ms / 1000);
  };
  EXPECT_EQ(text_of({100, 10, 3, 100, 130}), "110 130 10");
  EXPECT_EQ(text_of({60, 60, 3, 100, 240}), "120 240 60") << "the first bin is cut";
  EXPECT_EQ(text_of({60, 60, 3, 60, 230}), "120 180 60") << "the last bin is cut";
  EXPECT_EQ(text_of({60, 60, 1, 100, 120}), "120 120 60");
  EXPECT_EQ(text_of({60, 60, 1, 70, 110}), "110 110 60") << "no multiple of the step";
  EXPECT_EQ(text_of({105, 25, 1, 105, 130}), "130 130 25") << "one bin for all";
}

class ExpressionRouteTest : public testing::Test {
 protected:
  static constexpr int64_t kEnd_s = PromqlWorld::kNow_s;

  ExpressionRouteTest() {
    world_.add("cpu;host=a", Kind::kGauge, Number::of(1.25), kEnd_s - 60);
    world_.add("cpu;host=b", Kind::kGauge, Number::of(2), kEnd_s - 60);
    world_.add("cpu;host=b", Kind::kGauge, Number::of(4), kEnd_s - 20);
    world_.add("hits;host=a", Kind::kEvent, Number::of(30), kEnd_s - 60);
    for (const double value : {1, 2, 3, 100})
      world_.add("latency", Kind::kDistribution, Number::of(value), kEnd_s - 60);
  }
  HttpResponse ask(const std::string& expression, const Parameters& more = {}, int64_t from_s = kEnd_s - 30,
                   int64_t until_s = kEnd_s) {
    Parameters all = {
        {"expr", expression}, {"from", std::to_string(from_s)}, {"until", std::to_string(until_s)}};
    all.insert(all.end(), more.begin(), more.end());
    return world_.ask({"/api/v1/query", all}, control_);
  }
  // The answer without its head and its cost.
  std::string series(const std::string& expression, const Parameters& more = {}) {
    const HttpResponse got = ask(expression, more);
    EXPECT_EQ(got.status, 200U) << got.body;
    const size_t begin = got.body.find("\"series\":");
    const size_t end = got.body.find(",\"cost\":");
    EXPECT_NE(end, std::string::npos) << got.body;
    return got.body.substr(begin, end - begin);
  }
  std::string refusal(const std::string& expression, const Parameters& more = {}) {
    const HttpResponse got = ask(expression, more);
    EXPECT_NE(got.status, 200U);
    return std::to_string(got.status) + " " + got.body;
  }

  PromqlWorld world_;
  QueryControl control_;
};

TEST_F(ExpressionRouteTest, HasARowForEachStepAfterTheBegin) {
  const std::string from = std::to_string(kEnd_s - 20);
  const std::string until = std::to_string(kEnd_s + 10);
  const std::string got = ask("sum by (host) (cpu)").body;
  const std::string want = "{\"from\":" + from + ",\"until\":" + until +
                           ",\"step\":10,\"tier\":10,\"series\":["
                           R"({"labels":{"host":"a"},"value":[1.25,1.25,1.25]},)"
                           R"({"labels":{"host":"b"},"value":[2,3,3]}],"cost":{"series":2,)";
  EXPECT_TRUE(got.starts_with(want)) << got;
}

TEST_F(ExpressionRouteTest, StepsAndPointsAreThoseOfAQueryByNames) {
  EXPECT_EQ(series("sum(rate(hits[1m]))", {{"step", "30s"}}), R"("series":[{"labels":{},"value":[3]}])");
  EXPECT_EQ(series("count(cpu)", {{"max_points", "1"}}), R"("series":[{"labels":{},"value":[2]}])");
  EXPECT_EQ(series("time()", {{"align", "true"}, {"step", "1m"}}),
            R"("series":[{"labels":{},"value":[)" + std::to_string(kEnd_s) + "]}]");
}

TEST_F(ExpressionRouteTest, WhatWasJustSentIsInTheLastRow) {
  world_.add("fresh", Kind::kGauge, Number::of(7), kEnd_s, kEnd_s + 10);
  const HttpResponse got = world_.ask({"/api/v1/query", {{"expr", "fresh"}, {"from", "-20s"}}});
  EXPECT_NE(got.body.find(R"({"__name__":"fresh"},"value":[null,null,7]}])"), std::string::npos) << got.body;
}

TEST_F(ExpressionRouteTest, AbsentIsNullAndWhatIsNoNumberIsAText) {
  EXPECT_EQ(series("cpu{host='a'} / 0"),
            R"("series":[{"labels":{"host":"a"},"value":["+Inf","+Inf","+Inf"]}])");
  EXPECT_EQ(series("cpu > 2"), R"("series":[{"labels":{"__name__":"cpu","host":"b"},"value":[null,3,3]}])");
  EXPECT_EQ(series("vector(-1/0)"), R"("series":[{"labels":{},"value":["-Inf","-Inf","-Inf"]}])");
  EXPECT_EQ(series("0 / 0"), R"("series":[{"labels":{},"value":["NaN","NaN","NaN"]}])");
}

TEST_F(ExpressionRouteTest, ReadsNothingForAScalar) {
  const HttpResponse got = ask("1 + 1");
  EXPECT_NE(got.body.find(R"("tier":null,"series":[{"labels":{},"value":[2,2,2]}])"), std::string::npos)
      << got.body;
  EXPECT_EQ(series("nothing"), "\"series\":[]");
}

TEST_F(ExpressionRouteTest, ASelectorWithStatsIsAQueryByLabels) {
  EXPECT_EQ(series("cpu{host='b'}", {{"stats", "avg,max,count"}}),
            R"("series":[{"labels":{"__name__":"cpu","host":"b"},"kind":"gauge","avg":[2,3,3],)"
            R"("max":[2,4,4],"count":[1,2,2]}])");
  EXPECT_EQ(series("(latency)", {{"stats", "count,p50"}}),
            R"("series":[{"labels":{"__name__":"latency"},"kind":"distribution","count":[4,4,4],)"
            R"("p50":[2.03125,2.03125,2.03125]}])");
  EXPECT_EQ(series("hits", {{"stats", "sum,rate"}}),
            R"("series":[{"labels":{"__name__":"hits","host":"a"},"kind":"event","sum":[30,30,30],)"
            R"("rate":[3,3,3]}])");
  const HttpResponse got = ask("cpu", {{"stats", "avg"}});
  EXPECT_TRUE(got.body.starts_with("{\"from\":" + std::to_string(kEnd_s - 30) + ",")) << got.body;
}

TEST_F(ExpressionRouteTest, ASilentCounterIsNull) {
  world_.add("requests_total;job=a", Kind::kCounter, Number::of(30), kEnd_s - 40, kEnd_s - 20);
  world_.add("requests_total;job=b", Kind::kCounter, Number::of(0), kEnd_s - 10);
  const std::string labels = R"({"labels":{"__name__":"requests_total","job":")";
  EXPECT_EQ(series("requests_total", {{"stats", "sum,avg,rate,count"}}),
            R"("series":[)" + labels +
                R"(a"},"kind":"counter","sum":[30,null,null],"avg":[3,null,null],)"
                R"("rate":[3,null,null],"count":[1,null,null]},)" +
                labels +
                R"(b"},"kind":"counter","sum":[null,null,0],"avg":[null,null,0],)"
                R"("rate":[null,null,0],"count":[null,null,1]}])");
  EXPECT_EQ(
      series("requests_total{job='a'}", {{"stats", "sum,avg,rate,count"}, {"max_points", "1"}}),
      R"("series":[)" + labels + R"(a"},"kind":"counter","sum":[30],"avg":[3],"rate":[1],"count":[1]}])")
      << "the rate is over the whole step, the mean over the slots that there are";
  EXPECT_EQ(series("rate(requests_total[10s])"), R"("series":[{"labels":{"job":"a"},"value":[3,null,null]},)"
                                                 R"({"labels":{"job":"b"},"value":[null,null,0]}])");
  EXPECT_EQ(series("sum(rate(requests_total[1m]))"), R"("series":[{"labels":{},"value":[1,1,1]}])");
  EXPECT_EQ(
      series("sum by (job) (requests_total)"),
      R"("series":[{"labels":{"job":"a"},"value":[60,60,60]},{"labels":{"job":"b"},"value":[null,null,0]}])");
  EXPECT_EQ(series("absent_over_time(requests_total{job='a'}[20s])"),
            R"("series":[{"labels":{"job":"a"},"value":[null,null,1]}])");
  EXPECT_EQ(series("absent(requests_total{job='a'} offset -10m)"),
            R"("series":[{"labels":{"job":"a"},"value":[1,1,1]}])");
}

TEST_F(ExpressionRouteTest, TheSlotOfACounterUnderWayCountsWithThePartThatHasPassed) {
  world_.add("requests_total", Kind::kCounter, Number::of(30), kEnd_s - 10, kEnd_s + 10);
  const std::string until = std::to_string(kEnd_s + 10);
  const HttpResponse got = world_.ask({"/api/v1/query",
                                       {{"expr", "requests_total"},
                                        {"from", std::to_string(kEnd_s - 20)},
                                        {"until", until},
                                        {"max_points", "1"},
                                        {"stats", "sum,avg,rate"}}});
  // 60 in a silent slot, a slot of 10 s, and the second that has passed of the last one.
  EXPECT_NE(got.body.find(R"("sum":[60],"avg":[5.454545454545454],"rate":[2.857142857142857]}])"),
            std::string::npos)
      << got.body;
}

TEST_F(ExpressionRouteTest, BucketsHaveSeveralStats) {
  EXPECT_EQ(series("sum(buckets_over_time(latency[20s]))", {{"stats", "count,sum,min,max,p50,p100"}}),
            R"("series":[{"labels":{},"count":[8,8,8],"sum":[212,212,212],"min":[1,1,1],"max":[100,100,100],)"
            R"("p50":[2.03125,2.03125,2.03125],"p100":[100,100,100]}])");
  EXPECT_EQ(
      series("rate(latency[20s])", {{"stats", "count,avg,sum"}}),
      R"("series":[{"labels":{},"count":[0.4,0.4,0.4],"avg":[26.5,26.5,26.5],"sum":[10.6,10.6,10.6]}])");
  EXPECT_EQ(series("buckets_over_time(cpu{host='a'}[20s])", {{"stats", "avg,p50"}}),
            R"("series":[{"labels":{"host":"a"},"avg":[1.25,1.25,1.25],"p50":[null,null,null]}])")
      << "a gauge has no percentiles";
  EXPECT_EQ(series("buckets_over_time(latency[20s])"), R"("series":[{"labels":{},"avg":[26.5,26.5,26.5]}])");
}

TEST_F(ExpressionRouteTest, WritesCsv) {
  const HttpResponse got = ask("cpu > 2 or vector(1)", {{"format", "csv"}});
  EXPECT_EQ(got.content_type, kCsv);
  EXPECT_EQ(got.body, "time,{}:value,\"cpu{host=\"\"b\"\"}:value\"\r\n" + std::to_string(kEnd_s - 20) +
                          ",1,\r\n" + std::to_string(kEnd_s - 10) + ",1,3\r\n" + std::to_string(kEnd_s) +
                          ",1,3\r\n");
  EXPECT_TRUE(ask("latency", {{"format", "csv"}, {"stats", "avg,p50"}})
                  .body.starts_with("time,latency:avg,latency:p50\r\n"));
}

TEST_F(ExpressionRouteTest, SaysHowTheNumbersAreToBeRead) {
  for (int64_t t = kEnd_s - 5400; t < kEnd_s - 5000; t += 10)
    world_.add("old", Kind::kGauge, Number::of(1), t, t + 10);
  const HttpResponse got = ask("old", {}, kEnd_s - 5400, kEnd_s - 4800);
  EXPECT_NE(got.body.find(R"("tier":300)"), std::string::npos) << got.body;
  EXPECT_NE(got.body.find(R"("infos":["means of 5m)"), std::string::npos) << got.body;
}

TEST_F(ExpressionRouteTest, ErrorsSayWhereAndWhy) {
  EXPECT_EQ(refusal("sum(cpu"),
            R"(400 {"error":"parameter expr: 1:8: parse error: unclosed left parenthesis","status":400})"
            "\n");
  EXPECT_TRUE(refusal("cpu[5m]").starts_with("400 {\"error\":\"parameter expr: "));
  EXPECT_TRUE(refusal("info(cpu)").starts_with("422 {\"error\":\"parameter expr: info: "));
  EXPECT_TRUE(refusal("cpu + on() cpu").starts_with("400 "));
  EXPECT_TRUE(refusal("'a'").starts_with("400 {\"error\":\"parameter expr: a text"));
  EXPECT_TRUE(refusal("cpu * 2", {{"stats", "avg"}}).starts_with("400 {\"error\":\"parameter stats: "));
  EXPECT_TRUE(refusal("1", {{"stats", "avg"}}).starts_with("400 {\"error\":\"parameter stats: "));
  EXPECT_TRUE(refusal("rate(latency[1m])", {{"stats", "rate"}}).starts_with("400 "));
  EXPECT_TRUE(refusal("cpu offset 1m", {{"stats", "avg"}}).starts_with("400 {\"error\":\"parameter stats: "));
  EXPECT_TRUE(refusal("cpu @ 5", {{"stats", "avg"}}).starts_with("400 {\"error\":\"parameter stats: "));
  EXPECT_TRUE(refusal("cpu", {{"stats", "mean"}}).starts_with("400 {\"error\":\"parameter stats: "));
  EXPECT_TRUE(refusal("cpu", {{"series", "cpu"}}).starts_with("400 {\"error\":\"parameter expr: "));
  EXPECT_TRUE(refusal("cpu", {{"step", "x"}}).starts_with("400 {\"error\":\"parameter step: "));
}

TEST_F(ExpressionRouteTest, LimitsAreAnsweredWith422) {
  QueryLimits limits;
  limits.points_max = 5;
  const Parameters wide = {{"expr", "cpu"}, {"from", "-10m"}, {"step", "10"}};
  QueryControl few_points(limits);
  EXPECT_EQ(world_.ask({"/api/v1/query", wide}, few_points).status, 422U);
  limits = {};
  limits.memory_bytes_max = 100;
  QueryControl little_memory(limits);
  const HttpResponse got = world_.ask({"/api/v1/query", {{"expr", "cpu"}}}, little_memory);
  EXPECT_EQ(got.status, 422U);
  EXPECT_NE(got.body.find("--query.memory)"), std::string::npos) << got.body;
}

TEST_F(ExpressionRouteTest, ATimeoutOfTheRequestHolds) {
  QueryControl control;
  control.stop(QueryStop::kTimeout);
  EXPECT_EQ(world_.ask({"/api/v1/query", {{"expr", "cpu"}, {"timeout", "1ms"}}}, control).status, 503U);
}

TEST_F(ExpressionRouteTest, NamesAreStillAnswered) {
  EXPECT_EQ(world_.ask({"/api/v1/query", {{"series", "x"}}}).status, 200U);
  EXPECT_EQ(world_.fake().queries().size(), 1U);
  EXPECT_NE(world_.ask({"/api/v1/query", {}}).body.find("parameter series or expr: missing"),
            std::string::npos);
}

TEST_F(ExpressionRouteTest, StepsOfSecondsReadTheDetailThatSeriesKeep) {
  world_.add("second_hits;host=a", Kind::kEvent, Number::of(3), kEnd_s - 60, kEnd_s, 1);
  world_.add("second_hits;host=a", Kind::kEvent, Number::of(50), kEnd_s - 3, kEnd_s - 2);
  world_.add("second_load;host=a", Kind::kGauge, Number::of(7), kEnd_s - 60, kEnd_s - 2, 1);
  world_.add("second_load;host=a", Kind::kGauge, Number::of(9), kEnd_s - 2, kEnd_s, 1);
  const auto head_and_series = [&](const std::string& expression, const std::string& step) {
    const HttpResponse got = ask(expression, {{"step", step}}, kEnd_s - 10);
    EXPECT_EQ(got.status, 200U) << got.body;
    return got.body.substr(0, got.body.find(",\"cost\":"));
  };
  const std::string of_second = head_and_series("rate(second_hits[1s])", "1");
  EXPECT_NE(of_second.find("\"step\":1,\"tier\":1,"), std::string::npos) << of_second;
  EXPECT_NE(of_second.find("[3,3,3,3,3,3,3,53,3,3]"), std::string::npos) << of_second;
  const std::string of_gauge = head_and_series("max(second_load)", "1");
  EXPECT_NE(of_gauge.find("[7,7,7,7,7,7,7,7,9,9]"), std::string::npos) << of_gauge;
  const std::string of_slot = head_and_series("rate(second_hits[10s])", "10");
  EXPECT_NE(of_slot.find("\"step\":10,\"tier\":10,"), std::string::npos) << of_slot;
  EXPECT_NE(of_slot.find("[8]"), std::string::npos) << of_slot;
  const std::string without = head_and_series("rate(hits[1s])", "1");
  EXPECT_NE(without.find("\"step\":1,\"tier\":10,"), std::string::npos) << without;
}

}  // namespace
}  // namespace statmill
