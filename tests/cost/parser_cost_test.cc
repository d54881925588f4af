// What the parsers of foreign bytes cost is at most linear in their input, also for the worst input that we
// know.
#include <gtest/gtest.h>

#include "base/glob.h"
#include "base/text.h"
#include "base/time_text.h"
#include "proto/graphite/parser.h"
#include "proto/influx/parser.h"
#include "proto/istatd/parser.h"
#include "proto/statsd/parser.h"
#include "server/names/value_test.h"
#include "server/promql/parser.h"
#include "tests/cost/linear_cost.h"

namespace statmill {
namespace {

constexpr Timestamp kNow{Duration(1'700'000'000'500)};
constexpr size_t kDatagram = 64 << 10;

void istatd(const std::string& text) {
  Batch batch;
  parse_istatd_lines(text, batch);
}
void graphite(const std::string& text) {
  Batch batch;
  parse_graphite_lines(text, batch);
}
void statsd(const std::string& text) {
  StatsdBatch batch;
  parse_statsd_lines(text, batch);
}
void influx(const std::string& text) {
  for (std::string_view rest = text; !rest.empty();) {
    Batch batch;
    rest.remove_prefix(parse_influx_piece(rest, {}, batch));
  }
}
void promql(const std::string& text) { static_cast<void>(promql::parse_promql(text)); }
void time(const std::string& text) {
  static_cast<void>(parse_time(text, kNow));
  static_cast<void>(parse_duration(text));
  static_cast<void>(parse_bytes(text));
}

// Parses a glob, then matches it with a name of the longest form that almost matches.
void glob(const std::string& pattern) {
  static const std::string name(2048, 'a');
  const auto parsed = Glob::parse(pattern);
  if (parsed) static_cast<void>(parsed->matches(name));
}
void regex(const std::string& expression) {
  static const std::string value(2048, 'a');
  const auto test = ValueTest::parse({LabelMatcher::Op::kMatches, "a", expression});
  if (test) static_cast<void>(test->accepts(value));
}

// A text between two others.
auto between(std::string begin, std::string middle, std::string end) {
  return [=](size_t bytes) { return begin + repeated(middle, bytes) + end; };
}
auto lines_of(std::string line) {
  return [=](size_t bytes) { return repeated(line + "\n", bytes); };
}

std::string tags(size_t count) {
  std::string out = "name";
  for (size_t i = count; i > 0; --i) out += ";key" + std::to_string(i) + "=value";
  return out;
}

std::string carets() {  // one line that stands for as many names as it may
  std::string out = "base";
  for (int i = 0; i < 60; ++i) out += "^x" + std::to_string(i);
  return out + "^ 1";
}

// Lines with short and long carets, none of which is refused for its own length.
std::vector<CostCase> line_cases() {
  return {
      {"IstatdGauges", [](size_t n) { return series_of(n, [](auto i) { return "a.b" + i + " 1.5\n"; }); },
       istatd, 60, 400, kDatagram},
      {"IstatdOneLine", between("", "a", " 1\n"), istatd, 60, 400, kDatagram},
      {"IstatdCarets", lines_of(carets()), istatd, 400, 4000, kDatagram},
      {"IstatdLongCarets", lines_of(std::string(1500, 'b') + "^a^b^c^d^e^f^g^ 1"), istatd, 400, 4000,
       kDatagram},
      {"IstatdTooManyCarets", between(std::string(1500, 'b'), "^x", "^ 1\n"), istatd, 400, 4000, kDatagram},
      {"IstatdTags", lines_of(tags(64) + " 1"), istatd, 60, 1000, kDatagram},
      {"IstatdTooManyTags", between("a", ";k=v", " 1\n"), istatd, 60, 1000, kDatagram},
      {"IstatdSameTags", between("a", ";k=1", " 1\n"), istatd, 60, 1000, kDatagram},
      {"IstatdHistogram",
       [](size_t n) { return "%a 7 h5 100 " + series_of(n, [](auto i) { return i + ":1 "; }) + "\n"; },
       istatd, 200, 2000, kDatagram},
      {"IstatdNothing", lines_of(""), istatd, 60, 2000, kDatagram},
      {"GraphiteTags", lines_of(tags(64) + " 1"), graphite, 60, 1000, kDatagram},
      {"GraphiteTooManyTags", between("a", ";k=v", " 1\n"), graphite, 60, 1000, kDatagram},
      {"StatsdTags", between("a:1|c|#", "k:v,", "\n"), statsd, 60, 1000, kDatagram},
      {"StatsdValues", between("a", ":1", "|ms\n"), statsd, 200, 2000, kDatagram},
      {"StatsdMembers", [](size_t n) { return series_of(n, [](auto i) { return "s:" + i + "|s\n"; }); },
       statsd, 200, 2000, kDatagram},
  };
}

std::string influx_tags(size_t count) {
  std::string out = "m";
  for (size_t i = count; i > 0; --i) out += ",key" + std::to_string(i) + "=value";
  return out;
}

// A line of these is a point, most of whose cost is names.
std::vector<CostCase> influx_cases() {
  constexpr size_t kBody = 256 << 10;
  return {
      {"InfluxFields", lines_of(influx_tags(5) + " a=1,b=2,c=3,d=4i,e=t,f=\"text\" 1700000000000000000"),
       influx, 200, 1000, kBody},
      {"InfluxOneLine", between("m f", "f", "=1\n"), influx, 60, 400, kBody},
      {"InfluxManyFields", between("m f=1", ",f=1", "\n"), influx, 60, 1000, kBody},
      {"InfluxLongNames", lines_of("m,k=" + std::string(2000, 'v') + " f=1" + repeated(",f=1", 1500)), influx,
       1000, 4000, kBody},
      {"InfluxTags", lines_of(influx_tags(64) + " f=1"), influx, 60, 1000, kBody},
      {"InfluxTooManyTags", between("m", ",k=v", " f=1\n"), influx, 60, 1000, kBody},
      {"InfluxEscapes", between("m", "\\,", " f=1\n"), influx, 60, 1000, kBody},
      {"InfluxEscapedLines", lines_of("m\\,\\ \\,,k\\=\\==\\,\\, f\\,=1"), influx, 1000, 2000, kBody},
      {"InfluxBackslashes", between("m f=\"", "\\", "\"\n"), influx, 60, 1000, kBody},
      {"InfluxOpenStrings", lines_of("m f=\""), influx, 60, 1000, kBody},
      {"InfluxMissingQuote", between("m f=\"\n", "m f=1\n", ""), influx, 200, 1000, kBody},
      // Each line would open a string for one that began before it, or close it.
      {"InfluxCrossedStrings", lines_of("m,a=\" b=\""), influx, 60, 2000, kBody},
      {"InfluxCrossedFields", lines_of("\", k=\""), influx, 60, 2000, kBody},
      {"InfluxCrossedCommas", lines_of("a k=\",x\",z=\""), influx, 60, 2000, kBody},
      {"InfluxBlanks", lines_of(" "), influx, 60, 1000, kBody},
  };
}

std::vector<CostCase> query_cases() {
  return {
      {"PromqlParentheses", between("", "(", "1"), promql, 400, 4000, 64 << 10},
      {"PromqlOperators", between("1", "+1", ""), promql, 400, 4000, 64 << 10},
      {"PromqlMinuses", between("", "-", "1"), promql, 400, 4000, 64 << 10},
      {"PromqlPowers", between("1", "^1", ""), promql, 400, 4000, 64 << 10},
      {"PromqlCalls", between("", "abs(", "1"), promql, 400, 4000, 64 << 10},
      {"PromqlMatchers", between("a{", "b=\"c\",", "}"), promql, 400, 4000, 64 << 10},
      {"PromqlString", between("\"", "\\n", "\""), promql, 400, 4000, 64 << 10},
      {"PromqlSubqueries", between("a", "[1m:]", ""), promql, 400, 4000, 64 << 10},
      {"PromqlComment", between("#", "a", "\n1"), promql, 400, 4000, 64 << 10},
      {"GlobStars", between("", "*a", "*b"), glob, 2000, 40'000, 870},
      {"GlobSets", between("", "*[a-z]?", "b"), glob, 2000, 40'000, 870},
      {"GlobBraces", between("", "{a,b}", ""), glob, 2000, 40'000, 870},
      {"GlobNestedBraces", between("", "{a,", ""), glob, 2000, 40'000, 870},
      {"RegexNestedStars", between("", "(a*)*", "b"), regex, 20'000, 100'000, 2000},
      {"RegexAlternatives", between("(", "a|", ")*b"), regex, 20'000, 100'000, 2000},
      // RE2 unrolls what is counted before it finds that too large: some 10 MB, however long the text is.
      {"RegexCounts", between("((a{9}){9}", "(a{9}){9}", ")b"), regex, 350'000, 100'000, 2000},
      {"RegexParentheses", between("", "(", "a"), regex, 20'000, 100'000, 2000},
      {"TimeDigits", between("", "1", "s"), time, 60, 400, 64 << 10},
      {"TimeUnits", between("-", "1h", ""), time, 60, 400, 64 << 10},
  };
}

class ParserCost : public testing::TestWithParam<CostCase> {};

TEST_P(ParserCost, IsLinear) { EXPECT_TRUE(is_linear(GetParam())); }

constexpr auto kName = [](const auto& test) { return std::string(test.param.name); };
INSTANTIATE_TEST_SUITE_P(Lines, ParserCost, testing::ValuesIn(line_cases()), kName);
INSTANTIATE_TEST_SUITE_P(Influx, ParserCost, testing::ValuesIn(influx_cases()), kName);
INSTANTIATE_TEST_SUITE_P(Queries, ParserCost, testing::ValuesIn(query_cases()), kName);

}  // namespace
}  // namespace statmill
