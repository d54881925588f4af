// LeafValues: values of single functions on slots that are counted by hand.
#include "server/query/leaf_values.h"

#include <gtest/gtest.h>

#include "tests/support/times.h"

namespace statmill {
namespace {

constexpr int64_t kBegin = kNow / 60 * 60;

class LeafValuesTest : public testing::Test {
 protected:
  // Four slots of 10 s, of which the third is absent.
  LeafValuesTest() { set({1.5, 2, {}, 4}); }

  void set(const std::vector<std::optional<double>>& values) {
    slots_.columns = SlotColumns(kBegin / 10, values.size(), {.extremes = true, .squares = true});
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i]) slots_.columns.add(i, Bucket::of(Number::of(*values[i])), Combine::kMerge);
    }
  }
  // Evaluated 20 s and 40 s after the beginning.
  Result<SeriesValues> ask(LeafFunction function, int64_t range_s, Kind kind = Kind::kGauge,
                           std::optional<int64_t> at_s = {}) {
    LeafRequest request;
    request.function = function;
    request.grid = {(kBegin + 20) * 1000, (kBegin + 40) * 1000, 20'000};
    request.range_ms = range_s * 1000;
    if (at_s) request.at_ms = *at_s * 1000;
    LeafPlan plan = plan_leaf(request, kind, tiers_, now_);
    SeriesSlots slots{SlotColumns(plan.span.begin, plan.span.size(), slots_.columns.parts), slots_.open};
    slots.columns.add(slots_.columns, Combine::kMerge);
    return LeafValues(request, plan, tiers_, now_).of({kind, slots, before_}, control_);
  }
  // Absent points are -1.
  std::vector<double> numbers(LeafFunction function, int64_t range_s, Kind kind = Kind::kGauge,
                              std::optional<int64_t> at_s = {}) {
    const auto values = ask(function, range_s, kind, at_s);
    EXPECT_TRUE(values);
    std::vector<double> out;
    for (size_t i = 0; i < values->numbers.size(); ++i)
      out.push_back(values->numbers.present[i] ? values->numbers.value(i) : -1);
    return out;
  }

  const Tiers tiers_ = *Tiers::parse("10s:10d,5m:1y");
  const QueryControl control_;
  Timestamp now_ = from_unix_seconds(kBegin + 45);
  SeriesSlots slots_;
  Bucket before_;
};

using Values = std::vector<double>;

TEST_F(LeafValuesTest, BucketsOfAWindow) {
  EXPECT_EQ(numbers(LeafFunction::kAvg, 20), (Values{1.75, 4}));
  EXPECT_EQ(numbers(LeafFunction::kSum, 40), (Values{3.5, 7.5}));
  EXPECT_EQ(numbers(LeafFunction::kMin, 40), (Values{1.5, 1.5}));
  EXPECT_EQ(numbers(LeafFunction::kMax, 40), (Values{2, 4}));
  EXPECT_EQ(numbers(LeafFunction::kCount, 40), (Values{2, 3}));
  EXPECT_EQ(numbers(LeafFunction::kStdvar, 20), (Values{0.0625, 0}));
  EXPECT_EQ(numbers(LeafFunction::kPresent, 20), (Values{1, 1}));
}

TEST_F(LeafValuesTest, TheNewestSlotOfAWindow) {
  EXPECT_EQ(numbers(LeafFunction::kInstant, 300), (Values{2, 4}));
  EXPECT_EQ(numbers(LeafFunction::kTimestamp, 300), (Values{kBegin + 10, kBegin + 30}));
  set({1, {}, {}, {}});
  EXPECT_EQ(numbers(LeafFunction::kInstant, 20), (Values{1, -1}));
  EXPECT_EQ(numbers(LeafFunction::kPresence, 300), (Values{1, 1}));
}

TEST_F(LeafValuesTest, SingleSamplesLieInTheMiddleOfTheirSlots) {
  EXPECT_EQ(numbers(LeafFunction::kFirst, 40), (Values{1.5, 1.5}));
  EXPECT_EQ(numbers(LeafFunction::kIdelta, 40), (Values{0.5, 2}));
  EXPECT_EQ(numbers(LeafFunction::kTimeOfMax, 40), (Values{kBegin + 10, kBegin + 30}));
  EXPECT_EQ(numbers(LeafFunction::kDeriv, 20), (Values{0.05, -1})) << "one sample has no slope";
}

