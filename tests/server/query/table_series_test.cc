// The catalog of a table: which series, labels and values there are, within the limits.
#include "server/query/table_series.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/table/table.h"

namespace statmill {
namespace {

class TableSeriesTest : public testing::Test {
 protected:
  TableSeriesTest() {
    for (const char* name : {"cpu;host=a", "cpu;host=b", "hits;host=b;job=web"}) add(name);
  }
  void add(const std::string& name, int64_t time_s = 1000) {
    Batch batch;
    Sample& sample = batch.samples.emplace_back();
    sample.name = name;
    sample.time_s = time_s;
    sample.value = Number::of(1);
    batch.received = 1;
    ASSERT_EQ(table_.apply(batch, from_unix_seconds(time_s)), 1U);
  }
  static CatalogRequest matching(std::string label, std::string value) {
    CatalogRequest request;
    request.selectors.push_back({{LabelMatcher::Op::kEqual, std::move(label), std::move(value)}});
    return request;
  }

  Table table_{*Tiers::parse("10s:10d,5m:1y"), TableLimits{}};
  const TableSeries series_{table_};
  QueryControl control_;
};

TEST_F(TableSeriesTest, ListsSeriesLabelsAndValues) {
  const auto found = series_.series(matching("host", "b"), control_);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ((*found)[0].name(), "cpu;host=b");
  EXPECT_EQ((*found)[1].name(), "hits;host=b;job=web");
  EXPECT_EQ(*series_.label_names({}, control_), (std::vector<std::string>{"__name__", "host", "job"}));
  EXPECT_EQ(*series_.label_values("host", {}, control_), (std::vector<std::string>{"a", "b"}));
}

TEST_F(TableSeriesTest, SeriesWithoutSamplesInTheRangeAreLeftOut) {
  struct Case {
    int64_t start_ms, end_ms;
    size_t want;
    const char* why;
  };
  // All samples are in the slot from 1000 to 1010 s.
  for (const Case& c : std::vector<Case>{{0, 999'999, 0, "before"},
                                         {0, 1'000'000, 3, "it begins at the end"},
                                         {1'003'000, 1'004'000, 3, "inside of the slot"},
                                         {1'010'000, 2'000'000, 3, "the sample of PromQL is at its end"},
                                         {1'010'001, 2'000'000, 0, "after"}}) {
    CatalogRequest request;
    request.start_ms = c.start_ms;
    request.end_ms = c.end_ms;
    EXPECT_EQ(series_.series(request, control_)->size(), c.want) << c.why;
    EXPECT_EQ(series_.label_names(request, control_)->size(), c.want) << c.why;
    EXPECT_EQ(series_.label_values("host", request, control_)->size(), c.want > 0 ? 2U : 0U) << c.why;
  }
}

TEST_F(TableSeriesTest, LabelsOfTheRangeAreThoseOfItsSeries) {
  add("cpu;host=c;rack=1", 5000);
  CatalogRequest request;
  request.start_ms = 4'000'000;
  EXPECT_EQ(*series_.label_names(request, control_), (std::vector<std::string>{"__name__", "host", "rack"}));
  EXPECT_EQ(*series_.label_values("host", request, control_), std::vector<std::string>{"c"});
  EXPECT_EQ(*series_.label_values("__name__", request, control_), std::vector<std::string>{"cpu"});
  request.start_ms = INT64_MIN;
  request.end_ms = 4'000'000;
  EXPECT_EQ(*series_.label_names(request, control_), (std::vector<std::string>{"__name__", "host", "job"}));
  EXPECT_EQ(*series_.label_values("host", request, control_), (std::vector<std::string>{"a", "b"}));
}

TEST_F(TableSeriesTest, AListOfLabelsOfARangeStopsWithItsQuery) {
  for (int i = 0; i < 5000; ++i) add("request;id=" + std::to_string(i));
  CatalogRequest request;
  request.start_ms = 2'000'000;
  QueryControl stopped;
  stopped.stop(QueryStop::kClient);
  EXPECT_EQ(series_.label_names(request, stopped).error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(series_.label_values("id", request, stopped).error().code, ErrorCode::kUnavailable);
}

TEST_F(TableSeriesTest, AlternativesAreListedOnce) {
  CatalogRequest request = matching("host", "b");
  request.selectors.push_back(matching("job", "web").selectors.front());
  EXPECT_EQ(series_.series(request, control_)->size(), 2U);
  EXPECT_EQ(series_.label_values("host", request, control_)->size(), 1U);
  request.limit = 1;
  EXPECT_EQ(series_.series(request, control_)->size(), 1U);
}

TEST_F(TableSeriesTest, CountsByMetricLabelAndValue) {
  const auto stats = series_.stats(2, control_);
  ASSERT_TRUE(stats);
  using Counts = CatalogStats::Counts;
  EXPECT_EQ(stats->series, 3U);
  EXPECT_EQ(stats->series_by_metric, (Counts{{"cpu", 2}, {"hits", 1}}));
  EXPECT_EQ(stats->series_by_pair, (Counts{{"host=b", 2}, {"host=a", 1}}));
  EXPECT_EQ(stats->values_by_label, (Counts{{"host", 2}, {"job", 1}}));
  EXPECT_EQ(stats->missed, 0U);
}

TEST_F(TableSeriesTest, CountsOfVeryManyTextsAreBounds) {
  for (int i = 0; i < 9000; ++i) add("request;id=" + std::to_string(i));
  const auto stats = series_.stats(10, control_);
  ASSERT_TRUE(stats);
  EXPECT_EQ(stats->series, 9003U);
  EXPECT_GT(stats->missed, 0U);
  ASSERT_FALSE(stats->series_by_metric.empty());
  EXPECT_EQ(stats->series_by_metric[0], (std::pair<std::string, uint64_t>("request", 9000)));
  EXPECT_EQ(stats->values_by_label[0], (std::pair<std::string, uint64_t>("id", 9000)));
}

TEST_F(TableSeriesTest, ManySeriesAreRefused) {
  QueryLimits limits;
  limits.selected_max = 2;
  QueryControl control(limits);
  EXPECT_EQ(series_.series({}, control).error().code, ErrorCode::kLimit);
  EXPECT_EQ(control.refused_by(), QueryLimit::kSelected);
}

TEST_F(TableSeriesTest, WhatIsListedCountsAsMemory) {
  QueryMemory memory(1'000'000);
  {
    QueryControl control({}, &memory);
    ASSERT_TRUE(series_.series({}, control));
    EXPECT_GT(memory.bytes(), 3 * sizeof(SeriesLabels));
    const size_t before = memory.bytes();
    ASSERT_TRUE(series_.label_values("host", {}, control));
    EXPECT_GT(memory.bytes(), before);
  }
  EXPECT_EQ(memory.bytes(), 0U);
}

TEST_F(TableSeriesTest, TheLimitOfMemoryIsTheErrorOfALongList) {
  QueryLimits limits;
  limits.memory_bytes_max = 400;
  QueryControl control(limits);
  EXPECT_EQ(series_.series({}, control).error().code, ErrorCode::kLimit);
  EXPECT_EQ(control.refused_by(), QueryLimit::kMemory);
  limits.memory_bytes_max = 40;
  QueryControl less(limits);
  EXPECT_EQ(series_.label_names({}, less).error().code, ErrorCode::kLimit);
  EXPECT_EQ(less.refused_by(), QueryLimit::kMemory);
}

}  // namespace
}  // namespace statmill
