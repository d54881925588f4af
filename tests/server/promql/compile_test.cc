// Plans as text, and what is refused.
#include "server/promql/compile.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "server/promql/functions.h"
#include "server/promql/parser.h"
#include "server/query/plan/print.h"

namespace statmill::promql {
namespace {

std::string plan_of(std::string_view query) {
  const Result<SyntaxTree> tree = parse_promql(query);
  if (!tree) return tree.error().message;
  const Result<plan::Plan> plan = compile(*tree, {.start_ms = 1000, .end_ms = 2000});
  return plan ? print_plan(*plan) : plan.error().message;
}

TEST(Compile, ASelectorIsALeaf) {
  EXPECT_EQ(plan_of("x"), "instant {__name__=\"x\"} [300s]\n");
  EXPECT_EQ(plan_of("x{a='1',b!='2',c=~'3',d!~'4'}"),
            "instant {__name__=\"x\", a=\"1\", b!=\"2\", c=~\"3\", d!~\"4\"} [300s]\n");
  EXPECT_EQ(plan_of("x offset 1m"), "instant {__name__=\"x\"} [300s] offset 60s\n");
  EXPECT_EQ(plan_of("x @ 5"), "instant {__name__=\"x\"} [300s] @ 5s\n");
  EXPECT_EQ(plan_of("x @ start()"), "instant {__name__=\"x\"} [300s] @ 1s\n");
  EXPECT_EQ(plan_of("x @ end()"), "instant {__name__=\"x\"} [300s] @ 2s\n");
  EXPECT_EQ(plan_of("rate(x[5m])"), "rate {__name__=\"x\"} [300s]\n");
}

TEST(Compile, OnlyPresenceIsReadWhereItSuffices) {
  EXPECT_EQ(plan_of("count(x)"), "group count by ()\n  presence {__name__=\"x\"} [300s]\n");
  EXPECT_EQ(plan_of("absent(x)"), "absent {}\n  presence {__name__=\"x\"} [300s]\n");
  EXPECT_EQ(plan_of("a and (b)"),
            "join and ignoring ()\n  instant {__name__=\"a\"} [300s]\n  presence {__name__=\"b\"} [300s]\n");
  EXPECT_EQ(plan_of("count(x > 1)"),
            "group count by ()\n  map >\n    instant {__name__=\"x\"} [300s]\n    number 1\n");
}

TEST(Compile, NodesOfEachKind) {
  EXPECT_EQ(plan_of("sum by (host) (rate(x[5m]))"), "group sum by (host)\n  rate {__name__=\"x\"} [300s]\n");
  EXPECT_EQ(plan_of("topk(3, x)"), "rank topk by ()\n  instant {__name__=\"x\"} [300s]\n  number 3\n");
  EXPECT_EQ(plan_of("a * on(b) group_left(c) d"),
            "join * on (b) group_left (c)\n  instant {__name__=\"a\"} [300s]\n  instant {__name__=\"d\"} "
            "[300s]\n");
  EXPECT_EQ(plan_of("max_over_time(x[1h:1m] offset 5m)"),
            "max_over_time of [3600s:60s] offset 300s\n  instant {__name__=\"x\"} [300s]\n");
  EXPECT_EQ(plan_of("1 + 2"), "scalar +\n  number 1\n  number 2\n");
  EXPECT_EQ(plan_of("'a'"), "text \"a\"\n");
  EXPECT_EQ(plan_of("-time()"), "scalar *\n  number -1\n  time\n");
  EXPECT_EQ(plan_of("histogram_quantile(0.9, x)"),
            "histogram quantile\n  instant {__name__=\"x\"} [300s]\n  number 0.9\n");
  EXPECT_EQ(plan_of("hour()"), "map hour\n  vector\n    time\n");
  EXPECT_EQ(plan_of("2 > bool x"), "map > bool scalar left\n  number 2\n  instant {__name__=\"x\"} [300s]\n");
  EXPECT_EQ(
      plan_of("label_replace(x, 'a', '$1', 'b', 'c')"),
      "unique values\n  label_replace \"a\" = \"$1\" where \"b\" =~ \"c\"\n    instant {__name__=\"x\"} "
      "[300s]\n");
  EXPECT_EQ(plan_of("sort_desc(x)"), "sort descending\n  instant {__name__=\"x\"} [300s]\n");
}

TEST(Compile, SeriesOfSeveralNamesAreCheckedWhenTheNameIsDropped) {
  EXPECT_EQ(plan_of("abs({a='1'})"), "unique values\n  map abs\n    instant {a=\"1\"} [300s]\n");
  EXPECT_EQ(plan_of("rate({a='1'}[5m])"), "unique series\n  rate {a=\"1\"} [300s]\n");
  EXPECT_EQ(plan_of("abs({__name__='x'})"), "map abs\n  instant {__name__=\"x\"} [300s]\n");
  EXPECT_EQ(plan_of("abs(rate({a='1'}[5m]))"), "unique series\n  map abs\n    rate {a=\"1\"} [300s]\n");
}

TEST(Compile, AggregationsOverPathsAddUpSeriesThatDifferInTheirNames) {
  EXPECT_EQ(plan_of("sum(rate({a='1'}[5m]))"),
            "group sum by ()\n  unique series\n    rate {a=\"1\"} [300s]\n");
  EXPECT_EQ(plan_of("sum(rate({__graphite__='a.*'}[5m]))"),
            "group sum by ()\n  rate {__graphite__=\"a.*\"} [300s]\n");
}

TEST(Compile, WhatIsNotComputedIsRefused) {
  EXPECT_EQ(plan_of("limit_ratio(0.5, x)"),
            "limit_ratio: experimental, and its choice of series is not that of Prometheus");
  EXPECT_EQ(plan_of("info(x)"), "info: experimental, and other series are not joined by it");
  EXPECT_EQ(plan_of("start_timestamp(x)"), "start_timestamp: the start of a counter is not stored");
  EXPECT_EQ(plan_of("rate(x[5m] smoothed)"),
            "smoothed: experimental, and the values between samples are not known");
  EXPECT_EQ(plan_of("x[5m]"), "a range vector cannot be the whole of a query");
  EXPECT_EQ(plan_of("{}"), "1:1: parse error: vector selector must contain at least one non-empty matcher");
}

TEST(Compile, EveryFunctionOfTheTableCompiles) {
  for (const Function& function : all_functions()) {
    std::string query(function.name);
    query += '(';
    for (size_t i = 0; i < function.argument_count(); ++i) {
      if (i > 0) query += ", ";
      const ValueType type = function.argument_types[i];
      query += type == ValueType::kScalar   ? "0.5"
               : type == ValueType::kString ? "'a'"
               : type == ValueType::kMatrix ? "x[5m]"
                                            : "x";
    }
    query += ')';
    const Result<SyntaxTree> tree = parse_promql(query);
    ASSERT_TRUE(tree) << query << ": " << tree.error().message;
    const Result<plan::Plan> plan = compile(*tree, {});
    EXPECT_EQ(plan.has_value(), function.uses.gauge != SlotUse::kRefused) << query;
  }
}

}  // namespace
}  // namespace statmill::promql
