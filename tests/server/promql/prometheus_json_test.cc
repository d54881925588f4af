// The forms of Prometheus' answers.
#include "server/promql/prometheus_json.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>

#include "server/query/ops/special_values.h"

namespace statmill {
namespace {

std::string error_text(const HttpResponse& response) {
  return std::to_string(response.status) + " " + response.body;
}

TEST(PrometheusJson, EachTypeOfErrorHasItsStatus) {
  struct Case {
    PrometheusError type;
    std::string_view want;
  };
  for (const auto& [type, want] : std::vector<Case>{{PrometheusError::kBadData, "400 bad_data"},
                                                    {PrometheusError::kExecution, "422 execution"},
                                                    {PrometheusError::kTimeout, "503 timeout"},
                                                    {PrometheusError::kCanceled, "503 canceled"},
                                                    {PrometheusError::kUnavailable, "503 unavailable"},
                                                    {PrometheusError::kInternal, "500 internal"}}) {
    const HttpResponse got = prometheus_error(type, "a \"b\"");
    EXPECT_EQ(got.content_type, kJson);
    EXPECT_EQ(error_text(got), std::string(want.substr(0, 3)) + R"( {"status":"error","errorType":")" +
                                   std::string(want.substr(4)) + R"(","error":"a \"b\""})" + "\n");
  }
}

TEST(PrometheusJson, ErrorsOfAnEvaluationSayWhatFailed) {
  const auto type_of = [](ErrorCode code, std::string message) {
    const std::string body = evaluation_error({code, std::move(message)}).body;
    const size_t begin = body.find("errorType\":\"") + 12;
    return body.substr(begin, body.find('"', begin) - begin);
  };
  EXPECT_EQ(type_of(ErrorCode::kInvalid, "x"), "execution");
  EXPECT_EQ(type_of(ErrorCode::kLimit, "x"), "execution");
  EXPECT_EQ(type_of(ErrorCode::kUnavailable, "timeout: the query took longer"), "timeout");
  EXPECT_EQ(type_of(ErrorCode::kUnavailable, "canceled: the client is gone"), "canceled");
  EXPECT_EQ(type_of(ErrorCode::kUnavailable, "the store is recovering"), "unavailable");
  EXPECT_EQ(type_of(ErrorCode::kBusy, "series kept being deleted or renamed"), "unavailable");
  EXPECT_EQ(type_of(ErrorCode::kCorrupt, "x"), "internal");
  EXPECT_EQ(type_of(ErrorCode::kIo, "x"), "internal");
}

TEST(PrometheusJson, RefusalsKeepTheirStatus) {
  EXPECT_TRUE(error_text(prometheus_refusal(413, "x"))
                  .starts_with(R"(413 {"status":"error","errorType":"bad_data")"));
  EXPECT_TRUE(error_text(prometheus_refusal(422, "x"))
                  .starts_with(R"(422 {"status":"error","errorType":"execution")"));
  EXPECT_TRUE(error_text(prometheus_refusal(500, "x"))
                  .starts_with(R"(500 {"status":"error","errorType":"internal")"));
  EXPECT_TRUE(error_text(prometheus_refusal(503, "canceled by an administrator"))
                  .starts_with(R"(503 {"status":"error","errorType":"canceled")"));
  EXPECT_TRUE(error_text(prometheus_refusal(503, "no thread"))
                  .starts_with(R"(503 {"status":"error","errorType":"unavailable")"));
}

TEST(PrometheusJson, AnAnswerHasTheNotesThatThereAre) {
  EXPECT_EQ(prometheus_answer("[1]").body, "{\"status\":\"success\",\"data\":[1]}\n");
  QueryNotes notes;
  notes.infos = {"means", "of \"5m\""};
  EXPECT_EQ(prometheus_answer("{}", notes).body,
            "{\"status\":\"success\",\"data\":{},\"infos\":[\"means\",\"of \\\"5m\\\"\"]}\n");
  notes.warnings = {"damaged"};
  EXPECT_EQ(prometheus_answer("{}", notes).body,
            "{\"status\":\"success\",\"data\":{},\"warnings\":[\"damaged\"],\"infos\":[\"means\",\"of "
            "\\\"5m\\\"\"]}\n");
}

