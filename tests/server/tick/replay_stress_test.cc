// Replay on several threads: every series gets its entries of all rows in order, each once; entries that
// cannot be replayed are counted or refused.
#include <gtest/gtest.h>

#include <memory>

#include "server/tick/replay.h"
#include "storage/codec/window.h"

namespace statmill {
namespace {

constexpr size_t kSeries = 40'000;  // enough for two threads
constexpr TickNo kRows = 5;

class ReplayStress : public testing::Test {
 protected:
  // In row t every series except one in seven has a sample with the value t * (id + 1).
  ReplayStress() {
    std::vector<Window> windows(kSeries);
    for (TickNo tick = 1; tick <= kRows; ++tick) {
      std::vector<std::string> bytes(kSeries);
      std::vector<JournalPiece> pieces;
      for (SeriesId id = 0; id < kSeries; ++id) {
        if ((id + tick) % 7 == 0) continue;
        const auto value = static_cast<int64_t>(tick * (id + 1));
        windows[id].add({static_cast<Slot>(tick), Bucket::of(Number::decimal(value, 0))}, Combine::kMerge,
                        &bytes[id]);
        pieces.push_back({id, 1, bytes[id]});
      }
      rows_.push_back({tick, encode_journal_row({tick, tick - 1}, pieces)});
      rows_.back().reader = *JournalRowReader::open(tick, rows_.back().bytes);
    }
    for (SeriesId id = 0; id < kSeries; ++id) by_id_[id] = {&series_[id], static_cast<ShardNo>(id % 256)};
  }

  std::vector<Series> series_{kSeries};
  std::vector<KnownSeries> by_id_{kSeries};
  std::array<TickNo, kShardCount> flushed_{};
  std::deque<ReplayRow> rows_;
};

TEST_F(ReplayStress, EverySeriesGetsItsOwnEntries) {
  flushed_[3] = 2;
  by_id_[20'000] = {nullptr, 0, true};
  const auto counts = replay({by_id_, flushed_, rows_});
  ASSERT_TRUE(counts) << counts.error().message;
  uint64_t entries = 0;
  for (SeriesId id = 0; id < kSeries; ++id) {
    std::vector<SlotBucket> want;
    for (TickNo tick = 1; tick <= kRows; ++tick) {
      if ((id + tick) % 7 == 0 || id == 20'000) continue;
      const bool is_flushed = id % 256 == 3 && tick <= 2;
      if (is_flushed) continue;
      want.push_back({static_cast<Slot>(tick), {}});
    }
    entries += want.size();
    const auto got = series_[id].pending.buckets(Combine::kMerge);
    ASSERT_EQ(got.size(), want.size()) << id;
    // In a flushed shard the first entry is relative to one that was skipped, so its value differs.
    for (size_t i = 0; i < got.size() && id % 256 != 3; ++i) {
      ASSERT_EQ(got[i].slot, want[i].slot) << id;
      ASSERT_EQ(got[i].bucket.sum(), static_cast<double>(got[i].slot * (id + 1))) << id;
    }
  }
  EXPECT_EQ(counts->entries, entries);
}

TEST_F(ReplayStress, AnUnknownSeriesInAnyShareIsRefusedOrCounted) {
  for (const SeriesId id : {SeriesId{1}, SeriesId{kSeries - 2}}) {
    by_id_[id] = {};
    const auto refused = replay({by_id_, flushed_, rows_});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, unknown_series(id).message);
    by_id_[id] = {&series_[id], 0};
    series_ = std::vector<Series>(kSeries);
    for (SeriesId i = 0; i < kSeries; ++i) by_id_[i].series = &series_[i];
  }
  by_id_.resize(kSeries - 1);  // an id beyond the catalog
  EXPECT_FALSE(replay({by_id_, flushed_, rows_}));
  series_ = std::vector<Series>(kSeries);
  for (SeriesId i = 0; i + 1 < kSeries; ++i) by_id_[i].series = &series_[i];
  const auto salvaged = replay({by_id_, flushed_, rows_, 1, true});
  ASSERT_TRUE(salvaged);
  EXPECT_GE(salvaged->of_unknown_series, kRows - 1);
}

}  // namespace
}  // namespace statmill
