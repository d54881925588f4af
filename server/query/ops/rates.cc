#include "server/query/ops/rates.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/check.h"
#include "base/quotient.h"

namespace statmill {
namespace {

// Returns the least power of ten that `step_s` divides; nullopt if there is none.
std::optional<int> digits_for(int64_t step_s) {
  for (int digits = 0; digits <= Bucket::kScaleMax; ++digits) {
    if (power_of_ten(digits) % step_s == 0) return digits;
  }
  return std::nullopt;
}

// A step that divides a power of ten changes the scale and multiplies by what is left: 10 s by 1. Returns
// false, and changes nothing, if that does not fit.
bool divide_by_step(SlotColumns& columns, int64_t step_s) {
  const auto digits = digits_for(step_s);
  if (!digits || !columns.is_single || columns.scale + *digits > Bucket::kScaleMax) return false;
  const int64_t factor = power_of_ten(*digits) / step_s;
  const int64_t limit = std::numeric_limits<int64_t>::max() / factor;
  const auto fits = [=](int64_t v) { return v <= limit && v >= -limit; };
  if (factor > 1) {
    if (!std::all_of(columns.sums.begin(), columns.sums.end(), fits)) return false;
    for (int64_t& v : columns.sums) v *= factor;
  }
  columns.scale = static_cast<int8_t>(columns.scale + *digits);
  return true;
}

}  // namespace

SlotColumns rate_columns(const SlotColumns& totals, int64_t step_s) {
  SM_CHECK(step_s > 0);
  SlotColumns rates = totals;
  if (divide_by_step(rates, step_s)) return rates;
  rates = SlotColumns(totals.begin, totals.size(), totals.parts);
  rates.histograms = totals.histograms;
  for (size_t i = totals.present.next(0); i < totals.size(); i = totals.present.next(i + 1)) {
    rates.add(i, totals.bucket_at(i).event_rate(step_s), Combine::kMerge);
  }
  return rates;
}

void add_silence(SlotColumns& rates, size_t first, size_t last) {
  if (rates.is_single) {
    rates.present.set(first, last);
    return;
  }
  for (size_t i = first; i < last; ++i) {
    if (!rates.present[i]) add_zeros(rates, i, 1);
  }
}

void add_zeros(SlotColumns& rates, size_t i, uint64_t zeros) {
  if (zeros == 0) return;
  rates.add(i, Bucket::from_decimal(std::min(zeros, Bucket::kCountMax - 1), {.scale = rates.scale}),
            Combine::kMerge);
}

}  // namespace statmill
