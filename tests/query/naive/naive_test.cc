// What the naive evaluator must return, computed by hand: one table for each kind of function.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <set>
#include <sstream>

#include "server/promql/functions.h"
#include "server/promql/parser.h"
#include "tests/query/naive/naive.h"
#include "tests/query/naive/naive_cases.h"

namespace statmill::naive {
namespace {

constexpr int64_t kBegin = 1'700'000'100;  // a multiple of 5 min
constexpr int64_t kNow = kBegin + 86'400;

// Slots of 10 s from kBegin on: "1 _ 2,3" has a sample in the first, and two in the third.
SampledSeries series_of(SeriesKind kind, const Labels& labels, const std::string& slots) {
  SampledSeries out{labels, kind, {}};
  std::istringstream words(slots);
  int64_t begin = kBegin;
  for (std::string word; words >> word; begin += 10) {
    std::istringstream values(word);
    int64_t second = begin;
    for (std::string value; word != "_" && std::getline(values, value, ',');) {
      Number number;
      EXPECT_FALSE(parse_number(value, number).is_refused()) << value;
      out.samples.push_back({from_unix_seconds(second++), number});
    }
  }
  return out;
}

std::vector<SampledSeries> test_data() {
  using enum SeriesKind;
  return {series_of(kGauge, {{"__name__", "x"}, {"host", "a"}, {"cpu", "0"}}, "1 2 4 8 16 32"),
          series_of(kGauge, {{"__name__", "x"}, {"host", "a"}, {"cpu", "1"}}, "10 10 _ 10 10 10"),
          series_of(kGauge, {{"__name__", "x"}, {"host", "b"}, {"cpu", "0"}}, "5 4 3 2 1 0"),
          series_of(kGauge, {{"__name__", "y"}, {"host", "a"}}, "0.1 0.2 0.3 0.4 0.5 0.6"),
          series_of(kGauge, {{"__name__", "y"}, {"host", "b"}}, "3 3 3 3 3 -3"),
          series_of(kGauge, {{"__name__", "many"}}, "1,3 2,2,8 _ 6"),
          series_of(kCounter, {{"__name__", "c"}}, "2 0 _ 3 1 4"),
          series_of(kEvent, {{"__name__", "e"}}, "2 _ _ 1,2 _ 5"),
          series_of(kDistribution, {{"__name__", "d"}, {"host", "a"}}, "1,2,3 _ 4 _ _ 10"),
          series_of(kDistribution, {{"__name__", "d"}, {"host", "b"}}, "100 _ _ _ _ 300"),
          series_of(kCounter, {{"__name__", "le_bucket"}, {"le", "1"}}, "2 _ 2"),
          series_of(kCounter, {{"__name__", "le_bucket"}, {"le", "2"}}, "4 _ 4"),
          series_of(kCounter, {{"__name__", "le_bucket"}, {"le", "+Inf"}}, "5 _ 5")};
}

std::string text_of(double value) {
  if (std::isnan(value)) return "nan";  // without its sign
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.12g", value);
  return text.data();
}

// {"cpu=0 host=a: 1", ...}; the error's text if there is one.
std::set<std::string> answer_to(const std::string& query, int64_t second, int64_t now = kNow) {
  const auto tree = promql::parse_promql(query);
  if (!tree) return {tree.error().message};
  const Timestamp time = from_unix_seconds(kBegin + second);
  const auto answer = evaluate(*tree, test_data(), {time, time}, {.now = from_unix_seconds(now)});
  if (!answer) return {answer.error().message};
  std::set<std::string> out;
  for (const AnswerRow& row : *answer) {
    std::string line;
    for (const auto& [label, value] : row.labels)
      line.append(line.empty() ? "" : " ").append(label).append("=").append(value);
    out.insert((line.empty() ? "" : line + ": ") + text_of(row.points[0].value()));
  }
  return out;
}

class Naive : public testing::TestWithParam<Case> {};
TEST_P(Naive, IsAsComputedByHand) {
  const Case& c = GetParam();
  EXPECT_EQ(answer_to(c.query, c.second), c.want) << c.query << " at " << c.second;
}

INSTANTIATE_TEST_SUITE_P(All, Naive, testing::ValuesIn(naive_cases()));

TEST(NaiveEvaluator, ASlotUnderWayCountsWithThePartThatHasPassed) {
  // 10 in 50 s and 4 s of the sixth slot.
  EXPECT_EQ(answer_to("rate(c[1m])", 60, kBegin + 54), std::set<std::string>{"0.185185185185"});
  EXPECT_EQ(answer_to("rate(e[1m])", 55, kBegin + 55), std::set<std::string>{"0.181818181818"});
}

TEST(NaiveEvaluator, ASlotAheadOfTheClockCountsAsAWholeOne) {
  // 2 0 _ 3 1 4 in slots of 10 s.
  EXPECT_EQ(answer_to("rate(c[20s])", 60, kBegin + 34), std::set<std::string>{"0.25"});  // 5 in 20 s
  EXPECT_EQ(answer_to("rate(c[1m])", 60, kBegin + 34),
            std::set<std::string>{"0.227272727273"});                                    // 10 in 44 s
  EXPECT_EQ(answer_to("rate(c[1m])", 60, kBegin - 3600), std::set<std::string>{"0.2"});  // 10 in five slots
}

TEST(NaiveEvaluator, EventsAreSilentUntilNow) {
  EXPECT_EQ(answer_to("count_over_time(e[1h])", 3600, kBegin + 3595), std::set<std::string>{"360"});
  EXPECT_EQ(answer_to("count_over_time(e[1h])", 3600, kBegin + 1795), std::set<std::string>{"180"});
}

TEST(NaiveEvaluator, EveryFunctionIsInATable) {
  std::string queries;
  for (const Case& c : naive_cases()) queries += c.query + "\n";
  for (const promql::Function& function : promql::all_functions()) {
    EXPECT_NE(queries.find(std::string(function.name) + "("), std::string::npos) << function.name;
  }
  for (const promql::Aggregator& aggregator : promql::all_aggregators()) {
    EXPECT_NE(queries.find(std::string(aggregator.name)), std::string::npos) << aggregator.name;
  }
}

TEST(NaiveEvaluator, AGridHasAPointPerStep) {
  const auto tree = promql::parse_promql("y{host=\"a\"} > 0.2");
  const Grid grid{from_unix_seconds(kBegin), from_unix_seconds(kBegin + 45), std::chrono::seconds(15)};
  const auto answer = evaluate(*tree, test_data(), grid, {.now = from_unix_seconds(kNow)});
  ASSERT_EQ(answer->size(), 1U);
  const std::vector<std::optional<double>> want = {std::nullopt, std::nullopt, 0.3, 0.5};
  EXPECT_EQ(answer->front().points, want);
}

TEST(NaiveEvaluator, SumsOfDecimalsAreTheNearestDouble) {
  const std::vector<SampledSeries> series = {
      series_of(SeriesKind::kGauge, {{"__name__", "z"}}, "0.1 0.2 0.3 0.1 0.2 0.3 0.1 0.1 0.1 68.38187061")};
  const auto tree = promql::parse_promql("sum_over_time(z[2m])");
  const Timestamp end = from_unix_seconds(kBegin + 100);
  const auto answer = evaluate(*tree, series, {end, end}, {.now = from_unix_seconds(kNow)});
  EXPECT_EQ(answer->front().points[0], 69.88187061);
}

TEST(NaiveDifference, SaysWhatDiffers) {
  const AnswerRow row{{{"a", "b"}}, {1.0, std::nullopt}};
  const AnswerRow near_row{{{"a", "b"}}, {1 + 1e-12, std::nullopt}};
  const AnswerRow far_row{{{"a", "b"}}, {1.1, std::nullopt}};
  const AnswerRow other_row{{{"a", "b"}}, {1.0, 2.0}};
  const AnswerRow empty_row{{{"c", "d"}}, {std::nullopt, std::nullopt}};
  EXPECT_EQ(difference({row}, {near_row, empty_row}, {}), std::nullopt);
  EXPECT_EQ(difference({row}, {far_row}, {}), "{a=\"b\"}: point 0: want 1, got 1.1000000000000001");
  EXPECT_EQ(difference({row}, {other_row}, {}), "{a=\"b\"}: point 1: want nothing, got 2");
  EXPECT_EQ(difference({row}, {}, {}), "{a=\"b\"}: missing");
  EXPECT_EQ(difference({}, {row}, {}), "{a=\"b\"}: not wanted");
}

}  // namespace
}  // namespace statmill::naive
