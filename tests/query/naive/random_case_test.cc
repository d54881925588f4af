// The random cases are worth running: they are valid, most have an answer, and together they use everything.
#include <gtest/gtest.h>

#include <set>

#include "server/promql/parser.h"
#include "tests/query/naive/random_case.h"
#include "tests/support/sanitized.h"

namespace statmill::naive {
namespace {

bool has_point(const Answer& answer) {
  for (const AnswerRow& row : answer) {
    for (const auto& point : row.points) {
      if (point) return true;
    }
  }
  return false;
}

TEST(RandomCase, MostHaveAnAnswerAndAllAreValid) {
  constexpr uint64_t kCases = kIsSanitized ? 200 : 1000;
  uint64_t answered = 0;
  uint64_t refused = 0;
  for (uint64_t seed = 0; seed < kCases; ++seed) {
    const RandomCase c = random_case(seed);
    const auto tree = promql::parse_promql(c.query);
    ASSERT_TRUE(tree.has_value()) << c.query << ": " << tree.error().message;
    const auto answer = evaluate(*tree, c.series, c.grid, c.setting);
    refused += answer ? 0U : 1U;
    answered += answer && has_point(*answer) ? 1U : 0U;
  }
  EXPECT_GT(answered, kCases * 7 / 10);
  EXPECT_LT(refused, kCases / 10);
}

TEST(RandomCase, EveryFunctionIsUsed) {
  std::string queries;
  for (uint64_t seed = 0; seed < 10'000; ++seed) queries += random_case(seed).query + "\n";
  const std::set<std::string_view> exempt = {"acos",
                                             "acosh",
                                             "asin",
                                             "asinh",
                                             "atanh",
                                             "cos",
                                             "cosh",
                                             "sin",
                                             "sinh",
                                             "tan",
                                             "exp",
                                             "log10",
                                             "pi",
                                             "vector",
                                             "double_exponential_smoothing",
                                             "histogram_fraction",
                                             "histogram_max",
                                             "histogram_min",
                                             "histogram_quantiles",
                                             "info",
                                             "sort_by_label",
                                             "sort_by_label_desc",
                                             "start_timestamp"};
  for (const promql::Function& function : promql::all_functions()) {
    if (exempt.contains(function.name)) continue;
    EXPECT_NE(queries.find(std::string(function.name) + "("), std::string::npos) << function.name;
  }
}

TEST(RandomCase, IsTheSameForASeed) {
  const RandomCase a = random_case(7);
  const RandomCase b = random_case(7);
  EXPECT_EQ(a.query, b.query);
  ASSERT_EQ(a.series.size(), b.series.size());
  EXPECT_EQ(canonical_name(a.series[0].labels), canonical_name(b.series[0].labels));
}

}  // namespace
}  // namespace statmill::naive
