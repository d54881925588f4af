// DeltaPool: it returns what was added to a chain, in whatever order.
#include "server/table/delta_pool.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/storage/buckets.h"

namespace statmill {
namespace {

struct Arrival {
  size_t series = 0;
  Slot slot = 0;
  Number value;
};

// Slots that mostly ascend, as in a backfill; some are much older.
std::vector<Arrival> arrivals(size_t series) {
  const auto some = *rc::gen::container<std::vector<std::tuple<size_t, Slot, Number>>>(rc::gen::tuple(
      rc::gen::inRange<size_t>(0, series),
      rc::gen::oneOf(rc::gen::just<Slot>(0), rc::gen::inRange<Slot>(0, 100)), small_decimals()));
  std::vector<Arrival> out;
  for (size_t i = 0; i < some.size(); ++i) {
    const auto& [of, age, value] = some[i];
    out.push_back({of, 1000 + static_cast<Slot>(i) - age, value});
  }
  return out;
}

void check_read(Combine combine) {
  constexpr size_t kSeries = 3;
  DeltaPool pool;
  std::array<DeltaPool::Chain, kSeries> chains{};
  std::array<std::vector<SlotBucket>, kSeries> expected;
  for (const Arrival& a : arrivals(kSeries)) {
    const SlotBucket bucket{a.slot, Bucket::of(a.value)};
    if (*rc::gen::arbitrary<bool>()) {
      pool.add(chains[a.series], a.slot, a.value, combine);
    } else {
      pool.add(chains[a.series], a.slot, bucket.bucket, combine);
    }
    combine_into(expected[a.series], {&bucket, 1}, combine);
  }
  std::vector<SlotBucket> read;
  for (size_t i = 0; i < kSeries; ++i) {
    pool.read(chains[i], combine, read);
    RC_ASSERT(read == expected[i]);
  }
}

RC_GTEST_PROP(DeltaPool, MergesGaugesBySlot, ()) { check_read(Combine::kMerge); }
RC_GTEST_PROP(DeltaPool, AddsEventsUpBySlot, ()) { check_read(Combine::kAddEvents); }

RC_GTEST_PROP(DeltaPool, MergesHistogramsBySlot, ()) {
  constexpr size_t kSeries = 3;
  DeltaPool pool;
  std::array<DeltaPool::Chain, kSeries> chains{};
  std::array<std::vector<SlotHistogram>, kSeries> expected;
  for (const Arrival& a : arrivals(kSeries)) {
    const HistogramCell cell{histogram_index(a.value.value()), 1};
    pool.add(chains[a.series], a.slot, a.value, Combine::kMerge);
    pool.add_histogram(chains[a.series], a.slot, {&cell, 1});
    SlotHistogram one{a.slot, {}};
    one.histogram.add(cell.index);
    merge_into(expected[a.series], {&one, 1});
  }
  std::vector<SlotHistogram> read;
  for (size_t i = 0; i < kSeries; ++i) {
    pool.read(chains[i], read);
    RC_ASSERT(read == expected[i]);
  }
}

TEST(DeltaPool, UsesOneNodePerSlotWithinTheSearchLimit) {
  DeltaPool pool;
  DeltaPool::Chain chain = 0;
  for (int round = 0; round < 3; ++round) {
    for (Slot slot = 0; slot < 32; ++slot)
      pool.add(chain, round % 2 == 0 ? slot : 31 - slot, Number::decimal(1, 0), Combine::kMerge);
  }
  EXPECT_EQ(pool.memory_bytes(), 32 * DeltaPool::kNodeBytes);
}

}  // namespace
}  // namespace statmill
