#include "storage/journal/journal_draft.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

namespace statmill {
namespace {

struct Entries {
  uint32_t count = 0;
  std::string bytes;
};

RC_GTEST_PROP(JournalDraft, BuildsTheRowOfItsPiecesById, ()) {
  JournalDraft draft;
  RC_ASSERT(draft.is_empty());
  for (TickNo tick = 2; tick < 5; ++tick) {
    // Neighbours and gaps, and enough ids for the radix sort.
    const auto ids = *rc::gen::unique<std::vector<SeriesId>>(
        *rc::gen::inRange<size_t>(1, 1500),
        rc::gen::oneOf(rc::gen::inRange<SeriesId>(0, 4000), rc::gen::arbitrary<SeriesId>()));
    std::map<SeriesId, Entries> by_id;
    for (const SeriesId id : ids) {
      const uint32_t count = 1 + id % 3;
      const std::string bytes(count + id % 5, static_cast<char>(id));
      by_id[id] = {count, bytes};
      draft.bytes().append(bytes);
      draft.end_piece(id, count);
    }
    RC_ASSERT(!draft.is_empty());
    std::vector<JournalPiece> pieces;
    for (const auto& [id, entries] : by_id) pieces.push_back({id, entries.count, entries.bytes});
    const RowPlace place{tick, tick - 1};
    std::string row = draft.build_row(place);
    RC_ASSERT(row == encode_journal_row(place, pieces));
    RC_ASSERT(draft.is_empty() && draft.bytes().empty());
    draft.recycle(std::move(row));
  }
}

TEST(JournalDraft, LongRunsOfSeriesAreReadBackWhole) {
  JournalDraft draft;
  constexpr SeriesId kSeries = 5000;
  for (SeriesId id = kSeries; id-- > 0;) {
    draft.bytes().push_back(static_cast<char>(id % 100));
    draft.end_piece(id, 1);
  }
  const std::string row = draft.build_row({9, 0});
  EXPECT_LT(row.size(), kSeries + 40U) << "a byte each, and a few for the runs";
  auto reader = JournalRowReader::open(9, row);
  ASSERT_TRUE(reader);
  SeriesId expected = 0;
  for (; reader->next(); ++expected) {
    ASSERT_EQ(reader->id(), expected);
    ASSERT_EQ(reader->entry_reader().u8(), expected % 100);
  }
  EXPECT_FALSE(reader->failed());
  EXPECT_EQ(expected, kSeries);
}

}  // namespace
}  // namespace statmill
