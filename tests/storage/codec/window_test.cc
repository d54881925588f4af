#include "storage/codec/window.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>

#include "storage/codec/groups.h"
#include "tests/storage/buckets.h"
#include "tests/storage/histograms.h"
#include "tests/storage/slot_columns.h"

namespace statmill {
namespace {

// In any order, slots repeated.
rc::Gen<std::vector<SlotBucket>> arrivals(const rc::Gen<Bucket>& buckets) {
  return rc::gen::container<std::vector<SlotBucket>>(rc::gen::apply(
      [](Slot slot, const Bucket& b) {
        return SlotBucket{slot, b};
      },
      rc::gen::inRange<Slot>(1000, 1020), buckets));
}

std::vector<SlotBucket> added_up(const std::vector<SlotBucket>& arrivals, Combine combine) {
  std::vector<SlotBucket> out;
  for (const SlotBucket& b : arrivals) combine_into(out, {&b, 1}, combine);
  return out;
}

RC_GTEST_PROP(Window, HoldsTheSumOfWhatWasAdded, ()) {
  const auto buckets = *arrivals(exact_buckets());
  Window window;
  for (const SlotBucket& b : buckets) window.add(b, Combine::kMerge, nullptr);
  RC_ASSERT(window.buckets(Combine::kMerge) == added_up(buckets, Combine::kMerge));
}

RC_GTEST_PROP(Window, HoldsTheTotalsOfEvents, ()) {
  const auto numbers = rc::gen::map(small_decimals(), [](const Number& n) { return Bucket::of(n); });
  const auto buckets = *arrivals(numbers);
  Window window;
  for (const SlotBucket& b : buckets) window.add(b, Combine::kAddEvents, nullptr);
  RC_ASSERT(window.buckets(Combine::kAddEvents) == added_up(buckets, Combine::kAddEvents));
}

// Adds the window to the columns, and checks that they are the buckets and the histograms of their range.
void check_columns(const Window& window, SlotColumns& columns, Combine combine) {
  window.add_to(columns, combine);
  check_form(columns);
  const auto is_outside = [&](const auto& at) { return at.slot < columns.begin || at.slot >= columns.end(); };
  std::vector<SlotBucket> expected = window.buckets(combine);
  std::erase_if(expected, is_outside);
  RC_ASSERT(columns.present.count() == expected.size());
  for (const SlotBucket& b : expected) {
    const auto i = static_cast<size_t>(b.slot - columns.begin);
    RC_ASSERT(same_numbers(columns.bucket_at(i), b.bucket, columns.parts));
  }
  std::vector<SlotHistogram> expected_histograms;
  if (columns.parts.histograms && window.histograms() != nullptr)
    expected_histograms = window.histograms()->histograms();
  std::erase_if(expected_histograms, is_outside);
  RC_ASSERT(columns.histograms == expected_histograms);
}

// Entries, the open bucket, late buckets and histograms, with what lies outside of the columns left out.
RC_GTEST_PROP(Window, AddsToColumnsWhatItsBucketsAre, ()) {
  const Combine combine = *rc::gen::element(Combine::kMerge, Combine::kAddEvents);
  Window window;
  const bool in_order = *rc::gen::arbitrary<bool>();
  auto buckets = *arrivals(*rc::gen::element(exact_buckets(), any_buckets()));
  if (in_order) {
    std::stable_sort(buckets.begin(), buckets.end(),
                     [](const SlotBucket& a, const SlotBucket& b) { return a.slot < b.slot; });
  }
  for (SlotBucket b : buckets) {
    if (combine == Combine::kAddEvents) b.bucket = total_of(b.bucket);
    const SparseHistogram histogram = *histograms();
    window.add(b, combine, nullptr, histogram.is_empty() ? nullptr : &histogram);
  }
  const Slot begin = *rc::gen::inRange<Slot>(995, 1025);
  SlotColumns columns(begin, *rc::gen::inRange<size_t>(0, 30), {true, true, *rc::gen::arbitrary<bool>()});
  check_columns(window, columns, combine);
}

// A window that is long enough for marks, with samples for the newest slot, late ones, gaps, scales that
// change, and copies that go on.
RC_GTEST_PROP(Window, ItsLastSlotsAreTheSameWhereverDecodingBegins, ()) {
  std::mt19937 random(*rc::gen::arbitrary<uint32_t>());
  const auto below = [&](uint32_t bound) { return static_cast<int64_t>(random() % bound); };
  const Combine combine = *rc::gen::element(Combine::kMerge, Combine::kAddEvents);
  const bool is_distribution = *rc::gen::arbitrary<bool>();
  const auto slots = *rc::gen::inRange<Slot>(50, 900);
  Window window;
  Slot newest = 1000;
  for (Slot i = 0; i < slots; ++i) {
    newest += below(10) == 0 ? below(20) + 1 : 1;
    for (int64_t samples = below(8) == 0 ? 3 : 1; samples > 0; --samples) {
      const Slot slot = below(50) == 0 ? newest - below(30) : newest;
      const Bucket bucket =
          Bucket::of(Number::decimal(below(1000) * below(1000), below(30) == 0 ? int8_t{3} : int8_t{1}));
      SparseHistogram histogram;
      histogram.add(static_cast<HistogramIndex>(33'000 + below(800)));
      window.add({slot, bucket}, combine, nullptr, is_distribution ? &histogram : nullptr);
    }
    if (below(40) == 0) window.close();
    if (below(60) == 0) window = Window(window);
  }
  for (int i = 0; i < 30; ++i) {
    const Slot begin = below(2) == 0 ? newest - below(200) : 990 + below(static_cast<uint32_t>(newest - 980));
    SlotColumns columns(begin, static_cast<size_t>(below(200)), {true, true, is_distribution});
    check_columns(window, columns, combine);
  }
}

// Including doubles: a replay after a crash restores every bit.
RC_GTEST_PROP(Window, ReplayingItsJournalRestoresIt, ()) {
  const auto buckets = *arrivals(any_buckets());
  Window window;
  std::string journal;
  for (const SlotBucket& b : buckets) window.add(b, Combine::kMerge, &journal);
  Window replayed;
  Reader in(journal);
  for (size_t i = 0; i < buckets.size(); ++i) RC_ASSERT(replayed.add_entry(in, Combine::kMerge).has_value());
  RC_ASSERT(in.done());
  RC_ASSERT(replayed.buckets(Combine::kMerge) == window.buckets(Combine::kMerge));
}

// Each entry is relative to the right neighbour, however the newest bucket has grown.
RC_GTEST_PROP(Window, ReturnsItsEncodedEntriesUnlessSomeArrivedLate, ()) {
  const auto buckets = *arrivals(any_buckets());
  Window window;
  Slot newest = 0;
  bool late = false;
  for (const SlotBucket& b : buckets) {
    late |= b.slot < newest;
    newest = std::max(newest, b.slot);
    window.add(b, Combine::kMerge, nullptr);
  }
  window.close();
  const auto run = window.run();
  RC_ASSERT(run.has_value() == (!late && !buckets.empty()));
  if (!run) return;
  std::vector<SlotBucket> decoded;
  EntryReference reference;
  for (Reader in(run->entries); !in.done();) decoded.push_back(*decode_entry(in, reference));
  RC_ASSERT(decoded == window.buckets(Combine::kMerge));
  RC_ASSERT(run->first == decoded.front().slot);
  RC_ASSERT(run->last == decoded.back().slot);
}

// An encoded and an open newest bucket are equivalent, also for everything added later.
RC_GTEST_PROP(Window, ClosingChangesNeitherContentNorLaterEntries, ()) {
  const auto buckets = *arrivals(any_buckets());
  const auto combine = *rc::gen::element(Combine::kMerge, Combine::kAddEvents);
  Window window;
  Window closed;
  std::string journal;
  std::string journal_closed;
  for (const SlotBucket& b : buckets) {
    window.add(b, combine, &journal);
    closed.add(b, combine, &journal_closed);
    const size_t memory = closed.memory_bytes();
    closed.close();
    RC_ASSERT(closed.memory_bytes() == memory);
  }
  RC_ASSERT(journal == journal_closed);
  RC_ASSERT(closed.buckets(combine) == window.buckets(combine));
}

// The reference of an entry with a scale of its own cannot be recovered from it.
TEST(Window, TheNewestBucketCanGrowIfItsScaleIsNew) {
  Window window;
  const auto add = [&](Slot slot, int64_t mantissa, int8_t scale) {
    window.add({slot, Bucket::of(Number::decimal(mantissa, scale))}, Combine::kMerge, nullptr);
  };
  add(5, 17, 0);
  add(6, 1725, 2);
  add(6, 1730, 2);
  add(7, 1735, 2);
  Bucket grown = Bucket::of(Number::decimal(1725, 2));
  grown.merge(Bucket::of(Number::decimal(1730, 2)));
  EXPECT_EQ(window.buckets(Combine::kMerge).at(1).bucket, grown);
  EXPECT_EQ(window.buckets(Combine::kMerge).at(2).bucket, Bucket::of(Number::decimal(1735, 2)));
}

TEST(Window, ACopyIsIndependent) {
  Window window;
  window.add({5, Bucket::of(Number::decimal(1, 0))}, Combine::kMerge, nullptr);
  window.add({4, Bucket::of(Number::decimal(2, 0))}, Combine::kMerge, nullptr);
  Window copy = window;
  window.add({6, Bucket::of(Number::decimal(3, 0))}, Combine::kMerge, nullptr);
  copy.add({5, Bucket::of(Number::decimal(9, 0))}, Combine::kMerge, nullptr);
  EXPECT_EQ(window.buckets(Combine::kMerge).size(), 3U);
  EXPECT_EQ(copy.buckets(Combine::kMerge).size(), 2U);
  EXPECT_EQ(copy.buckets(Combine::kMerge)[1].bucket.count(), 2U);
  EXPECT_EQ(window.buckets(Combine::kMerge)[1].bucket.count(), 1U);
}

TEST(Window, AQuietGaugeTakesAByteOrTwoPerSlot) {
  Window window;
  int64_t value = 10'000;
  for (Slot slot = 170'000'000; slot < 170'000'060; ++slot) {
    window.add({slot, Bucket::of(Number::decimal(value += slot * 37 % 51 - 25, 2))}, Combine::kMerge,
               nullptr);
  }
  EXPECT_LE(window.memory_bytes(), 2U * 60 + 16);
}

TEST(Window, ASampleOfManyDigitsDoesNotLengthenThoseAfterIt) {
  Window window;
  for (Slot slot = 0; slot < 60; ++slot) {
    const bool is_long = slot == 5;
    window.add({slot, Bucket::of(is_long ? Number::decimal(33'501'999'999'999'995, 15)
                                         : Number::decimal(3345 + 2 * (slot % 5), 2))},
               Combine::kMerge, nullptr);
  }
  window.close();
  EXPECT_LE(window.run()->entries.size(), 2U * 60 + 16);
}

TEST(Window, AFewDigitsFewerKeepTheScale) {
  Window window;
  for (Slot slot = 0; slot < 60; ++slot)
    window.add({slot, Bucket::of(Number::decimal(slot % 2 == 0 ? 334'501 : 3345, slot % 2 == 0 ? 4 : 2))},
               Combine::kMerge, nullptr);
  window.close();
  EXPECT_LE(window.run()->entries.size(), 2U * 60 + 16);
}

TEST(Window, DiscardingTheJournalEntryChangesNothing) {
  Window window;
  window.add({5, Bucket::of(Number::decimal(1, 0))}, Combine::kMerge, nullptr);
  Reader in("\x83");
  EXPECT_EQ(window.add_entry(in, Combine::kMerge), std::nullopt);
  EXPECT_EQ(window.buckets(Combine::kMerge).size(), 1U);
}

}  // namespace
}  // namespace statmill
