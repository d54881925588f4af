#include "server/http/answer_buckets.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/server/http/fake_services.h"

namespace statmill {
namespace {

std::string written(const QueryAnswer& answer) {
  StringSink sink;
  EXPECT_TRUE(write_buckets(answer, sink));
  EXPECT_EQ(sink.content_type(), "application/x-ndjson");
  return sink.text();
}

std::string text_of(const Bucket& bucket, const SparseHistogram* histogram = nullptr) {
  std::string out;
  append_bucket_json(out, 7, bucket, histogram);
  return out;
}

TEST(AnswerBuckets, HaveALineForEachSeriesWithSamples) {
  QueryAnswer answer = small_answer();
  answer.series.push_back({"none", Kind::kGauge, columns_of(std::vector<Bucket>{{}, {}, {}})});
  EXPECT_EQ(written(answer),
            "{\"name\":\"cpu\",\"kind\":\"gauge\",\"step\":10,\"buckets\":[[100,2,3,\"~0.5\",1,2],[120,4]]}\n"
            "{\"end\":true,\"series\":1}\n");
}

TEST(AnswerBuckets, LoseNothing) {
  const Bucket::Decimal numbers{-9'223'372'036'854'775'807, Int128{1} << 126, -9'000'000'000'000'000'001, 5,
                                18};
  EXPECT_EQ(text_of(Bucket::from_decimal(3, numbers)),
            "[7,3,-9.223372036854775807,85.070591730234615865843651857942052864,-9.000000000000000001,"
            "0.000000000000000005]");
  EXPECT_EQ(text_of(Bucket::from_real(3, {0.30000000000000004, 1e-40, 0.1, 0.1})),
            "[7,3,0.30000000000000004,\"~1e-40\",0.1,0.1]");
  SparseHistogram histogram;
  histogram.add(histogram_index(20), 2);
  histogram.add(histogram_index(-1));
  EXPECT_EQ(text_of(bucket_of({20, 20, -1}), &histogram), "[7,3,39,\"~294\",-1,20,[-32737,1,32873,2]]");
  EXPECT_EQ(text_of(bucket_of({20}), &histogram), "[7,20]") << "the cell follows from the sample";
}

TEST(AnswerBuckets, SayWhatTheAnswerLacks) {
  QueryAnswer answer = small_answer();
  answer.damaged_frames = 2;
  answer.joined_histograms = 3;
  EXPECT_TRUE(written(answer).ends_with("{\"end\":true,\"series\":1,\"damaged\":2,\"joined\":3}\n"));
}

}  // namespace
}  // namespace statmill
