// query_exemplars, as Prometheus answers it.
#include "server/promql/exemplar_route.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/server/promql/promql_world.h"

namespace statmill {
namespace {

class ExemplarRouteTest : public testing::Test {
 protected:
  static constexpr int64_t kNow_s = PromqlWorld::kNow_s;
  static constexpr std::string_view kPath = "/prometheus/api/v1/query_exemplars";

  // Sends an exemplar with the label `trace_id`, and a sample of the series at that time.
  void add(std::string_view series, Kind kind, double value, std::string_view trace,
           int64_t ms_ago = 20'000) {
    Batch batch;
    Sample& sample = batch.samples.emplace_back();
    sample.name = series;
    sample.kind = kind;
    sample.value = Number::of(1);
    batch.received = 1;
    const std::vector<LabelView> labels = {{"trace_id", trace}};
    batch.add_exemplar({series, kNow_s * 1000 - ms_ago, true, value, {}}, labels);
    world_.table().apply(batch, from_unix_seconds(kNow_s));
    ASSERT_EQ(batch.exemplars_accepted, 1U);
    world_.tick();
  }
  HttpResponse ask(const std::string& query, std::vector<std::pair<std::string, std::string>> more = {}) {
    more.emplace_back("query", query);
    return world_.ask({std::string(kPath), std::move(more)});
  }
  std::string data(const std::string& query, std::vector<std::pair<std::string, std::string>> more = {}) {
    const HttpResponse got = ask(query, std::move(more));
    EXPECT_EQ(got.status, 200U) << got.body;
    constexpr std::string_view kHead = R"({"status":"success","data":)";
    EXPECT_TRUE(got.body.starts_with(kHead)) << got.body;
    return got.body.substr(kHead.size(), got.body.size() - kHead.size() - 2);
  }
  static std::string exemplar(std::string_view trace, std::string_view value, std::string_view time) {
    return R"({"labels":{"trace_id":")" + std::string(trace) + R"("},"value":")" + std::string(value) +
           R"(","timestamp":)" + std::string(time) + "}";
  }

  PromqlWorld world_;
};

