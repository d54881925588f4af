#include "storage/codec/groups.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "storage/bucket_check.h"

namespace statmill {
namespace {

constexpr size_t kScales = size_t{Bucket::kScaleMax} + 1;

using Buckets = std::vector<SlotBucket>;

// Returns the cheapest scale, which is that of at least one bucket. Each digit costs log2(10) = 10/3 bits per
// number of a bucket. Buckets that need more digits go to another group: they keep their digits there, and
// add kOutlierBits each and kGroupBits in all. (Measured with series of hosts, some of whose samples have 17
// digits: chunks with 20 to 80 bits differ by 1 %; with 120 they are 12 % longer.)
int8_t choose_scale(const std::array<size_t, kScales>& buckets_at, bool are_single) {
  constexpr size_t kOutlierBits = 60;
  constexpr size_t kGroupBits = 400;
  const size_t numbers = are_single ? 1 : 5;  // sum, min, max, and squares of twice as many digits
  const auto digit_bits = [=](size_t buckets, int scale) {
    return buckets * numbers * static_cast<size_t>(scale) * 10 / 3;
  };
  size_t within = 0;
  for (const size_t n : buckets_at) within += n;
  size_t beyond_bits = 0;
  size_t best_bits = SIZE_MAX;
  int best = Bucket::kScaleMax;
  for (int scale = Bucket::kScaleMax; scale >= 0; --scale) {
    const size_t bits = digit_bits(within, scale) + beyond_bits;
    if (within > 0 && bits < best_bits) {
      best = scale;
      best_bits = bits;
    }
    const size_t here = buckets_at[static_cast<size_t>(scale)];
    within -= here;
    if (here > 0 && beyond_bits == 0) beyond_bits = kGroupBits;
    beyond_bits += digit_bits(here, scale) + here * kOutlierBits;
  }
  return static_cast<int8_t>(best);
}

template <class C, class Number, class Squares>
void push(C& columns, Slot slot, uint64_t count, Number sum, Number min, Number max, Squares squares) {
  columns.slots.push_back(slot);
  columns.sums.push_back(sum);
  columns.counts.push_back(count);
  columns.mins.push_back(min);
  columns.maxs.push_back(max);
  columns.squares.push_back(squares);
}

template <class C>
void drop_what_follows(C& columns) {
  columns.counts.clear();
  columns.mins.clear();
  columns.maxs.clear();
  columns.squares.clear();
}

bool all_single(const Buckets& buckets) {
  return std::all_of(buckets.begin(), buckets.end(),
                     [](const SlotBucket& b) { return b.bucket.count() == 1; });
}

// Moves the buckets that fit `scale` into a group; the others stay.
Group take_group(Combine combine, Buckets& buckets, int8_t scale) {
  Group group;
  group.combine = combine;
  Buckets rest;
  const bool single = all_single(buckets);
  DecimalColumns& c = group.decimals;
  for (const SlotBucket& b : buckets) {
    Bucket bucket = b.bucket;
    if (!bucket.rescale(scale)) {
      rest.push_back(b);
      continue;
    }
    const Bucket::Decimal d = bucket.decimal();
    if (single) {
      c.slots.push_back(b.slot);
      c.sums.push_back(d.sum);
    } else {
      push(c, b.slot, bucket.count(), d.sum, d.min, d.max, d.sum_of_squares);
    }
  }
  if (!rest.empty() && !single &&
      std::all_of(c.counts.begin(), c.counts.end(), [](uint64_t n) { return n == 1; }))
    drop_what_follows(c);
  group.scale = scale;
  buckets = std::move(rest);
  return group;
}

// The usual case, without copies of buckets: decimal observations that one group holds.
std::optional<Group> group_of_singles(Combine combine, std::span<const SlotBucket> buckets) {
  if (buckets.empty()) return std::nullopt;
  std::array<size_t, kScales> buckets_at{};
  for (const SlotBucket& b : buckets) {
    if (b.bucket.count() != 1 || !b.bucket.is_decimal()) return std::nullopt;
    ++buckets_at[static_cast<size_t>(b.bucket.smallest_scale())];
  }
  Group group;
  group.combine = combine;
  group.scale = choose_scale(buckets_at, true);
  group.decimals.slots.reserve(buckets.size());
  group.decimals.sums.reserve(buckets.size());
  for (const SlotBucket& b : buckets) {
    int64_t sum = b.bucket.decimal().sum;
    if (b.bucket.scale() != group.scale) {
      Bucket bucket = b.bucket;
      if (!bucket.rescale(group.scale)) return std::nullopt;
      sum = bucket.decimal().sum;
    }
    group.decimals.slots.push_back(b.slot);
    group.decimals.sums.push_back(sum);
  }
  return group;
}

void take_decimals(Combine combine, Buckets& decimals, std::vector<Group>& groups) {
  while (!decimals.empty()) {
    std::array<size_t, kScales> buckets_at{};
    for (const SlotBucket& b : decimals) ++buckets_at[static_cast<size_t>(b.bucket.smallest_scale())];
    // The rest need more digits, or do not fit at that many.
    groups.push_back(take_group(combine, decimals, choose_scale(buckets_at, all_single(decimals))));
  }
}

}  // namespace

Bucket real_bucket(const RealColumns& c, size_t i) {
  if (c.is_single()) return Bucket::from_real(1, single_real(c.sums[i]));
  const auto number = [i](const std::vector<double>& numbers) { return numbers.empty() ? 0 : numbers[i]; };
  return Bucket::from_real(c.counts[i], {c.sums[i], number(c.squares), number(c.mins), number(c.maxs)});
}

Bucket total_of(const Bucket& events) {
  if (events.count() == 1) return events;
  Bucket total;
  total.add_event(events);
  return total;
}

std::vector<Group> group_buckets(Combine combine, std::span<const SlotBucket> buckets) {
  std::vector<Group> groups;
  if (auto group = group_of_singles(combine, buckets)) {
    groups.push_back(std::move(*group));
    return groups;
  }
  Buckets decimals;
  Group reals;
  reals.combine = combine;
  reals.is_decimal = false;
  decimals.reserve(buckets.size());
  bool single_reals = true;
  for (const SlotBucket& b : buckets) {
    const Bucket bucket = combine == Combine::kAddEvents ? total_of(b.bucket) : b.bucket;
    if (bucket.is_decimal()) {
      decimals.push_back({b.slot, bucket});
      continue;
    }
    const Bucket::Real r = bucket.real();
    push(reals.reals, b.slot, bucket.count(), r.sum, r.min, r.max, r.m2);
    single_reals = single_reals && bucket.count() == 1;
  }
  take_decimals(combine, decimals, groups);
  if (reals.reals.size() > 0) {
    if (single_reals) drop_what_follows(reals.reals);
    groups.push_back(std::move(reals));
  }
  return groups;
}

}  // namespace statmill
