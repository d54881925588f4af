// The range and the interval of an answer: istatd's rules, and the cases in which it dies or lies.
#include "server/istatd/counter_range.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace statmill::istatd {
namespace {

TEST(CounterRange, IsWidenedToWholeIntervalsOfIstatdsList) {
  struct Case {
    AskedRange asked;
    int64_t slot_s;
    CounterRange want;
    const char* why;
  };
  const std::vector<Case> cases = {
      {{1391, 1398, 0}, 10, {1390, 1400, 10}, "less than an interval"},
      {{1000, 1600, 600}, 10, {1000, 1600, 10}, "few enough"},
      {{1001, 1599, 0}, 10, {1000, 1600, 10}, "no limit"},
      {{1000, 1600, 59}, 10, {1000, 1600, 20}, "the next of the list"},
      {{1000, 1600, 25}, 10, {990, 1620, 30}, "not every tier divides it"},
      {{0, 86'400, 100}, 300, {0, 86'400, 900}, "a multiple of the tier's step"},
      {{0, 86'400, 5}, 3600, {0, 86'400, 21'600}, "hours"},
      {{0, 864'000, 3}, 3600, {0, 864'000, 86'400}, "a day is the longest"},
      {{1000, 1000, 0}, 10, {1000, 1010, 10}, "equal ends"},
      {{1005, 1005, 1}, 10, {1000, 1010, 10}, "one row of equal ends, of which istatd dies"},
      {{1000, 1000, 1}, 10, {1000, 1010, 10}, "the same at a slot's edge"},
      {{1000, 1600, 1}, 10, {600, 1800, 1200}, "one row begins at a multiple of its length"},
      {{0, 0, 1}, 10, {0, 10, 10}, "the first slot of all"},
      {{kTimeMax_s, kTimeMax_s, 1}, 3600, {kTimeMax_s - 3599, kTimeMax_s + 1, 3600}, "the last"},
  };
  for (const Case& c : cases) {
    const CounterRange range = counter_range(c.asked, c.slot_s);
    EXPECT_EQ(range.start_s, c.want.start_s) << c.why;
    EXPECT_EQ(range.end_s, c.want.end_s) << c.why;
    EXPECT_EQ(range.interval_s, c.want.interval_s) << c.why;
  }
}

RC_GTEST_PROP(CounterRange, HasTheAskedRangeInWholeIntervals, ()) {
  const int64_t start_s = *rc::gen::inRange<int64_t>(0, 2'000'000'000);
  const int64_t end_s = start_s + *rc::gen::inRange<int64_t>(0, 40'000'000);
  const int64_t samples = *rc::gen::inRange<int64_t>(-1, 2000);
  const int64_t slot_s = *rc::gen::element<int64_t>(10, 300, 3600);
  const CounterRange range = counter_range({start_s, end_s, samples}, slot_s);
  RC_ASSERT(range.start_s <= start_s && range.end_s >= end_s && range.end_s > range.start_s);
  RC_ASSERT(range.interval_s >= slot_s && range.interval_s % slot_s == 0);
  RC_ASSERT(range.start_s % slot_s == 0 && (range.end_s - range.start_s) % range.interval_s == 0);
  if (samples != 1) RC_ASSERT(range.start_s % range.interval_s == 0);
  if (samples > 1 && range.interval_s < 86'400) RC_ASSERT((end_s - start_s) / range.interval_s <= samples);
}

TEST(CounterRange, MissingTimesAreFifteenMinutesFromTheOther) {
  const auto same = [](const AskedRange& range, int64_t start_s, int64_t end_s) {
    return range.start_s == start_s && range.end_s == end_s;
  };
  constexpr int64_t kNow_s = 10'000;
  EXPECT_TRUE(same(with_defaults({0, 0}, kNow_s), 9100, 10'001));
  EXPECT_TRUE(same(with_defaults({1000, 0}, kNow_s), 1000, 1900));
  EXPECT_TRUE(same(with_defaults({9500, 0}, kNow_s), 9500, 10'001));
  EXPECT_TRUE(same(with_defaults({0, 2500}, kNow_s), 1600, 2500));
  EXPECT_TRUE(same(with_defaults({0, 500}, kNow_s), 0, 500));
  EXPECT_TRUE(same(with_defaults({1000, 20'000}, kNow_s), 1000, 10'001));
  EXPECT_TRUE(same(with_defaults({20'000, 30'000}, kNow_s), 20'000, 20'000));
}

}  // namespace
}  // namespace statmill::istatd
