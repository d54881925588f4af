// What RemoteTable adds of senders who say what their values are: amounts, cumulative counters, histograms.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/server/prometheus/remote_server.h"

namespace statmill {
namespace {

using remote::ms;

RemoteValue value(std::string_view name, SentAs sent, double number, int64_t time_ms, int64_t start_ms = 0) {
  return {name, {Number::shortest(number), time_ms, start_ms}, {}, sent};
}

ForeignHistogram histogram(const std::vector<uint64_t>& counts, double sum) {
  ForeignHistogram out;
  out.bounds = {10, 20};
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) out.buckets.push_back({static_cast<BucketNumber>(i), counts[i]});
    out.count += counts[i];
  }
  out.sum = Number::shortest(sum);
  return out;
}

class RemoteAmounts : public testing::Test {
 protected:
  // Returns what is refused, or an empty text.
  std::string add(const RemoteValue& one) { return add(std::vector<RemoteValue>{one}); }
  std::string add(std::vector<RemoteValue> values) {
    Batch batch;
    const RemoteTable::Added added = server_.values().add(values, batch, server_.now());
    std::string refused;
    uint64_t count = 0;
    for (size_t i = 0; i < kRefusalCount; ++i) {
      count += batch.refused[i];
      if (batch.refused[i] > 0) refused += refusal_label(static_cast<Refusal>(i));
    }
    EXPECT_EQ(added.accepted + count, batch.received);
    EXPECT_EQ(batch.received, values.size());
    return refused;
  }
  std::string add(const ForeignHistogram& one, SentAs sent, int64_t time_ms, int64_t start_ms = 0) {
    RemoteValue out = value("d", sent, one.sum->value(), time_ms, start_ms);
    out.histogram = &one;
    return add(out);
  }

  RemoteServer server_;
};

TEST_F(RemoteAmounts, AnAmountCountsOnceAlsoAfterACrash) {
  EXPECT_EQ(add(value("n", SentAs::kAmount, 5, ms(0))), "");
  EXPECT_EQ(add(value("n", SentAs::kAmount, 5, ms(0))), "") << "again";
  EXPECT_EQ(add(value("n", SentAs::kAmount, 7, ms(0) - 1)), "") << "older";
  EXPECT_EQ(server_.kind("n"), Kind::kEvent);
  ASSERT_TRUE(server_.tick());
  server_.restart();
  EXPECT_EQ(add(value("n", SentAs::kAmount, 5, ms(0))), "");
  EXPECT_EQ(server_.total("n"), 5);
  EXPECT_EQ(add(value("n", SentAs::kAmount, 3, ms(0) + 1)), "");
  EXPECT_EQ(add(value("n", SentAs::kAmount, -1, ms(0) + 2)), "");
  EXPECT_EQ(server_.total("n"), 7);
}

TEST_F(RemoteAmounts, TimesDifferByNanoseconds) {
  RemoteValue one = value("n", SentAs::kAmount, 5, ms(0));
  add(one);
  one.value.time_ns = 999'999;
  add(one);
  add(one);
  ASSERT_TRUE(server_.tick());
  server_.restart();
  add(one);
  EXPECT_EQ(server_.total("n"), 10);
}

TEST_F(RemoteAmounts, EachSenderOfASeriesCountsForItself) {
  for (const uint64_t sender : {1U, 2U}) {
    RemoteValue one = value("n", SentAs::kCounter, 100, ms(0), ms(-5));
    one.sender = sender;
    add(one);
    one.value.value = Number::decimal(103, 0);
    one.value.time_ms += 1;
    add(one);
  }
  EXPECT_EQ(server_.total("n"), 206);
  EXPECT_EQ(server_.kind("n"), Kind::kCounter);
}

TEST_F(RemoteAmounts, ASenderMayChangeBetweenAmountsAndCounters) {
  add(value("n", SentAs::kAmount, 5, ms(0)));
  EXPECT_EQ(add(value("n", SentAs::kCounter, 9, ms(1), ms(-9))), "");
  EXPECT_EQ(server_.total("n"), 5) << "the amount may be in the 9";
  EXPECT_EQ(add(value("n", SentAs::kCounter, 11, ms(2), ms(-9))), "");
  EXPECT_EQ(server_.total("n"), 7);
  EXPECT_EQ(add(value("n", SentAs::kAmount, 4, ms(3))), "");
  EXPECT_EQ(server_.total("n"), 11);
  EXPECT_EQ(add(value("n", SentAs::kCounter, 2, ms(5), ms(4))), "");
  EXPECT_EQ(server_.total("n"), 13) << "counted from a time after the amount";
  add(value("m", SentAs::kCounter, 5, ms(0), ms(-1)));
  EXPECT_EQ(add(value("m", SentAs::kAmount, 3, ms(1))), "");
  EXPECT_EQ(server_.total("m"), 8);
  EXPECT_EQ(server_.kind("m"), Kind::kCounter);
}

TEST_F(RemoteAmounts, AnotherKindIsRefused) {
  add(value("g", SentAs::kGauge, 5, ms(0)));
  EXPECT_EQ(add(value("g", SentAs::kAmount, 5, ms(1))), "kind_mismatch");
  EXPECT_EQ(add(histogram({1, 0, 0}, 3), SentAs::kHistogramAmount, ms(0)), "");
  EXPECT_EQ(add(value("d", SentAs::kAmount, 5, ms(1))), "kind_mismatch");
  EXPECT_EQ(add(value("d", SentAs::kGauge, 5, ms(1))), "kind_mismatch");
  EXPECT_EQ(add(histogram({1, 0, 0}, 3), SentAs::kHistogramAmount, ms(1)), "") << "as if they had not come";
}

