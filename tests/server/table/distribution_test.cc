// Distributions: which samples the table adds to their histograms, the memory that this uses, and the answers
// to queries.
#include <gtest/gtest.h>

#include <cmath>

#include "proto/istatd/parser.h"
#include "server/query/engine.h"
#include "server/table/table.h"
#include "server/tick/ticker.h"
#include "tests/support/answers.h"
#include "tests/support/memory_store.h"
#include "tests/support/times.h"

namespace statmill {
namespace {

class DistributionTest : public testing::Test {
 protected:
  DistributionTest() { batch_.clear(); }

  // Sends one sample of a distribution, or a bucket if `ready` is not nullptr. Returns how many were
  // accepted.
  uint64_t send(const std::string& name, double value, const ReadyBucket* ready = nullptr) {
    batch_.clear();
    Sample& sample = batch_.samples.emplace_back();
    sample.name = batch_.keep(std::string_view(name));
    sample.kind = Kind::kDistribution;
    sample.value = Number::of(value);
    sample.ready = ready;
    ++batch_.received;
    return table_.apply(batch_, from_unix_seconds(kNow));
  }
  uint64_t send_lines(std::string_view lines) {
    batch_.clear();
    parse_istatd_lines(batch_.keep(lines), batch_);
    return table_.apply(batch_, from_unix_seconds(kNow));
  }
  void flush() { ASSERT_TRUE(ticker_.flush_all({from_unix_seconds(kNow), SteadyTime{}})); }
  void tick() { ASSERT_TRUE(ticker_.tick({from_unix_seconds(kNow), SteadyTime{}})); }

  QueryRequest asking(std::vector<std::string> names) const {
    QueryRequest request;
    request.series = std::move(names);
    request.from_s = kNow;
    request.until_s = kNow + 10;
    request.step_s = 10;
    request.parts.histograms = true;
    request.percentiles = {*Percentile::parse("p50"), *Percentile::parse("p100")};
    return request;
  }
  Result<QueryAnswer> ask(const QueryRequest& request, const QueryLimits& limits = {}) {
    QueryControl control(limits);
    return QueryEngine(table_, store_, limits).run(request, from_unix_seconds(kNow), control);
  }
  SparseHistogram histogram(const std::string& name) {
    QueryRequest request = asking({name});
    request.merges = true;
    const auto answer = ask(request);
    EXPECT_TRUE(answer) << answer.error().message;
    return answer ? answer->series.at(0).points.histograms.at(0).histogram : SparseHistogram();
  }
  static SparseHistogram of_values(const std::vector<double>& values) {
    SparseHistogram out;
    for (const double v : values) out.add(histogram_index(v));
    return out;
  }

