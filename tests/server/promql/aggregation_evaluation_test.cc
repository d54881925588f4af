// Aggregations, by values worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "tests/server/promql/memory_series.h"

namespace statmill {
namespace {

struct AggregationCase {
  std::string_view query;
  std::string_view want;
};

std::vector<MemorySeries> four() {
  return {gauge("x;dc=a;host=1", {2}), gauge("x;dc=a;host=2", {4}), gauge("x;dc=b;host=3", {45}, 1),
          gauge("x;dc=b;host=4", {55}, 1)};
}

TEST(AggregationEvaluation, OfAllSeriesAndByLabels) {
  MemorySource source(four());
  for (const auto& [query, want] : {
           AggregationCase{"sum(x)", "{} 16\n"},
           AggregationCase{"sum by (dc) (x)", "{dc=\"a\"} 6\n{dc=\"b\"} 10\n"},
           AggregationCase{"sum without (host) (x)", "{dc=\"a\"} 6\n{dc=\"b\"} 10\n"},
           AggregationCase{"sum by (none) (x)", "{} 16\n"},
           AggregationCase{"sum by (__name__) (x)", "{__name__=\"x\"} 16\n"},
           AggregationCase{"avg(x)", "{} 4\n"},
           AggregationCase{"min(x)", "{} 2\n"},
           AggregationCase{"max(x)", "{} 5.5\n"},
           AggregationCase{"count(x)", "{} 4\n"},
           AggregationCase{"group by (dc) (x)", "{dc=\"a\"} 1\n{dc=\"b\"} 1\n"},
           AggregationCase{"stdvar(x)", "{} 1.625\n"},
           AggregationCase{"stddev by (dc) (x)", "{dc=\"a\"} 1\n{dc=\"b\"} 0.5\n"},
           AggregationCase{"quantile(0.5, x)", "{} 4.25\n"},
           AggregationCase{"quantile(2, x)", "{} +Inf\n"},
           AggregationCase{"quantile(-1, x)", "{} -Inf\n"},
           AggregationCase{"quantile(NaN, x)", "{} NaN\n"},
           AggregationCase{R"(count_values("v", x))",
                           "{v=\"2\"} 1\n{v=\"4\"} 1\n{v=\"4.5\"} 1\n{v=\"5.5\"} 1\n"},
           AggregationCase{R"(count_values by (dc) ("v", x > bool 3))",
                           "{dc=\"a\", v=\"0\"} 1\n{dc=\"a\", v=\"1\"} 1\n{dc=\"b\", v=\"1\"} 2\n"},
           AggregationCase{"sum(none)", ""},
       }) {
    EXPECT_EQ(evaluate(source, query, 10), want) << query;
  }
}

// With doubles the deviations of such integers lose half of their digits.
TEST(AggregationEvaluation, DeviationsOfTimesAreExact) {
  std::vector<MemorySeries> series;
  for (int i = 0; i < 16; ++i)
    series.push_back(gauge("x;i=" + std::to_string(i), {400'000'000'000'000 + 2 * i * i + i}));
  MemorySource source(series);
  EXPECT_EQ(evaluate(source, "stdvar(x / 0.1)", 10), "{} 2184925\n");
}

TEST(AggregationEvaluation, DecimalsAddUpExactlyInAnyOrder) {
  std::vector<MemorySeries> series;
  for (int i = 0; i < 10; ++i) series.push_back(gauge("x;i=" + std::to_string(i), {1}, 1));
  series.push_back(gauge("x;i=10", {12345678901234567}, 0));
  MemorySource source(series);
  EXPECT_EQ(evaluate(source, "sum(x)", 10), "{} 12345678901234568\n");
  std::reverse(series.begin(), series.end());
  MemorySource reversed(series);
  EXPECT_EQ(evaluate(reversed, "sum(x)", 10), "{} 12345678901234568\n");
  EXPECT_EQ(evaluate(source, R"(avg(x{i=~"0|1|2"}))", 10), "{} 0.1\n");
}

TEST(AggregationEvaluation, RanksAtEachPoint) {
  MemorySource source({gauge("x;a=1", {1, 9}), gauge("x;a=2", {2, 2}), gauge("x;a=3", {3, 1})});
  const Grid grid{.start_ms = 10'000, .end_ms = 20'000, .step_ms = 10'000};
  EXPECT_EQ(evaluate(source, "sum(topk(1, x)) by (a)", grid), "{a=\"1\"} - 9\n{a=\"3\"} 3 -\n");
  EXPECT_EQ(evaluate(source, "topk(2, x)", 10), "{__name__=\"x\", a=\"3\"} 3\n{__name__=\"x\", a=\"2\"} 2\n");
  EXPECT_EQ(evaluate(source, "bottomk(1, x)", 10), "{__name__=\"x\", a=\"1\"} 1\n");
  EXPECT_EQ(evaluate(source, "limitk(2, x)", 10),
            "{__name__=\"x\", a=\"1\"} 1\n{__name__=\"x\", a=\"2\"} 2\n");
  EXPECT_EQ(evaluate(source, "topk(0, x)", 10), "");
  EXPECT_EQ(evaluate(source, "topk(-1, x)", 10), "");
  EXPECT_EQ(evaluate(source, "topk(NaN, x)", 10), "Scalar value NaN overflows int64");
  EXPECT_EQ(evaluate(source, "topk by (a) (1, x)", 10),
            "{__name__=\"x\", a=\"1\"} 1\n{__name__=\"x\", a=\"2\"} 2\n{__name__=\"x\", a=\"3\"} 3\n");
}

TEST(AggregationEvaluation, NanIsLastInRanks) {
  MemorySource source(
      {real_gauge("x;a=1", {0.0 / 0.0}), real_gauge("x;a=2", {-1}), real_gauge("x;a=3", {-2})});
  EXPECT_EQ(evaluate(source, "topk(2, x)", 10),
            "{__name__=\"x\", a=\"2\"} -1\n{__name__=\"x\", a=\"3\"} -2\n");
  EXPECT_EQ(evaluate(source, "bottomk(2, x)", 10),
            "{__name__=\"x\", a=\"3\"} -2\n{__name__=\"x\", a=\"2\"} -1\n");
}

TEST(AggregationEvaluation, PartsOfThePathAreLabels) {
  MemorySource source({gauge("host.a.cpu", {1}), gauge("host.a.disk", {2}), gauge("host.b.cpu", {4})});
  EXPECT_EQ(evaluate(source, R"(sum by (__n001__) ({__name__=~".+"}))", 10),
            "{__n001__=\"a\"} 3\n{__n001__=\"b\"} 4\n");
  EXPECT_EQ(evaluate(source, R"(sum by (__n002__) (max_over_time({__name__=~".+"}[1m])))", 10),
            "{__n002__=\"cpu\"} 5\n{__n002__=\"disk\"} 2\n");
}

TEST(AggregationEvaluation, EqualLeavesAreReadOnce) {
  MemorySource source(four());
  EXPECT_EQ(evaluate(source, "sum(x) / count(x > 0) - sum(x)", 10), "{} -12\n");
  EXPECT_EQ(source.reads(), 1U);
}

}  // namespace
}  // namespace statmill
