// See groups.h.
#include "storage/groups.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "storage/possible.h"

namespace statmill {
namespace {

using DecimalRows = std::vector<Row<Bucket::Decimal>>;

Bucket::Decimal at_smallest_scale(uint64_t count, Bucket::Decimal d) {
  if (is_single(count, d)) {  // nearly all; spares the 128-bit divisions
    if (d.sum == 0) return {};
    for (; d.scale > 0 && d.sum % 10 == 0; --d.scale) d.sum /= 10;
    return single_decimal(d.sum, d.scale);
  }
  while (d.scale > 0 && d.sum % 10 == 0 && d.min % 10 == 0 && d.max % 10 == 0 &&
         d.sum_of_squares % 100 == 0) {
    d.sum /= 10;
    d.min /= 10;
    d.max /= 10;
    d.sum_of_squares /= 100;
    --d.scale;
  }
  return d;
}

// None when it does not fit. Requires: scale >= d.scale.
std::optional<Bucket::Decimal> at_scale(Bucket::Decimal d, int8_t scale) {
  for (; d.scale < scale; ++d.scale) {
    if (__builtin_mul_overflow(d.sum, int64_t{10}, &d.sum) ||
        __builtin_mul_overflow(d.min, int64_t{10}, &d.min) ||
        __builtin_mul_overflow(d.max, int64_t{10}, &d.max) ||
        __builtin_mul_overflow(d.sum_of_squares, Int128{100}, &d.sum_of_squares)) {
      return std::nullopt;
    }
  }
  return d;
}

// Moves the rows that fit the largest scale among `rows` into a group; the others stay. One row at least
// moves.
Group take_group(Combine combine, DecimalRows& rows) {
  int8_t scale = 0;
  for (const auto& row : rows) scale = std::max(scale, row.numbers.scale);
  Group group{combine, {}, {}};
  group.decimals.reserve(rows.size());
  DecimalRows rest;
  for (const auto& row : rows) {
    if (const auto numbers = at_scale(row.numbers, scale)) {
      group.decimals.push_back({row.slot, row.count, *numbers});
    } else {
      rest.push_back(row);
    }
  }
  rows = std::move(rest);
  return group;
}

bool is_one_observation(const Bucket& b) {
  return b.is_decimal() ? is_single(b.count(), b.decimal()) : is_single(b.count(), b.real());
}

// One observation of what the events of a slot add up to.
Bucket total_of(const Bucket& events) {
  if (is_one_observation(events)) return events;
  Bucket total;
  total.add_event(events);
  return total;
}

}  // namespace

std::vector<Group> group_buckets(Combine combine, std::span<const SlotBucket> buckets) {
  DecimalRows decimals;
  Group reals{combine, {}, {}};
  decimals.reserve(buckets.size());
  for (const SlotBucket& b : buckets) {
    const Bucket bucket = combine == Combine::kAddEvents ? total_of(b.bucket) : b.bucket;
    if (bucket.is_decimal()) {
      decimals.push_back({b.slot, bucket.count(), at_smallest_scale(bucket.count(), bucket.decimal())});
    } else {
      reals.reals.push_back({b.slot, bucket.count(), bucket.real()});
    }
  }
  std::vector<Group> groups;
  while (!decimals.empty()) groups.push_back(take_group(combine, decimals));
  if (!reals.reals.empty()) groups.push_back(std::move(reals));
  return groups;
}

std::vector<SlotBucket> buckets_of(const Group& group) {
  std::vector<SlotBucket> buckets;
  buckets.reserve(group.decimals.size() + group.reals.size());
  for (const auto& row : group.decimals) {
    buckets.push_back({row.slot, Bucket::from_decimal(row.count, at_smallest_scale(row.count, row.numbers))});
  }
  for (const auto& row : group.reals)
    buckets.push_back({row.slot, Bucket::from_real(row.count, row.numbers)});
  return buckets;
}

}  // namespace statmill
