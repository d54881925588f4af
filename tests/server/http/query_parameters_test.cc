// The parameters of /api/v1/query: their meaning, and the errors for invalid ones.
#include "server/http/query_parameters.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/server/http/fake_services.h"

namespace statmill {
namespace {

Result<QueryParameters> parse(std::string_view query) {
  return parse_query_parameters(*parse_url("/api/v1/query?" + std::string(query)),
                                from_unix_seconds(kFakeNow_s));
}

TEST(QueryParametersTest, DefaultsAreTheLastHourAveraged) {
  const auto got = parse("series=cpu.*");
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->request.series, std::vector<std::string>{"cpu.*"});
  EXPECT_EQ(got->request.from_s, kFakeNow_s - 3600);
  EXPECT_EQ(got->request.until_s, kFakeNow_s + 1) << "the current second is included";
  EXPECT_EQ(got->request.step_s, std::nullopt);
  EXPECT_EQ(got->request.max_points, std::nullopt);
  EXPECT_EQ(got->stats, std::vector<Stat>{Stat::kAvg});
}

TEST(QueryParametersTest, AllParametersAreParsed) {
  const auto got = parse("series=a&series=b&from=100&until=200&step=5m&max_points=7&stats=min,count,rate");
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->request.series, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(got->request.from_s, 100);
  EXPECT_EQ(got->request.until_s, 200);
  EXPECT_EQ(got->request.step_s, 300);
  EXPECT_EQ(got->request.max_points, 7);
  EXPECT_EQ(got->stats, (std::vector<Stat>{Stat::kMin, Stat::kCount, Stat::kRate}));
}

TEST(QueryParametersTest, PercentilesAreGivenAmongTheStats) {
  const auto got = parse("series=a&stats=p50,avg,p99.9,p100");
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->stats, std::vector<Stat>{Stat::kAvg});
  ASSERT_EQ(got->request.percentiles.size(), 3U);
  EXPECT_EQ(got->request.percentiles[1].name, "p99.9");
  EXPECT_DOUBLE_EQ(got->request.percentiles[1].q, 0.999);
  EXPECT_EQ(got->request.percentiles[2].q, 1);
  EXPECT_TRUE(got->request.parts.histograms);
  EXPECT_FALSE(parse("series=a&stats=avg")->request.parts.extremes);
  EXPECT_TRUE(parse("series=a&stats=avg,max")->request.parts.extremes);
  EXPECT_FALSE(parse("series=a&stats=avg,max")->request.parts.squares);
  EXPECT_TRUE(parse("series=a&stats=stddev")->request.parts.squares);
  EXPECT_FALSE(parse("series=a")->request.align);
  EXPECT_TRUE(parse("series=a&align=true")->request.align);
  EXPECT_FALSE(parse("series=a&align=maybe"));
  EXPECT_TRUE(parse("series=a&stats=p99")->stats.empty());
}

TEST(QueryParametersTest, AnExpressionHasARangeAndStatsOnlyIfTheyAreNamed) {
  const auto parse_expression = [](std::string_view query) {
    return parse_expression_parameters(*parse_url("/api/v1/query?" + std::string(query)),
                                       from_unix_seconds(kFakeNow_s));
  };
  const auto got = parse_expression("expr=sum(x)&from=100&until=200&format=csv&timeout=2");
  ASSERT_TRUE(got);
  EXPECT_EQ(got->expression, "sum(x)");
  EXPECT_EQ(got->query.request.from_s, 100);
  EXPECT_TRUE(got->query.is_csv);
  EXPECT_EQ(got->query.timeout, std::chrono::seconds(2));
  EXPECT_TRUE(got->query.stats.empty());
  EXPECT_EQ(parse_expression("expr=x&stats=avg,p99")->query.request.percentiles.size(), 1U);
  EXPECT_FALSE(parse_expression("expr=x&stats="));
  EXPECT_FALSE(parse_expression("expr=x&series=x"));
  EXPECT_FALSE(parse_expression("expr=x&from=now&until=-1h"));
}

