// Invalid queries: what is wrong, and where.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "server/promql/parser.h"

namespace statmill::promql {
namespace {

struct ErrorCase {
  std::string query;
  std::string_view at;  // line:column
  std::string_view error;
};

void expect_errors(const std::vector<ErrorCase>& cases) {
  for (const ErrorCase& c : cases) {
    const auto tree = parse_promql(c.query);
    ASSERT_FALSE(tree) << c.query;
    EXPECT_EQ(tree.error().code, ErrorCode::kInvalid) << c.query;
    EXPECT_EQ(tree.error().message, std::string(c.at) + ": parse error: " + std::string(c.error)) << c.query;
  }
}

TEST(PromqlErrors, NothingOrTooMuch) {
  expect_errors({
      {"", "1:1", "no expression found in input"},
      {"  \n ", "1:1", "no expression found in input"},
      {"# only a comment", "1:1", "no expression found in input"},
      {"1+", "1:3", "unexpected end of input"},
      {"1 /", "1:4", "unexpected end of input"},
      {"*1", "1:1", "unexpected <op:*>"},
      {"a b", "1:3", "unexpected identifier \"b\""},
      {"a b:c", "1:3", "unexpected metric identifier \"b:c\""},
      {"a 1", "1:3", "unexpected number \"1\""},
      {"a 5m", "1:3", "unexpected duration \"5m\""},
      {"5m", "1:1", "unexpected duration \"5m\""},
      {"a \"b\"", "1:3", "unexpected string \"\\\"b\\\"\""},
      {"a \"bcdefghijkl\"", "1:3", "unexpected string \"\\\"bcdefghij\"..."},
      {"a {b=\"c\"} {", "1:11", "unexpected \"{\""},
      {"1 1", "1:3", "unexpected number \"1\""},
      {"a\n+\n*b", "3:1", "unexpected <op:*>"},
      {"\"ä\" b", "1:6", "unexpected identifier \"b\""},
      {"=", "1:1", "unexpected \"=\""},
      {"-=", "1:2", "unexpected \"=\""},
      {"++-++-+-+-<", "1:11", "unexpected <op:<>"},
      {"e-+=/(0)", "1:4", "unexpected \"=\""},
      {"a @", "1:4", "unexpected end of input in @, expected timestamp"},
      {"100..4", "1:5", "unexpected number \".4\""},
  });
}

TEST(PromqlErrors, Characters) {
  expect_errors({
      {".", "1:1", "unexpected character: '.'"},
      {"2.5.", "1:4", "unexpected character: '.'"},
      {"$", "1:1", "unexpected character: '$'"},
      {"a ; b", "1:3", "unexpected character: ';'"},
      {"ä", "1:1", "unexpected character: 'ä'"},
      {"\xff", "1:1", "unexpected character: '\xef\xbf\xbd'"},
      {std::string(1, '\0'), "1:1", "unexpected character: '\\x00'"},
      {"}", "1:1", "unexpected character: '}'"},
      {"a}", "1:2", "unexpected character: '}'"},
      {"1 !~ 1", "1:3", "unexpected character after '!': '~'"},
      {"1 =~ 1", "1:3", "unexpected character after '=': '~'"},
      {"a !", "1:3", "unexpected character after '!': '\xef\xbf\xbd'"},
      {"a ~ b", "1:3", "unexpected character: '~'"},
      {"a & b", "1:3", "unexpected character: '&'"},
  });
}

TEST(PromqlErrors, Brackets) {
  expect_errors({
      {"(", "1:2", "unclosed left parenthesis"},
      {"((1)", "1:5", "unclosed left parenthesis"},
      {"(1))", "1:5", "unexpected right parenthesis ')'"},
      {")", "1:2", "unexpected right parenthesis ')'"},
      {"()", "1:2", "unexpected \")\""},
      {"sum(", "1:5", "unclosed left parenthesis"},
      {"rate(a[5m)", "1:10", "unexpected \")\" in subquery or range, expected \":\" or \"]\""},
      {"a]", "1:2", "unexpected right bracket ']'"},
      {"a[5m", "1:5", "unclosed left bracket"},
      {"a[5m[", "1:5", "unexpected left bracket '['"},
      {"{", "1:2", "unexpected end of input inside braces"},
      {"a{", "1:3", "unexpected end of input inside braces"},
      {"a{b=\"c\"", "1:8", "unexpected end of input inside braces"},
      {"a{{", "1:3", "unexpected left brace '{'"},
      {"(a b)", "1:4", "unexpected identifier \"b\""},
  });
}

TEST(PromqlErrors, NumbersAndDurations) {
  expect_errors({
      {"0deadbeef", "1:1", "bad number or duration syntax: \"0de\""},
      {"1_000", "1:1", "bad number or duration syntax: \"1\""},
      {"1x", "1:1", "bad number or duration syntax: \"1\""},
      {"0x", "1:1", "error parsing number: strconv.ParseFloat: parsing \"0x\": invalid syntax"},
      {"0x1.8", "1:1", "error parsing number: strconv.ParseFloat: parsing \"0x1.8\": invalid syntax"},
      {"1e", "1:1", "error parsing number: strconv.ParseFloat: parsing \"1e\": invalid syntax"},
      {"1 + 1e999", "1:5", "error parsing number: strconv.ParseFloat: parsing \"1e999\": value out of range"},
      {"a[]", "1:3", "missing unit character in duration"},
      {"a[1]", "1:3", "missing unit character in duration"},
      {"a[b]", "1:3", "bad duration syntax: \"\""},
      {"a[5mm]", "1:3", "bad duration syntax: \"5mm\""},
      {"a[5m1]", "1:3", "bad duration syntax: \"5m1\""},
      {"a[5x]", "1:3", "bad duration syntax: \"5\""},
      {"a[5m:1m1]", "1:6", "bad number or duration syntax: \"1m1\""},
      {"a[5y1hs]", "1:3", "not a valid duration string: \"5y1hs\""},
      {"a[5m1h]", "1:3", "not a valid duration string: \"5m1h\""},
      {"a[5m1m]", "1:3", "not a valid duration string: \"5m1m\""},
      {"a[1.5h]", "1:3", "not a valid duration string: \"1.5h\""},
      {"a[1hs]", "1:3", "not a valid duration string: \"1hs\""},
      {"a[0m]", "1:3", "duration must be greater than 0"},
      {"a[293y]", "1:3", "duration out of range"},
      {"a[99999999999999999999s]", "1:3", "duration out of range"},
      {"a[5m:0s]", "1:6", "duration must be greater than 0"},
      {"a offset 0s", "1:10", "duration must be greater than 0"},
      {"a[5m + 1m]", "1:6", "arithmetic in durations is not supported"},
      {"a[step()]", "1:3", "arithmetic in durations is not supported"},
      {"a[5m:step()]", "1:6", "arithmetic in durations is not supported"},
      {"a offset (5m)", "1:10", "arithmetic in durations is not supported"},
  });
}

TEST(PromqlErrors, Strings) {
  expect_errors({
      {"\"", "1:1", "unterminated quoted string"},
      {"\"a", "1:1", "unterminated quoted string"},
      {"\"a\nb\"", "1:1", "unterminated quoted string"},
      {"'a\"", "1:1", "unterminated quoted string"},
      {"`a", "1:1", "unterminated raw string"},
      {"`\\``", "1:4", "unterminated raw string"},
      {"\"\\", "1:1", "escape sequence not terminated"},
      {"\"\\x", "1:1", "escape sequence not terminated"},
      {"\"\\c\"", "1:1", "unknown escape sequence U+0063 'c'"},
      {"\"\\'\"", "1:1", "unknown escape sequence U+0027 '''"},
      {"\"\\x.\"", "1:1", "illegal character U+002E '.' in escape sequence"},
      {"\"\\8\"", "1:1", "unknown escape sequence U+0038 '8'"},
      {"\"\\18\"", "1:1", "illegal character U+0038 '8' in escape sequence"},
      {"\"\\400\"", "1:1", "escape sequence is an invalid Unicode code point"},
      {"\"\\ud800\"", "1:1", "escape sequence is an invalid Unicode code point"},
      {"\"\\U00110000\"", "1:1", "escape sequence is an invalid Unicode code point"},
      {"\"\xff\"", "1:1", "invalid UTF-8 rune"},
      {"`\xff`", "1:1", "invalid UTF-8 rune"},
      {"a{b=\"\xff\"}", "1:5", "invalid UTF-8 rune"},
  });
}

TEST(PromqlErrors, Matchers) {
  expect_errors({
      {"{}", "1:1", "vector selector must contain at least one non-empty matcher"},
      {"{x=\"\"}", "1:1", "vector selector must contain at least one non-empty matcher"},
      {"{x=~\".*\"}", "1:1", "vector selector must contain at least one non-empty matcher"},
      {"{x!~\".+\"}", "1:1", "vector selector must contain at least one non-empty matcher"},
      {"{x!=\"a\"}", "1:1", "vector selector must contain at least one non-empty matcher"},
      {"{x=~\"a|b|\"}", "1:1", "vector selector must contain at least one non-empty matcher"},
      {"{x=\"\",y=~\"z*\"}", "1:1", "vector selector must contain at least one non-empty matcher"},
      {"rate({x=\"\"}[5m])", "1:6", "vector selector must contain at least one non-empty matcher"},
      {"a + {}", "1:5", "vector selector must contain at least one non-empty matcher"},
      {"a{b=c}", "1:5", "unexpected identifier \"c\" in label matching, expected string"},
      {"a{b}", "1:4", "unexpected \"}\" in label matching, expected label matching operator"},
      {"a{b c}", "1:5", "unexpected identifier \"c\" in label matching, expected label matching operator"},
      {"a{b:c=\"d\"}", "1:4", "unexpected character inside braces: ':'"},
      {"a{b*\"c\"}", "1:4", "unexpected character inside braces: '*'"},
      {"a{1}", "1:3", "unexpected character inside braces: '1'"},
      {"a{b!\"c\"}", "1:4", "unexpected character after '!' inside braces: '\"'"},
      {"a{,}", "1:3", "unexpected \",\" in label matching, expected identifier or \"}\""},
      {"a{b=\"c\",,}", "1:9", "unexpected \",\" in label matching, expected identifier or \"}\""},
      {"a{b=\"c\" d}", "1:9", "unexpected identifier \"d\" in label matching, expected \",\" or \"}\""},
      {"a{b== \"c\"}", "1:5", "unexpected \"=\" in label matching, expected string"},
      {"a{b=~=\"c\"}", "1:6", "unexpected \"=\" in label matching, expected string"},
      {"a{b=!~\"c\"}", "1:5", "unexpected <op:!~> in label matching, expected string"},
      {"foo{__name__=\"bar\"}", "1:1", "metric name must not be set twice: \"foo\" or \"bar\""},
      {"foo{\"bar\"}", "1:1", "metric name must not be set twice: \"foo\" or \"bar\""},
      {"a{b=~\"(\"}", "1:3", "error parsing regexp: missing closing ): `^(?:()$`"},
      {"a{b=~\")\"}", "1:3", "error parsing regexp: unexpected ): `^(?:))$`"},
      {"a{b=~\"[\"}", "1:3", "error parsing regexp: missing closing ]: `[)$`"},
      {"a{b=~\"*\"}", "1:3", "error parsing regexp: missing argument to repetition operator: `*`"},
      {"a{b=~\"c**\"}", "1:3", "error parsing regexp: invalid nested repetition operator: `**`"},
      {"a{b=~\"c{1001}\"}", "1:3", "error parsing regexp: invalid repeat count: `{1001}`"},
      {"a{b!~\"\\\\y\"}", "1:3", "error parsing regexp: invalid escape sequence: `\\y`"},
      {"a{b=~\"(?=c)\"}", "1:3", "error parsing regexp: invalid or unsupported Perl syntax: `(?=`"},
  });
}

TEST(PromqlErrors, Modifiers) {
  expect_errors({
      {"1 offset 1d", "1:1",
       "offset modifier must be preceded by an instant vector selector or range vector selector or a "
       "subquery"},
      {"a offset 1s offset 2s", "1:1", "offset may not be set multiple times"},
      {"a[5m] offset", "1:13", "unexpected end of input in offset, expected duration"},
      {"a[5m] OFFSET 1", "1:14", "unexpected number \"1\" in offset, expected duration"},
      {"a offset 1mm", "1:10", "bad number or duration syntax: \"1mm\""},
      {"a offset - b", "1:12", "unexpected identifier \"b\" in offset, expected duration"},
      {"a offset 1m[5m]", "1:12", "no offset modifiers allowed before range"},
      {"a @ 1234 [5m]", "1:10", "no @ modifiers allowed before range"},
      {"(a + b)[5m]", "1:8", "ranges only allowed for vector selectors"},
      {"rate(a[1m])[1h] offset 1h", "1:12", "ranges only allowed for vector selectors"},
      {"a[5m] @ 1m", "1:9", "unexpected duration \"1m\" in @, expected timestamp"},
      {"a @ start", "1:10", "unexpected end of input in @, expected timestamp"},
      {"a @ start(1)", "1:11", "unexpected number \"1\" in @, expected timestamp"},
      {"a @ b", "1:5", "unexpected identifier \"b\" in @, expected timestamp"},
      {"a @ +Inf", "1:1", "timestamp out of bounds for @ modifier: +Inf"},
      {"a @ -Inf", "1:1", "timestamp out of bounds for @ modifier: -Inf"},
      {"a @ NaN", "1:1", "timestamp out of bounds for @ modifier: NaN"},
      {"a @ 1e19", "1:1", "timestamp out of bounds for @ modifier: 10000000000000000000.000000"},
      {"a @ 1 @ 2", "1:1", "@ <timestamp> may not be set multiple times"},
      {"a @ end() @ 2", "1:1", "@ <timestamp> may not be set multiple times"},
      {"rate(a[5m]) @ 1234", "1:1",
       "@ modifier must be preceded by an instant vector selector or range vector selector or a subquery"},
      {"a[5m:1m", "1:8", "unclosed left bracket"},
      {"a[5m:x]", "1:6", "unexpected identifier \"x\" in subquery selector, expected duration or \"]\""},
      {"a[5m:1m 2m]", "1:9", "unexpected duration \"2m\" in subquery selector, expected \"]\""},
      {"a[5m::]", "1:6", "unexpected colon ':'"},
      {"1 anchored", "1:1",
       "anchored modifier must be preceded by an instant vector selector or range vector selector"},
      {"a anchored smoothed", "1:1", "anchored or smoothed may not be set multiple times"},
      {"start()", "1:6", "unexpected \"(\""},
      {"end()", "1:4", "unexpected \"(\""},
  });
}

TEST(PromqlErrors, AggregationsAndCalls) {
  expect_errors({
      {"sum a by (b)", "1:5", "unexpected identifier \"a\""},
      {"sum (a) by b", "1:12", "unexpected identifier \"b\" in grouping opts, expected \"(\""},
      {"sum () by (b)", "1:1", "no arguments for aggregate expression provided"},
      {"sum without(==)(a)", "1:13", "unexpected <op:==> in grouping opts, expected label"},
      {"sum without(,)(a)", "1:13", "unexpected \",\" in grouping opts, expected label"},
      {"sum without(b,,)(a)", "1:15", "unexpected \",\" in grouping opts, expected label"},
      {"sum by (a:b) (c)", "1:9", "unexpected metric identifier \"a:b\" in grouping opts, expected label"},
      {"sum by (a b) (c)", "1:11", "unexpected identifier \"b\" in grouping opts, expected \",\" or \")\""},
      {"sum by (\"\") (c)", "1:9", "invalid label name for grouping: \"\""},
      {"sum (a) without (b) by (b)", "1:21", "unexpected <by>"},
      {"sum without (b) (a) by (b)", "1:21", "unexpected <by>"},
      {"min keep_common (a)", "1:5", "unexpected identifier \"keep_common\""},
      {"min (a) keep_common", "1:9", "unexpected identifier \"keep_common\""},
      {"sum by (a) b", "1:12", "unexpected identifier \"b\" in aggregation"},
      {"sum(a b)", "1:7", "unexpected identifier \"b\" in aggregation"},
      {"sum(rate(a[5m]) b)", "1:17", "unexpected identifier \"b\" in aggregation"},
      {"sum sum(a)", "1:5", "unexpected <aggr:sum>"},
      {"topk(a)", "1:1", "wrong number of arguments for aggregate expression provided, expected 2, got 1"},
      {"sum(a, b)", "1:1", "wrong number of arguments for aggregate expression provided, expected 1, got 2"},
      {"topk(a,)", "1:7", "trailing commas not allowed in function call args"},
      {"floor(a,)", "1:8", "trailing commas not allowed in function call args"},
      {"floor(,)", "1:7", "unexpected \",\""},
      {"foo()", "1:1", "unknown function with name \"foo\""},
      {"Rate(a[5m])", "1:1", "unknown function with name \"Rate\""},
      {"a > b()", "1:5", "unknown function with name \"b\""},
      {"foo() $", "1:1", "unknown function with name \"foo\""},
      {"rate(a b)", "1:8", "unexpected identifier \"b\""},
      {"a - on(b) ignoring(c) d", "1:11", "unexpected <ignoring>"},
      {"a + group_left(b) c", "1:5", "unexpected <group_left>"},
      {"a + fill(0) b", "1:5", "unknown function with name \"fill\""},
      {"a </ b", "1:4", "unexpected <op:/>"},
  });
}

TEST(PromqlErrors, Types) {
  expect_errors({
      {"1 and 1", "1:1", "set operator \"and\" not allowed in binary scalar expression"},
      {"1 or a", "1:1", "set operator \"or\" not allowed in binary scalar expression"},
      {"a unless 1", "1:1", "set operator \"unless\" not allowed in binary scalar expression"},
      {"1 == 1", "1:3", "comparisons between scalars must use BOOL modifier"},
      {"(1) < 2 * 3", "1:5", "comparisons between scalars must use BOOL modifier"},
      {"a + bool b", "1:3", "bool modifier can only be used on comparison operators"},
      {"a and bool 10", "1:3", "bool modifier can only be used on comparison operators"},
      {"-\"string\"", "1:1",
       "unary expression only allowed on expressions of type scalar or instant vector, got \"string\""},
      {"-a[5m]", "1:1",
       "unary expression only allowed on expressions of type scalar or instant vector, got \"range "
       "vector\""},
      {"a + \"b\"", "1:5", "binary expression must contain only scalar and instant vector types"},
      {"a[5m] + b", "1:1", "binary expression must contain only scalar and instant vector types"},
      {"1 or on(b) a", "1:1", "vector matching only allowed between instant vectors"},
      {"a == on(b) 10", "1:1", "vector matching only allowed between instant vectors"},
      {"a and on(b) group_left(c) d", "1:1", "no grouping allowed for \"and\" operation"},
      {"a or on(b) group_right(c) d", "1:1", "no grouping allowed for \"or\" operation"},
      {"a + on(b) group_left(c,b) d", "1:3", "label \"b\" must not occur in ON and GROUP clause at once"},
      {"topk(a, b)", "1:6", "expected type scalar in aggregation parameter, got instant vector"},
      {"count_values(5, a)", "1:14", "expected type string in aggregation parameter, got scalar"},
      {"sum(1)", "1:5", "expected type instant vector in aggregation expression, got scalar"},
      {"sum(a[5m])", "1:5", "expected type instant vector in aggregation expression, got range vector"},
      {"floor()", "1:1", "expected 1 argument(s) in call to \"floor\", got 0"},
      {"floor(a, b)", "1:1", "expected 1 argument(s) in call to \"floor\", got 2"},
      {"floor(1)", "1:7", "expected type instant vector in call to function \"floor\", got scalar"},
      {"hour(a, b, c)", "1:1", "expected at most 1 argument(s) in call to \"hour\", got 3"},
      {"label_join(a, \"b\")", "1:1", "expected at least 3 argument(s) in call to \"label_join\", got 2"},
      {"label_join(a, \"b\", \",\", c)", "1:25",
       "expected type string in call to function \"label_join\", got instant vector"},
      {"time(a)", "1:1", "expected 0 argument(s) in call to \"time\", got 1"},
      {"rate(a)", "1:6", "expected type range vector in call to function \"rate\", got instant vector"},
      {"rate(sum(a)[5m:])[5m:] + rate(b)", "1:31",
       "expected type range vector in call to function \"rate\", got instant vector"},
      {"a[5d] offset 10s [10m:5s]", "1:1", "subquery is only allowed on instant vector, got matrix instead"},
      {"1[5m:]", "1:1", "subquery is only allowed on instant vector, got scalar instead"},
      {"histogram_quantile(a, b)", "1:20",
       "expected type scalar in call to function \"histogram_quantile\", got instant vector"},
  });
}

std::string repeated(std::string_view text, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out += text;
  return out;
}

TEST(PromqlLimits, NestingIsLimited) {
  const size_t most = kNestingMax;
  EXPECT_TRUE(parse_promql(repeated("(", most) + "a" + repeated(")", most)));
  EXPECT_TRUE(parse_promql(repeated("-", most) + "a"));
  EXPECT_TRUE(parse_promql(repeated("a ^ ", most) + "a"));
  EXPECT_TRUE(parse_promql(repeated("abs(", most) + "a" + repeated(")", most)));
  EXPECT_TRUE(parse_promql(repeated("sum(", most) + "a" + repeated(")", most)));
  expect_errors({
      {repeated("(", most + 1) + "a" + repeated(")", most + 1), "1:65",
       "query is nested deeper than 64 levels"},
      {repeated("(", 60'000), "1:65", "query is nested deeper than 64 levels"},
      {repeated("-", 60'000), "1:65", "query is nested deeper than 64 levels"},
      {repeated("a^", 30'000), "1:130", "query is nested deeper than 64 levels"},
      {repeated("abs(", 15'000), "1:257", "query is nested deeper than 64 levels"},
      {repeated("sum(", 15'000), "1:257", "query is nested deeper than 64 levels"},
  });
}

TEST(PromqlLimits, PartsAreLimited) {
  EXPECT_TRUE(parse_promql(repeated("a+", 499) + "a"));
  EXPECT_TRUE(parse_promql("a{" + repeated("b=\"c\",", 999) + "}"));
  expect_errors({
      {repeated("a+", 600) + "a", "1:1002", "query has more than 1000 parts"},
      {"a{" + repeated("b=\"c\",", 10'000) + "}", "1:6003", "query has more than 1000 parts"},
      {"sum by (" + repeated("b,", 10'000) + ") (a)", "1:2010", "query has more than 1000 parts"},
      {"a" + repeated("[1m:]", 5'000), "1:5002", "query has more than 1000 parts"},
  });
}

TEST(PromqlLimits, TextIsLimited) {
  EXPECT_TRUE(parse_promql("a" + std::string(kQueryBytesMax - 1, ' ')));
  expect_errors({{std::string(kQueryBytesMax + 1, ' '), "1:1", "query has more than 65536 bytes"}});
}

}  // namespace
}  // namespace statmill::promql
