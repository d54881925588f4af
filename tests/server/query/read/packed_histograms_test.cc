#include "server/query/read/packed_histograms.h"

#include <gtest/gtest.h>

namespace statmill {
namespace {

SlotHistogram histogram_at(Slot slot, int joined_power = 0) {
  std::vector<SparseHistogram::Cell> cells;
  for (HistogramIndex i = -300; i < 300; i += 7 + static_cast<HistogramIndex>(slot % 5)) {
    const HistogramIndex index = joined_index(i, joined_power);
    if (!cells.empty() && cells.back().index == index) continue;
    cells.push_back({index, static_cast<uint64_t>(1 + (slot * slot + i * i) % 1000)});
  }
  return {slot, *SparseHistogram::from_cells(cells, joined_power)};
}

std::vector<SlotHistogram> unpacked(const PackedHistograms& packed, Slot begin, Slot end) {
  std::vector<SlotHistogram> out;
  packed.unpack_into(out, begin, end);
  return out;
}

TEST(PackedHistograms, UnpackAsTheyWereInAnyRange) {
  std::vector<SlotHistogram> all;
  for (Slot slot = 100; slot < 200; slot += 3) all.push_back(histogram_at(slot, slot % 4 == 0 ? 2 : 0));
  const PackedHistograms packed(all);
  EXPECT_EQ(unpacked(packed, 0, 1000), all);
  EXPECT_EQ(unpacked(packed, 100, 199), std::vector(all.begin(), all.end() - 1));
  EXPECT_EQ(unpacked(packed, 101, 107), std::vector(all.begin() + 1, all.begin() + 3));
  EXPECT_TRUE(unpacked(packed, 101, 103).empty());
  EXPECT_TRUE(unpacked(packed, 300, 400).empty());
  EXPECT_TRUE(unpacked(packed, 150, 120).empty());
  EXPECT_TRUE(unpacked(PackedHistograms(), 0, 1000).empty());
}

TEST(PackedHistograms, MergeWithWhatIsThere) {
  const std::vector<SlotHistogram> all{histogram_at(5), histogram_at(6), histogram_at(8)};
  std::vector<SlotHistogram> out{histogram_at(6), histogram_at(7), histogram_at(9)};
  std::vector<SlotHistogram> want = out;
  merge_into(want, all);
  PackedHistograms(all).unpack_into(out, 0, 10);
  EXPECT_EQ(out, want);
}

}  // namespace
}  // namespace statmill
