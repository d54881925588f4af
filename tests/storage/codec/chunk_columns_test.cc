#include "storage/codec/chunk_columns.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/storage/buckets.h"
#include "tests/storage/codec/codec_helpers.h"
#include "tests/storage/histograms.h"
#include "tests/storage/slot_columns.h"

namespace statmill {
namespace {

using namespace codec_helpers;

constexpr Slot kEnd = kFirst + kChunkSlots;

// A frame of any kind; buckets lie close together, so that frames of one value overlap.
std::string any_frame(const rc::Gen<Bucket>& buckets, Combine combine) {
  const Slot first = *rc::gen::element(kFirst, kFirst + 1000, kEnd - 50);
  switch (*rc::gen::inRange(0, 6)) {
    case 0:
      return encode(*slot_buckets(first, first + 50, buckets), combine);
    case 1: {  // consecutive slots
      std::vector<SlotBucket> row;
      for (const Bucket& bucket : *rc::gen::container<std::vector<Bucket>>(buckets)) {
        if (row.size() < 50) row.push_back({first + static_cast<Slot>(row.size()), bucket});
      }
      return encode(row, combine);
    }
    case 2: {
      const auto some = *slot_buckets(first, first + 50, buckets);
      return some.empty() ? "" : encode_run(some, combine);
    }
    case 3: {
      const Slot begin = *rc::gen::inRange(first, first + 50);
      return erase(begin, begin + *rc::gen::inRange<Slot>(1, kEnd - begin + 1));
    }
    case 4: {
      std::map<Slot, SparseHistogram> by_slot;
      for (int i = 0; i < 3; ++i) by_slot[*rc::gen::inRange(first, first + 50)] = *some_histograms();
      std::vector<SlotHistogram> list;
      for (const auto& [slot, histogram] : by_slot) list.push_back({slot, histogram});
      return encode_histogram_frame(kKey, kFirst, list);
    }
    default:
      return *rc::gen::element<std::string>("", seal(0x77, "unknown"), seal(0x10, "damaged"));
  }
}

std::string any_value(const rc::Gen<Bucket>& buckets) {
  const Combine combine = *rc::gen::element(Combine::kMerge, Combine::kAddEvents);
  std::string value;
  for (int i = *rc::gen::inRange(0, 6); i > 0; --i) {
    // Now and then one that combines differently, which no reader applies.
    const bool differs = *rc::gen::inRange(0, 10) == 0;
    const Combine other = combine == Combine::kMerge ? Combine::kAddEvents : Combine::kMerge;
    value += any_frame(buckets, differs ? other : combine);
  }
  return value;
}

// Compares with decode_chunk() slot by slot. With fewer parts, less is checked, so a frame may count as
// intact there only: `value` must not have such frames then.
void check_value(std::string_view value, Slot begin, Slot end, Parts parts) {
  const DecodedChunk chunk = decode(value);
  SlotColumns columns(begin, static_cast<size_t>(end - begin), parts);
  RC_ASSERT(decode_columns(kKey, kFirst, kChunkSlots, value, columns) == chunk.damaged_frames);
  check_form(columns);
  size_t present = 0;
  for (const SlotBucket& b : chunk.buckets) {
    if (b.slot < begin || b.slot >= end) continue;
    RC_ASSERT(same_numbers(columns.bucket_at(static_cast<size_t>(b.slot - begin)), b.bucket, columns.parts));
    ++present;
  }
  RC_ASSERT(columns.present.count() == present);
  std::vector<SlotHistogram> histograms = chunk.histograms;
  std::erase_if(histograms, [&](const SlotHistogram& h) { return h.slot < begin || h.slot >= end; });
  RC_ASSERT(columns.histograms == (parts.histograms ? histograms : std::vector<SlotHistogram>()));
}

void check_any_range(std::string_view value, Parts parts) {
  const Slot begin = *rc::gen::element(kFirst - 10, kFirst, kFirst + 20, kFirst + 1020, kEnd - 20, kEnd);
  const Slot end = *rc::gen::element(begin, kFirst + 60, kFirst + 1030, kEnd, kEnd + 10);
  check_value(value, begin, std::max(begin, end), parts);
}

RC_GTEST_PROP(ChunkColumns, SayWhatDecodeChunkSaysOfAnyBuckets, ()) {
  check_any_range(any_value(any_buckets()), {true, true, true});
}

RC_GTEST_PROP(ChunkColumns, SayWhatDecodeChunkSaysOfDecimalsWhateverTheParts, ()) {
  check_any_range(any_value(exact_buckets()), *any_parts());
}

RC_GTEST_PROP(ChunkColumns, SayWhatDecodeChunkSaysOfObservations, ()) {
  const auto one = rc::gen::map(small_decimals(), [](const Number& n) { return Bucket::of(n); });
  check_any_range(any_value(one), *any_parts());
}

RC_GTEST_PROP(ChunkColumns, SayWhatDecodeChunkSaysOfDamagedValues, ()) {
  std::string value = any_value(any_buckets());
  if (value.empty()) return;
  value[*rc::gen::inRange<size_t>(0, value.size())] = *rc::gen::arbitrary<char>();
  value.resize(*rc::gen::inRange<size_t>(0, value.size() + 1));
  check_any_range(value, {true, true, true});
}

TEST(ChunkColumns, CountFramesOfEveryShapeThatAreCutShort) {
  for (const std::string& frame : sample_frames()) {
    for (size_t size = 0; size < frame.size(); ++size) {
      SlotColumns columns(kFirst, kChunkSlots, {true, true, true});
      const uint64_t damaged = decode_columns(kKey, kFirst, kChunkSlots, frame.substr(0, size), columns);
      EXPECT_EQ(damaged, size > 0 ? 1U : 0U);
      EXPECT_EQ(columns.present.count(), 0U);
    }
  }
}

TEST(ChunkColumns, ObservationsStaySingle) {
  const std::string value = encode({{kFirst, gauge(1)}, {kFirst + 1, gauge(25, 1)}});
  SlotColumns columns(kFirst - 1, 4, {true, true, false});
  EXPECT_EQ(decode_columns(kKey, kFirst, kChunkSlots, value, columns), 0U);
  EXPECT_TRUE(columns.is_single);
  EXPECT_EQ(columns.sums, (std::vector<int64_t>{0, 10, 25, 0}));
}

// A query reads RAM and store into the same columns. An erase frame empties only what was stored before it.
TEST(ChunkColumns, AnEraseFrameLeavesWhatIsInTheColumnsAlready) {
  SlotColumns columns(kFirst, 3, {});
  columns.add(1, gauge(5), Combine::kMerge);
  const std::string value = encode({{kFirst, gauge(1)}, {kFirst + 1, gauge(2)}}) + erase(kFirst, kFirst + 3) +
                            encode({{kFirst + 1, gauge(4)}});
  EXPECT_EQ(decode_columns(kKey, kFirst, kChunkSlots, value, columns), 0U);
  EXPECT_EQ(columns.present.count(), 1U);
  EXPECT_EQ(columns.bucket_at(1).sum(), 9);
}

}  // namespace
}  // namespace statmill
