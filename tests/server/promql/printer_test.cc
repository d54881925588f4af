// Long queries are split into lines.
#include "server/promql/printer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "server/promql/parser.h"

namespace statmill::promql {
namespace {

std::string lines_of(std::string_view query) {
  const auto tree = parse_promql(query);
  return tree ? print_lines(*tree) : tree.error().message;
}

// A selector of 30 bytes.
constexpr std::string_view kLong = "a234567890123456789012345678_x";

std::string with_long(std::string_view pattern) {
  std::string out;
  for (const char c : pattern) {
    if (c == 'L') {
      out += kLong;
    } else {
      out += c;
    }
  }
  return out;
}

TEST(PromqlLines, AHundredBytesFitIntoALine) {
  const std::string just(100, 'a');
  EXPECT_EQ(lines_of("(" + just.substr(2) + ")"), "(" + just.substr(2) + ")");
  EXPECT_EQ(lines_of("(" + just.substr(1) + ")"), "(\n  " + just.substr(1) + "\n)");
  EXPECT_EQ(lines_of(just + "aaaa"), just + "aaaa");
}

TEST(PromqlLines, LongExpressionsAreSplit) {
  struct Case {
    std::string_view query;
    std::string_view want;
  };
  const std::vector<Case> cases = {
      {"L+L+L+L", "  L + L + L\n+\n  L"},
      {"sum by(a)(L+L+L+L)", "sum by (a) (\n    L + L + L\n  +\n    L\n)"},
      {"topk(5,L+L+L+L)", "topk(\n  5,\n    L + L + L\n  +\n    L\n)"},
      {"clamp(L+L+L,0,1)", "clamp(\n  L + L + L,\n  0,\n  1\n)"},
      {"(L+L+L+L)", "(\n    L + L + L\n  +\n    L\n)"},
      {"-(L+L+L+L)", "-(\n    L + L + L\n  +\n    L\n)"},
      {"(L+L+L+L)[5m:1m] offset 1h", "(\n    L + L + L\n  +\n    L\n)[5m:1m] offset 1h"},
      {"L*on(a)group_left(b)L*L*L", "    L * on (a) group_left (b) L\n  *\n    L\n*\n  L"},
      {"L==bool on(a)(L+L+L)", "  L\n== bool on (a)\n  (L + L + L)"},
  };
  for (const Case& c : cases) {
    const std::string got = lines_of(with_long(c.query));
    EXPECT_EQ(got, with_long(c.want)) << c.query;
    const auto tree = parse_promql(got);
    ASSERT_TRUE(tree) << got;
    EXPECT_EQ(print_lines(*tree), got);
  }
}

}  // namespace
}  // namespace statmill::promql