TEST_F(ExemplarRouteTest, AnswersInTheFormOfPrometheus) {
  add("h_bucket;job=b;le=0.5", Kind::kCounter, 0.25, "t1", 20'500);
  add("h_bucket;job=b;le=+Inf", Kind::kCounter, 6, "t2");
  add("h_bucket;job=b;le=+Inf", Kind::kCounter, 7, "t3", 10'000);
  add("h_bucket;job=a;le=+Inf", Kind::kCounter, 1e100, "t\"4");
  EXPECT_EQ(data("h_bucket"),
            R"([{"seriesLabels":{"__name__":"h_bucket","job":"a","le":"+Inf"},"exemplars":[)" +
                exemplar("t\\\"4", "1e+100", "1700000080") +
                R"(]},{"seriesLabels":{"__name__":"h_bucket","job":"b","le":"+Inf"},"exemplars":[)" +
                exemplar("t2", "6", "1700000080") + "," + exemplar("t3", "7", "1700000090") +
                R"(]},{"seriesLabels":{"__name__":"h_bucket","job":"b","le":"0.5"},"exemplars":[)" +
                exemplar("t1", "0.25", "1700000079.500") + "]}]");
  EXPECT_EQ(data("none"), "[]");
}

TEST_F(ExemplarRouteTest, EachSelectorOfTheQueryCounts) {
  add("a;x=1", Kind::kGauge, 1, "t1");
  add("a;x=2", Kind::kGauge, 2, "t2");
  add("b", Kind::kGauge, 3, "t3");
  add("c", Kind::kGauge, 4, "t4");
  const std::string got =
      data(R"(histogram_quantile(0.9, sum(rate(a{x=~"1|3"}[5m])) by (le)) + b / (b > 1))");
  EXPECT_EQ(got, R"([{"seriesLabels":{"__name__":"a","x":"1"},"exemplars":[)" +
                     exemplar("t1", "1", "1700000080") +
                     R"(]},{"seriesLabels":{"__name__":"b"},"exemplars":[)" +
                     exemplar("t3", "3", "1700000080") + "]}]");
  EXPECT_EQ(data("vector(1)"), "[]");
}

TEST_F(ExemplarRouteTest, BucketsOfADistributionAreThoseOfTheDistribution) {
  add("h;job=b", Kind::kDistribution, 6, "t1");
  add("g", Kind::kGauge, 6, "t2");
  EXPECT_EQ(data(R"(sum(rate(h_bucket{job="b",le="5"}[1m])) by (le))"),
            R"([{"seriesLabels":{"__name__":"h","job":"b"},"exemplars":[)" +
                exemplar("t1", "6", "1700000080") + "]}]");
  EXPECT_EQ(data(R"(h_bucket{job="c"})"), "[]");
  EXPECT_EQ(data("g_bucket"), "[]");
}

TEST_F(ExemplarRouteTest, ARangeOfTimeIsHalfOfNothing) {
  add("a", Kind::kGauge, 1, "t1", 30'000);
  add("a", Kind::kGauge, 2, "t2", 20'000);
  const auto between = [&](const char* start, const char* end) {
    return data("a", {{"start", start}, {"end", end}});
  };
  const std::string head = R"([{"seriesLabels":{"__name__":"a"},"exemplars":[)";
  const std::string first = exemplar("t1", "1", "1700000070");
  const std::string second = exemplar("t2", "2", "1700000080");
  EXPECT_EQ(between("1700000070", "1700000080"), head + first + "," + second + "]}]") << "both ends are in";
  EXPECT_EQ(between("1700000070.001", "2023-11-14T22:14:40Z"), head + second + "]}]");
  EXPECT_EQ(between("1700000000", "1700000079.999"), head + first + "]}]");
  EXPECT_EQ(between("1700000081", "1700000090"), "[]");
  EXPECT_EQ(between("-5", "0"), "[]");
  EXPECT_EQ(data("a", {{"start", "1700000075"}}), head + second + "]}]");
}

TEST_F(ExemplarRouteTest, WhatIsWrongIsSaid) {
  EXPECT_EQ(ask("a{").status, 400U);
  EXPECT_EQ(ask("").status, 400U);
  EXPECT_EQ(ask("a", {{"start", "x"}}).status, 400U);
  EXPECT_EQ(ask("a", {{"start", "2"}, {"end", "1"}}).status, 400U);
  EXPECT_EQ(ask("a", {{"limit", "x"}}).status, 400U);
}

TEST_F(ExemplarRouteTest, ALimitCutsTheAnswerAndSaysSo) {
  for (int i = 0; i < 3; ++i) add("a", Kind::kGauge, i, "t", 60'000 - 10'000 * i);
  EXPECT_EQ(data("a", {{"limit", "2"}}),
            R"([{"seriesLabels":{"__name__":"a"},"exemplars":[)" + exemplar("t", "0", "1700000040") + "," +
                exemplar("t", "1", "1700000050") +
                R"(]}],"warnings":["there are more than 2 exemplars: ask for fewer series or less time"])");
  EXPECT_EQ(data("a", {{"limit", "3"}}).find("warnings"), std::string::npos);
}

TEST_F(ExemplarRouteTest, EndsWithItsQuery) {
  add("a", Kind::kGauge, 1, "t1");
  QueryControl stopped;
  stopped.stop(QueryStop::kTimeout);
  EXPECT_EQ(world_.ask({std::string(kPath), {{"query", "a"}}}, stopped).status, 503U);
  QueryLimits limits;
  limits.memory_bytes_max = 1;
  QueryControl small(limits);
  EXPECT_EQ(world_.ask({std::string(kPath), {{"query", "a"}}}, small).status, 422U);
}

}  // namespace
}  // namespace statmill
