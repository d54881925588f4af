// What the parameters of /api/v1/query mean, and what is wrong with those that mean nothing.
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
  EXPECT_EQ(got->request.until_s, kFakeNow_s + 1) << "the present second is in";
  EXPECT_EQ(got->request.step_s, std::nullopt);
  EXPECT_EQ(got->request.max_points, std::nullopt);
  EXPECT_EQ(got->stats, std::vector<Stat>{Stat::kAvg});
}

TEST(QueryParametersTest, EverythingCanBeSaid) {
  const auto got = parse("series=a&series=b&from=100&until=200&step=5m&max_points=7&stats=min,count,rate");
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->request.series, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(got->request.from_s, 100);
  EXPECT_EQ(got->request.until_s, 200);
  EXPECT_EQ(got->request.step_s, 300);
  EXPECT_EQ(got->request.max_points, 7);
  EXPECT_EQ(got->stats, (std::vector<Stat>{Stat::kMin, Stat::kCount, Stat::kRate}));
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
           {"series=a&from=yesterday", "parameter from: time \"yesterday\""},
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
  EXPECT_EQ(parse_series_parameters(*parse_url("/s?limit=100000"))->limit, 100'000u);
  EXPECT_EQ(parse_series_parameters(*parse_url("/s?limit=100001")).error().message,
            "parameter limit: number \"100001\": not in 1..100000");
  EXPECT_TRUE(
      parse_series_parameters(*parse_url("/s?match=[a")).error().message.starts_with("parameter match: "));
}

}  // namespace
}  // namespace statmill
