// Range functions, over selectors and over subqueries.
#include <gtest/gtest.h>

#include <string_view>

#include "tests/server/promql/memory_series.h"

namespace statmill {
namespace {

struct SubqueryCase {
  std::string_view query;
  std::string_view want;
};

TEST(RangeEvaluation, EachFunctionReachesItsLeaf) {
  MemorySource source({gauge("x", {1, 4, 2, 8, 5, 7})});
  for (const auto& [query, want] : {
           SubqueryCase{"avg_over_time(x[1m])", "{} 4.5\n"},
           SubqueryCase{"min_over_time(x[1m])", "{} 1\n"},
           SubqueryCase{"max_over_time(x[1m])", "{} 8\n"},
           SubqueryCase{"sum_over_time(x[1m])", "{} 27\n"},
           SubqueryCase{"count_over_time(x[1m])", "{} 6\n"},
           SubqueryCase{"stdvar_over_time(x[1m])", "{} 6.25\n"},
           SubqueryCase{"stddev_over_time(x[1m])", "{} 2.5\n"},
           SubqueryCase{"first_over_time(x[1m])", "{__name__=\"x\"} 1\n"},
           SubqueryCase{"last_over_time(x[1m])", "{__name__=\"x\"} 7\n"},
           SubqueryCase{"ts_of_first_over_time(x[1m])", "{} 5\n"},
           SubqueryCase{"ts_of_last_over_time(x[1m])", "{} 55\n"},
           SubqueryCase{"ts_of_min_over_time(x[1m])", "{} 5\n"},
           SubqueryCase{"ts_of_max_over_time(x[1m])", "{} 35\n"},
           SubqueryCase{"changes(x[1m])", "{} 5\n"},
           SubqueryCase{"resets(x[1m])", "{} 2\n"},
           SubqueryCase{"delta(x[1m])", "{} 7.199999999999999\n"},
           SubqueryCase{"idelta(x[1m])", "{} 2\n"},
           SubqueryCase{"irate(x[1m])", "{} 0.2\n"},
           SubqueryCase{"quantile_over_time(0.5, x[1m])", "{} 4.5\n"},
           SubqueryCase{"mad_over_time(x[1m])", "{} 2.5\n"},
           SubqueryCase{"predict_linear(x[1m] @ 60, 0)", "{} 7.842857142857143\n"},
           SubqueryCase{"holt_winters(x[1m], 1, 0.5)",
                        "invalid smoothing factor. Expected: 0 < sf < 1, got: 1.000000"},
           SubqueryCase{"double_exponential_smoothing(x[20s], 0.5, 0.5)", "{} 7\n"},
       }) {
    EXPECT_EQ(evaluate(source, query, 60), want) << query;
  }
}

TEST(SubqueryEvaluation, PointsAreMultiplesOfTheStepAndTheLeftEndIsOpen) {
  MemorySource source({gauge("x", {1, 2, 3, 4, 5, 6})});
  for (const auto& [query, want] : {
           SubqueryCase{"count_over_time(x[30s:10s])", "{} 3\n"},  // 40, 50, 60
           SubqueryCase{"sum_over_time(x[30s:10s])", "{} 15\n"},   // 4, 5, 6
           SubqueryCase{"sum_over_time(x[30s:7s])", "{} 18\n"},    // 35, 42, 49, 56: 3, 4, 5, 6
           SubqueryCase{"last_over_time(x[30s:10s])", "{__name__=\"x\"} 6\n"},
           SubqueryCase{"max_over_time((x * 2)[1m:10s])", "{} 12\n"},
           SubqueryCase{"count_over_time(time()[2m:])",
                        "1:17: parse error: subquery is only allowed on instant vector, got scalar instead"},
           SubqueryCase{"count_over_time(vector(1)[5m:])", "{} 5\n"},       // the default step is a minute
           SubqueryCase{"sum_over_time(x[20s:10s] offset 10s)", "{} 9\n"},  // 4, 5
           SubqueryCase{"sum_over_time(x[20s:10s] @ 30)", "{} 5\n"},        // 2, 3
           SubqueryCase{"sum_over_time(sum_over_time(x[20s:10s])[20s:10s])", "{} 20\n"},  // (4 + 5) + (5 + 6)
           SubqueryCase{"rate(x[1m:10s])", "{} 0.1\n"},
           SubqueryCase{"absent_over_time(x[1m:10s])", ""},
           SubqueryCase{"absent_over_time((x > 9)[1m:10s])", "{} 1\n"},
           SubqueryCase{"quantile_over_time(scalar(x) / 12, x[30s:10s])", "{} 5\n"},
           SubqueryCase{"sum_over_time(x[1s:1m] offset 1s)", ""},
           SubqueryCase{"buckets_over_time(x[1m:10s])",
                        "buckets_over_time: needs a selector, since values of an expression are no samples"},
       }) {
    EXPECT_EQ(evaluate(source, query, 60), want) << query;
  }
}

TEST(SubqueryEvaluation, SlidesOverAGrid) {
  MemorySource source({gauge("x", {1, 2, 3, 4, 5, 6})});
  const Grid grid{.start_ms = 0, .end_ms = 60'000, .step_ms = 20'000};
  EXPECT_EQ(evaluate(source, "sum_over_time(x[20s:10s])", grid), "{} - 3 7 11\n");
  EXPECT_EQ(evaluate(source, "sum_over_time(x[20s:10s] @ end())", grid), "{} 11 11 11 11\n");
}

TEST(SubqueryEvaluation, TooManyEvaluationsAreRefused) {
  MemorySource source({gauge("x", {1})});
  const std::string error = evaluate(source, "sum_over_time(x[20y:1s])", 60);
  EXPECT_NE(error.find("10000000"), std::string::npos) << error;
  EXPECT_EQ(source.reads(), 0U);
}

}  // namespace
}  // namespace statmill
