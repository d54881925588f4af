// Functions of one value, by values worked out by hand.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/server/promql/memory_series.h"

namespace statmill {
namespace {

struct FunctionCase {
  std::string_view query;
  std::string_view want;
};

std::string map_of(std::string_view function, double value) {
  MemorySource source({real_gauge("x", {value})});
  return evaluate(source, function, 10);
}

TEST(FunctionEvaluation, OfOneValue) {
  EXPECT_EQ(map_of("abs(x)", -2.5), "{} 2.5\n");
  EXPECT_EQ(map_of("-x", -2.5), "{} 2.5\n");
  EXPECT_EQ(map_of("+x", -2.5), "{__name__=\"x\"} -2.5\n");
  EXPECT_EQ(map_of("ceil(x)", 2.1), "{} 3\n");
  EXPECT_EQ(map_of("floor(x)", -2.1), "{} -3\n");
  EXPECT_EQ(map_of("round(x)", 2.5), "{} 3\n");
  EXPECT_EQ(map_of("round(x)", -2.5), "{} -2\n");
  EXPECT_EQ(map_of("round(x, 5)", 12.6), "{} 15\n");
  EXPECT_EQ(map_of("sqrt(x)", 6.25), "{} 2.5\n");
  EXPECT_EQ(map_of("exp(x)", 0), "{} 1\n");
  EXPECT_EQ(map_of("ln(x)", 1), "{} 0\n");
  EXPECT_EQ(map_of("log2(x)", 8), "{} 3\n");
  EXPECT_EQ(map_of("log10(x)", 1000), "{} 3\n");
  EXPECT_EQ(map_of("sgn(x)", -7), "{} -1\n");
  EXPECT_EQ(map_of("sgn(x)", 0), "{} 0\n");
  EXPECT_EQ(map_of("sin(x)", 0), "{} 0\n");
  EXPECT_EQ(map_of("cos(x)", 0), "{} 1\n");
  EXPECT_EQ(map_of("tan(x)", 0), "{} 0\n");
  EXPECT_EQ(map_of("asin(x)", 1), "{} 1.5707963267948966\n");
  EXPECT_EQ(map_of("acos(x)", 1), "{} 0\n");
  EXPECT_EQ(map_of("atan(x)", 1), "{} 0.7853981633974483\n");
  EXPECT_EQ(map_of("sinh(x)", 0), "{} 0\n");
  EXPECT_EQ(map_of("cosh(x)", 0), "{} 1\n");
  EXPECT_EQ(map_of("tanh(x)", 0), "{} 0\n");
  EXPECT_EQ(map_of("asinh(x)", 0), "{} 0\n");
  EXPECT_EQ(map_of("acosh(x)", 1), "{} 0\n");
  EXPECT_EQ(map_of("atanh(x)", 0), "{} 0\n");
  EXPECT_EQ(map_of("deg(x)", 0), "{} 0\n");
  EXPECT_EQ(map_of("rad(x)", 180), "{} 3.141592653589793\n");
}

TEST(FunctionEvaluation, Clamps) {
  EXPECT_EQ(map_of("clamp(x, 1, 3)", 5), "{} 3\n");
  EXPECT_EQ(map_of("clamp(x, 1, 3)", 0), "{} 1\n");
  EXPECT_EQ(map_of("clamp(x, 3, 1)", 2), "");
  EXPECT_EQ(map_of("clamp(x, NaN, 1)", 2), "{} NaN\n");
  EXPECT_EQ(map_of("clamp_min(x, 3)", 2), "{} 3\n");
  EXPECT_EQ(map_of("clamp_max(x, 3)", 7), "{} 3\n");
}

TEST(FunctionEvaluation, PartsOfADate) {
  constexpr double kLeapDay = 1709210096;  // Thursday, 2024-02-29 12:34:56 UTC
  EXPECT_EQ(map_of("year(x)", kLeapDay), "{} 2024\n");
  EXPECT_EQ(map_of("month(x)", kLeapDay), "{} 2\n");
  EXPECT_EQ(map_of("day_of_month(x)", kLeapDay), "{} 29\n");
  EXPECT_EQ(map_of("day_of_week(x)", kLeapDay), "{} 4\n");
  EXPECT_EQ(map_of("day_of_year(x)", kLeapDay), "{} 60\n");
  EXPECT_EQ(map_of("days_in_month(x)", kLeapDay), "{} 29\n");
  EXPECT_EQ(map_of("hour(x)", kLeapDay), "{} 12\n");
  EXPECT_EQ(map_of("minute(x)", kLeapDay), "{} 34\n");
  EXPECT_EQ(map_of("hour(x)", -1), "{} 23\n");
  EXPECT_EQ(map_of("year(x)", 1e300), "{} NaN\n");
  EXPECT_EQ(map_of("hour()", 0), "{} 0\n");
}

TEST(FunctionEvaluation, Scalars) {
  MemorySource source({gauge("x", {3}), gauge("y;a=1", {4}), gauge("y;a=2", {5})});
  for (const auto& [query, want] : {
           FunctionCase{"1 + 1", "2"},
           FunctionCase{"2 ^ 3 ^ 2", "512"},
           FunctionCase{"-2 ^ 2", "-4"},
           FunctionCase{"-7 % 3", "-1"},
           FunctionCase{"1 atan2 1", "0.7853981633974483"},
           FunctionCase{"1 / 0", "+Inf"},
           FunctionCase{"1 > bool 2", "0"},
           FunctionCase{"time()", "10"},
           FunctionCase{"pi()", "3.141592653589793"},
           FunctionCase{"scalar(x)", "3"},
           FunctionCase{"scalar(y)", "NaN"},
           FunctionCase{"scalar(none)", "NaN"},
           FunctionCase{"-scalar(x)", "-3"},
           FunctionCase{"vector(7)", "{} 7\n"},
           FunctionCase{"timestamp(x)", "{} 5\n"},
           FunctionCase{"timestamp(x * 2)", "{} 10\n"},
       }) {
    EXPECT_EQ(evaluate(source, query, 10), want) << query;
  }
}

TEST(FunctionEvaluation, AbsentHasTheLabelsOfTheMatchers) {
  MemorySource source({gauge("x;a=1", {3})});
  for (const auto& [query, want] : {
           FunctionCase{"absent(x)", ""},
           FunctionCase{R"(absent(x{a="2", b!="c"}))", "{a=\"2\"} 1\n"},
           FunctionCase{R"(absent((x{a="2"})))", "{a=\"2\"} 1\n"},
           FunctionCase{R"(absent(x{a="1", a="2"}))", "{} 1\n"},
           FunctionCase{"absent(x > 5)", "{} 1\n"},
           FunctionCase{R"(absent_over_time(x{a="2"}[1m]))", "{a=\"2\"} 1\n"},
           FunctionCase{"absent_over_time(x[1m])", ""},
           FunctionCase{"present_over_time(x[1m])", "{a=\"1\"} 1\n"},
       }) {
    EXPECT_EQ(evaluate(source, query, 10), want) << query;
  }
}

TEST(FunctionEvaluation, LabelsAreReplacedAndJoined) {
  MemorySource source({gauge("x;host=a:80", {1}), gauge("x;host=b:81", {2})});
  EXPECT_EQ(evaluate(source, R"(label_replace(x, "name", "$1", "host", "(.*):.*"))", 10),
            "{__name__=\"x\", host=\"a:80\", name=\"a\"} 1\n{__name__=\"x\", host=\"b:81\", name=\"b\"} 2\n");
  EXPECT_EQ(evaluate(source, R"(label_replace(x, "host", "", "host", ".*"))", 10),
            "vector cannot contain metrics with the same labelset");
  EXPECT_EQ(evaluate(source, R"(label_replace(x, "a", "", "host", "("))", 10),
            "invalid regular expression in label_replace(): (");
  EXPECT_EQ(evaluate(source, R"(label_join(x{host="a:80"}, "both", "/", "__name__", "host"))", 10),
            "{__name__=\"x\", both=\"x/a:80\", host=\"a:80\"} 1\n");
}

TEST(FunctionEvaluation, SortsAtOneTime) {
  MemorySource source({gauge("x;a=2", {5}), gauge("x;a=10", {3}), real_gauge("x;a=1", {0.0 / 0.0})});
  EXPECT_EQ(evaluate(source, "sort(x)", 10),
            "{__name__=\"x\", a=\"10\"} 3\n{__name__=\"x\", a=\"2\"} 5\n{__name__=\"x\", a=\"1\"} NaN\n");
  EXPECT_EQ(evaluate(source, "sort_desc(x)", 10),
            "{__name__=\"x\", a=\"2\"} 5\n{__name__=\"x\", a=\"10\"} 3\n{__name__=\"x\", a=\"1\"} NaN\n");
  EXPECT_EQ(evaluate(source, R"(sort_by_label(x, "a"))", 10),
            "{__name__=\"x\", a=\"1\"} NaN\n{__name__=\"x\", a=\"2\"} 5\n{__name__=\"x\", a=\"10\"} 3\n");
  EXPECT_EQ(evaluate(source, R"(sort_by_label_desc(x, "a"))", 10),
            "{__name__=\"x\", a=\"10\"} 3\n{__name__=\"x\", a=\"2\"} 5\n{__name__=\"x\", a=\"1\"} NaN\n");
}

TEST(FunctionEvaluation, ADroppedNameMustNotMakeSeriesEqual) {
  MemorySource source({gauge("x;a=1", {1}), gauge("y;a=1", {2})});
  const std::string_view error = "vector cannot contain metrics with the same labelset";
  EXPECT_EQ(evaluate(source, R"(abs({a="1"}))", 10), error);
  EXPECT_EQ(evaluate(source, R"(-{a="1"})", 10), error);
  EXPECT_EQ(evaluate(source, R"({a="1"} * 2)", 10), error);
  EXPECT_EQ(evaluate(source, R"(max_over_time({a="1"}[1m]))", 10), error);
  EXPECT_EQ(evaluate(source, R"(last_over_time({a="1"}[1m]))", 10),
            "{__name__=\"x\", a=\"1\"} 1\n{__name__=\"y\", a=\"1\"} 2\n");
  EXPECT_EQ(evaluate(source, R"({a="1"} > 1)", 10), "{__name__=\"y\", a=\"1\"} 2\n");
  EXPECT_EQ(evaluate(source, R"(sum(abs({a="1"})))", 10), error);
}

TEST(FunctionEvaluation, SeriesOfEqualLabelsAtDifferentTimesAreOne) {
  MemorySource source({{.name = "x", .times_s = {5}, .integers = {1}},
                       {.name = "y", .times_s = {405}, .integers = {25}, .scale = 1}});
  const Grid grid{.start_ms = 10'000, .end_ms = 410'000, .step_ms = 400'000};
  EXPECT_EQ(evaluate(source, R"({__name__=~"x|y"} * 2)", grid), "{} 2 5\n");
}

TEST(FunctionEvaluation, OffsetAndAt) {
  MemorySource source({gauge("x", {1, 2, 3, 4, 5, 6})});
  const Grid grid{.start_ms = 20'000, .end_ms = 40'000, .step_ms = 10'000};
  EXPECT_EQ(evaluate(source, "x", grid), "{__name__=\"x\"} 2 3 4\n");
  EXPECT_EQ(evaluate(source, "x offset 10s", grid), "{__name__=\"x\"} 1 2 3\n");
  EXPECT_EQ(evaluate(source, "x offset -10s", grid), "{__name__=\"x\"} 3 4 5\n");
  EXPECT_EQ(evaluate(source, "x @ 60", grid), "{__name__=\"x\"} 6 6 6\n");
  EXPECT_EQ(evaluate(source, "x @ end()", grid), "{__name__=\"x\"} 4 4 4\n");
  EXPECT_EQ(evaluate(source, "x @ start() offset 10s", grid), "{__name__=\"x\"} 1 1 1\n");
}

}  // namespace
}  // namespace statmill
