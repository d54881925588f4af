// The whole result of a plan: its order, its limits, and what it does when names change.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "server/promql/compile.h"
#include "server/promql/parser.h"
#include "server/query/plan/result.h"
#include "tests/server/promql/memory_series.h"

namespace statmill {
namespace {

constexpr Grid kGrid{.start_ms = 40'000, .end_ms = 60'000, .step_ms = 10'000};

plan::Plan plan_of(std::string_view query) {
  return *promql::compile(*promql::parse_promql(query), {.start_ms = kGrid.start_ms, .end_ms = kGrid.end_ms});
}

// A source whose series are deleted during the first reads.
class ChangingSource final : public SeriesSource {
 public:
  ChangingSource(QueryControl& control, int changes) : control_(control), changes_(changes) {}

  Status read(const LeafRequest& request, QueryNotes& notes,
              const std::function<Status(SeriesValues)>& take) override {
    if (Status s = control_.add_slots(100); !s) return s;
    notes.infos.emplace_back("a note");
    if (Status s = series_.read(request, notes, take); !s) return s;
    return changes_-- > 0 ? Error{ErrorCode::kBusy, "series kept being deleted"} : Status::ok();
  }

 private:
  QueryControl& control_;
  int changes_;
  MemorySource series_{{gauge("x;a=1", {1, 2, 3, 4, 5, 6}), gauge("x;a=2", {6, 5, 4, 3, 2, 1})}};
};

// A source that reads another thing from its second leaf on, once.
class MovingSource final : public SeriesSource {
 public:
  Status read(const LeafRequest& request, QueryNotes& notes,
              const std::function<Status(SeriesValues)>& take) override {
    ++reads;
    return series_.read(request, notes, take);
  }
  const void* moment() const override { return reads < 2 ? &moments_[0] : &moments_[1]; }

  int reads = 0;

 private:
  const int moments_[2] = {};
  MemorySource series_{{gauge("x", {1, 2, 3, 4, 5, 6})}};
};

class PlanResultTest : public testing::Test {
 protected:
  Result<PlanResult> evaluate(std::string_view query) {
    return evaluate_plan(source_, plan_of(query), kGrid, control_);
  }
  // As evaluate(), with a limit that the query meets.
  ErrorCode code_with(const QueryLimits& limits, std::string_view query) {
    QueryControl control(limits);
    const auto result = evaluate_plan(source_, plan_of(query), kGrid, control);
    refused_by_ = control.refused_by();
    return result ? ErrorCode::kIo : result.error().code;
  }
  static std::string labels_of(const PlanResult& result) {
    std::string out;
    for (const SeriesValues& series : result.series) out.append(series.labels.get("a"));
    return out;
  }

  MemorySource source_{{gauge("x;a=2", {1, 1, 1, 1, 1, 1}), gauge("x;a=1", {2, 2, 2, 2, 2, 2}),
                        gauge("x;a=3", {3, 3, 3, 3, 3, 3})}};
  QueryControl control_;
  std::optional<QueryLimit> refused_by_;
};

TEST_F(PlanResultTest, SeriesAreAscendingUnlessTheQueryOrdersThem) {
  EXPECT_EQ(labels_of(*evaluate("x")), "123");
  EXPECT_EQ(labels_of(*evaluate("topk(3, x)")), "312");
}

TEST_F(PlanResultTest, ScalarsAndTextsHaveNoSeries) {
  const auto scalar = evaluate("time() + 1");
  ASSERT_TRUE(scalar && scalar->scalar);
  EXPECT_EQ(scalar->scalar->value(2), 61);
  EXPECT_EQ(*evaluate("'x'")->text, "x");
}

// 64 distributions, each with 400 cells at three points: 0.6 MB while they are summed, 1.3 MB after it.
std::vector<MemorySeries> wide_distributions() {
  std::vector<double> samples;
  for (int i = 0; i < 400; ++i) samples.push_back((2 << (i / 32)) * (32 + i % 32));
  std::vector<MemorySeries> all;
  for (int i = 0; i < 64; ++i)
    all.push_back({.name = "d;a=" + std::to_string(i),
                   .times_s = {35, 45, 55},
                   .samples = {samples, samples, samples}});
  return all;
}

TEST_F(PlanResultTest, HistogramsOfGroupsCountAsMemory) {
  source_ = MemorySource(wide_distributions());
  const std::string groups = "sum by (a) (rate(d[10s]))";
  const std::string counts = "histogram_count(" + groups + ")";
  EXPECT_EQ(code_with({.memory_bytes_max = 500'000}, counts), ErrorCode::kLimit);
  EXPECT_EQ(refused_by_, QueryLimit::kMemory);
  EXPECT_EQ(code_with({.memory_bytes_max = 2'500'000}, counts), ErrorCode::kIo) << "no error";
  EXPECT_EQ(code_with({.memory_bytes_max = 2'500'000}, groups), ErrorCode::kIo) << "the answer counts once";
  EXPECT_EQ(code_with({.memory_bytes_max = 200'000}, "histogram_count(sum(rate(d[10s])))"), ErrorCode::kIo)
      << "one group holds the histograms of one";
}

// With a counter for each bucket of the range they would take 1 MB.
TEST_F(PlanResultTest, HistogramsOfFewCellsTakeLittleMemory) {
  std::vector<MemorySeries> all;
  for (int i = 0; i < 128; ++i) {
    const std::string labels = ";a=" + std::to_string(i / 2) + ";b=" + std::to_string(i % 2);
    all.push_back({.name = "d" + labels, .times_s = {35, 45, 55}, .samples = {{1, 1e6}, {1, 1e6}, {1, 1e6}}});
  }
  source_ = MemorySource(all);
  EXPECT_EQ(code_with({.memory_bytes_max = 300'000}, "histogram_count(sum by (a) (rate(d[10s])))"),
            ErrorCode::kIo)
      << "no error";
}

TEST_F(PlanResultTest, EachLimitHasItsError) {
  EXPECT_EQ(code_with({.series_max = 2}, "x"), ErrorCode::kLimit);
  EXPECT_EQ(refused_by_, QueryLimit::kSeries);
  EXPECT_EQ(code_with({.points_max = 8}, "x"), ErrorCode::kLimit);
  EXPECT_EQ(refused_by_, QueryLimit::kPoints);
  EXPECT_EQ(code_with({.points_max = 2}, "1"), ErrorCode::kLimit) << "also of a scalar";
  EXPECT_EQ(code_with({.memory_bytes_max = 500}, "x"), ErrorCode::kLimit);
  EXPECT_EQ(refused_by_, QueryLimit::kMemory);
}

TEST_F(PlanResultTest, ColumnsThatWaitForOthersCountAsMemory) {
  const QueryLimits limits{.memory_bytes_max = 100};  // three columns of three points
  EXPECT_EQ(code_with(limits, "time() + (time() + (time() + time()))"), ErrorCode::kLimit);
  EXPECT_EQ(refused_by_, QueryLimit::kMemory);
  EXPECT_EQ(code_with(limits, "time() + time() + time() + time()"), ErrorCode::kIo) << "two at a time";
  EXPECT_EQ(code_with(limits, "absent(absent(absent(absent(y))))"), ErrorCode::kLimit);
  EXPECT_EQ(refused_by_, QueryLimit::kMemory);
  const std::string bounds = "(vector(1), time(), time() + 1)";
  EXPECT_EQ(code_with(limits, "clamp" + bounds), ErrorCode::kLimit);
  EXPECT_EQ(code_with(limits, "x and x"), ErrorCode::kLimit);
}

// Each look at the clock takes a millisecond, so that a query which never looks never ends.
class LookedAtClock final : public Clock {
 public:
  Timestamp wall() const override { return {}; }
  SteadyTime steady() const override { return SteadyTime(Duration(++looks_)); }

 private:
  mutable int64_t looks_ = 0;
};

TEST_F(PlanResultTest, AQueryOfOneLongSeriesEndsAtItsTimeout) {
  const Grid grid{.start_ms = 1'000'000, .end_ms = 1'300'000, .step_ms = 1000};
  const std::string steps = "vector(time())[300s:1s]";
  for (const std::string& query : {
           "quantile_over_time(0.5, " + steps + ")",  // 90,000 points in all windows
           std::string("max_over_time((vector(time()) + 1 + 1 + 1 + 1 + 1 + 1)[300s:1s])"),
           std::string("time() + time() + time() + time() + time() + time()"),
       }) {
    LookedAtClock clock;
    QueryControl control({.timeout = Duration(5)}, nullptr, &clock);
    control.begin();
    const auto tree = promql::parse_promql(query);
    ASSERT_TRUE(tree) << query;
    const auto plan = promql::compile(*tree, {.start_ms = grid.start_ms, .end_ms = grid.end_ms});
    const auto result = evaluate_plan(source_, *plan, grid, control);
    ASSERT_FALSE(result) << query;
    EXPECT_EQ(result.error().code, ErrorCode::kUnavailable) << result.error().message;
  }
}

TEST_F(PlanResultTest, WhatIsKeptCountsAsMemoryUntilTheQueryEnds) {
  QueryMemory memory(size_t{1} << 20);
  size_t of_all = 0;
  size_t of_sorted = 0;
  for (const auto& [query, bytes] : {std::pair("x", &of_all), std::pair("sort(x)", &of_sorted)}) {
    QueryControl control({}, &memory);
    const Grid grid{.start_ms = 60'000, .end_ms = 60'000};
    ASSERT_TRUE(evaluate_plan(source_, plan_of(query), grid, control));
    *bytes = memory.bytes();
  }
  EXPECT_GT(of_all, 3 * sizeof(SeriesValues));
  EXPECT_EQ(of_sorted, of_all) << "a series that moves from node to node counts once";
  EXPECT_EQ(memory.bytes(), 0U);
}

TEST_F(PlanResultTest, AQueryDuringWhichNamesChangeRunsAgain) {
  QueryMemory memory(size_t{1} << 20);
  QueryControl once({}, &memory);
  ChangingSource quiet(once, 0);
  ASSERT_TRUE(evaluate_plan(quiet, plan_of("x"), kGrid, once));
  const size_t bytes = memory.bytes();
  QueryControl control({}, &memory);
  ChangingSource source(control, 7);
  const auto result = evaluate_plan(source, plan_of("x"), kGrid, control);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->series.size(), 2U);
  EXPECT_EQ(result->notes.infos.size(), 1U);
  EXPECT_EQ(control.cost().slots, 100U) << "those of the attempt that has succeeded";
  EXPECT_EQ(memory.bytes(), 2 * bytes);
}

TEST_F(PlanResultTest, AllLeavesReadTheSameMoment) {
  MovingSource source;
  const auto result = evaluate_plan(source, plan_of("x + avg_over_time(x[1m])"), kGrid, control_);
  ASSERT_TRUE(result);
  EXPECT_EQ(source.reads, 4) << "it starts again";
}

}  // namespace
}  // namespace statmill
