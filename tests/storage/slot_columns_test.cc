#include "storage/slot_columns.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <utility>
#include <vector>

#include "storage/bucket_check.h"
#include "tests/storage/buckets.h"
#include "tests/storage/histograms.h"
#include "tests/storage/slot_columns.h"

namespace statmill {
namespace {

constexpr Parts kAll{.extremes = true, .squares = true};

Bucket gauge_of(int64_t integer, int8_t scale = 0) {
  return Bucket::from_decimal(1, single_decimal(integer, scale));
}

// The same bits in a list of bools.
RC_GTEST_PROP(Presence, EqualsAListOfBools, ()) {
  const auto size = *rc::gen::inRange<size_t>(0, 200);
  const bool value = *rc::gen::arbitrary<bool>();
  Presence presence(size, value);
  std::vector<bool> naive(size, value);
  for (int step = *rc::gen::inRange(0, 10); step > 0; --step) {
    const auto begin = *rc::gen::inRange<size_t>(0, size + 1);
    const auto end = *rc::gen::inRange<size_t>(begin, size + 1);
    const bool sets = *rc::gen::arbitrary<bool>();
    sets ? presence.set(begin, end) : presence.clear(begin, end);
    std::fill(naive.begin() + static_cast<ptrdiff_t>(begin), naive.begin() + static_cast<ptrdiff_t>(end),
              sets);
    size_t count = 0;
    for (size_t i = begin; i < end; ++i) count += presence[i] ? 1U : 0U;
    RC_ASSERT(presence.count(begin, end) == count);
  }
  size_t before = size;
  for (size_t i = 0; i <= size; ++i) {
    RC_ASSERT(presence.previous(i) == before);
    if (i == size) break;
    RC_ASSERT(presence[i] == naive[i]);
    if (naive[i]) before = i;
    size_t next = i;
    while (next < size && !naive[next]) ++next;
    RC_ASSERT(presence.next(i) == next);
  }
  RC_ASSERT(presence.all() == (presence.count() == size));
  if (size % 64 != 0) RC_ASSERT((presence.words().back() >> size % 64) == 0U);
}

// Adds the same buckets to columns and to a list of buckets.
void check_adding(const rc::Gen<Bucket>& buckets, Parts parts) {
  const auto size = *rc::gen::inRange<size_t>(1, 70);
  const Combine combine = *rc::gen::element(Combine::kMerge, Combine::kAddEvents);
  SlotColumns columns(-3, size, parts);
  std::vector<Bucket> naive(size);
  const auto steps = *rc::gen::container<std::vector<std::pair<size_t, Bucket>>>(
      rc::gen::pair(rc::gen::inRange<size_t>(0, size), buckets));
  for (const auto& [i, bucket] : steps) {
    columns.add(i, bucket, combine);
    combine == Combine::kAddEvents ? naive[i].add_event(bucket) : naive[i].merge(bucket);
  }
  check_form(columns);
  for (size_t i = 0; i < size; ++i) RC_ASSERT(same_numbers(columns.bucket_at(i), naive[i], parts));
  columns.erase(size / 3, size / 2);
  check_form(columns);
  for (size_t i = 0; i < size; ++i) {
    const bool erased = i >= size / 3 && i < size / 2;
    RC_ASSERT(same_numbers(columns.bucket_at(i), erased ? Bucket() : naive[i], parts));
  }
}

RC_GTEST_PROP(SlotColumns, AddsDecimalsAsBucketsDoWhateverTheParts, ()) {
  check_adding(exact_buckets(), *any_parts());
}

RC_GTEST_PROP(SlotColumns, AddsAnyNumbersAsBucketsDo, ()) { check_adding(any_buckets(), kAll); }

RC_GTEST_PROP(SlotColumns, ChangesOfFormKeepTheNumbers, ()) {
  const Parts parts = *any_parts();
  const auto buckets = *slot_buckets(5, 40, exact_buckets());
  SlotColumns columns(5, 35, parts);
  for (const SlotBucket& b : buckets) columns.add(static_cast<size_t>(b.slot - 5), b.bucket, Combine::kMerge);
  SlotColumns changed = columns;
  changed.make_counted();
  check_form(changed);
  RC_ASSERT(changed.raise_scale(static_cast<int8_t>(changed.scale + 2)));
  for (size_t i = 0; i < 35; ++i) RC_ASSERT(changed.bucket_at(i) == columns.bucket_at(i));
  changed.make_mixed();
  check_form(changed);
  for (size_t i = 0; i < 35; ++i) RC_ASSERT(changed.bucket_at(i) == columns.bucket_at(i));
}

// Checks that the integers, if they are there, are the numbers of the buckets.
void check_stored(const SlotColumns& columns) {
  for (size_t i = columns.present.next(0); i < columns.size(); i = columns.present.next(i + 1)) {
    const Bucket bucket = columns.bucket_at(i);
    const auto check = [&](const std::vector<int64_t>* integers, double number) {
      if (integers == nullptr) return;
      RC_ASSERT(Bucket::from_decimal(1, single_decimal((*integers)[i], columns.scale)).sum() == number);
    };
    RC_ASSERT(columns.count_at(i) == bucket.count());
    check(columns.stored_sums(), bucket.sum());
    check(columns.stored_means(), bucket.mean());
    check(columns.stored_mins(), bucket.min());
    check(columns.stored_maxs(), bucket.max());
  }
}

RC_GTEST_PROP(SlotColumns, StoreSumsAndExtremesAsIntegersUnlessTheyAreMixed, ()) {
  SlotColumns columns(0, 20, kAll);
  for (size_t i = 0; i < 20; i += 2)
    columns.add(i, gauge_of(*rc::gen::arbitrary<int16_t>(), 2), Combine::kMerge);
  RC_ASSERT(columns.stored_means() == &columns.sums && columns.stored_mins() == &columns.sums);
  check_stored(columns);
  columns.add(*rc::gen::inRange<size_t>(0, 20), *exact_buckets(), Combine::kMerge);
  check_stored(columns);
  columns.make_counted();
  check_stored(columns);
  RC_ASSERT(columns.stored_maxs() == (columns.is_mixed ? nullptr : &columns.maxs));
  columns.make_mixed();
  RC_ASSERT(!columns.stored_sums() && !columns.stored_means() && !columns.stored_mins() &&
            !columns.stored_maxs());
}

RC_GTEST_PROP(SlotColumns, AddsOtherColumnsWithinItsRange, ()) {
  const auto slots = [] { return rc::gen::inRange<Slot>(0, 60); };
  SlotColumns sum(*slots(), *rc::gen::inRange<size_t>(0, 60), {true, true, true});
  SlotColumns other(*slots(), *rc::gen::inRange<size_t>(1, 60), {true, true, true});
  const auto fill = [](SlotColumns& columns) {
    for (const SlotBucket& b : *slot_buckets(columns.begin, columns.end(), exact_buckets())) {
      columns.add(static_cast<size_t>(b.slot - columns.begin), b.bucket, Combine::kMerge);
      columns.histograms.push_back({b.slot, *some_histograms()});
    }
  };
  if (sum.size() > 0) fill(sum);
  fill(other);
  const SlotColumns before = sum;
  sum.add(other, Combine::kMerge);
  std::vector<SlotHistogram> histograms = before.histograms;
  for (const SlotHistogram& h : other.histograms) {
    if (h.slot >= sum.begin && h.slot < sum.end()) merge_into(histograms, {&h, 1});
  }
  RC_ASSERT(sum.histograms == histograms);
  for (size_t i = 0; i < sum.size(); ++i) {
    Bucket bucket = before.bucket_at(i);
    const Slot in_other = sum.begin + static_cast<Slot>(i) - other.begin;
    if (in_other >= 0 && in_other < static_cast<Slot>(other.size()))
      bucket.merge(other.bucket_at(static_cast<size_t>(in_other)));
    RC_ASSERT(sum.bucket_at(i) == bucket);
  }
}

TEST(SlotColumns, TakeTheScaleOfTheirFirstBucket) {
  SlotColumns columns(0, 3, kAll);
  columns.add(1, gauge_of(150, 2), Combine::kMerge);
  EXPECT_EQ(columns.scale, 2);
  columns.add(2, gauge_of(7), Combine::kMerge);
  EXPECT_EQ(columns.sums, (std::vector<int64_t>{0, 150, 700}));
  EXPECT_TRUE(columns.is_single);
}

TEST(SlotColumns, RaiseTheScaleOnlyIfAllNumbersFit) {
  SlotColumns columns(0, 2, kAll);
  const int64_t large = std::numeric_limits<int64_t>::max() / 100;
  columns.add(0, gauge_of(large), Combine::kMerge);
  EXPECT_FALSE(columns.raise_scale(3));
  EXPECT_EQ(columns.sums[0], large);
  EXPECT_TRUE(columns.raise_scale(2));
  EXPECT_EQ(columns.sums[0], 100 * large);
}

TEST(SlotColumns, AZeroDigitTooManyIsNoReasonToBecomeMixed) {
  SlotColumns columns(0, 2, kAll);
  columns.add(0, gauge_of(std::numeric_limits<int64_t>::max() / 10), Combine::kMerge);
  columns.add(1, gauge_of(5000, 3), Combine::kMerge);
  EXPECT_FALSE(columns.is_mixed);
  EXPECT_EQ(columns.bucket_at(1), gauge_of(5));
}

TEST(SlotColumns, BecomeMixedWhenTheirSumDoesNotFit) {
  SlotColumns columns(0, 2, kAll);
  const Bucket large = Bucket::from_decimal(2, {std::numeric_limits<int64_t>::max(), 0, 0, 0, 0});
  columns.add(0, large, Combine::kMerge);
  columns.add(1, gauge_of(3), Combine::kMerge);
  columns.add(0, large, Combine::kMerge);
  EXPECT_TRUE(columns.is_mixed);
  EXPECT_EQ(columns.bucket_at(0).sum(), 0x1p64);
  EXPECT_EQ(columns.bucket_at(1), gauge_of(3));
}

TEST(SlotColumns, ADoubleAmongDecimalsMakesThemMixed) {
  SlotColumns columns(0, 2, kAll);
  columns.add(0, gauge_of(150, 2), Combine::kMerge);
  columns.add(1, Bucket::of(Number::of(1.0 / 3)), Combine::kMerge);
  EXPECT_TRUE(columns.is_mixed);
  EXPECT_EQ(columns.bucket_at(0), gauge_of(150, 2));
  EXPECT_EQ(columns.bucket_at(1).sum(), 1.0 / 3);
}

TEST(SlotColumns, EventsStayOneObservation) {
  SlotColumns columns(0, 1, kAll);
  columns.add(0, gauge_of(3), Combine::kAddEvents);
  columns.add(0, gauge_of(25, 1), Combine::kAddEvents);
  EXPECT_TRUE(columns.is_single);
  EXPECT_EQ(columns.bucket_at(0), gauge_of(55, 1));
}

}  // namespace
}  // namespace statmill
