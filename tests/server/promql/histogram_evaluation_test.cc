// Histograms: of distributions, and classic ones.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/query/ops/histogram_functions.h"
#include "tests/server/promql/memory_series.h"

namespace statmill {
namespace {

struct HistogramCase {
  std::string_view query;
  std::string_view want;
};

MemorySeries distribution(std::string name, std::vector<double> samples) {
  return {.name = std::move(name), .times_s = {5}, .samples = {std::move(samples)}};
}

TEST(HistogramEvaluation, OfDistributions) {
  MemorySource source({distribution("x;a=1", {1, 2, 3, 4}), distribution("x;a=2", {10}), gauge("y", {1})});
  for (const auto& [query, want] : {
           HistogramCase{"rate(x[10s])", "{a=\"1\"} h4\n{a=\"2\"} h1\n"},
           HistogramCase{"histogram_count(rate(x[10s]))", "{a=\"1\"} 0.4\n{a=\"2\"} 0.1\n"},
           HistogramCase{"histogram_count(increase(x[10s]))", "{a=\"1\"} 4\n{a=\"2\"} 1\n"},
           HistogramCase{"histogram_sum(sum(rate(x[10s])))", "{} 2\n"},
           HistogramCase{"histogram_avg(sum(rate(x[10s])))", "{} 4\n"},
           HistogramCase{"histogram_min(sum(rate(x[10s])))", "{} 1\n"},
           HistogramCase{"histogram_max(sum(rate(x[10s])))", "{} 10\n"},
           HistogramCase{"histogram_stdvar(sum(rate(x[10s])))", "{} 10\n"},
           HistogramCase{"histogram_stddev(rate(x{a='1'}[10s]))", "{a=\"1\"} 1.118033988749895\n"},
           HistogramCase{"histogram_quantile(0.5, sum(rate(x[10s])))", "{} 3.03125\n"},
           HistogramCase{"histogram_quantile(1, sum(rate(x[10s])))", "{} 10\n"},
           HistogramCase{"histogram_quantile(2, sum(rate(x[10s])))", "{} +Inf\n"},
           HistogramCase{"histogram_fraction(0, 2.5, sum(rate(x[10s])))", "{} 0.4\n"},
           HistogramCase{"histogram_fraction(2, 1, sum(rate(x[10s])))", "{} 0\n"},
           HistogramCase{"histogram_quantiles(rate(x{a='1'}[10s]), 'q', 0, 1)",
                         "{a=\"1\", q=\"0\"} 1\n{a=\"1\", q=\"1\"} 4\n"},
           HistogramCase{"histogram_count(rate(x[10s]) * 2)", "{a=\"1\"} 0.8\n{a=\"2\"} 0.2\n"},
           HistogramCase{"histogram_count(rate(x[10s]) / 2)", "{a=\"1\"} 0.2\n{a=\"2\"} 0.05\n"},
           HistogramCase{"histogram_count(y)", ""},
           HistogramCase{"count(rate(x[10s]))", "{} 2\n"},
           HistogramCase{"max(rate(x[10s]))", "warning: histograms have only sums, averages and counts\n"},
           HistogramCase{"abs(rate(x[10s]))", ""},
       }) {
    EXPECT_EQ(evaluate(source, query, 10), want) << query;
  }
}

TEST(HistogramEvaluation, AveragesKeepTheDistribution) {
  MemorySource source({distribution("x;a=1", {1, 2, 3, 4}), distribution("x;a=2", {10}), gauge("y", {1})});
  for (const auto& [query, want] : {
           HistogramCase{"avg(rate(x[10s]))", "{} h5\n"},
           HistogramCase{"histogram_count(avg(rate(x[10s])))", "{} 0.25\n"},
           HistogramCase{"histogram_sum(avg(increase(x[10s])))", "{} 10\n"},
           HistogramCase{"histogram_avg(avg(rate(x[10s])))", "{} 4\n"},
           HistogramCase{"histogram_quantile(0.5, avg(rate(x[10s])))", "{} 3.03125\n"},
           HistogramCase{"histogram_count(avg by (a) (rate(x[10s])))", "{a=\"1\"} 0.4\n{a=\"2\"} 0.1\n"},
           HistogramCase{"avg(rate(x[10s]) or y)", "warning: numbers and histograms are not summed\n"},
       }) {
    EXPECT_EQ(evaluate(source, query, 10), want) << query;
  }
}

TEST(HistogramEvaluation, AveragesCountTheSeriesOfEachPoint) {
  MemorySource source({distribution("x;a=1", {1, 2, 3, 4}),
                       {.name = "x;a=2", .times_s = {5, 15}, .samples = {{10, 10}, {7}}}});
  const Grid grid{.start_ms = 10'000, .end_ms = 20'000, .step_ms = 10'000};
  EXPECT_EQ(evaluate(source, "histogram_count(avg(increase(x[10s])))", grid), "{} 3 1\n");
}

// As in Prometheus, where the series of a group are looked at for each point.
TEST(HistogramEvaluation, OnlyPointsWithBothNumbersAndHistogramsAreNotSummed) {
  MemorySource source({{.name = "x;a=1", .times_s = {5, 15}, .samples = {{1, 2}, {3}}},
                       {.name = "y;a=2", .times_s = {15, 25}, .integers = {7, 8}}});
  const Grid grid{.start_ms = 10'000, .end_ms = 30'000, .step_ms = 10'000};
  const std::string both = "(rate(x[10s]) or last_over_time(y[10s]))";
  const std::string warning = "warning: numbers and histograms are not summed\n";
  for (const std::string function : {"sum", "avg"}) {
    EXPECT_EQ(evaluate(source, function + both, grid), "{} - - 8\n{} h2 h0 h0\n" + warning);
    EXPECT_EQ(evaluate(source, "count(" + function + both + ")", grid), "{} 1 - 1\n" + warning);
    EXPECT_EQ(evaluate(source, "label_replace(" + function + both + ", 'a', 'b', '', '')", grid),
              "{a=\"b\"} - - 8\n{a=\"b\"} h2 h0 h0\n" + warning);
    EXPECT_EQ(evaluate(source, function + both + " * 2", grid), "{} - - 16\n{} h2 h0 h0\n" + warning);
    EXPECT_EQ(evaluate(source, function + both + " == " + function + both, grid),
              "{} - - 8\n{} h2 h0 h0\n" + warning);
    EXPECT_EQ(evaluate(source, "vector(0) < bool on() " + function + both, grid),
              "{} - - 1\n" + warning +
                  "info: incompatible types encountered for binary operator \"<\": float < histogram\n");
  }
  EXPECT_EQ(evaluate(source, "max" + both, grid),
            "{} - 7 8\nwarning: histograms have only sums, averages and counts\n");
  EXPECT_EQ(evaluate(source, "count" + both, grid), "{} 1 2 1\n");
}

// Both are rates, but over 10 s and 20 s, where both are present.
TEST(HistogramEvaluation, RatesOverDifferentTimesAreLeftOutWhereTheyMeet) {
  MemorySource source({{.name = "x", .times_s = {5, 25}, .samples = {{1}, {2}}},
                       {.name = "y", .times_s = {25}, .samples = {{3, 4}}}});
  const Grid grid{.start_ms = 10'000, .end_ms = 30'000, .step_ms = 10'000};
  const std::string both = "(rate(x[10s]) or label_replace(rate(y[20s]), 'a', 'y', '', ''))";
  constexpr std::string_view kWarning =
      "warning: histograms of different rates are neither summed nor subtracted\n";
  for (const std::string function : {"sum", "avg"}) {
    EXPECT_EQ(evaluate(source, "histogram_count(" + function + both + ")", grid),
              "{} 0.1 - -\n" + std::string(kWarning));
  }
  EXPECT_EQ(evaluate(source, "rate(x[10s]) + on() rate(y[20s])", grid), kWarning);
  EXPECT_EQ(evaluate(source, "rate(x[10s]) - on() rate(y[20s])", grid), kWarning);
}

TEST(HistogramEvaluation, ArithmeticOfHistograms) {
  MemorySource source({distribution("x;a=1", {1, 2, 3, 4}), distribution("x;a=2", {10}),
                       distribution("z;a=1", {6}), gauge("y;a=1", {4}), gauge("y;a=2", {-1})});
  const std::string only_positive =
      "warning: histograms are multiplied and divided by positive numbers only\n";
  const std::string incompatible = "info: incompatible types encountered for binary operator ";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"histogram_count(2 * rate(x[10s]))", "{a=\"1\"} 0.8\n{a=\"2\"} 0.2\n"},
      {"histogram_sum(rate(x[10s]) * 2)", "{a=\"1\"} 2\n{a=\"2\"} 2\n"},
      {"histogram_avg(rate(x[10s]) * 2)", "{a=\"1\"} 2.5\n{a=\"2\"} 10\n"},
      {"histogram_count(rate(x[10s]) + rate(z[10s]))", "{a=\"1\"} 0.5\n"},
      {"histogram_max(rate(x[10s]) + rate(z[10s]))", "{a=\"1\"} 6\n"},
      {"histogram_count(rate(x[10s]) + on() group_left rate(z[10s]))", "{a=\"1\"} 0.5\n{a=\"2\"} 0.2\n"},
      {"histogram_count(rate(z[10s]) + on() group_right rate(x[10s]))", "{a=\"1\"} 0.5\n{a=\"2\"} 0.2\n"},
      {"histogram_count(increase(x[10s]) / y)", "{a=\"1\"} 1\n" + only_positive},
      {"histogram_count(increase(x[10s]) * y)", "{a=\"1\"} 16\n" + only_positive},
      {"histogram_count(y * increase(x[10s]))", "{a=\"1\"} 16\n" + only_positive},
      {"rate(x[10s]) * 0", only_positive},
      {"rate(x[10s]) / 0", only_positive},
      {"rate(x[10s]) * NaN", only_positive},
      {"rate(x[10s]) * -1", only_positive},
      {"-rate(x[10s])", only_positive},
      {"rate(x[10s]) * rate(z[10s])", incompatible + "\"*\": histogram * histogram\n"},
      {"rate(x[10s]) + 1", incompatible + "\"+\": histogram + float\n"},
      {"1 / rate(x[10s])", incompatible + "\"/\": float / histogram\n"},
      {"y / rate(x[10s])", incompatible + "\"/\": float / histogram\n"},
      {"rate(x[10s]) > 1", incompatible + "\">\": histogram > float\n"},
      {"rate(x[10s]) > bool y", incompatible + "\">\": histogram > float\n"},
  };
  for (const auto& [query, want] : cases) EXPECT_EQ(evaluate(source, query, 10), want) << query;
}

TEST(HistogramEvaluation, DifferencesOfHistograms) {
  MemorySource source({distribution("x;a=1", {1, 2, 3, 4}), distribution("x;a=2", {10}),
                       distribution("z;a=1", {3}), distribution("z;a=2", {11}), gauge("y;a=1", {4}),
                       gauge("w;a=1", {2})});
  const std::string no_difference =
      "warning: differences of histograms with negative counts, or without samples, are left out\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"rate(x{a='1'}[10s]) - rate(z[10s])", "{a=\"1\"} h3\n"},
      {"histogram_count(rate(x{a='1'}[10s]) - rate(z[10s]))", "{a=\"1\"} 0.3\n"},
      {"histogram_sum(rate(x{a='1'}[10s]) - rate(z[10s]))", "{a=\"1\"} 0.7\n"},
      {"histogram_quantile(0.9, rate(x{a='1'}[10s]) - rate(z[10s]))", "{a=\"1\"} 4\n"},
      {"histogram_avg(sum(increase(x[10s])) - on() increase(x{a='2'}[10s]))", "{} 2.5\n"},
      {"histogram_stdvar(sum(increase(x[10s])) - on() increase(x{a='2'}[10s]))", "{} 1.25\n"},
      {"increase(x[10s]) - increase(z[10s])", "{a=\"1\"} h3\n" + no_difference},
      {"increase(x[10s]) - increase(x[10s])", no_difference},
      {"buckets_over_time(x{a='1'}[10s]) - increase(x{a='1'}[10s])", no_difference},
      {"increase(x{a='1'}[10s]) - y",
       "info: incompatible types encountered for binary operator \"-\": histogram - float\n"},
  };
  for (const auto& [query, want] : cases) EXPECT_EQ(evaluate(source, query, 10), want) << query;
}

TEST(HistogramEvaluation, ComparisonsOfHistograms) {
  MemorySource source({distribution("x;a=1", {1, 2, 3, 4}), distribution("x;a=2", {10}),
                       distribution("z;a=1", {4, 3, 2, 1}), distribution("z;a=2", {11}),
                       gauge("y;a=1", {4})});
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"rate(x[10s]) == rate(z[10s])", "{a=\"1\"} h4\n"},
      {"rate(x[10s]) != rate(z[10s])", "{a=\"2\"} h1\n"},
      {"rate(x[10s]) == bool rate(z[10s])", "{a=\"1\"} 1\n{a=\"2\"} 0\n"},
      {"rate(x[10s]) != bool rate(z[10s])", "{a=\"1\"} 0\n{a=\"2\"} 1\n"},
      {"rate(x[10s]) == on(a) group_left rate(z{a='1'}[10s])", "{a=\"1\"} h4\n"},
      // As rates: 4 in 10 s is 8 in 20 s.
      {"rate(x[10s]) == 2 * rate(z[20s])", "{a=\"1\"} h4\n"},
      {"rate(x[10s]) == increase(z[10s])", ""},
      {"sum(rate(x[10s])) - on() rate(x{a='2'}[10s]) == on() rate(z{a='1'}[10s])", "{} h4\n"},
      {"rate(x[10s]) == y",
       "info: incompatible types encountered for binary operator \"==\": histogram == float\n"},
      {"rate(x[10s]) < bool rate(z[10s])",
       "info: incompatible types encountered for binary operator \"<\": histogram < histogram\n"},
  };
  for (const auto& [query, want] : cases) EXPECT_EQ(evaluate(source, query, 10), want) << query;
}

