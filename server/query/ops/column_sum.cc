#include "server/query/ops/column_sum.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "base/quotient.h"

namespace statmill {
namespace {

constexpr Uint128 kSmallMax = Uint128{1} << 62;
constexpr Uint128 kLargeMax = Uint128{1} << 125;

uint64_t magnitude(int64_t value) {
  return value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

uint64_t greatest_magnitude(const std::vector<int64_t>& values) {
  int64_t least = 0;
  int64_t most = 0;
  for (const int64_t value : values) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  return std::max(magnitude(least), magnitude(most));
}

bool raise_numbers(Numbers& numbers, int8_t scale) {
  const int64_t factor = power_of_ten(scale - numbers.scale);
  if (Uint128{greatest_magnitude(numbers.integers)} * static_cast<Uint128>(factor) >= kSmallMax) return false;
  for (int64_t& value : numbers.integers) value *= factor;
  numbers.scale = scale;
  return true;
}

}  // namespace

uint64_t magnitude_bound(const std::vector<int64_t>& values) {
  uint64_t bits = 0;
  for (const int64_t value : values) bits |= static_cast<uint64_t>(value < 0 ? ~value : value);
  return bits + 1;
}

void ColumnCount::add(const Presence& present) {
  if (present.all()) {
    ++full_;
    return;
  }
  for (size_t i = present.next(0); i < counts_.size(); i = present.next(i + 1)) ++counts_[i];
}

Presence ColumnCount::present() const {
  Presence present(size(), full_ > 0);
  if (full_ > 0) return present;
  for (size_t i = 0; i < size(); ++i) {
    if (counts_[i] > 0) present.set(i);
  }
  return present;
}

void ColumnSum::add(const Numbers& numbers) {
  if (!numbers.is_real()) {
    add_decimals(numbers);
    return;
  }
  if (reals_.empty()) reals_.resize(numbers.size());
  const Presence& present = numbers.present;
  for (size_t i = present.next(0); i < numbers.size(); i = present.next(i + 1)) {
    reals_[i].add(numbers.reals[i]);
  }
}

void ColumnSum::add_decimals(const Numbers& numbers) {
  if (numbers.scale > scale_ && !raise_scale(numbers.scale)) {
    move_to_reals();
    scale_ = numbers.scale;
  }
  const int64_t factor = power_of_ten(scale_ - numbers.scale);
  const Uint128 most = Uint128{magnitude_bound(numbers.integers)} * static_cast<Uint128>(factor);
  if (bound_ + most >= kLargeMax) move_to_reals();
  bound_ += most;
  if (bound_ >= kSmallMax) widen();
  const std::vector<int64_t>& values = numbers.integers;  // absent ones are 0
  if (!large_.empty()) {
    for (size_t i = 0; i < values.size(); ++i) large_[i] += Int128{values[i]} * factor;
  } else if (factor == 1) {
    for (size_t i = 0; i < values.size(); ++i) small_[i] += values[i];
  } else {
    for (size_t i = 0; i < values.size(); ++i) small_[i] += values[i] * factor;
  }
}

bool ColumnSum::raise_scale(int8_t scale) {
  const int64_t factor = power_of_ten(scale - scale_);
  if (bound_ >= kLargeMax / static_cast<Uint128>(factor)) return false;
  bound_ *= static_cast<Uint128>(factor);
  if (bound_ >= kSmallMax) widen();
  for (Int128& sum : large_) sum *= factor;
  if (large_.empty()) {
    for (int64_t& sum : small_) sum *= factor;
  }
  scale_ = scale;
  return true;
}

void ColumnSum::widen() {
  if (!large_.empty()) return;
  large_.assign(small_.begin(), small_.end());
}

void ColumnSum::move_to_reals() {
  reals_.resize(small_.size());
  const auto divisor = static_cast<Uint128>(power_of_ten(scale_));
  for (size_t i = 0; i < small_.size(); ++i) reals_[i].add(nearest_quotient(integer(i), divisor));
  std::fill(small_.begin(), small_.end(), 0);
  large_.clear();
  bound_ = 0;
}

Numbers ColumnSum::sum(const ColumnCount& counts) const {
  const Presence present = counts.present();
  if (reals_.empty()) {
    const bool fits = std::all_of(large_.begin(), large_.end(),
                                  [](Int128 sum) { return sum == static_cast<int64_t>(sum); });
    if (fits) {
      Numbers sums = Numbers::of_decimals(small_.size(), scale_);
      sums.present = present;
      for (size_t i = 0; i < small_.size(); ++i) sums.integers[i] = static_cast<int64_t>(integer(i));
      return sums;
    }
  }
  Numbers sums = Numbers::of_reals(small_.size());
  const auto divisor = static_cast<Uint128>(power_of_ten(scale_));
  for (size_t i = present.next(0); i < sums.size(); i = present.next(i + 1)) {
    CompensatedSum sum = reals_.empty() ? CompensatedSum() : reals_[i];
    sum.add(nearest_quotient(integer(i), divisor));
    sums.set(i, sum.value());
  }
  return sums;
}

Numbers ColumnSum::mean(const ColumnCount& counts) const {
  Numbers means = Numbers::of_reals(small_.size());
  const auto divisor = static_cast<Uint128>(power_of_ten(scale_));
  const Presence present = counts.present();
  for (size_t i = present.next(0); i < means.size(); i = present.next(i + 1)) {
    if (reals_.empty()) {
      means.set(i, nearest_quotient(integer(i), divisor * counts[i]));
      continue;
    }
    CompensatedSum sum = reals_[i];
    sum.add(nearest_quotient(integer(i), divisor));
    means.set(i, sum.value() / static_cast<double>(counts[i]));
  }
  return means;
}

void bring_to_one_scale(Numbers& a, Numbers& b) {
  if (a.scale == b.scale) return;
  Numbers& coarse = a.scale < b.scale ? a : b;
  const Numbers& fine = a.scale < b.scale ? b : a;
  if (!coarse.is_real() && raise_numbers(coarse, fine.scale)) return;
  a.make_real();
  b.make_real();
}

void ColumnExtreme::add(Numbers numbers) {
  bring_to_one_scale(best_, numbers);
  const Presence& present = numbers.present;
  const bool is_min = kind_ == Kind::kMin;
  for (size_t i = present.next(0); i < numbers.size(); i = present.next(i + 1)) {
    bool is_better = !best_.present[i];
    if (best_.is_real()) {
      const double best = best_.reals[i];
      const double value = numbers.reals[i];
      is_better = is_better || std::isnan(best) || (is_min ? value < best : value > best);
      if (is_better) best_.reals[i] = value;
    } else {
      const int64_t best = best_.integers[i];
      const int64_t value = numbers.integers[i];
      is_better = is_better || (is_min ? value < best : value > best);
      if (is_better) best_.integers[i] = value;
    }
    if (is_better) best_.present.set(i);
  }
}

}  // namespace statmill