// The rates of slots with 15, 20, 0 and 40 events.
TEST_F(LeafValuesTest, EventsAddUpOverWindows) {
  EXPECT_EQ(numbers(LeafFunction::kIncrease, 20, Kind::kEvent), (Values{35, 40}));
  EXPECT_EQ(numbers(LeafFunction::kRate, 20, Kind::kEvent), (Values{1.75, 2})) << "of the whole window";
  EXPECT_EQ(numbers(LeafFunction::kChanges, 40, Kind::kEvent), (Values{2, 3}));
  before_ = Bucket::of(Number::of(10));
  EXPECT_EQ(numbers(LeafFunction::kInstant, 300, Kind::kEvent), (Values{135, 175})) << "a running total";
  EXPECT_FALSE(ask(LeafFunction::kResets, 20, Kind::kEvent));
}

// The same slots, but the third is silent.
TEST_F(LeafValuesTest, IncrementsOfACounterAddUpOverWindows) {
  EXPECT_EQ(numbers(LeafFunction::kIncrease, 20, Kind::kCounter), (Values{35, 40}));
  EXPECT_EQ(numbers(LeafFunction::kRate, 20, Kind::kCounter), (Values{1.75, 2})) << "of the whole window";
  EXPECT_EQ(numbers(LeafFunction::kRate, 300, Kind::kCounter), (Values{35.0 / 300, 75.0 / 300}))
      << "however young the series is";
  EXPECT_EQ(numbers(LeafFunction::kChanges, 40, Kind::kCounter), (Values{2, 3}));
  EXPECT_EQ(numbers(LeafFunction::kInstant, 300, Kind::kCounter), (Values{35, 75})) << "a running total";
  EXPECT_EQ(numbers(LeafFunction::kCount, 40, Kind::kCounter), (Values{2, 3}));
  EXPECT_EQ(numbers(LeafFunction::kSum, 40, Kind::kCounter), (Values{50, 125})) << "15 35 75";
  EXPECT_EQ(numbers(LeafFunction::kIrate, 40, Kind::kCounter), (Values{2, 2})) << "20 in 10 s, 40 in 20 s";
  EXPECT_FALSE(ask(LeafFunction::kResets, 20, Kind::kCounter));
}

TEST_F(LeafValuesTest, ASilentCounterIsAbsent) {
  set({1, {}, {}, {}});
  EXPECT_EQ(numbers(LeafFunction::kRate, 20, Kind::kCounter), (Values{0.5, -1}));
  EXPECT_EQ(numbers(LeafFunction::kIncrease, 20, Kind::kCounter), (Values{10, -1}));
  EXPECT_EQ(numbers(LeafFunction::kInstant, 20, Kind::kCounter), (Values{10, -1}));
  EXPECT_EQ(numbers(LeafFunction::kPresence, 20, Kind::kCounter), (Values{1, -1}));
  set({1, {}, {}, 0});
  EXPECT_EQ(numbers(LeafFunction::kRate, 10, Kind::kCounter), (Values{-1, 0})) << "nothing new is a 0";
}

TEST_F(LeafValuesTest, AnOpenSlotCountsWithThePartThatHasPassed) {
  set({1, 1, 1});
  slots_.open = {kBegin / 10 + 3, Bucket::of(Number::of(0.5))};
  // As if it were 5 s into the fourth slot: 10 + 5 events in 15 s.
  LeafRequest request;
  request.function = LeafFunction::kRate;
  request.grid = {(kBegin + 40) * 1000, (kBegin + 40) * 1000, 1000};
  request.range_ms = 20'000;
  const Timestamp now = from_unix_seconds(kBegin + 35);
  const LeafPlan plan = plan_leaf(request, Kind::kEvent, tiers_, now);
  SeriesSlots slots{SlotColumns(plan.span.begin, plan.span.size(), plan.parts), slots_.open};
  slots.columns.add(slots_.columns, Combine::kMerge);
  const auto values = LeafValues(request, plan, tiers_, now).of({Kind::kEvent, slots, {}}, control_);
  ASSERT_TRUE(values);
  EXPECT_EQ(values->numbers.value(0), 1);
}

