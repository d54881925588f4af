#include "ingest/value_step.h"

#include <algorithm>
#include <limits>

#include "base/int128.h"

namespace statmill {
namespace {

// A sum of doubles may come out lower by this share although nothing was subtracted.
constexpr double kRounding = 1e-12;

Int128 power_of_ten(int exponent) {
  Int128 power = 1;
  for (; exponent > 0; --exponent) power *= 10;
  return power;
}

Step count(const TimedValue& sample, LastValue& last) {
  Step step;
  const Number growth = difference(sample.value, last.value);
  const double grown = growth.value();
  const bool is_lower = grown < -kRounding * last.value.value();
  step.is_reset = is_lower || has_new_start(sample, last);
  if (step.is_reset) {
    step.amount = sample.value;
  } else if (grown > 0) {
    step.amount = growth;
  }
  // After a rounding error the higher value stays, so that it counts once.
  move_on(sample, step.is_reset || grown > 0 ? sample.value : last.value, last);
  return step;
}

Step late_step(const TimedValue& sample, const LateWindow& window, LastValue& last) {
  switch (note_late_slot(window, sample.time_ms, last)) {
    case LateSample::kAdd:
      return {StepKind::kLate, sample.value, false};
    case LateSample::kRepeated:
      return {StepKind::kLateRepeated, {}, false};
    case LateSample::kTooLate:
      break;
  }
  return {StepKind::kOutOfOrder, {}, false};
}

}  // namespace

bool has_known_start(const TimedValue& sample) {
  return sample.start_ms > 0 && sample.start_ms < sample.time_ms;
}

bool has_new_start(const TimedValue& sample, const LastValue& last) {
  if (!has_known_start(sample)) return false;
  return last.start_ms == 0 ? sample.start_ms > last.time_ms
                            : sample.start_ms > last.start_ms + kStartJitterMs;
}

void move_on(const TimedValue& sample, const Number& value, LastValue& last) {
  last.value = value;
  last.time_ms = sample.time_ms;
  last.time_ns = sample.time_ns;
  last.start_ms = sample.start_ms;
}

Step first_step(const TimedValue& sample, bool is_counter, LastValue& last, const LateWindow& window) {
  last.is_counter = is_counter;
  last.histogram = nullptr;
  move_on(sample, sample.value, last);
  if (!is_counter && window.is_open()) note_first_slot(window, last);
  Step step;
  if (!is_counter || has_known_start(sample)) step.amount = sample.value;
  return step;
}

Step next_step(const TimedValue& sample, LastValue& last, const LateWindow& window) {
  if (const auto order = compare_times(sample, last); std::is_lteq(order)) {
    if (std::is_eq(order) && sample.value == last.value) return {StepKind::kRepeated, {}, false};
    if (last.is_counter) return {StepKind::kOlder, {}, false};
    const bool may_be_late = window.is_open() && std::is_lt(order);
    return may_be_late ? late_step(sample, window, last) : Step{StepKind::kOutOfOrder, {}, false};
  }
  if (last.is_counter) return count(sample, last);
  if (window.is_open()) {
    note_next_slot(window, sample.time_ms, last);
  } else {
    last.histogram = nullptr;
  }
  move_on(sample, sample.value, last);
  return {StepKind::kAdd, sample.value, false};
}

Step amount_step(const TimedValue& sample, bool is_new, LastValue& last) {
  const auto order = compare_times(sample, last);
  if (!is_new && std::is_lteq(order))
    return {std::is_eq(order) ? StepKind::kRepeated : StepKind::kOlder, {}, false};
  last.is_counter = false;
  last.histogram = nullptr;
  move_on(sample, {}, last);
  return {StepKind::kAdd, sample.value, false};
}

Step counter_step_after_amounts(TimedValue sample, LastValue& last) {
  const auto order = compare_times(sample, last);
  if (std::is_lteq(order)) return {std::is_eq(order) ? StepKind::kRepeated : StepKind::kOlder, {}, false};
  if (sample.start_ms < last.time_ms) sample.start_ms = 0;
  return first_step(sample, true, last);
}

Number difference(const Number& a, const Number& b) {
  if (a.is_decimal() && b.is_decimal()) {
    const int8_t scale = std::max(a.scale, b.scale);
    const Int128 exact =
        a.mantissa * power_of_ten(scale - a.scale) - b.mantissa * power_of_ten(scale - b.scale);
    if (-Int128{Number::kMantissaMax} <= exact && exact <= Int128{Number::kMantissaMax})
      return Number::decimal(static_cast<int64_t>(exact), scale);
  }
  constexpr double kLargest = std::numeric_limits<double>::max();
  return Number::shortest(std::clamp(a.value() - b.value(), -kLargest, kLargest));
}

}  // namespace statmill
