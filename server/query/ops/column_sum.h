// ColumnSum and ColumnExtreme: a number per point that is combined from the columns of many series.
//
// Decimals stay integers at the greatest scale of all columns, so the result does not depend on the order of
// the series. Each is confined to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/int128.h"
#include "server/query/numbers.h"
#include "server/query/ops/compensated_sum.h"

namespace statmill {

// Counts how many of the added columns are present at each point.
class ColumnCount {
 public:
  explicit ColumnCount(size_t points) : counts_(points) {}
  void add(const Presence& present);
  size_t size() const { return counts_.size(); }
  uint64_t operator[](size_t i) const { return counts_[i] + full_; }
  Presence present() const;

 private:
  std::vector<uint32_t> counts_;
  uint32_t full_ = 0;  // columns that were present at all points
};

class ColumnSum {
 public:
  explicit ColumnSum(size_t points) : small_(points) {}

  // Cost: one addition per point if the column is decimal and the sum fits 64 bits. Requires: `numbers` has
  // the size of this.
  void add(const Numbers& numbers);

  // Decimals, if all columns were decimals and the sums fit 64 bits.
  Numbers sum(const ColumnCount& counts) const;
  // Each mean is the double nearest to the exact quotient if all columns were decimals.
  Numbers mean(const ColumnCount& counts) const;

 private:
  void add_decimals(const Numbers& numbers);
  bool raise_scale(int8_t scale);  // returns false if a sum would not fit
  void widen();
  void move_to_reals();
  Int128 integer(size_t i) const { return large_.empty() ? Int128{small_[i]} : large_[i]; }

  int8_t scale_ = 0;
  std::vector<int64_t> small_;
  std::vector<Int128> large_;          // in place of `small_` once that is too narrow
  Uint128 bound_ = 0;                  // no sum exceeds it
  std::vector<CompensatedSum> reals_;  // what is not in the integers; empty while there is none
};

class ColumnExtreme {
 public:
  enum class Kind : uint8_t { kMin, kMax };
  ColumnExtreme(Kind kind, size_t points) : kind_(kind), best_(Numbers::of_decimals(points, 0)) {}
  void add(Numbers numbers);
  Numbers take() { return std::move(best_); }

 private:
  Kind kind_;
  Numbers best_;
};

// Returns a number that no magnitude exceeds, at most twice the greatest one; at least 1. Cost: two
// operations per value.
uint64_t magnitude_bound(const std::vector<int64_t>& values);

// Brings two columns to one scale, or makes doubles of both.
void bring_to_one_scale(Numbers& a, Numbers& b);

}  // namespace statmill