TEST_F(LeafValuesTest, ALongTotalHasAllItsDigits) {
  const Bucket rate = Bucket::of(Number::decimal(999'999'999'999'999'999, 0)).event_rate(10);
  set({{}, {}, {}, {}});
  slots_.columns.add(1, rate, Combine::kMerge);
  slots_.open = {kBegin / 10 + 3, rate};
  now_ = from_unix_seconds(kBegin + 35);
  for (const Kind kind : {Kind::kEvent, Kind::kCounter}) {
    const auto values = ask(LeafFunction::kIncrease, 20, kind);
    ASSERT_TRUE(values);
    EXPECT_EQ(values->numbers.scale, 0);
    EXPECT_EQ(values->numbers.integers,
              (std::vector<int64_t>{999'999'999'999'999'999, 999'999'999'999'999'999}));
  }
}

TEST_F(LeafValuesTest, AnOpenSlotMayHaveMoreDigitsThanTheOthers) {
  set({{}, {}, {}, {}});
  for (size_t i = 0; i < 3; ++i) slots_.columns.add(i, Bucket::of(Number::decimal(1, 0)), Combine::kMerge);
  slots_.open = {kBegin / 10 + 3, Bucket::of(Number::decimal(125, 4))};
  now_ = from_unix_seconds(kBegin + 35);
  const auto values = ask(LeafFunction::kIncrease, 20, Kind::kEvent);
  ASSERT_TRUE(values);
  EXPECT_EQ(values->numbers.integers, (std::vector<int64_t>{20'000, 10'125}));
  EXPECT_EQ(values->numbers.scale, 3);
}

TEST_F(LeafValuesTest, ATotalBeyond64BitsIsADouble) {
  set({5e18, 5e18});
  EXPECT_EQ(numbers(LeafFunction::kIncrease, 20, Kind::kEvent), (Values{1e20, -1}));
}

TEST_F(LeafValuesTest, ARateIsFiniteIfItsQuotientIs) {
  set({1e305, 0.5, {}, 1.5e307});
  EXPECT_EQ(numbers(LeafFunction::kRate, 10, Kind::kCounter), (Values{0.5, 1.5e307}));
  EXPECT_EQ(numbers(LeafFunction::kRate, 20, Kind::kEvent), (Values{5e304, 7.5e306}));
}

TEST_F(LeafValuesTest, ASlotAheadOfTheClockCountsAsAWholeOne) {
  now_ = from_unix_seconds(kBegin + 14);
  set({1, {}, 1, 1});
  slots_.open = {kBegin / 10 + 1, Bucket::of(Number::of(0.4))};
  EXPECT_EQ(numbers(LeafFunction::kRate, 20, Kind::kCounter), (Values{1, 1}))
      << "14 in 14 s, then 20 in 20 s";
  EXPECT_EQ(numbers(LeafFunction::kRate, 40, Kind::kCounter), (Values{14.0 / 34, 1})) << "34 in 34 s";
  EXPECT_EQ(numbers(LeafFunction::kRate, 40, Kind::kEvent), (Values{14.0 / 34, 1}));
  EXPECT_EQ(numbers(LeafFunction::kIncrease, 40, Kind::kCounter), (Values{14, 34}));
  now_ = from_unix_seconds(kBegin - 86'400);
  slots_.open = {};
  EXPECT_EQ(numbers(LeafFunction::kRate, 20, Kind::kCounter), (Values{1, 1})) << "wholly ahead";
}

TEST_F(LeafValuesTest, SecondsOfDistributionsDependOnTheTimeAlone) {
  const auto seconds = [&](int64_t range_s) {
    const auto values = ask(LeafFunction::kRate, range_s, Kind::kDistribution);
    return values && values->histograms ? values->histograms->seconds : Values();
  };
  now_ = from_unix_seconds(kBegin + 14);
  EXPECT_EQ(seconds(20), (Values{14, 20})) << "the second window has not begun";
  set({1.5, 2, {}, {}});
  EXPECT_EQ(seconds(40), (Values{34, 14}));
}

TEST_F(LeafValuesTest, AtIsOneValueForAllPoints) {
  EXPECT_EQ(numbers(LeafFunction::kAvg, 20, Kind::kGauge, kBegin + 20), (Values{1.75, 1.75}));
}

}  // namespace
}  // namespace statmill