TEST(QueryParametersTest, AHeatmapMergesAndCountsByDefault) {
  const auto parse_heatmap = [](std::string_view query) {
    return parse_heatmap_parameters(*parse_url("/api/v1/heatmap?" + std::string(query)),
                                    from_unix_seconds(kFakeNow_s));
  };
  const auto got = parse_heatmap("series=a.*");
  ASSERT_TRUE(got.has_value());
  EXPECT_TRUE(got->query.request.merges);
  EXPECT_TRUE(got->query.request.parts.histograms);
  EXPECT_EQ(got->query.stats, std::vector<Stat>{Stat::kCount});
  EXPECT_EQ(got->grouping_power, kHistogramGroupingPower);
  EXPECT_EQ(parse_heatmap("series=a&grouping=2")->grouping_power, 2);
  EXPECT_EQ(parse_heatmap("series=a&stats=p50")->query.request.percentiles.size(), 1U);
  for (const std::string_view wrong :
       {"series=a&grouping=6", "series=a&grouping=x", "stats=p50", "series=a&stats=q"})
    EXPECT_FALSE(parse_heatmap(wrong).has_value()) << wrong;
}

TEST(QueryParametersTest, PlainStepIsSeconds) { EXPECT_EQ(parse("series=a&step=30")->request.step_s, 30); }

TEST(QueryParametersTest, ErrorsNameTheParameter) {
  struct Case {
    std::string_view query;
    std::string_view want;  // the start of the message
  };
  for (const Case& c : std::vector<Case>{
           {"from=1", "parameter series: missing"},
           {"series=", "parameter series: empty"},
           {"series=a&from=soon", "parameter from: time \"soon\""},
           {"series=a&until=", "parameter until: time \"\""},
           {"series=a&from=5&until=5", "parameter from: not before until"},
           {"series=a&from=now&until=-1h", "parameter from: not before until"},
           {"series=a&step=0", "parameter step: number \"0\""},
           {"series=a&step=", "parameter step: number \"\""},
           {"series=a&step=0s", "parameter step: duration \"0s\""},
           {"series=a&step=1500ms", "parameter step: duration \"1500ms\""},
           {"series=a&step=2y", "parameter step: duration \"2y\""},
           {"series=a&step=5x", "parameter step: duration \"5x\""},
           {"series=a&max_points=0", "parameter max_points: number \"0\""},
           {"series=a&max_points=1e3", "parameter max_points: number \"1e3\""},
           {"series=a&stats=", "parameter stats: no stat"},
           {"series=a&stats=avg,", "parameter stats: no such stat \"\""},
           {"series=a&stats=AVG", "parameter stats: no such stat \"AVG\" (known: count, sum"},
           {"series=a&stats=p", "parameter stats: no such stat \"p\""},
           {"series=a&stats=p101", "parameter stats: no such stat"},
           {"series=a&stats=p-1", "parameter stats: no such stat"},
           {"series=a&stats=p1e1", "parameter stats: no such stat"},
           {"series=a&stats=pnan", "parameter stats: no such stat"},
           {"series=a&stats=p50,p50.0", "parameter stats: stat \"p50.0\" is given more than once"},
           {"series=a&stats=p1,p2,p3,p4,p5,p6,p7,p8,p9,p10,p11", "parameter stats: more than 10 percentiles"},
           {"series=a&stats=avg,min,avg", "parameter stats: stat \"avg\" is given more than once"},
       }) {
    const auto got = parse(c.query);
    ASSERT_FALSE(got.has_value()) << c.query;
    EXPECT_EQ(got.error().code, ErrorCode::kInvalid) << c.query;
    EXPECT_TRUE(got.error().message.starts_with(c.want)) << c.query << ": " << got.error().message;
  }
}

TEST(QueryParametersTest, SeriesListHasDefaultsAndLimits) {
  const auto plain = parse_series_parameters(*parse_url("/s"));
  ASSERT_TRUE(plain.has_value());
  EXPECT_EQ(plain->match.text(), "*");
  EXPECT_EQ(plain->limit, 1000u);
  EXPECT_EQ(parse_series_parameters(*parse_url("/s?match=a;y=2;x=~1"))->match.text(), "a;x=%7E1;y=2");
  EXPECT_EQ(parse_series_parameters(*parse_url("/s?limit=100000"))->limit, 100'000u);
  EXPECT_EQ(parse_series_parameters(*parse_url("/s?limit=100001")).error().message,
            "parameter limit: number \"100001\": not in 1..100000");
  EXPECT_TRUE(
      parse_series_parameters(*parse_url("/s?match=[a")).error().message.starts_with("parameter match: "));
}

}  // namespace
}  // namespace statmill