TEST(HistogramEvaluation, OnlyThePointsWithoutAResultAreLeftOut) {
  MemorySource source({{.name = "x", .times_s = {5, 15}, .samples = {{1}, {2, 3}}}});
  const Grid grid{.start_ms = 10'000, .end_ms = 20'000, .step_ms = 10'000};
  EXPECT_EQ(evaluate(source, "histogram_count(increase(x[10s]) * scalar(vector(time() - 10)))", grid),
            "{} - 20\nwarning: histograms are multiplied and divided by positive numbers only\n");
}

std::vector<MemorySeries> classic(std::vector<int64_t> counts) {
  const std::vector<std::string> edges = {"0.1", "0.2", "1e0", "+Inf"};
  std::vector<MemorySeries> series;
  for (size_t i = 0; i < counts.size(); ++i) series.push_back(gauge("x;le=" + edges[i], {counts[i]}));
  return series;
}

TEST(HistogramEvaluation, ClassicOnesAreInterpolated) {
  MemorySource source(classic({5, 7, 10, 10}));
  for (const auto& [query, want] : {
           HistogramCase{"histogram_quantile(0, x)", "{} 0\n"},
           HistogramCase{"histogram_quantile(0.25, x)", "{} 0.05\n"},
           HistogramCase{"histogram_quantile(0.5, x)", "{} 0.1\n"},
           HistogramCase{"histogram_quantile(0.6, x)", "{} 0.15000000000000002\n"},
           HistogramCase{"histogram_quantile(1, x)", "{} 1\n"},
           HistogramCase{"histogram_quantile(-1, x)", "{} -Inf\n"},
           HistogramCase{"histogram_quantile(2, x)", "{} +Inf\n"},
           HistogramCase{"histogram_quantile(NaN, x)", "{} NaN\n"},
           HistogramCase{"histogram_quantile(0.5, x{le!='+Inf'})", "{} NaN\n"},
           HistogramCase{"histogram_quantile(0.5, x{le='+Inf'})", "{} NaN\n"},
           HistogramCase{"histogram_quantile(0.5, x * 0)", "{} NaN\n"},
           HistogramCase{"histogram_quantile(0.5, none)", ""},
           HistogramCase{"histogram_quantile(0.5, sum(x) by (le))", "{} 0.1\n"},
       }) {
    EXPECT_EQ(evaluate(source, query, 10), want) << query;
  }
}

TEST(HistogramEvaluation, FractionsOfClassicOnes) {
  MemorySource source(classic({5, 7, 10, 10}));
  for (const auto& [query, want] : {
           HistogramCase{"histogram_fraction(0, 0.1, x)", "{} 0.5\n"},
           HistogramCase{"histogram_fraction(-Inf, +Inf, x)", "{} 1\n"},
           HistogramCase{"histogram_fraction(0.1, 0.2, x)", "{} 0.2\n"},
           HistogramCase{"histogram_fraction(0, 0.025, x)", "{} 0.125\n"},
           HistogramCase{"histogram_fraction(0.6, 2, x)", "{} 0.15\n"},
           HistogramCase{"histogram_fraction(2, 1, x)", "{} 0\n"},
           HistogramCase{"histogram_fraction(NaN, 1, x)", "{} NaN\n"},
           HistogramCase{"histogram_fraction(0, 1, x{le!='+Inf'})", "{} NaN\n"},
           HistogramCase{"histogram_fraction(0, 1, x * 0)", "{} NaN\n"},
           HistogramCase{"histogram_fraction(0, 1, none)", ""},
           HistogramCase{"histogram_fraction(0, scalar(vector(0.1)), sum by (le) (x))", "{} 0.5\n"},
       }) {
    EXPECT_EQ(evaluate(source, query, 10), want) << query;
  }
}

double quantile(double q, std::vector<ClassicBucket> buckets) { return classic_quantile(q, buckets); }

double fraction(double lower, double upper, std::vector<ClassicBucket> buckets) {
  return classic_fraction(lower, upper, buckets);
}

// As promql/quantile.go of Prometheus 3: counts are not made ascending.
TEST(ClassicFraction, OfBucketsWithNegativeEdgesAndInAnyOrder) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<ClassicBucket> buckets = {{kInfinity, 10}, {1, 8}, {-1, 4}, {1, 0}};
  EXPECT_EQ(fraction(-kInfinity, -1, buckets), 0.4);
  EXPECT_EQ(fraction(-kInfinity, -5, buckets), 0.4) << "all of the first bucket are below any value in it";
  EXPECT_EQ(fraction(-5, 0, buckets), 0.2);
  EXPECT_EQ(fraction(0, 5, buckets), 0.2) << "a value above the last edge counts as the edge";
  EXPECT_EQ(fraction(0, kInfinity, buckets), 0.4);
  EXPECT_EQ(fraction(0, 1, {{kInfinity, 10}}), 0);
}

TEST(ClassicQuantile, CountsAreMadeAscendingAndEqualEdgesAreOne) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(quantile(0.5, {{kInfinity, 10}, {2, 9}, {1, 4}, {2, 0}}), 1.2);
  EXPECT_EQ(quantile(0.5, {{1, 4}, {2, 2}, {3, 10}, {kInfinity, 10}}), 2 + 1.0 / 6);
  EXPECT_EQ(quantile(0.9, {{1, 4}, {2, 5}, {kInfinity, 10}}), 2);
  EXPECT_EQ(quantile(0.1, {{-1, 4}, {2, 5}, {kInfinity, 10}}), -1);
}

}  // namespace
}  // namespace statmill
