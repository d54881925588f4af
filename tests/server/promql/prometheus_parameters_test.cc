// The parameters of Prometheus' HTTP API: what they mean, and the words of their errors.
#include "server/promql/prometheus_parameters.h"

#include <gtest/gtest.h>

#include <string>

#include "server/promql/compile.h"

namespace statmill {
namespace {

constexpr int64_t kNow_ms = 1'700'000'000'125;

Url url_of(std::string_view parameters) { return *parse_url("/x?" + std::string(parameters)); }

template <class Value>
std::string error_of(const Result<Value>& result) {
  if (result) return "none";
  EXPECT_EQ(result.error().code, ErrorCode::kInvalid);
  return result.error().message;
}

TEST(PrometheusParameters, TimesAreSecondsOrRfc3339) {
  struct Case {
    std::string_view text;
    int64_t want_ms;
  };
  for (const auto& [text, want_ms] : std::vector<Case>{{"1700000000", 1'700'000'000'000},
                                                       {"1700000000.125", kNow_ms},
                                                       {"1700000000.1254", kNow_ms},
                                                       {"1.7e9", 1'700'000'000'000},
                                                       {"-1.5", -1500},
                                                       {"2023-11-14T22:13:20Z", 1'700'000'000'000},
                                                       {"2023-11-14T22:13:20.125Z", kNow_ms},
                                                       {"2023-11-14T22:13:20.1259z", kNow_ms},
                                                       {"2023-11-14T23:13:20+01:00", 1'700'000'000'000},
                                                       {"2023-11-14T16:43:20-05:30", 1'700'000'000'000},
                                                       {"2024-02-29T00:00:00Z", 1'709'164'800'000},
                                                       {"1969-12-31T23:59:59Z", -1000}}) {
    const auto got = parse_api_time(text);
    ASSERT_TRUE(got) << text;
    EXPECT_EQ(*got, want_ms) << text;
  }
}

TEST(PrometheusParameters, OtherTimesAreRefused) {
  for (const std::string_view text :
       {"", "now", "-6h", "1700000000x", "nan", "inf", "1e20", "2023-11-14", "2023-11-14T22:13:20",
        "2023-11-14 22:13:20Z", "2023-02-29T00:00:00Z", "2023-13-01T00:00:00Z", "2023-11-14T24:00:00Z",
        "2023-11-14T22:60:20Z", "2023-11-14T22:13:20+1:00", "2023-11-14T22:13:20+24:00",
        "2023-11-14T22:13:20Zx", "-023-11-14T22:13:20Z"}) {
    EXPECT_FALSE(parse_api_time(text)) << text;
  }
  EXPECT_EQ(error_of(parse_api_time("soon")), "cannot parse \"soon\" to a valid timestamp");
}

TEST(PrometheusParameters, DurationsAreSecondsOrWithUnits) {
  for (const auto& [text, want_ms] : {std::pair<std::string_view, int64_t>{"15", 15'000},
                                      {"0.5", 500},
                                      {"1h30m", 5'400'000},
                                      {"1d", 86'400'000},
                                      {"100ms", 100}}) {
    const auto got = parse_api_duration(text);
    ASSERT_TRUE(got) << text;
    EXPECT_EQ(*got, want_ms) << text;
  }
  for (const std::string_view text : {"", "5x", "m", "1m1h", "nan", "0s"})
    EXPECT_FALSE(parse_api_duration(text)) << text;
}

TEST(PrometheusParameters, ARangeHasAStartAnEndAndAStep) {
  const auto range = parse_range(url_of("start=100&end=160.5&step=15s"));
  ASSERT_TRUE(range);
  EXPECT_EQ(*range, (Grid{.start_ms = 100'000, .end_ms = 160'500, .step_ms = 15'000}));
  EXPECT_EQ(range->points(), 5U);
  EXPECT_TRUE(parse_range(url_of("start=100&end=100&step=1")));
  EXPECT_TRUE(parse_range(url_of("start=0&end=11000&step=1"))) << "11,001 points, as there";
}

TEST(PrometheusParameters, OtherRangesAreRefusedInTheWordsOfPrometheus) {
  EXPECT_EQ(error_of(parse_range(url_of("end=1&step=1"))),
            "invalid parameter \"start\": cannot parse \"\" to a valid timestamp");
  EXPECT_EQ(error_of(parse_range(url_of("start=1&end=x&step=1"))),
            "invalid parameter \"end\": cannot parse \"x\" to a valid timestamp");
  EXPECT_EQ(error_of(parse_range(url_of("start=2&end=1&step=1"))),
            "invalid parameter \"end\": end timestamp must not be before start time");
  EXPECT_EQ(error_of(parse_range(url_of("start=1&end=2&step=a"))),
            "invalid parameter \"step\": cannot parse \"a\" to a valid duration");
  for (const std::string step : {"0", "-1"}) {
    EXPECT_EQ(
        error_of(parse_range(url_of("start=1&end=2&step=" + step))),
        "invalid parameter \"step\": zero or negative query resolution step widths are not accepted. Try "
        "a positive integer");
  }
  EXPECT_EQ(
      error_of(parse_range(url_of("start=0&end=11001&step=1"))),
      "exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution "
      "(?step=XX)");
}

TEST(PrometheusParameters, AnInstantIsNowUnlessItIsGiven) {
  const Timestamp now{Duration(kNow_ms)};
  EXPECT_EQ(*parse_instant(url_of("query=x"), now), kNow_ms);
  EXPECT_EQ(*parse_instant(url_of("time="), now), kNow_ms);
  EXPECT_EQ(*parse_instant(url_of("time=7"), now), 7'000);
  EXPECT_EQ(error_of(parse_instant(url_of("time=x"), now)),
            "invalid parameter \"time\": cannot parse \"x\" to a valid timestamp");
}

TEST(PrometheusParameters, TheLookbackIsPositive) {
  EXPECT_EQ(*parse_lookback(url_of("query=x")), promql::kDefaultLookbackMs);
  EXPECT_EQ(*parse_lookback(url_of("lookback_delta=")), promql::kDefaultLookbackMs);
  EXPECT_EQ(*parse_lookback(url_of("lookback_delta=1m")), 60'000);
  EXPECT_EQ(error_of(parse_lookback(url_of("lookback_delta=0"))),
            "invalid parameter \"lookback_delta\": must be positive");
  EXPECT_FALSE(parse_lookback(url_of("lookback_delta=x")));
}

TEST(PrometheusParameters, ACatalogRequestHasSelectorsTimesAndALimit) {
  const auto all = parse_catalog_request(url_of("x=1"));
  ASSERT_TRUE(all);
  EXPECT_TRUE(all->selectors.empty());
  EXPECT_EQ(all->start_ms, INT64_MIN);
  EXPECT_EQ(all->end_ms, INT64_MAX);
  EXPECT_EQ(all->limit, SIZE_MAX);
  const auto some =
      parse_catalog_request(url_of("match[]=up&match[]={job=~'a.*',dc!='b'}&start=1&end=2&limit=3"));
  ASSERT_TRUE(some);
  ASSERT_EQ(some->selectors.size(), 2U);
  EXPECT_EQ(some->selectors[0][0].label, "__name__");
  EXPECT_EQ(some->selectors[0][0].value, "up");
  ASSERT_EQ(some->selectors[1].size(), 2U);
  EXPECT_EQ(some->selectors[1][0].op, LabelMatcher::Op::kMatches);
  EXPECT_EQ(some->selectors[1][1].op, LabelMatcher::Op::kNotEqual);
  EXPECT_EQ(some->start_ms, 1'000);
  EXPECT_EQ(some->end_ms, 2'000);
  EXPECT_EQ(some->limit, 3U);
  EXPECT_EQ(parse_catalog_request(url_of("limit=0"))->limit, SIZE_MAX) << "no limit, as there";
}

TEST(PrometheusParameters, OtherCatalogRequestsAreRefused) {
  EXPECT_EQ(error_of(parse_catalog_request(url_of("match[]=sum(up)"))),
            "invalid parameter \"match[]\": expected a selector of series");
  EXPECT_EQ(error_of(parse_catalog_request(url_of("match[]=up{"))),
            "invalid parameter \"match[]\": 1:4: parse error: unexpected end of input inside braces");
  EXPECT_FALSE(parse_catalog_request(url_of("match[]={}"))) << "would match all";
  EXPECT_FALSE(parse_catalog_request(url_of("match[]={a=~'('}")));
  EXPECT_FALSE(parse_catalog_request(url_of("start=x")));
  EXPECT_FALSE(parse_catalog_request(url_of("start=2&end=1")));
  EXPECT_EQ(error_of(parse_catalog_request(url_of("limit=-1"))),
            "invalid parameter \"limit\": cannot parse \"-1\"");
}

}  // namespace
}  // namespace statmill
