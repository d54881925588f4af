// What tests compare of SlotColumns and buckets: the numbers that some parts include.
#pragma once

#include <rapidcheck.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "storage/slot_columns.h"

namespace statmill {

inline bool nearly_equal(double a, double b) {
  return a == b || std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b));
}

// Compares decimals exactly. Doubles may differ in the last bits: how they were rounded depends on the scale
// of the decimals that they were made of.
inline bool same_numbers(const Bucket& a, const Bucket& b, Parts parts) {
  if (a.count() != b.count()) return false;
  if (a.is_empty()) return true;
  if (!a.is_decimal() || !b.is_decimal()) {
    const Bucket::Real x = a.real();
    const Bucket::Real y = b.real();
    return nearly_equal(x.sum, y.sum) &&
           (!parts.extremes || (nearly_equal(x.min, y.min) && nearly_equal(x.max, y.max))) &&
           (!parts.squares || nearly_equal(x.m2, y.m2));
  }
  const auto with_parts = [&](const Bucket& bucket) {
    Bucket::Decimal d = bucket.decimal();
    if (!parts.squares) d.sum_of_squares = 0;
    if (!parts.extremes) d.min = d.max = 0;
    return Bucket::from_decimal(bucket.count(), d);
  };
  return with_parts(a) == with_parts(b);
}

inline rc::Gen<Parts> any_parts() {
  return rc::gen::elementOf(
      std::vector<Parts>{{}, {.extremes = true}, {.extremes = true, .squares = true}, {true, true, true}});
}

// Checks what the type promises of its arrays.
inline void check_form(const SlotColumns& columns) {
  const size_t size = columns.size();
  RC_ASSERT(columns.mixed.size() == (columns.is_mixed ? size : 0U));
  RC_ASSERT(columns.sums.size() == (columns.is_mixed ? 0U : size));
  const bool counted = !columns.is_mixed && !columns.is_single;
  RC_ASSERT(columns.counts.size() == (counted ? size : 0U));
  RC_ASSERT(columns.mins.size() == (counted && columns.parts.extremes ? size : 0U));
  RC_ASSERT(columns.maxs.size() == columns.mins.size());
  RC_ASSERT(columns.squares.size() == (counted && columns.parts.squares ? size : 0U));
  for (size_t i = 0; i < size; ++i) {
    if (columns.present[i]) continue;
    RC_ASSERT(columns.bucket_at(i).is_empty());
    if (columns.is_mixed) {
      RC_ASSERT(columns.mixed[i].is_empty());
      continue;
    }
    RC_ASSERT(columns.sums[i] == 0);
    if (!columns.counts.empty()) RC_ASSERT(columns.counts[i] == 0U);
    if (!columns.mins.empty()) RC_ASSERT(columns.mins[i] == 0);
    if (!columns.maxs.empty()) RC_ASSERT(columns.maxs[i] == 0);
    if (!columns.squares.empty()) RC_ASSERT((columns.squares[i] == 0));
  }
}

}  // namespace statmill
