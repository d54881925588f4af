#include "ingest/value_step.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace statmill {
namespace {

TimedValue at(int64_t time_ms, double value, int64_t start_ms = 0) {
  return {Number::shortest(value), time_ms, start_ms};
}

LastValue counter_with(const TimedValue& first) {
  LastValue last;
  first_step(first, true, last);
  return last;
}

std::string text(const Step& step) {
  switch (step.kind) {
    case StepKind::kRepeated:
      return "repeated";
    case StepKind::kOlder:
      return "older";
    case StepKind::kOutOfOrder:
      return "out of order";
    case StepKind::kLateRepeated:
      return "late, repeated";
    case StepKind::kAdd:
    case StepKind::kLate:
      break;
  }
  std::string value = std::to_string(step.amount.value());
  value.erase(value.find_last_not_of('0') + 1);
  return (step.is_reset ? "reset " : "") + value;
}

TEST(CounterStep, AFirstValueCountsOnlyIfItsStartIsKnown) {
  LastValue last;
  EXPECT_EQ(text(first_step(at(1000, 7), true, last)), "0.");
  EXPECT_EQ(text(first_step(at(1000, 7, 500), true, last)), "7.");
  EXPECT_EQ(text(first_step(at(1000, 7, 1000), true, last)), "0.") << "it cannot have counted before";
  EXPECT_EQ(text(first_step(at(1000, 7, 2000), true, last)), "0.") << "a start after its value";
  EXPECT_EQ(text(first_step(at(1000, 7), false, last)), "7.") << "a gauge";
}

// Each row of the table of what a counter's next sample counts.
TEST(CounterStep, ANextValueCountsWhatTheCounterWentUpBy) {
  struct Case {
    TimedValue last;
    TimedValue next;
    std::string counts;
    double then = 0;  // the last value after it
    std::string why;
  };
  const std::vector<Case> table = {
      {at(1000, 7), at(2000, 9.5), "2.5", 9.5, "higher and newer"},
      {at(1000, 7), at(2000, 7), "0.", 7, "equal and newer"},
      {at(1000, 0.1), at(2000, 0.3), "0.2", 0.3, "in decimals"},
      {at(1000, 7), at(2000, 3), "reset 3.", 3, "lower and newer"},
      {at(1000, 7), at(2000, 0), "reset 0.", 0, "it begins at 0"},
      {at(1000, 1), at(2000, 1 - 1e-13), "0.", 1, "lower by a rounding error"},
      {at(1000, 1), at(2000, 1 - 1e-11), "reset 1.", 1 - 1e-11, "lower by more"},
      {at(1000, 7, 500), at(2000, 9, 1600), "reset 9.", 9, "its start moved on"},
      {at(2000, 7, 500), at(3000, 9, 1501), "reset 9.", 9, "its start moved on, by a little"},
      {at(2000, 7, 500), at(3000, 9, 1500), "2.", 9, "its start is less certain than that"},
      {at(1000, 7), at(2000, 9, 1500), "reset 9.", 9, "it began after its last value"},
      {at(1000, 7), at(2000, 9, 500), "2.", 9, "its start became known"},
      {at(1000, 7, 500), at(2000, 9), "2.", 9, "its start is unknown now"},
      {at(1000, 7), at(1000, 7), "repeated", 7, "a retry"},
      {at(1000, 7), at(1000, 8), "older", 7, "another value of the same time"},
      {at(1000, 7), at(999, 7), "older", 7, "older"},
      {at(1000, 7), at(0, 3), "older", 7, "older, and before a reset"},
      {at(1000, 7), at(86'400'000'000, 8), "1.", 8, "after a gap"},
      {at(1000, 1e300), at(2000, 3e300), std::to_string(2e300).substr(0, 301) + ".", 3e300, "no decimals"},
  };
  for (const Case& c : table) {
    LastValue last = counter_with(c.last);
    const Step step = next_step(c.next, last);
    EXPECT_EQ(text(step), c.counts) << c.why;
    EXPECT_EQ(last.value.value(), c.then) << c.why;
  }
}

TEST(GaugeStep, OnlyANewerValueCounts) {
  LastValue last;
  first_step(at(1000, 7), false, last);
  EXPECT_EQ(text(next_step(at(1000, 7), last)), "repeated");
  EXPECT_EQ(text(next_step(at(1000, 8), last)), "out of order");
  EXPECT_EQ(text(next_step(at(999, 7), last)), "out of order");
  EXPECT_EQ(text(next_step(at(1001, -7), last)), "-7.");
  EXPECT_EQ(last.time_ms, 1001);
}

TEST(Difference, IsExactInDecimals) {
  const auto difference_of = [](double a, double b) {
    return difference(Number::shortest(a), Number::shortest(b));
  };
  EXPECT_EQ(difference_of(0.3, 0.1), Number::decimal(2, 1));
  EXPECT_EQ(difference_of(1e17, 0.05), Number::shortest(1e17 - 0.05)) << "too many digits";
  EXPECT_EQ(difference_of(5, 5), Number());
  EXPECT_EQ(difference_of(1e300, 1e-300), Number::of(1e300));
  constexpr double kLargest = std::numeric_limits<double>::max();
  EXPECT_EQ(difference_of(1.5e308, -1.5e308), Number::of(kLargest)) << "no double has it";
  EXPECT_EQ(difference_of(-1.5e308, 1.5e308), Number::of(-kLargest));
}

// A sender sends all samples of a counter that begins again now and then, some of them again, and older ones
// in between: the increments add up to what the counter counted since its first sample.
RC_GTEST_PROP(CounterStep, IncrementsAddUpWhateverIsRepeated, ()) {
  struct Sent {
    int64_t time_ms = 0;
    int64_t value = 0;
  };
  std::vector<Sent> all;
  int64_t counted = 0;
  Sent now{0, *rc::gen::inRange<int64_t>(0, 100)};
  LastValue last;
  int64_t sum = 0;
  const int steps = *rc::gen::inRange(1, 60);
  for (int i = 0; i < steps; ++i) {
    if (!all.empty() && *rc::gen::inRange(0, 3) == 0) {  // again
      const Sent& old = all[*rc::gen::inRange<size_t>(0, all.size())];
      const Step step = next_step({Number::decimal(old.value, 0), old.time_ms, 0}, last);
      RC_ASSERT(step.kind != StepKind::kAdd);
      continue;
    }
    now.time_ms += *rc::gen::inRange<int64_t>(1, 100'000);
    const bool is_reset = *rc::gen::inRange(0, 5) == 0 && now.value > 0;
    const int64_t value =
        is_reset ? *rc::gen::inRange<int64_t>(0, now.value) : now.value + *rc::gen::inRange<int64_t>(0, 1000);
    if (!all.empty()) counted += is_reset ? value : value - now.value;
    now.value = value;
    const TimedValue sample{Number::decimal(value, 0), now.time_ms, 0};
    const Step step = all.empty() ? first_step(sample, true, last) : next_step(sample, last);
    RC_ASSERT(step.kind == StepKind::kAdd);
    sum += static_cast<int64_t>(step.amount.value());
    all.push_back(now);
  }
  RC_ASSERT(sum == counted);
}

}  // namespace
}  // namespace statmill