TEST(PrometheusJson, SecondsHaveAFractionOnlyIfTheyNeedOne) {
  for (const auto& [ms, want] : {std::pair<int64_t, std::string_view>{0, "0"},
                                 {1'700'000'000'000, "1700000000"},
                                 {1'700'000'000'125, "1700000000.125"},
                                 {1'005, "1.005"},
                                 {1'010, "1.010"},
                                 {-1'500, "-1.500"}}) {
    std::string out;
    append_seconds(out, ms);
    EXPECT_EQ(out, want);
  }
}

std::string value_text(const Numbers& numbers) {
  std::string out;
  append_value(out, numbers, 0);
  return out;
}

TEST(PrometheusJson, DecimalsKeepTheirDigitsAndDoublesAreShort) {
  Numbers decimal = Numbers::of_decimals(1, 2);
  decimal.present.set(0);
  decimal.integers[0] = 105;
  EXPECT_EQ(value_text(decimal), "\"1.05\"");
  decimal.integers[0] = 123'456'789'012'345'678;
  EXPECT_EQ(value_text(decimal), "\"1234567890123456.78\"");
  Numbers real = Numbers::of_reals(1);
  for (const auto& [value, want] : {std::pair<double, std::string_view>{0.1, "\"0.1\""},
                                    {kNan, "\"NaN\""},
                                    {kInfinity, "\"+Inf\""},
                                    {-kInfinity, "\"-Inf\""}}) {
    real.set(0, value);
    EXPECT_EQ(value_text(real), want);
  }
}

SeriesValues two_of_three() {
  SeriesValues series;
  series.labels = SeriesLabels::of({{"__name__", "up"}, {"job", "a\"b"}});
  series.numbers = Numbers::of_decimals(3, 1);
  for (const size_t i : {size_t{0}, size_t{2}}) {
    series.numbers.present.set(i);
    series.numbers.integers[i] = 15;
  }
  return series;
}

TEST(PrometheusJson, ASeriesHasItsPresentPoints) {
  std::string out;
  append_series(out, std::array{two_of_three()}, {.start_ms = 10'500, .end_ms = 30'500, .step_ms = 10'000});
  EXPECT_EQ(out, R"({"metric":{"__name__":"up","job":"a\"b"},"values":[[10.500,"1.5"],[30.500,"1.5"]]})");
  out.clear();
  append_instant(out, two_of_three(), 10'000);
  EXPECT_EQ(out, R"({"metric":{"__name__":"up","job":"a\"b"},"value":[10,"1.5"]})");
}

// Two points, of which the second is absent. The samples are -1, 0 and 1, 1.
SeriesValues histogram_series(double seconds) {
  SeriesValues series;
  Histograms& histograms = series.histograms.emplace();
  histograms.buckets.resize(2);
  histograms.histograms.resize(2);
  histograms.seconds = {seconds, 1};
  for (const double value : {-1.0, 0.0, 1.0, 1.0}) {
    histograms.buckets[0].merge(Bucket::of(Number::of(value)));
    histograms.histograms[0].add(histogram_index(value));
  }
  return series;
}

TEST(PrometheusJson, AHistogramSaysWhichEdgesBelongToEachBucket) {
  std::string out;
  append_series(out, std::array{histogram_series(1)}, {.start_ms = 0, .end_ms = 10'000, .step_ms = 10'000});
  EXPECT_EQ(out, R"({"metric":{},"histograms":[[0,{"count":"4","sum":"1","buckets":[)"
                 R"([0,"-1.03125","-1","1"],[3,"0","0","1"],[1,"1","1.03125","2"]]}]]})");
}

TEST(PrometheusJson, NumbersAndHistogramsOfOneSeriesAreOneElement) {
  Numbers numbers = Numbers::of_reals(2);
  numbers.set(1, 2.5);
  std::string out;
  append_series(out, std::array{SeriesValues{{}, numbers}, histogram_series(1)},
                {.start_ms = 0, .end_ms = 10'000, .step_ms = 10'000});
  EXPECT_TRUE(out.starts_with(R"({"metric":{},"values":[[10,"2.5"]],"histograms":[[0,{"count":"4",)")) << out;
}

TEST(PrometheusJson, TheCountsOfARateArePerSecond) {
  std::string out;
  append_instant(out, histogram_series(8), 5'000);
  EXPECT_EQ(out, R"({"metric":{},"histogram":[5,{"count":"0.5","sum":"0.125","buckets":[)"
                 R"([0,"-1.03125","-1","0.125"],[3,"0","0","0.125"],[1,"1","1.03125","0.25"]]}]})");
}

}  // namespace
}  // namespace statmill
