// The exact text of answers: columns, nulls, numbers and names.
#include "server/http/answer_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <limits>

#include "tests/server/http/fake_services.h"

namespace statmill {
namespace {

TEST(AnswerJsonTest, QueryAnswerIsColumnar) {
  const Stat stats[] = {Stat::kAvg, Stat::kCount};
  EXPECT_EQ(*query_answer_json(small_answer(), stats),
            "{\"from\":100,\"until\":130,\"step\":10,\"tier\":10,\"series\":["
            "{\"name\":\"cpu\",\"kind\":\"gauge\",\"avg\":[1.5,null,4],\"count\":[2,null,1]}]}\n");
}

TEST(AnswerJsonTest, PercentilesAreColumnsLikeStats) {
  QueryAnswer answer = small_answer();
  const double none = std::numeric_limits<double>::quiet_NaN();
  answer.series[0].percentiles = {{1.5, none, 4}, {}};
  const std::vector<Percentile> percentiles = {*Percentile::parse("p50"), *Percentile::parse("p99.9")};
  EXPECT_EQ(*query_answer_json(answer, {}, percentiles),
            "{\"from\":100,\"until\":130,\"step\":10,\"tier\":10,\"series\":["
            "{\"name\":\"cpu\",\"kind\":\"gauge\",\"p50\":[1.5,null,4],\"p99.9\":[null,null,null]}]}\n");
}

TEST(AnswerJsonTest, AKnownUnitIsNamed) {
  QueryAnswer answer = small_answer();
  answer.series[0].unit = "ms";
  answer.merged = {"cpu"};
  EXPECT_THAT(*query_answer_json(answer, {}), testing::HasSubstr(R"("kind":"gauge","unit":"ms"})"));
  EXPECT_THAT(*heatmap_json(answer, {}, {}, {}), testing::HasSubstr(R"("series":["cpu"],"unit":"ms",)"));
}

TEST(AnswerJsonTest, PercentilesOfWideBucketsAreLessExact) {
  QueryAnswer answer = small_answer();
  answer.series[0].kind = Kind::kDistribution;
  answer.series[0].percentiles = {{1, 2, 3}};
  const std::vector<Percentile> p99 = {*Percentile::parse("p99")};
  EXPECT_THAT(*query_answer_json(answer, {}, p99), testing::HasSubstr(R"("within":0.015625,"p99")"));
  answer.series[0].joined_power = 2;
  EXPECT_THAT(*query_answer_json(answer, {}, p99), testing::HasSubstr(R"("within":0.078125,"p99")"));
  EXPECT_THAT(*heatmap_json(answer, {}, {}, {}), testing::Not(testing::HasSubstr("within"))) << "no series";
  answer.merged = {"cpu"};
  EXPECT_THAT(*heatmap_json(answer, {}, {}, {}), testing::HasSubstr(R"("within":0.078125)"));
  answer.series[0].kind = Kind::kGauge;
  EXPECT_THAT(*query_answer_json(answer, {}, p99), testing::Not(testing::HasSubstr("within")));
}

TEST(AnswerJsonTest, AHeatmapHasARowForEachBucket) {
  QueryAnswer merged = small_answer();
  merged.merged = {"a", "b"};
  const Stat stats[] = {Stat::kCount};
  const std::vector<HeatmapRow> rows = {{0, 0, {1, 0, 0}}, {1, 1.03125, {1, 0, 1}}};
  const std::string want =
      "{\"from\":100,\"until\":130,\"step\":10,\"tier\":10,\"series\":[\"a\",\"b\"],\"within\":0.015625,"
      "\"count\":[2,null,1],"
      "\"buckets\":[[0,0],[1,1.03125]],\"counts\":[[1,0,0],[1,0,1]]}\n";
  EXPECT_EQ(*heatmap_json(merged, rows, stats, {}), want);
  EXPECT_TRUE(heatmap_json(merged, rows, stats, {}, want.size()));
  EXPECT_FALSE(heatmap_json(merged, rows, stats, {}, 80));
  EXPECT_EQ(*heatmap_json(merged, {}, {}, {}),
            "{\"from\":100,\"until\":130,\"step\":10,\"tier\":10,\"series\":[\"a\",\"b\"],\"within\":0."
            "015625,\"buckets\":[],"
            "\"counts\":[]}\n");
}

TEST(AnswerJsonTest, SeriesOfAnExpressionHaveLabels) {
  QueryAnswer answer = small_answer();
  answer.series[0].name = "cpu.idle;host=a";
  const Stat stats[] = {Stat::kAvg};
  EXPECT_EQ(
      *query_answer_json(answer, stats, {}, SeriesForm::kLabels),
      "{\"from\":100,\"until\":130,\"step\":10,\"tier\":10,\"series\":["
      "{\"labels\":{\"__name__\":\"cpu.idle\",\"host\":\"a\"},\"kind\":\"gauge\",\"avg\":[1.5,null,4]}]}\n");
}

TEST(AnswerJsonTest, NumbersSurviveARoundTrip) {
  QueryAnswer answer = answer_over(-10, 50, 10);
  const double values[] = {1e300, 5e-324, -0.1, 123456789012.5, 1e22, 9007199254740991.0};
  std::vector<Bucket> buckets;
  for (const double value : values) buckets.push_back(bucket_of({value}));
  answer.series.push_back({"x", Kind::kGauge, columns_of(buckets)});
  const Stat stats[] = {Stat::kMax};
  const std::string text = *query_answer_json(answer, stats);
  EXPECT_EQ(
      text,
      "{\"from\":-10,\"until\":50,\"step\":10,\"tier\":10,\"series\":[{\"name\":\"x\",\"kind\":\"gauge\","
      "\"max\":[1e+300,5e-324,-0.1,123456789012.5,1e+22,9007199254740991]}]}\n");
}

TEST(AnswerJsonTest, DecimalsKeepTheirDigits) {
  QueryAnswer answer = answer_over(0, 30, 10);
  std::vector<Bucket> buckets;
  for (const Number& number : {Number::decimal(6'838'187'061, 8), Number::decimal(8'000'000'000'000'001, 15),
                               Number::decimal(-50, 2)})
    buckets.push_back(Bucket::of(number));
  answer.series.push_back({"x", Kind::kGauge, columns_of(buckets)});
  const Stat stats[] = {Stat::kAvg, Stat::kMax};
  EXPECT_EQ(*query_answer_json(answer, stats),
            "{\"from\":0,\"until\":30,\"step\":10,\"tier\":10,\"series\":[{\"name\":\"x\",\"kind\":\"gauge\","
            "\"avg\":[68.38187061,8.000000000000001,-0.5],\"max\":[68.38187061,8.000000000000001,-0.5]}]}\n");
}

// Columns of stored decimals are written without their buckets: each number is that of the statistic.
TEST(AnswerJsonTest, LongColumnsAreTheStatisticsOfTheirPoints) {
  constexpr int64_t kPoints = 2000;
  for (const Kind kind : {Kind::kGauge, Kind::kEvent}) {
    for (const int64_t samples : {1, 3}) {
      QueryAnswer answer = answer_over(0, 10 * kPoints, 10);
      std::vector<Bucket> buckets(kPoints);
      for (int64_t i = 0; i < kPoints; ++i) {
        for (int64_t k = 0; k < samples && i % 7 != 3; ++k)
          buckets[static_cast<size_t>(i)].merge(Bucket::of(Number::decimal((i - 900) * i * i + k, 4)));
      }
      answer.series.push_back({"x", kind, columns_of(buckets)});
      for (const Stat stat : {Stat::kAvg, Stat::kSum, Stat::kMin, Stat::kMax, Stat::kRate}) {
        std::string want = "\"" + std::string(stat_name(stat)) + "\":[";
        for (size_t i = 0; i < buckets.size(); ++i) {
          const auto number = stat_at(stat, answer, answer.series[0], i);
          if (i > 0) want += ',';
          if (number) {
            number->append_to(want);
          } else {
            want += "null";
          }
        }
        EXPECT_NE(query_answer_json(answer, {&stat, 1})->find(want + "]"), std::string::npos)
            << stat_name(stat) << " of " << samples;
      }
    }
  }
}

TEST(AnswerJsonTest, NamesAreEscaped) {
  QueryAnswer answer = answer_over(0, 0, 10);
  answer.series.push_back({"a\"b\\c\n\xc3\xa9\xff", Kind::kEvent, {}});
  const Stat stats[] = {Stat::kRate};
  EXPECT_EQ(*query_answer_json(answer, stats),
            "{\"from\":0,\"until\":0,\"step\":10,\"tier\":10,\"series\":[{\"name\":"
            "\"a\\\"b\\\\c\\u000a\xc3\xa9\xef\xbf\xbd\",\"kind\":\"event\",\"rate\":[]}]}\n");
}

TEST(AnswerJsonTest, CutEdgesAreSaid) {
  QueryAnswer answer = answer_over(100, 130, 10);
  answer.bins.from_s = 105;
  answer.bins.until_s = 121;
  const Stat stats[] = {Stat::kAvg};
  EXPECT_EQ(*query_answer_json(answer, stats),
            "{\"from\":100,\"until\":130,\"step\":10,\"tier\":10,\"covers\":[105,121],\"series\":[]}\n");
}

TEST(AnswerJsonTest, NoSeriesIsAnEmptyArray) {
  const Stat stats[] = {Stat::kAvg};
  EXPECT_EQ(*query_answer_json({}, stats), "{\"from\":0,\"until\":0,\"step\":1,\"tier\":0,\"series\":[]}\n");
}

TEST(AnswerJsonTest, DamagedFramesAreReported) {
  const Stat stats[] = {Stat::kAvg};
  QueryAnswer answer;
  answer.damaged_frames = 3;
  EXPECT_EQ(*query_answer_json(answer, stats),
            "{\"from\":0,\"until\":0,\"step\":1,\"tier\":0,\"series\":[],\"warnings\":["
            "\"3 stored frames are damaged; their samples are missing from this answer\"]}\n");
  answer.joined_histograms = 2;
  EXPECT_EQ(*query_answer_json(answer, stats),
            "{\"from\":0,\"until\":0,\"step\":1,\"tier\":0,\"series\":[],\"warnings\":["
            "\"3 stored frames are damaged; their samples are missing from this answer\","
            "\"2 histograms had more than 2048 cells; their percentiles are less exact\"]}\n");
}

TEST(AnswerJsonTest, AnswersOverTheLimitAreRefused) {
  const Stat stats[] = {Stat::kAvg};
  const size_t size = query_answer_json(small_answer(), stats)->size();
  EXPECT_TRUE(query_answer_json(small_answer(), stats, {}, SeriesForm::kName, size).has_value());
  const auto refused = query_answer_json(small_answer(), stats, {}, SeriesForm::kName, 60);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kLimit);
}

TEST(AnswerJsonTest, SeriesPage) {
  EXPECT_EQ(series_list_json({}), "{\"series\":[],\"truncated\":false}\n");
  EXPECT_EQ(series_list_json({{{"a", Kind::kGauge, 1}, {"b", Kind::kCounter, 2}}, true}),
            "{\"series\":["
            R"({"name":"a","kind":"gauge","unit":"","help":"","retention":"","first_s":0,"last_s":1},)"
            R"({"name":"b","kind":"counter","unit":"","help":"","retention":"","first_s":0,"last_s":2}])"
            ",\"truncated\":true}\n");
}

TEST(AnswerJsonTest, LinesAccountListsTheReasons) {
  LinesAccount account{3, 3, {}};
  EXPECT_EQ(lines_account_json(account), "{\"received\":3,\"accepted\":3,\"refused\":{}}\n");
  account = {6, 3, {}};
  account.refused[static_cast<size_t>(Refusal::kBadValue)] = 2;
  account.refused[static_cast<size_t>(Refusal::kTooOld)] = 1;
  EXPECT_EQ(lines_account_json(account),
            "{\"received\":6,\"accepted\":3,\"refused\":{\"bad_value\":2,\"too_old\":1},"
            "\"error\":\"3 of 6 samples refused\",\"status\":400}\n");
}

TEST(AnswerJsonTest, Readiness) {
  Health health;
  EXPECT_EQ(readiness_json(health), "{\"ready\":true}\n");
  health.set("journal", "late");
  health.set("store", "disk \"full\"");
  EXPECT_EQ(readiness_json(health),
            "{\"ready\":false,\"problems\":{\"journal\":\"late\",\"store\":\"disk \\\"full\\\"\"}}\n");
}

TEST(AnswerJsonTest, EveryTextIsJson) {
  const Stat stats[] = {Stat::kCount, Stat::kSum, Stat::kAvg, Stat::kStddev,
                        Stat::kMin,   Stat::kMax, Stat::kRate};
  QueryAnswer answer = small_answer();
  answer.damaged_frames = 1;
  Health health;
  health.set("a", "b");
  health.warn("c", "\"");
  for (const std::string& text :
       {*query_answer_json(answer, stats), series_list_json({{{"\xf0", {}, 0}}, false}),
        lines_account_json({1, 0, {1}}), readiness_json(health)}) {
    boost::system::error_code error;
    boost::json::parse(text, error);
    EXPECT_FALSE(error) << text;
  }
}

}  // namespace
}  // namespace statmill