TEST_F(RemoteAmounts, HistogramsOfAmountsAddUp) {
  EXPECT_EQ(add(histogram({1, 2, 0}, 33), SentAs::kHistogramAmount, ms(0)), "");
  EXPECT_EQ(add(histogram({1, 2, 0}, 33), SentAs::kHistogramAmount, ms(0)), "");
  EXPECT_EQ(add(histogram({0, 0, 0}, 0), SentAs::kHistogramAmount, ms(1)), "") << "nothing is accepted, too";
  EXPECT_EQ(add(histogram({0, 0, 1}, 100.5), SentAs::kHistogramAmount, ms(2)), "");
  EXPECT_EQ(server_.kind("d"), Kind::kDistribution);
  EXPECT_EQ(server_.total("d"), 133.5);
}

TEST_F(RemoteAmounts, CumulativeHistogramsCountOnceAlsoAfterCrashes) {
  EXPECT_EQ(add(histogram({1, 2, 0}, 33), SentAs::kHistogram, ms(0), ms(-9)), "");
  ASSERT_TRUE(server_.tick());
  EXPECT_EQ(add(histogram({1, 3, 1}, 153), SentAs::kHistogram, ms(1), ms(-9)), "");
  server_.restart();  // the second is lost, and not answered
  EXPECT_EQ(server_.total("d"), 33);
  EXPECT_EQ(add(histogram({1, 3, 1}, 153), SentAs::kHistogram, ms(1), ms(-9)), "");
  ASSERT_TRUE(server_.tick());
  server_.restart();  // its answer is lost
  EXPECT_EQ(add(histogram({1, 3, 1}, 153), SentAs::kHistogram, ms(1), ms(-9)), "");
  EXPECT_EQ(add(histogram({1, 3, 1}, 153), SentAs::kHistogram, ms(2), ms(-9)), "");
  EXPECT_EQ(server_.total("d"), 153);
}

TEST_F(RemoteAmounts, AFirstHistogramWithoutAStartIsRememberedAlthoughItAddsNothing) {
  EXPECT_EQ(add(histogram({1, 2, 0}, 33), SentAs::kHistogram, ms(0)), "");
  ASSERT_TRUE(server_.tick());
  server_.restart();
  EXPECT_EQ(add(histogram({2, 2, 0}, 38), SentAs::kHistogram, ms(1)), "");
  EXPECT_EQ(server_.total("d"), 5);
}

// A sum of samples of both signs may change by more than the largest double.
TEST_F(RemoteAmounts, ASumMayFallByMoreThanADoubleHas) {
  EXPECT_EQ(add(histogram({1, 1, 0}, 1.7e308), SentAs::kHistogram, ms(0), ms(-9)), "");
  EXPECT_EQ(add(histogram({1, 2, 0}, -1.7e308), SentAs::kHistogram, ms(1), ms(-9)), "");
  EXPECT_EQ(server_.kind("d"), Kind::kDistribution);
}

TEST_F(RemoteAmounts, AGaugeIsOneWhateverItsName) {
  EXPECT_EQ(add(value("memory_total", SentAs::kGauge, 8, ms(0))), "");
  EXPECT_EQ(add(value("memory_total", SentAs::kGauge, -3, ms(1))), "");
  EXPECT_EQ(server_.kind("memory_total"), Kind::kGauge);
  EXPECT_EQ(server_.total("memory_total"), 5);
}

TEST_F(RemoteAmounts, WhatTheTableRefusesIsNotRemembered) {
  server_.limits.series_max = 0;
  server_.restart();
  EXPECT_EQ(add(histogram({1, 2, 0}, 33), SentAs::kHistogram, ms(0), ms(-9)), "series_limit");
  EXPECT_EQ(add(value("n", SentAs::kAmount, 5, ms(0))), "series_limit");
  EXPECT_EQ(server_.values().series(), 0U);
}

TEST_F(RemoteAmounts, SeriesOfSendersAreLimited) {
  server_.options.series_max = 1;
  server_.restart();
  RemoteValue one = value("n", SentAs::kAmount, 5, ms(0));
  one.sender = 1;
  EXPECT_EQ(add(one), "");
  one.sender = 2;
  EXPECT_EQ(add(one), "state_limit");
  one.sender = 1;
  one.value.time_ms += 1;
  EXPECT_EQ(add(one), "") << "one that is known";
  EXPECT_EQ(add(value("m", SentAs::kAmount, 5, ms(0))), "") << "as of remote_write";
}

TEST_F(RemoteAmounts, HistogramsBeyondTheirBytesAreRefused) {
  server_.options.histogram_bytes = 120;  // one takes about 95
  server_.restart();
  EXPECT_EQ(add(histogram({1, 2, 0}, 33), SentAs::kHistogram, ms(0), ms(-9)), "");
  const ForeignHistogram other = histogram({1, 2, 0}, 33);
  RemoteValue one = value("e", SentAs::kHistogram, 33, ms(0), ms(-9));
  one.histogram = &other;
  EXPECT_EQ(add(one), "state_limit");
  EXPECT_EQ(add(histogram({2, 2, 0}, 35), SentAs::kHistogram, ms(1), ms(-9)), "") << "one that is known";
  EXPECT_EQ(server_.total("d"), 35);
}

}  // namespace
}  // namespace statmill
