#include "tools/statmill/import/counter_steps.h"

#include <algorithm>

#include "base/int128.h"
#include "base/quotient.h"

namespace statmill {
namespace {

// A sum of doubles may come out lower by this share although nothing was subtracted.
constexpr double kCounterRounding = 1e-12;

// Returns a - b: as a decimal if both are decimals and the difference is one, else the nearest double's.
Number growth_between(const Number& a, const Number& b) {
  if (a.is_decimal() && b.is_decimal()) {
    const int8_t scale = std::max(a.scale, b.scale);
    const Int128 exact = Int128{a.mantissa} * power_of_ten(scale - a.scale) -
                         Int128{b.mantissa} * power_of_ten(scale - b.scale);
    if (-Int128{Number::kMantissaMax} <= exact && exact <= Int128{Number::kMantissaMax})
      return Number::decimal(static_cast<int64_t>(exact), scale);
  }
  return Number::shortest(a.value() - b.value());
}

}  // namespace

bool is_cumulative(std::string_view name, bool has_le, FamilyType type) {
  const bool is_part = name.ends_with("_sum") || name.ends_with("_count");
  switch (type) {
    case FamilyType::kCounter:
      return !name.ends_with("_created");
    case FamilyType::kHistogram:
      return is_part || name.ends_with("_bucket");
    case FamilyType::kSummary:
      return is_part;
    case FamilyType::kUnknown:
      return name.ends_with("_total") || (has_le && name.ends_with("_bucket"));
    default:
      return false;
  }
}

Verdict<Refusal> CounterSteps::count(std::string_view name, int64_t time_ms, const Number& value,
                                     std::optional<Number>& step) {
  step.reset();
  if (value.value() < 0) return Refusal::kBadValue;
  if (last_name_ == nullptr || *last_name_ != name) {
    auto found = last_.find(name);
    if (found == last_.end()) {
      if (last_.size() >= kSeriesMax) return Refusal::kSeriesLimit;
      found = last_.emplace(name, Last{value, time_ms}).first;
      step = Number();
    }
    last_name_ = &found->first;
    last_value_ = &found->second;
    if (step) return kAccepted;
  }
  Last& last = *last_value_;
  if (time_ms <= last.time_ms) return kAccepted;
  const Number growth = growth_between(value, last.value);
  const double grown = growth.value();
  const bool is_reset = grown < -kCounterRounding * last.value.value();
  step = is_reset ? value : grown > 0 ? growth : Number();
  // After a rounding error the higher value stays, so that it counts once.
  if (is_reset || grown > 0) last.value = value;
  last.time_ms = time_ms;
  return kAccepted;
}

}  // namespace statmill
