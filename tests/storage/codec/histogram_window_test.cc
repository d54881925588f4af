#include "storage/codec/histogram_window.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "storage/codec/codec.h"
#include "storage/codec/histogram_codec.h"
#include "storage/codec/window.h"
#include "tests/storage/buckets.h"
#include "tests/storage/histograms.h"

namespace statmill {
namespace {

constexpr Slot kFirst = 1000;
constexpr Slot kSlots = 20;

// In any order, slots repeated, none empty.
rc::Gen<std::vector<SlotHistogram>> arrivals() {
  return rc::gen::container<std::vector<SlotHistogram>>(rc::gen::apply(
      [](Slot slot, const SparseHistogram& h) {
        return SlotHistogram{slot, h};
      },
      rc::gen::inRange<Slot>(kFirst, kFirst + kSlots), some_histograms()));
}

std::vector<SlotHistogram> added_up(const std::vector<SlotHistogram>& arrivals) {
  std::vector<SlotHistogram> out;
  for (const SlotHistogram& h : arrivals) merge_into(out, {&h, 1});
  return out;
}

bool is_in_order(const std::vector<SlotHistogram>& arrivals) {
  return std::is_sorted(arrivals.begin(), arrivals.end(),
                        [](const auto& a, const auto& b) { return a.slot < b.slot; });
}

RC_GTEST_PROP(HistogramWindow, HoldsTheSumOfWhatWasAdded, ()) {
  const auto all = *arrivals();
  HistogramWindow window;
  for (const SlotHistogram& h : all) window.add(h.slot, h.histogram);
  RC_ASSERT(window.histograms() == added_up(all));
  RC_ASSERT(window.is_empty() == all.empty());
  const Slot begin = *rc::gen::inRange<Slot>(kFirst - 2, kFirst + kSlots + 2);
  const Slot end = *rc::gen::inRange<Slot>(kFirst - 2, kFirst + kSlots + 2);
  std::vector<SlotHistogram> inside = added_up(all);
  std::erase_if(inside, [=](const SlotHistogram& h) { return h.slot < begin || h.slot >= end; });
  RC_ASSERT(window.histograms(begin, end) == inside);
}

// close() may be called at any time: samples added to the newest slot afterwards count, too.
RC_GTEST_PROP(HistogramWindow, ClosingDoesNotChangeTheContent, ()) {
  const auto all = *arrivals();
  HistogramWindow window;
  for (const SlotHistogram& h : all) {
    window.add(h.slot, h.histogram);
    if (*rc::gen::arbitrary<bool>()) window.close();
  }
  RC_ASSERT(window.histograms() == added_up(all));
}

RC_GTEST_PROP(HistogramWindow, ReturnsItsEncodedBytesUnlessSomeArrivedLate, ()) {
  const auto all = *rc::gen::nonEmpty(arrivals());
  HistogramWindow window;
  for (const SlotHistogram& h : all) window.add(h.slot, h.histogram);
  window.close();
  const auto run = window.run();
  RC_ASSERT(run.has_value() == is_in_order(all));
  if (!run) return;
  RC_ASSERT(decode_histograms(encode_histograms(*run, kFirst - 3), kFirst - 3, kSlots + 3) == added_up(all));
}

// One sample, or several in different slots: buckets and histograms stay
// consistent.
RC_GTEST_PROP(HistogramWindow, AWindowsJournalRestoresBucketsAndHistograms, ()) {
  Window window;
  std::string journal;
  size_t entries = 0;
  for (const SlotHistogram& h : *arrivals()) {
    const SlotBucket bucket{h.slot, Bucket::of(Number::decimal(*rc::gen::inRange(-1000, 1000), 1))};
    const bool is_distribution = *rc::gen::inRange(0, 5) != 0;
    window.add(bucket, Combine::kMerge, &journal, is_distribution ? &h.histogram : nullptr);
    ++entries;
  }
  Window replayed;
  Reader in(journal);
  Reader skipping(journal);
  for (size_t i = 0; i < entries; ++i) {
    RC_ASSERT(replayed.add_entry(in, Combine::kMerge).has_value());
    RC_ASSERT(skip_entry(skipping));
    RC_ASSERT(in.position() == skipping.position());
  }
  RC_ASSERT(in.done());
  RC_ASSERT(replayed.buckets(Combine::kMerge) == window.buckets(Combine::kMerge));
  RC_ASSERT((replayed.histograms() == nullptr) == (window.histograms() == nullptr));
  if (window.histograms() == nullptr) return;
  RC_ASSERT(replayed.histograms()->histograms() == window.histograms()->histograms());
  const Window copy = window;
  RC_ASSERT(copy.histograms()->histograms() == window.histograms()->histograms());
}

TEST(HistogramWindow, JournalEntriesHaveGoldenBytes) {
  Window window;
  std::string journal;
  const SparseHistogram h = histogram_of({{33'300, 2}, {33'305, 1}});
  window.add({1, Bucket::of(Number::decimal(3, 0))}, Combine::kMerge, &journal, &h);
  EXPECT_EQ(hex(journal), "8302e608014006");
}

TEST(HistogramWindow, AQuietLatencyTakesAByteOrTwoPerCell) {
  HistogramWindow window;
  size_t cells = 0;
  for (Slot slot = kFirst; slot < kFirst + 60; ++slot) {
    SparseHistogram h;
    for (int i = 0; i < 40; ++i) h.add(33'300 + i % 20 + static_cast<int>(slot % 3), 1);
    cells += h.cells().size();
    window.add(slot, h);
  }
  window.close();
  EXPECT_LE(window.memory_bytes(), 3 * cells);
}

TEST(HistogramWindow, AHistogramWithoutAnEntryIsInvalid) {
  std::string bytes;
  encode_entry_histogram(bytes, histogram_of({{5, 1}}));
  for (const std::string& none : {bytes, std::string("\x83"), std::string("\x83\x00", 2)}) {
    Window window;
    Reader in(none);
    EXPECT_EQ(window.add_entry(in, Combine::kMerge), std::nullopt);
    EXPECT_TRUE(window.is_empty());
    EXPECT_EQ(window.histograms(), nullptr);
    Reader skipping(none);
    EXPECT_FALSE(skip_entry(skipping));
  }
}

}  // namespace
}  // namespace statmill