  const Tiers tiers_ = *Tiers::parse("10s:10d,5m:1y,1h:6y");
  MemoryStore store_{tiers_};
  Table table_{Retention(tiers_), {}};
  Registry registry_;
  Health health_;
  Log log_{LogLevel::kError};
  Ticker ticker_{{table_, store_, registry_, health_, log_}, {}, {}, SteadyTime{}};
  Batch batch_;
};

TEST_F(DistributionTest, TheHistogramHasSamplesFromDeltaPendingAndStore) {
  send("d", 1);
  send("d", 1.5);
  EXPECT_EQ(histogram("d"), of_values({1, 1.5})) << "in the delta";
  tick();
  send("d", -7);
  EXPECT_EQ(histogram("d"), of_values({1, 1.5, -7})) << "pending";
  flush();
  send("d", 0);
  EXPECT_EQ(histogram("d"), of_values({1, 1.5, -7, 0})) << "in the store";
}

TEST_F(DistributionTest, SamplesSentAsOtherKindsAreObservations) {
  batch_.other_kind = OtherKind::kAccept;
  send("d", 1);
  EXPECT_EQ(send_lines("d 2\n*d 3\n"), 2U);
  EXPECT_EQ(batch_.other_kinds, 2U);
  EXPECT_EQ(histogram("d"), of_values({1, 2, 3}));
}

TEST_F(DistributionTest, ABucketOfEqualSamplesNeedsNoCells) {
  const Number five = Number::decimal(5, 0);
  const ReadyBucket ready{3, Number::decimal(75, 0), five, five};
  EXPECT_EQ(send("d", 15, &ready), 1U);
  EXPECT_EQ(histogram("d"), of_values({5, 5, 5}));
}

TEST_F(DistributionTest, RefusesABucketWithoutAHistogram) {
  const ReadyBucket ready{2, Number::decimal(5, 0), Number::decimal(1, 0), Number::decimal(2, 0)};
  EXPECT_EQ(send("new", 3, &ready), 0U);
  EXPECT_EQ(batch_.refused[static_cast<size_t>(Refusal::kBadBucket)], 1U);
  EXPECT_EQ(table_.series_count(), 0U);
  send("d", 1);
  batch_.other_kind = OtherKind::kAccept;
  EXPECT_EQ(send_lines("d " + std::to_string(kNow) + " 3 5 1 2 2\n"), 0U);
  EXPECT_EQ(batch_.refused[static_cast<size_t>(Refusal::kBadBucket)], 1U);
  EXPECT_EQ(histogram("d"), of_values({1}));
}

TEST_F(DistributionTest, AddsTheCellsOfABucket) {
  const std::vector<HistogramCell> cells = {{histogram_index(1), 2}, {histogram_index(3), 1}};
  const ReadyBucket ready{3, Number::decimal(11, 0), Number::decimal(1, 0), Number::decimal(3, 0), cells};
  EXPECT_EQ(send("d", 5, &ready), 1U);
  EXPECT_EQ(histogram("d"), of_values({1, 1, 3}));
}

TEST_F(DistributionTest, CountsTheMemoryOfHistogramsUntilTheyAreFlushed) {
  for (int i = 0; i < 1000; ++i) send("d", i);
  EXPECT_GE(table_.ram_bytes(), sizeof(HistogramCell) * histogram("d").cells().size());
  tick();
  EXPECT_GE(table_.ram_bytes(), histogram("d").cells().size());
  send("d", 2000);
  flush();
  EXPECT_EQ(table_.ram_bytes(), 0U);
}

TEST_F(DistributionTest, OnlyDistributionsHavePercentiles) {
  send("d", 3);
  send("d", 4);
  send_lines("g 5\n");
  const auto answer = ask(asking({"d", "g"}));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->series[0].percentiles, (std::vector<std::vector<double>>{{3}, {4}}));
  EXPECT_EQ(answer->series[1].percentiles, (std::vector<std::vector<double>>{{}, {}}));
}

TEST_F(DistributionTest, ThePercentileOfAnEmptySlotIsNan) {
  send("d", 3);
  QueryRequest request = asking({"d"});
  request.from_s -= 10;
  const auto answer = ask(request);
  ASSERT_TRUE(answer);
  const std::vector<double>& median = answer->series[0].percentiles[0];
  ASSERT_EQ(median.size(), 2U);
  EXPECT_TRUE(std::isnan(median[0]));
  EXPECT_EQ(median[1], 3);
}

TEST_F(DistributionTest, MergesManyDistributionsIntoOne) {
  send("d.a", 1);
  send("d.b", 2);
  send_lines("d.gauge 9\n");
  QueryRequest request = asking({"d.*"});
  request.merges = true;
  const auto answer = ask(request);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->merged, (std::vector<std::string>{"d.a", "d.b"}));
  EXPECT_EQ(answer->series[0].points.histograms.at(0).histogram, of_values({1, 2}));
  EXPECT_EQ(bucket_of(answer->series[0], 0).count(), 2U);
  EXPECT_EQ(answer->series[0].percentiles, (std::vector<std::vector<double>>{{1}, {2}}));
}

TEST_F(DistributionTest, MergingOnlyGaugesIsAnError) {
  send_lines("g 9\n");
  QueryRequest request = asking({"g"});
  request.merges = true;
  const auto answer = ask(request);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kNotFound);
}

TEST_F(DistributionTest, TheAnswerCountsHistogramsWithJoinedCells) {
  for (int i = 0; i < 3000; ++i) send("d", std::exp(i * 0.03 - 45));
  flush();
  const auto answer = ask(asking({"d"}));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->joined_histograms, 1U);
  const SparseHistogram h = histogram("d");
  EXPECT_LE(h.cells().size(), SparseHistogram::kCellsMax);
  EXPECT_EQ(h.count(), 3000U);
}

TEST_F(DistributionTest, RefusesAQueryWhoseHistogramsNeedTooMuchMemory) {
  for (int i = 0; i < 100; ++i) send("d", std::exp(i));
  QueryLimits limits;
  limits.histogram_bytes_max = sizeof(HistogramCell) * 99;
  const auto refused = ask(asking({"d"}), limits);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kLimit);
  EXPECT_NE(refused.error().message.find("bytes of histograms, over the limit of "), std::string::npos);
  QueryRequest without = asking({"d"});
  without.parts.histograms = false;
  without.percentiles.clear();
  EXPECT_TRUE(ask(without, limits));
}

}  // namespace
}  // namespace statmill
