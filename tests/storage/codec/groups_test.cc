#include "storage/codec/groups.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "tests/storage/buckets.h"

namespace statmill {
namespace {

using Buckets = std::vector<SlotBucket>;
using Contents = std::map<Slot, Bucket>;

Bucket bucket_in(const Group& group, size_t i) {
  if (group.is_decimal) {
    const DecimalColumns& c = group.decimals;
    const int64_t sum = c.sums[i];
    if (c.is_single()) return Bucket::from_decimal(1, {sum, Int128{sum} * sum, sum, sum, group.scale});
    return Bucket::from_decimal(c.counts[i], {sum, c.squares[i], c.mins[i], c.maxs[i], group.scale});
  }
  const RealColumns& c = group.reals;
  if (c.is_single()) return Bucket::from_real(1, {c.sums[i], 0, c.sums[i], c.sums[i]});
  return Bucket::from_real(c.counts[i], {c.sums[i], c.squares[i], c.mins[i], c.maxs[i]});
}

// Returns what the groups hold. Each slot must be in one group only, in ascending order.
Contents contents_of(const std::vector<Group>& groups) {
  Contents contents;
  for (const Group& group : groups) {
    const auto& slots = group.is_decimal ? group.decimals.slots : group.reals.slots;
    EXPECT_FALSE(slots.empty());
    EXPECT_EQ(group.is_decimal ? group.reals.size() : group.decimals.size(), 0U);
    for (size_t i = 0; i < slots.size(); ++i) {
      EXPECT_TRUE(i == 0 || slots[i - 1] < slots[i]);
      EXPECT_TRUE(contents.emplace(slots[i], bucket_in(group, i)).second) << "slot " << slots[i] << " twice";
    }
  }
  return contents;
}

Contents contents_of(const Buckets& buckets) {
  Contents contents;
  for (const SlotBucket& b : buckets) contents.emplace(b.slot, b.bucket);
  return contents;
}

Bucket decimal(int64_t mantissa, int8_t scale) { return Bucket::of(Number::decimal(mantissa, scale)); }

RC_GTEST_PROP(Groups, HoldEveryBucketOnce, ()) {
  const Buckets buckets = *slot_buckets(0, 1000, any_buckets());
  const auto groups = group_buckets(Combine::kMerge, buckets);
  RC_ASSERT(contents_of(groups) == contents_of(buckets));
}

RC_GTEST_PROP(Groups, DoNotDependOnTheScalesThatBucketsHappenToHave, ()) {
  const Buckets buckets = *slot_buckets(0, 1000, exact_buckets());
  Buckets rescaled = buckets;
  for (SlotBucket& b : rescaled) {
    if (b.bucket.is_decimal())
      static_cast<void>(b.bucket.rescale(*rc::gen::inRange<int8_t>(b.bucket.smallest_scale(), 19)));
  }
  const auto want = group_buckets(Combine::kMerge, buckets);
  const auto groups = group_buckets(Combine::kMerge, rescaled);
  RC_ASSERT(groups.size() == want.size());
  for (size_t i = 0; i < groups.size(); ++i) {
    RC_ASSERT(groups[i].scale == want[i].scale);
    RC_ASSERT(groups[i].decimals.slots == want[i].decimals.slots);
    RC_ASSERT(groups[i].decimals.sums == want[i].decimals.sums);
    RC_ASSERT(groups[i].decimals.squares == want[i].decimals.squares);
  }
}

TEST(Groups, FewBucketsWithManyDigitsHaveAGroupOfTheirOwn) {
  Buckets buckets;
  for (Slot slot = 0; slot < 100; ++slot) buckets.push_back({slot, decimal(101 + 2 * slot, 1)});
  ASSERT_EQ(group_buckets(Combine::kMerge, buckets).size(), 1U);
  buckets.push_back({100, decimal(1'000'000'000'001, 12)});
  const auto groups = group_buckets(Combine::kMerge, buckets);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].scale, 1);
  EXPECT_EQ(groups[1].scale, 12);
  EXPECT_EQ(groups[1].decimals.slots, std::vector<Slot>{100});
  for (; buckets.size() < 160;)
    buckets.push_back({static_cast<Slot>(buckets.size()), decimal(1'000'000'000'001, 12)});
  EXPECT_EQ(group_buckets(Combine::kMerge, buckets).size(), 1U) << "many of them";
}

TEST(Groups, SeveralSamplesPayForADigitInEachOfTheirNumbers) {
  Buckets single;
  for (Slot slot = 0; slot < 190; ++slot) {
    const bool is_long = slot % 2 == 1 && slot < 180;
    single.push_back({slot, is_long ? decimal(33'501'999'999'999'995 + slot * 10, 15) : decimal(3345, 2)});
  }
  EXPECT_EQ(group_buckets(Combine::kMerge, single).size(), 1U);
  Buckets several = single;
  for (SlotBucket& b : several) b.bucket.merge(decimal(3347, 2));
  EXPECT_EQ(group_buckets(Combine::kMerge, several).size(), 2U);
}

TEST(Groups, DoublesHaveAGroupAfterTheDecimals) {
  const Buckets buckets = {
      {0, Bucket::of(Number::of(0.1))}, {1, decimal(5, 0)}, {2, Bucket::of(Number::of(1e300))}};
  const auto groups = group_buckets(Combine::kMerge, buckets);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_TRUE(groups[0].is_decimal && groups[0].decimals.is_single());
  EXPECT_FALSE(groups[1].is_decimal);
  EXPECT_EQ(groups[1].reals.slots, (std::vector<Slot>{0, 2}));
  EXPECT_TRUE(groups[1].reals.is_single());
}

TEST(Groups, ColumnsAfterTheSumsAreEmptyOnlyIfAllAreSingle) {
  Bucket two = decimal(3, 0);
  two.merge(decimal(4, 0));
  const auto groups = group_buckets(Combine::kMerge, Buckets{{0, decimal(1, 0)}, {1, two}});
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_FALSE(groups[0].decimals.is_single());
  EXPECT_EQ(groups[0].decimals.counts, (std::vector<uint64_t>{1, 2}));
}

TEST(Groups, EventsKeepOnlyTheirTotal) {
  Bucket events = decimal(3, 0);
  events.merge(decimal(4, 0));
  const auto groups = group_buckets(Combine::kAddEvents, Buckets{{7, events}});
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(contents_of(groups), (Contents{{7, decimal(7, 0)}}));
  EXPECT_EQ(total_of(events), decimal(7, 0));
}

TEST(Groups, NoBucketsHaveNoGroup) { EXPECT_TRUE(group_buckets(Combine::kMerge, {}).empty()); }

}  // namespace
}  // namespace statmill
