// Which samples of a gauge may come late: the first of each slot of the window, once.
#include "ingest/late_slots.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "ingest/value_step.h"

namespace statmill {
namespace {

constexpr LateWindow kWindow{60'000, 10'000};

TimedValue at(int64_t time_ms, double value) { return {Number::shortest(value), time_ms}; }

StepKind next(int64_t time_ms, LastValue& last, const LateWindow& window = kWindow) {
  return next_step(at(time_ms, 5), last, window).kind;
}

LastValue gauge_from(int64_t time_ms, const LateWindow& window = kWindow) {
  LastValue last;
  first_step(at(time_ms, 5), false, last, window);
  return last;
}

TEST(LateSlots, ALateSampleCountsOnceAndLeavesTheLastOne) {
  LastValue last = gauge_from(100'000);
  const Step late = next_step(at(85'000, 7), last, kWindow);
  EXPECT_EQ(late.kind, StepKind::kLate);
  EXPECT_EQ(late.amount.value(), 7);
  EXPECT_EQ(last.time_ms, 100'000);
  EXPECT_EQ(last.value.value(), 5);
  EXPECT_EQ(next(85'000, last), StepKind::kLateRepeated);
  EXPECT_EQ(next(89'999, last), StepKind::kLateRepeated) << "the same slot";
  EXPECT_EQ(next(79'999, last), StepKind::kLate);
}

TEST(LateSlots, TheWindowEndsWithTheLastValue) {
  LastValue last = gauge_from(100'000);
  EXPECT_EQ(next(39'999, last), StepKind::kOutOfOrder);
  EXPECT_EQ(next(40'000, last), StepKind::kLate);
  EXPECT_EQ(next(160'000, last), StepKind::kAdd);
  EXPECT_EQ(next(99'999, last), StepKind::kOutOfOrder);
  EXPECT_EQ(next(100'000, last), StepKind::kLateRepeated) << "it came in its time";
  EXPECT_EQ(next(110'000, last), StepKind::kLate);
}

TEST(LateSlots, TheSameTimeIsNotLate) {
  LastValue last = gauge_from(100'000);
  EXPECT_EQ(next_step(at(100'000, 5), last, kWindow).kind, StepKind::kRepeated);
  EXPECT_EQ(next_step(at(100'000, 6), last, kWindow).kind, StepKind::kOutOfOrder);
}

TEST(LateSlots, WithoutAWindowNothingIsRemembered) {
  LastValue last = gauge_from(100'000, {});
  EXPECT_EQ(last.histogram, nullptr);
  EXPECT_EQ(next(90'000, last, {}), StepKind::kOutOfOrder);
  EXPECT_EQ(next(90'000, last), StepKind::kOutOfOrder) << "nobody knows what came before";
  EXPECT_EQ(next(110'000, last), StepKind::kAdd);
  EXPECT_EQ(next(105'000, last), StepKind::kLateRepeated) << "the slot of the last value before";
  EXPECT_EQ(next(120'000, last, {}), StepKind::kAdd);
  EXPECT_EQ(last.histogram, nullptr);
}

TEST(LateSlots, SlotsThatAShorterWindowDidNotReachCountAsSent) {
  LastValue last = gauge_from(200'000, kWindow);
  constexpr LateWindow kLonger{150'000, 10'000};
  EXPECT_EQ(next(60'000, last, kLonger), StepKind::kLateRepeated);
  EXPECT_EQ(next(145'000, last, kLonger), StepKind::kLate);
}

TEST(LateSlots, ACounterHasNone) {
  LastValue last;
  first_step(at(100'000, 5), true, last, kWindow);
  EXPECT_EQ(last.histogram, nullptr);
  EXPECT_EQ(next(90'000, last), StepKind::kOlder);
}

// Against a set of all slots that have a sample.
RC_GTEST_PROP(LateSlots, EachSlotOfTheWindowHasOneLateSample, ()) {
  const LateWindow window{*rc::gen::inRange<int64_t>(1, 400'000), *rc::gen::element<int64_t>(1'000, 10'000)};
  int64_t newest = 1'000'000'000;
  LastValue last = gauge_from(newest, window);
  std::set<int64_t> sent = {newest / window.slot_ms};
  for (int i = *rc::gen::inRange(1, 100); i > 0; --i) {
    const int64_t time = newest + *rc::gen::inRange<int64_t>(-window.window_ms - 20'000, 50'000);
    const int64_t slot = time / window.slot_ms;
    StepKind expected = StepKind::kAdd;
    if (time == newest) {
      expected = StepKind::kRepeated;
    } else if (time < newest) {
      expected = time < newest - window.window_ms ? StepKind::kOutOfOrder
                 : sent.contains(slot)            ? StepKind::kLateRepeated
                                                  : StepKind::kLate;
    }
    RC_ASSERT(next(time, last, window) == expected);
    if (expected == StepKind::kAdd || expected == StepKind::kLate) sent.insert(slot);
    newest = std::max(newest, time);
    RC_ASSERT(last.time_ms == newest);
  }
}

}  // namespace
}  // namespace statmill
