#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "storage/rollup.h"
#include "tests/storage/buckets.h"
#include "tests/storage/codec/codec_helpers.h"
#include "tests/storage/histograms.h"

namespace statmill {
namespace {

using namespace codec_helpers;

std::string encode_spread(const std::vector<SlotHistogram>& histograms) {
  return encode_histogram_frame(kKey, kFirst, histograms);
}

std::vector<SlotHistogram> list_of(const std::map<Slot, SparseHistogram>& by_slot) {
  std::vector<SlotHistogram> out;
  for (const auto& [slot, histogram] : by_slot) out.push_back({slot, histogram});
  return out;
}

TEST(HistogramFrames, HaveGoldenBytes) {
  const std::vector<SlotHistogram> histograms = {{kFirst + 3, histogram_of({{33'300, 2}, {33'305, 1}})}};
  EXPECT_EQ(hex(encode_spread(histograms)), "180801010302e608014083f7ae71");
  EXPECT_EQ(decode(encode_spread(histograms)).histograms, histograms);
}

TEST(HistogramFrames, FramesOfOneSlotMerge) {
  const std::string value = encode_spread({{kFirst, histogram_of({{5, 1}})}}) + encode({{kFirst, gauge(2)}}) +
                            encode_spread({{kFirst, histogram_of({{5, 2}, {9, 1}})}});
  const std::vector<SlotHistogram> both = {{kFirst, histogram_of({{5, 3}, {9, 1}})}};
  EXPECT_EQ(decode(value).histograms, both);
  EXPECT_EQ(decode(value).buckets, (std::vector<SlotBucket>{{kFirst, gauge(2)}}));
  EXPECT_EQ(compact(value), encode({{kFirst, gauge(2)}}) + encode_spread(both));
}

TEST(HistogramFrames, FramesWithSlotsOutsideTheChunkAreDamaged) {
  const Slot end = kFirst + kChunkSlots;
  const std::string value = encode_spread({{end - 1, histogram_of({{5, 1}})}}) +
                            encode_spread({{end, histogram_of({{5, 1}})}}) + seal(0x18, "nonsense");
  EXPECT_EQ(decode(value).histograms, (std::vector<SlotHistogram>{{end - 1, histogram_of({{5, 1}})}}));
  EXPECT_EQ(decode(value).damaged_frames, 2U);
  EXPECT_EQ(decode(compact(value)).damaged_frames, 2U);
}

// Fragments written and ranges erased.
struct History {
  std::vector<std::string> fragments;
  std::map<Slot, SparseHistogram> meaning;

  std::string joined(size_t begin, size_t end) const {
    std::string value;
    for (size_t i = begin; i < end; ++i) value += fragments[i];
    return value;
  }
};

History generate_history() {
  constexpr Slot kSpan = 12;
  History history;
  for (int i = *rc::gen::inRange(1, 8); i > 0; --i) {
    if (*rc::gen::inRange(0, 4) == 0) {
      const Slot begin = *rc::gen::inRange<Slot>(kFirst, kFirst + kSpan);
      const Slot end = *rc::gen::inRange<Slot>(begin + 1, kFirst + kSpan + 1);
      history.meaning.erase(history.meaning.lower_bound(begin), history.meaning.lower_bound(end));
      history.fragments.push_back(erase(begin, end));
      continue;
    }
    const auto pairs = *rc::gen::scale(
        0.4, rc::gen::nonEmpty(rc::gen::container<std::vector<std::pair<Slot, SparseHistogram>>>(
                 rc::gen::pair(rc::gen::inRange<Slot>(kFirst, kFirst + kSpan), some_histograms()))));
    const std::map<Slot, SparseHistogram> fragment(pairs.begin(), pairs.end());
    for (const auto& [slot, histogram] : fragment) history.meaning[slot].merge(histogram);
    history.fragments.push_back(encode_spread(list_of(fragment)));
  }
  return history;
}

RC_GTEST_PROP(HistogramFrames, CompactionInAnyOrderKeepsTheirMeaning, ()) {
  const History history = generate_history();
  const size_t n = history.fragments.size();
  const size_t begin = *rc::gen::inRange<size_t>(0, n + 1);
  const size_t end = *rc::gen::inRange<size_t>(begin, n + 1);
  const std::string in_parts =
      history.joined(0, begin) + compact(history.joined(begin, end), false) + history.joined(end, n);
  const std::vector<SlotHistogram> meaning = list_of(history.meaning);
  RC_ASSERT(decode(history.joined(0, n)).histograms == meaning);
  RC_ASSERT(decode(in_parts).histograms == meaning);
  RC_ASSERT(compact(in_parts) == compact(history.joined(0, n)));
}

// Exact to the bucket: a coarse slot has the samples of its fine slots.
RC_GTEST_PROP(HistogramFrames, RollUpLosesNothing, ()) {
  const Tier fine{10, 3600, kChunkSlots};
  const Tier coarse{300, 36'000, 1152};
  std::map<Slot, SparseHistogram> want;
  std::vector<SlotHistogram> histograms_of_slots;
  for (Slot slot = kFirst; slot < kFirst + 100; slot += *rc::gen::inRange<Slot>(1, 20)) {
    histograms_of_slots.push_back({slot, *histograms()});
    want[slot / 30].merge(histograms_of_slots.back().histogram);
  }
  RC_ASSERT(roll_up(histograms_of_slots, fine, coarse) == list_of(want));
}

}  // namespace
}  // namespace statmill
