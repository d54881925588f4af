// Operators between vectors, and between vectors and scalars.
#include <gtest/gtest.h>

#include <string_view>

#include "tests/server/promql/memory_series.h"

namespace statmill {
namespace {

struct OperatorCase {
  std::string_view query;
  std::string_view want;
};

TEST(OperatorEvaluation, WithAScalar) {
  MemorySource source({gauge("x;a=1", {7}), gauge("x;a=2", {25}, 1)});
  for (const auto& [query, want] : {
           OperatorCase{"x + 1", "{a=\"1\"} 8\n{a=\"2\"} 3.5\n"},
           OperatorCase{"1 - x", "{a=\"1\"} -6\n{a=\"2\"} -1.5\n"},
           OperatorCase{"x * 2", "{a=\"1\"} 14\n{a=\"2\"} 5\n"},
           OperatorCase{"x / 0", "{a=\"1\"} +Inf\n{a=\"2\"} +Inf\n"},
           OperatorCase{"x % 3", "{a=\"1\"} 1\n{a=\"2\"} 2.5\n"},
           OperatorCase{"2 ^ x{a='1'}", "{a=\"1\"} 128\n"},
           OperatorCase{"x{a='1'} atan2 7", "{a=\"1\"} 0.7853981633974483\n"},
           OperatorCase{"x > 3", "{__name__=\"x\", a=\"1\"} 7\n"},
           OperatorCase{"3 > x", "{__name__=\"x\", a=\"2\"} 2.5\n"},
           OperatorCase{"x > bool 3", "{a=\"1\"} 1\n{a=\"2\"} 0\n"},
           OperatorCase{"x == 2.5", "{__name__=\"x\", a=\"2\"} 2.5\n"},
           OperatorCase{"x != 2.5", "{__name__=\"x\", a=\"1\"} 7\n"},
           OperatorCase{"x <= 2.5", "{__name__=\"x\", a=\"2\"} 2.5\n"},
           OperatorCase{"x >= 7", "{__name__=\"x\", a=\"1\"} 7\n"},
           OperatorCase{"x < 2", ""},
       }) {
    EXPECT_EQ(evaluate(source, query, 10), want) << query;
  }
}

TEST(OperatorEvaluation, NanIsNeverEqual) {
  MemorySource source({real_gauge("x", {0.0 / 0.0})});
  EXPECT_EQ(evaluate(source, "x == NaN", 10), "");
  EXPECT_EQ(evaluate(source, "x != NaN", 10), "{__name__=\"x\"} NaN\n");
  EXPECT_EQ(evaluate(source, "x", 10), "{__name__=\"x\"} NaN\n");
  EXPECT_EQ(evaluate(source, "x != x", 10), "{__name__=\"x\"} NaN\n");
  EXPECT_EQ(evaluate(source, "x == x", 10), "");
}

std::vector<MemorySeries> errors_and_hits() {
  return {gauge("errors;code=500;method=get", {24}),
          gauge("errors;code=404;method=get", {30}),
          gauge("errors;code=501;method=put", {3}),
          gauge("errors;code=500;method=post", {6}),
          gauge("errors;code=404;method=post", {21}),
          gauge("hits;method=get", {600}),
          gauge("hits;method=del", {34}),
          gauge("hits;method=post", {120})};
}

TEST(OperatorEvaluation, OneToOne) {
  MemorySource source(errors_and_hits());
  for (const auto& [query, want] : {
           OperatorCase{"errors{code='500'} / ignoring(code) hits",
                        "{method=\"get\"} 0.04\n{method=\"post\"} 0.05\n"},
           OperatorCase{"errors{code='500'} / on(method) hits",
                        "{method=\"get\"} 0.04\n{method=\"post\"} 0.05\n"},
           OperatorCase{"hits - hits", "{method=\"del\"} 0\n{method=\"get\"} 0\n{method=\"post\"} 0\n"},
           OperatorCase{
               "hits > ignoring(code) errors{code='500'} * 5",
               "{__name__=\"hits\", method=\"get\"} 600\n{__name__=\"hits\", method=\"post\"} 120\n"},
           OperatorCase{"hits > bool ignoring(code) errors{code='500'} * 25",
                        "{method=\"get\"} 0\n{method=\"post\"} 0\n"},
           OperatorCase{
               "errors / ignoring(code) hits",
               "multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)"},
           OperatorCase{
               "hits / ignoring(code) errors",
               "found duplicate series for the match group {method=\"get\"} on the right hand-side of the "
               "operation: [{__name__=\"errors\", code=\"404\", method=\"get\"}, {__name__=\"errors\", "
               "code=\"500\", method=\"get\"}];many-to-many matching not allowed: matching labels must be "
               "unique on one side"},
           OperatorCase{"none / errors", ""},
       }) {
    EXPECT_EQ(evaluate(source, query, 10), want) << query;
  }
}

TEST(OperatorEvaluation, ManyToOne) {
  MemorySource source(errors_and_hits());
  constexpr std::string_view kRatios =
      "{code=\"404\", method=\"get\"} 0.05\n{code=\"404\", method=\"post\"} 0.175\n"
      "{code=\"500\", method=\"get\"} 0.04\n{code=\"500\", method=\"post\"} 0.05\n";
  EXPECT_EQ(evaluate(source, "errors / ignoring(code) group_left hits", 10), kRatios);
  EXPECT_EQ(evaluate(source, "errors / on(method) group_left hits", 10), kRatios);
  EXPECT_EQ(evaluate(source, "hits * 0 - on(method) group_right errors", 10),
            "{code=\"404\", method=\"get\"} -30\n{code=\"404\", method=\"post\"} -21\n"
            "{code=\"500\", method=\"get\"} -24\n{code=\"500\", method=\"post\"} -6\n");
  EXPECT_EQ(evaluate(source, "sum without (code) (errors) * on(method) group_left hits", 10),
            "{method=\"get\"} 32400\n{method=\"post\"} 3240\n");
  EXPECT_EQ(evaluate(source, "sum(errors) by (code, method) * on(method) group_left(code) hits", 10),
            "multiple matches for labels: grouping labels must ensure unique matches");
  EXPECT_EQ(
      evaluate(source, "hits * on(method) group_right errors * on() group_left hits", 10),
      "found duplicate series for the match group {} on the right hand-side of the operation: "
      "[{__name__=\"hits\", method=\"del\"}, {__name__=\"hits\", method=\"get\"}];many-to-many matching "
      "not allowed: matching labels must be unique on one side");
}

TEST(OperatorEvaluation, IncludedLabelsComeFromTheOneSide) {
  MemorySource source({gauge("x;a=1;b=2", {3}), gauge("info;a=1;version=7", {1})});
  EXPECT_EQ(evaluate(source, "x * on(a) group_left(version) info", 10),
            "{a=\"1\", b=\"2\", version=\"7\"} 3\n");
}

TEST(OperatorEvaluation, AMatchIsForEachPoint) {
  // Two series of one key, but never at the same time.
  MemorySource source({{.name = "x", .times_s = {5, 405}, .integers = {1, 2}},
                       {.name = "y;b=1", .times_s = {5}, .integers = {10}},
                       {.name = "y;b=2", .times_s = {405}, .integers = {20}}});
  const Grid grid{.start_ms = 10'000, .end_ms = 410'000, .step_ms = 400'000};
  EXPECT_EQ(evaluate(source, "x + ignoring(b) y", grid), "{} 11 22\n");
  EXPECT_EQ(evaluate(source, "x + on() group_left(b) y", grid), "{b=\"1\"} 11 -\n{b=\"2\"} - 22\n");
}

TEST(OperatorEvaluation, SetOperators) {
  MemorySource source(errors_and_hits());
  for (const auto& [query, want] : {
           OperatorCase{
               "hits and on(method) errors{code='500'}",
               "{__name__=\"hits\", method=\"get\"} 600\n{__name__=\"hits\", method=\"post\"} 120\n"},
           OperatorCase{"hits unless on(method) errors", "{__name__=\"hits\", method=\"del\"} 34\n"},
           OperatorCase{"hits unless none",
                        "{__name__=\"hits\", method=\"del\"} 34\n{__name__=\"hits\", "
                        "method=\"get\"} 600\n{__name__=\"hits\", method=\"post\"} 120\n"},
           OperatorCase{"hits and none", ""},
           OperatorCase{
               "hits{method='del'} or on(method) errors{code='501'}",
               "{__name__=\"errors\", code=\"501\", method=\"put\"} 3\n{__name__=\"hits\", method=\"del\"} "
               "34\n"},
           OperatorCase{"hits{method='del'} or hits{method=~'del|get'}",
                        "{__name__=\"hits\", method=\"del\"} 34\n{__name__=\"hits\", method=\"get\"} 600\n"},
           OperatorCase{"hits > 500 or hits",
                        "{__name__=\"hits\", method=\"del\"} 34\n{__name__=\"hits\", method=\"get\"} 600\n"
                        "{__name__=\"hits\", method=\"post\"} 120\n"},
           OperatorCase{"hits{method='get'} and on() vector(1) > 2", ""},
       }) {
    EXPECT_EQ(evaluate(source, query, 10), want) << query;
  }
}

TEST(OperatorEvaluation, OrFillsPointsOfEqualLabels) {
  MemorySource source({gauge("x", {1, 5, 2})});
  const Grid grid{.start_ms = 10'000, .end_ms = 30'000, .step_ms = 10'000};
  EXPECT_EQ(evaluate(source, "x > 3 or x * 10", grid), "{__name__=\"x\"} - 5 -\n{} 10 - 20\n");
  EXPECT_EQ(evaluate(source, "vector(1) and x == 5 or vector(0)", grid), "{} 0 1 0\n");
  EXPECT_EQ(evaluate(source, "vector(1) and on() x == 5 or vector(0)", grid), "{} 0 1 0\n");
}

}  // namespace
}  // namespace statmill
