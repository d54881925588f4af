#include "server/query/ops/rates.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "tests/storage/buckets.h"
#include "tests/storage/slot_columns.h"

namespace statmill {
namespace {

RC_GTEST_PROP(RateColumns, EqualTheRateOfEachTotal, ()) {
  SlotColumns totals(3, 40, *any_parts());
  const auto buckets = *rc::gen::element(exact_buckets(), any_buckets());
  for (const SlotBucket& b : *slot_buckets(3, 43, buckets))
    totals.add(static_cast<size_t>(b.slot - 3), b.bucket, Combine::kAddEvents);
  const int64_t step_s = *rc::gen::element<int64_t>(1, 10, 15, 30, 60, 300);
  const SlotColumns rates = rate_columns(totals, step_s);
  check_form(rates);
  RC_ASSERT(rates.begin == totals.begin && rates.size() == totals.size());
  for (size_t i = 0; i < 40; ++i) {
    RC_ASSERT(same_numbers(rates.bucket_at(i), totals.bucket_at(i).event_rate(step_s), rates.parts));
  }
}

TEST(RateColumns, TenSecondsOnlyMoveThePoint) {
  SlotColumns totals(0, 2, {});
  totals.add_single(0, 25, 1, Combine::kAddEvents);
  const SlotColumns rates = rate_columns(totals, 10);
  EXPECT_EQ(rates.scale, 2);
  EXPECT_EQ(rates.sums, (std::vector<int64_t>{25, 0}));
}

RC_GTEST_PROP(Silence, IsAnObservationOfZero, ()) {
  SlotColumns rates(0, 30, *any_parts());
  for (const SlotBucket& b : *slot_buckets(0, 30, *rc::gen::element(exact_buckets(), any_buckets())))
    rates.add(static_cast<size_t>(b.slot), b.bucket, Combine::kMerge);
  const SlotColumns before = rates;
  const auto first = *rc::gen::inRange<size_t>(0, 31);
  const auto last = *rc::gen::inRange<size_t>(first, 31);
  add_silence(rates, first, last);
  check_form(rates);
  for (size_t i = 0; i < 30; ++i) {
    const bool silent = !before.present[i] && i >= first && i < last;
    const Bucket want = silent ? Bucket::of(Number::decimal(0, 0)) : before.bucket_at(i);
    RC_ASSERT(same_numbers(rates.bucket_at(i), want, rates.parts));
  }
}

RC_GTEST_PROP(Silence, ZerosOfACoarseElementAreMergedZeros, ()) {
  SlotColumns rates(0, 3, {true, true, false});
  const Bucket bucket = *any_buckets();
  rates.add(1, bucket, Combine::kMerge);
  const auto zeros = *rc::gen::element<uint64_t>(0, 1, 29, Bucket::kCountMax);
  add_zeros(rates, 1, zeros);
  Bucket want = bucket;
  want.merge_zeros(zeros);
  check_form(rates);
  RC_ASSERT(same_numbers(rates.bucket_at(1), want, rates.parts));
}

}  // namespace
}  // namespace statmill
