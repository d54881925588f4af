// Valid queries and their canonical text.
#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "server/promql/parser.h"
#include "server/promql/printer.h"
#include "tests/server/promql/trees.h"

namespace statmill::promql {
namespace {

struct CanonicalCase {
  std::string_view query;
  std::string_view want = {};  // empty: as it is
};

// Each canonical text is its own canonical text, and has the same tree.
void expect_canonical(const std::vector<CanonicalCase>& cases) {
  for (const CanonicalCase& c : cases) {
    const std::string want(c.want.empty() ? c.query : c.want);
    const auto tree = parse_promql(c.query);
    ASSERT_TRUE(tree) << c.query << ": " << tree.error().message;
    EXPECT_EQ(print_line(*tree), want) << c.query;
    const auto again = parse_promql(want);
    ASSERT_TRUE(again) << want << ": " << again.error().message;
    EXPECT_EQ(print_line(*again), want);
    EXPECT_TRUE(with_sorted_matchers(*again) == with_sorted_matchers(*tree)) << c.query;
  }
}

TEST(PromqlCanonical, Numbers) {
  expect_canonical({
      {"1"},
      {"0"},
      {"-1"},
      {"+1", "1"},
      {"--1", "1"},
      {"-+-1", "1"},
      {"- 1", "-1"},
      {"-0"},
      {"1.", "1"},
      {".5", "0.5"},
      {"5.", "5"},
      {"1.50", "1.5"},
      {"1e3", "1000"},
      {"1E3", "1000"},
      {"1e+3", "1000"},
      {"1e-3", "0.001"},
      {"0.0001"},
      {"0.00001", "1e-05"},
      {"123456"},
      {"1000000", "1e+06"},
      {"1234567", "1.234567e+06"},
      {"0.1"},
      {"0.30000000000000004"},
      {"0x10", "16"},
      {"0X1f", "31"},
      {"0x1e5", "485"},
      {"017", "15"},
      {"08", "8"},
      {"00", "0"},
      {"9223372036854775807", "9.223372036854776e+18"},
      {"18446744073709551616", "1.8446744073709552e+19"},
      {"1e-400", "0"},
      {"4.9e-324", "5e-324"},
      {"Inf", "+Inf"},
      {"inf", "+Inf"},
      {"+Inf"},
      {"-INF", "-Inf"},
      {"NaN"},
      {"nan", "NaN"},
  });
}

TEST(PromqlCanonical, Strings) {
  expect_canonical({
      {R"("")"},
      {R"("a")"},
      {R"('a')", R"("a")"},
      {"`a`", R"("a")"},
      {R"('"')", R"("\"")"},
      {R"("'")"},
      {R"('\'')", R"("'")"},
      {R"(`\n"'`)", R"("\\n\"'")"},
      {"`a\nb`", R"("a\nb")"},
      {R"("\a\b\f\n\r\t\v\\\"")"},
      {R"("\x41\101\u0041\U00000041")", R"("AAAA")"},
      {R"("\xff")"},
      {R"("\377")", R"("\xff")"},
      {R"("\x00")"},
      {R"("\u00e4")", R"("ä")"},
      {R"("ä€😀")"},
      {R"("\U0001F600")", R"("😀")"},
      {R"("\u200b")"},
      {R"("\u00a0")"},
      {R"("\ufeff")"},
      {R"("\x7f")"},
      {R"("#")"},
      {"\"\t\"", R"("\t")"},
  });
}

TEST(PromqlCanonical, Selectors) {
  expect_canonical({
      {"foo"},
      {"foo{}", "foo"},
      {"foo:bar"},
      {":foo"},
      {"foo { }", "foo"},
      {R"(foo{a="b"})"},
      {R"(foo{a='b',})", R"(foo{a="b"})"},
      {R"(foo{b="1",a="2"})", R"(foo{a="2",b="1"})"},
      {R"(foo{a="b",a="c"})"},
      {R"(foo{a!="b"})"},
      {R"(foo{a=~"b.*"})"},
      {R"(foo{a!~"b|c"})"},
      {R"(foo{ a = "b" , c != "d" })", R"(foo{a="b",c!="d"})"},
      {R"({a="b"})"},
      {R"({a=~".+"})"},
      {R"({a!=""})"},
      {R"({a!~".*"})"},
      {R"({a=~"(a|b)c?"})"},
      {R"({a="",b="c"})"},
      {R"({__name__="foo"})"},
      {R"({__name__=~"foo.*"})"},
      {R"({"foo"})", R"({__name__="foo"})"},
      {R"({"cpu.idle"})", R"({__name__="cpu.idle"})"},
      {R"({'cpu.idle', host="a"})", R"({__name__="cpu.idle",host="a"})"},
      {R"({host="a","cpu.idle"})", R"({__name__="cpu.idle",host="a"})"},
      {R"({"a.b"="c"})"},
      {R"({"_0"="1"})", R"({_0="1"})"},
      {R"({"0"="1"})"},
      {R"({__graphite__="host.*.cpu.idle"})"},
      {R"(foo{by="a",on="b",offset="c",sum="d",inf="e",bool="f"})",
       R"(foo{bool="f",by="a",inf="e",offset="c",on="b",sum="d"})"},
      {"foo{a=\"b\" # comment }\n}", R"(foo{a="b"})"},
      {R"(foo{a=~"[\"x]"})"},
  });
}

TEST(PromqlCanonical, KeywordsNameMetrics) {
  expect_canonical({
      {"sum"},
      {"SUM"},
      {"by"},
      {"without"},
      {"offset"},
      {"and"},
      {"or"},
      {"unless"},
      {"start"},
      {"end"},
      {"topk"},
      {"count_values"},
      {"limitk"},
      {"anchored"},
      {"step"},
      {"rate"},
      {"rate + rate"},
      {R"(sum{a="b"})"},
      {"sum + by"},
      {"sum(sum)"},
      {"offset offset 5m"},
      {"and and and"},
      {"sum by (by, sum, on, bool, offset, atan2, start, group_left) (x)"},
      {"sum by (Or) (x)"},
      {"infinity"},
      {"nano"},
  });
}

TEST(PromqlCanonical, Ranges) {
  expect_canonical({
      {"foo[5m]"},
      {"foo [ 5m ]", "foo[5m]"},
      {"foo[90m]", "foo[1h30m]"},
      {"foo[1h30m]"},
      {"foo[60s]", "foo[1m]"},
      {"foo[1000ms]", "foo[1s]"},
      {"foo[1ms]"},
      {"foo[1y]"},
      {"foo[1w]"},
      {"foo[7d]", "foo[1w]"},
      {"foo[8d]"},
      {"foo[365d]", "foo[1y]"},
      {"foo[366d]"},
      {"foo[1y2w3d4h5m6s7ms]", "foo[382d4h5m6s7ms]"},
      {"foo[0h1m]", "foo[1m]"},
      {"foo[292y]"},
      {R"(foo{a="b"}[5m])"},
      {R"({a="b"}[5m])"},
      {"foo[5m:1m]"},
      {"foo[5m:]"},
      {"foo[5m : 1m ]", "foo[5m:1m]"},
      {"foo[1h:60s]", "foo[1h:1m]"},
      {"rate(foo[5m])[1h:1m]"},
      {"(foo + bar)[5m:]"},
      {"sum(foo)[5m:30s]"},
      {"foo[5m] anchored"},
      {"foo[5m] smoothed offset 1h"},
      {"foo anchored"},
      {"max_over_time(rate(foo[10s])[1d:10s])"},
      {"rate(foo:bar[5m:1m])"},
  });
}

TEST(PromqlCanonical, OffsetsAndTimes) {
  expect_canonical({
      {"foo offset 5m"},
      {"foo OFFSET 5m", "foo offset 5m"},
      {"foo offset -5m"},
      {"foo offset - 5m", "foo offset -5m"},
      {"foo[5m] offset 1w"},
      {"foo[5m:1m] offset 1w"},
      {"foo @ 1", "foo @ 1.000"},
      {"foo @ 1609746000.123"},
      {"foo @ -1.5", "foo @ -1.500"},
      {"foo @ +1.5", "foo @ 1.500"},
      {"foo @ 0.0005", "foo @ 0.001"},
      {"foo @ 1e3", "foo @ 1000.000"},
      {"foo @ 0x10", "foo @ 16.000"},
      {"foo @ start()"},
      {"foo @ end()"},
      {"foo @ START ( )", "foo @ start()"},
      {"foo offset 5m @ 1", "foo @ 1.000 offset 5m"},
      {"foo[5m] @ end() offset 5m"},
      {"foo[5m] offset 5m @ end()", "foo[5m] @ end() offset 5m"},
      {"foo[5m:1m] @ 1 offset -5m", "foo[5m:1m] @ 1.000 offset -5m"},
      {"foo offset 5m[1h:]", "foo offset 5m[1h:]"},
      {"foo @ 1 [1h:]", "foo @ 1.000[1h:]"},
      {"-foo @ 1", "-foo @ 1.000"},
      {"a + b offset 5m"},
  });
}

TEST(PromqlCanonical, OperatorsAndPrecedence) {
  expect_canonical({
      {"1+1", "1 + 1"},
      {"1 - 1"},
      {"1 * 1"},
      {"1 / 1"},
      {"1 % 1"},
      {"1 ^ 1"},
      {"1 atan2 1"},
      {"1 == bool 1"},
      {"1 != bool 1"},
      {"1 < bool 1"},
      {"1 <= bool 1"},
      {"1 > bool 1"},
      {"1 >= bool 1"},
      {"a == 1"},
      {"a and b"},
      {"a or b"},
      {"a unless b"},
      {"a AND b", "a and b"},
      {"a + b * c"},
      {"a * b + c"},
      {"(a + b) * c"},
      {"a ^ b ^ c"},
      {"(a ^ b) ^ c"},
      {"-a ^ b"},
      {"(-a) ^ b"},
      {"a ^ -b"},
      {"2 ^ -1"},
      {"-1 ^ 2"},
      {"Inf ^ 2"},
      {"-inf ^ 2", "-Inf ^ 2"},
      {"2 ^ Inf", "2 ^ +Inf"},
      {"-1 * 2"},
      {"- a * b", "-a * b"},
      {"-(a)"},
      {"+a"},
      {"-a"},
      {"--a"},
      {"-{a=\"b\"}"},
      {"((a))"},
      {"(1)"},
      {"a or b and c == d + e * f ^ g"},
      {"a#comment\n+#more\nb", "a + b"},
      {"a\n\t+\r\nb", "a + b"},
  });
}

TEST(PromqlCanonical, Matching) {
  expect_canonical({
      {"a + on(b) c", "a + on (b) c"},
      {"a + on (b, c) d"},
      {"a + on () c"},
      {"a + ignoring() c", "a + c"},
      {"a + ignoring (b) c"},
      {"a + on(b,) c", "a + on (b) c"},
      {"a == bool on (b) c"},
      {"a and on (b) c"},
      {"a unless ignoring (b) c"},
      {"a * on (b) group_left c", "a * on (b) group_left () c"},
      {"a * on (b) group_left () c"},
      {"a * on (b) group_left (d) c"},
      {"a * on (b) group_right (d, e) c"},
      {"a * ignoring (b) group_left (d) c"},
      {"a * ignoring () group_left (d) c"},
      {"a * ignoring (b) group_left (b) c"},
      {"a * on (b) group_left () (c)"},
      {R"(a + on ("b.c") d)"},
      {"1 + on() 2", "1 + 2"},
      {"a + on() 2", "a + 2"},
      {"a > bool 0"},
  });
}

TEST(PromqlCanonical, Aggregations) {
  expect_canonical({
      {"sum(a)"},
      {"SUM(a)", "sum(a)"},
      {"sum (a)", "sum(a)"},
      {"sum by (b) (a)"},
      {"sum(a) by (b)", "sum by (b) (a)"},
      {"sum by(b,c)(a)", "sum by (b, c) (a)"},
      {"sum by (b,) (a)", "sum by (b) (a)"},
      {"sum by () (a)", "sum(a)"},
      {"sum without () (a)"},
      {"sum(a) without(b)", "sum without (b) (a)"},
      {"avg(a)"},
      {"min(a)"},
      {"max(a)"},
      {"count(a)"},
      {"group(a)"},
      {"stddev(a)"},
      {"stdvar(a)"},
      {"topk(5, a)"},
      {"bottomk by (b) (5, a)"},
      {"topk(5, a) without (b)", "topk without (b) (5, a)"},
      {"quantile(0.9, a)"},
      {"limitk(2, a)"},
      {"limit_ratio(-0.5, a)"},
      {R"(count_values("value", a))"},
      {R"(sum by ("a.b", c) (d))"},
      {R"(sum by ("plain") (d))", "sum by (plain) (d)"},
      {"sum by (__n001__) (a)"},
      {"sum(sum by (a) (b))"},
      {"sum(a) + sum(b)"},
      {"topk(scalar(a), b)"},
  });
}

TEST(PromqlCanonical, Calls) {
  expect_canonical({
      {"time()"},
      {"time ( )", "time()"},
      {"rate(a[5m])"},
      {"increase(a[5m])"},
      {"round(a)"},
      {"round(a, 5)"},
      {"hour()"},
      {"hour(a)"},
      {"clamp(a, 0, 1)"},
      {"vector(1)"},
      {"scalar(a)"},
      {"absent(a)"},
      {"histogram_quantile(0.9, sum by (le) (rate(a_bucket[5m])))"},
      {R"(histogram_quantiles(a, "q", 0.5, 0.9))"},
      {"histogram_avg(sum by (dc) (buckets_over_time(x[5m])))"},
      {"histogram_min(buckets_over_time(x[5m]))"},
      {"histogram_max(buckets_over_time(x[5m]))"},
      {R"q(label_replace(a, "b", "$1", "c", "(.*)"))q"},
      {R"(label_join(a, "b", ","))"},
      {R"(label_join(a, "b", ",", "c", "d", "e"))"},
      {"sort_by_label(a)"},
      {R"(sort_by_label_desc(a, "b", "c"))"},
      {"predict_linear(a[1h], 3600)"},
      {"quantile_over_time(0.5, a[1h])"},
      {"holt_winters(a[1h], 0.5, 0.5)"},
      {"info(a)"},
      {"info(a, {b=\"c\"})"},
      {"pi() * time()"},
      {"abs(-a)"},
      {"-abs(a)"},
  });
}

}  // namespace
}  // namespace statmill::promql
