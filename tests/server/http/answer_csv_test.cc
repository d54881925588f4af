#include "server/http/answer_csv.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/server/http/fake_services.h"

namespace statmill {
namespace {

TEST(AnswerCsv, HasALineForEachSlot) {
  QueryAnswer answer = small_answer();
  const std::vector<Bucket> buckets = {bucket_of({1.5}), Bucket(), Bucket()};
  answer.series.push_back({"h", Kind::kDistribution, columns_of(buckets)});
  answer.series.back().percentiles = {{1.5, std::numeric_limits<double>::quiet_NaN(), 2}};
  answer.series.front().percentiles = {{}};
  StringSink sink;
  const Stat stats[] = {Stat::kAvg, Stat::kCount};
  const Percentile percentiles[] = {*Percentile::parse("p99")};
  ASSERT_TRUE(write_query_csv(answer, stats, percentiles, sink));
  EXPECT_EQ(sink.content_type(), "text/csv; charset=utf-8");
  EXPECT_EQ(sink.text(),
            "time,cpu:avg,cpu:count,cpu:p99,h:avg,h:count,h:p99\r\n"
            "100,1.5,2,,1.5,1,1.5\r\n"
            "110,,,,,,\r\n"
            "120,4,1,,,,2\r\n");
}

TEST(AnswerCsv, SeriesOfAnExpressionAreSelectors) {
  QueryAnswer answer = small_answer();
  answer.series[0].name = "cpu.idle;host=a";
  StringSink sink;
  const Stat stats[] = {Stat::kAvg};
  ASSERT_TRUE(write_query_csv(answer, stats, {}, sink, SeriesForm::kLabels));
  EXPECT_TRUE(sink.text().starts_with("time,\"{\"\"cpu.idle\"\", host=\"\"a\"\"}:avg\"\r\n100,1.5\r\n"))
      << sink.text();
}

TEST(AnswerCsv, NamesAreQuotedAndNumbersAreNot) {
  QueryAnswer answer = small_answer();
  answer.series[0].name = "=cmd|calc";
  const std::vector<Bucket> buckets = {bucket_of({-1.5}), Bucket(), Bucket()};
  answer.series.push_back({"a,b", Kind::kGauge, columns_of(buckets)});
  StringSink sink;
  const Stat stats[] = {Stat::kAvg};
  ASSERT_TRUE(write_query_csv(answer, stats, {}, sink));
  EXPECT_TRUE(sink.text().starts_with("time,\"'=cmd|calc:avg\",\"a,b:avg\"\r\n100,1.5,-1.5\r\n"))
      << sink.text();
}

}  // namespace
}  // namespace statmill
