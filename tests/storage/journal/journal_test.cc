#include "storage/journal/journal.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "base/hash.h"
#include "storage/codec/window.h"
#include "tests/storage/buckets.h"

namespace statmill {
namespace {

constexpr TickNo kTick = 1'000'000;

// The buckets of a row's entries, each series starting empty.
using Replayed = std::map<SeriesId, std::vector<SlotBucket>>;

Status replay(std::string_view row, Replayed& out, TickNo tick = kTick) {
  auto reader = JournalRowReader::open(tick, row);
  if (!reader) return reader.error();
  const Error no_entry{ErrorCode::kCorrupt, "no entry"};
  while (reader->next()) {
    Window window;
    for (uint32_t i = 0; i < reader->entries(); ++i) {
      if (!window.add_entry(reader->entry_reader(), Combine::kMerge)) return no_entry;
    }
    out[reader->id()] = window.buckets(Combine::kMerge);
  }
  return reader->failed() ? Status(no_entry) : Status::ok();
}

// Encodes a row of these buckets, each series starting empty.
std::string encode_row(const Replayed& series) {
  std::map<SeriesId, std::string> bytes;
  std::vector<JournalPiece> pieces;
  for (const auto& [id, buckets] : series) {
    Window window;
    for (const SlotBucket& b : buckets) window.add(b, Combine::kMerge, &bytes[id]);
    pieces.push_back({id, static_cast<uint32_t>(buckets.size()), bytes[id]});
  }
  return encode_journal_row({kTick, kTick - 3}, pieces);
}

Replayed sample_series() {
  Bucket many = Bucket::of(Number::decimal(15, 1));
  for (const int value : {-5, 7, 7, 12}) many.merge(Bucket::of(Number::decimal(value, 0)));
  Bucket reals = Bucket::of(Number::of(0.1 + 0.2));
  reals.merge(Bucket::of(Number::of(1.5)));
  const auto gauge = [](int64_t v, int8_t scale) { return Bucket::of(Number::decimal(v, scale)); };
  return {{7, {{170'000'000, gauge(1, 0)}}},
          {8, {{170'000'000, gauge(-125, 2)}}},
          {9, {{170'000'000, gauge(3, 9)}, {170'000'001, gauge(4, 9)}, {170'000'009, gauge(4, 0)}}},
          {10, {{170'000'000, many}, {170'000'001, gauge(5, 1)}}},
          {4'000'000'000, {{170'000'001, reals}}}};
}

// Returns a row with a correct checksum around any bytes.
std::string seal(std::string_view bytes) {
  std::string head;
  Writer(head).u64be(kTick);
  std::string row(bytes);
  Writer(row).u32be(crc32c(bytes, crc32c(head)));
  return row;
}

std::string bytes(std::initializer_list<int> values) {
  std::string out;
  for (const int v : values) out.push_back(static_cast<char>(v));
  return out;
}

RC_GTEST_PROP(Journal, ReplaysWhatItEncoded, ()) {
  const auto ids = rc::gen::oneOf(rc::gen::inRange<SeriesId>(0, 20), rc::gen::arbitrary<SeriesId>());
  Replayed series;
  for (const SeriesId id : *rc::gen::scale(0.4, rc::gen::container<std::vector<SeriesId>>(ids))) {
    series[id] =
        *rc::gen::scale(0.4, rc::gen::nonEmpty(slot_buckets(170'000'000, 170'000'300, any_buckets())));
  }
  Replayed replayed;
  RC_ASSERT(replay(encode_row(series), replayed).has_value());
  RC_ASSERT(replayed == series);
}

TEST(Journal, HasGoldenBytes) {
  EXPECT_EQ(
      hex(encode_row(sample_series())),
      "01030702018280fa8fa201028a80fa8fa20102f9010001038a80fa8fa2010906028a100008000102ce80fa8fa20101055a"
      "005f4badd2014f01f5cfacf30e01019682fa8fa2013ffccccccccccccd023fe70a3d70a3d70a3fd33333333333343ff800"
      "0000000000c98c328d");
  EXPECT_EQ(hex(encode_row({})), "01035d9a6282");
}

TEST(Journal, AnEntryMayHaveTheReferencesScaleWhateverItsDigits) {
  const std::string row =
      "01030702018280fa8fa201028a80fa8fa20102f9010001038a80fa8fa2010906028210f89fd9e61d000102ce80fa8f"
      "a20101055a005f4badd2014f01f5cfacf30e01019682fa8fa2013ffccccccccccccd023fe70a3d70a3d70a3fd333333333"
      "33343ff8000000000000f93e5b31";
  Replayed replayed;
  ASSERT_TRUE(replay(unhex(row), replayed).has_value());
  EXPECT_EQ(replayed, sample_series());
}

TEST(Journal, SeriesThatReportTogetherTakeTwoBytesEach) {
  std::vector<Window> windows(1000);
  std::string row;
  for (Slot slot = 170'000'000; slot < 170'000'005; ++slot) {
    std::vector<std::string> entries(windows.size());
    std::vector<JournalPiece> pieces;
    for (SeriesId id = 0; id < windows.size(); ++id) {
      const auto value = Number::decimal(123'456 + id + (slot % 2) * 30, 2);
      windows[id].add({slot, Bucket::of(value)}, Combine::kMerge, &entries[id]);
      pieces.push_back({id, 1, entries[id]});
    }
    row = encode_journal_row({kTick, kTick - 3}, pieces);
  }
  EXPECT_LE(row.size(), 2 * windows.size() + 16);
}

TEST(Journal, EveryTruncationIsCorrupt) {
  const std::string row = encode_row(sample_series());
  for (size_t size = 0; size < row.size(); ++size) {
    Replayed replayed;
    const Status status = replay(std::string_view(row).substr(0, size), replayed);
    ASSERT_FALSE(status) << size;
    EXPECT_EQ(status.error().code, ErrorCode::kCorrupt);
    EXPECT_TRUE(replayed.empty());
  }
}

TEST(Journal, EveryBitFlipIsCorrupt) {
  std::string row = encode_row(sample_series());
  for (size_t bit = 0; bit < row.size() * 8; ++bit) {
    row[bit / 8] = static_cast<char>(row[bit / 8] ^ (1 << bit % 8));
    Replayed replayed;
    const Status status = replay(row, replayed);
    ASSERT_FALSE(status) << bit;
    EXPECT_EQ(status.error().code, ErrorCode::kCorrupt);
    EXPECT_TRUE(replayed.empty());
    row[bit / 8] = static_cast<char>(row[bit / 8] ^ (1 << bit % 8));
  }
}

TEST(Journal, ARowOfAnotherTickIsCorrupt) {
  const std::string row = encode_row(sample_series());
  Replayed replayed;
  EXPECT_FALSE(replay(row, replayed, kTick + 1));
  EXPECT_TRUE(replay(row, replayed));
}

TEST(Journal, ARowContainsTheTickOfTheRowBefore) {
  EXPECT_EQ(JournalRowReader::open(kTick, encode_row({}))->previous(), kTick - 3);
  EXPECT_EQ(JournalRowReader::open(kTick, encode_journal_row({kTick, 0}, {}))->previous(), 0U);
}

TEST(Journal, ALaterVersionIsRefusedAsSuch) {
  Replayed replayed;
  const Status status = replay(seal(bytes({2, 0})), replayed);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kVersion);
}

TEST(Journal, RefusesImpossibleRowsWithACorrectChecksum) {
  struct Case {
    std::string row;
    std::string why;
  };
  const std::string huge = bytes({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f});
  for (const Case& c : {
           Case{bytes({1}) + huge + bytes({0, 1, 1, 4}), "a row before all ticks before it"},
           Case{bytes({1, 0, 0, 0, 1, 4}), "no series"},
           Case{bytes({1, 0, 0, 1, 0, 4}), "no entries"},
           Case{bytes({1, 0, 0, 1, 1}), "no entry"},
           Case{bytes({1, 0, 0, 2, 1, 4}), "more series than bytes"},
           Case{bytes({1, 0, 0, 1, 2, 4}), "more entries than bytes"},
           Case{bytes({1, 0}) + huge + bytes({1, 1, 4}), "id over 32 bits"},
           Case{bytes({1, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 2, 1, 4, 4}), "second id over 32 bits"},
           Case{bytes({1, 0, 0, 1, 1, 0x83}), "no such slot"},
           Case{bytes({1, 0, 0, 1, 1, 0x82, 1, 4}), "slot -1"},
           Case{bytes({1, 0, 0, 1, 1, 0x89, 19, 4}), "scale 19"},
           Case{bytes({1, 0, 0, 1, 1, 0x40, 0}), "a longer form than needed"},
           Case{bytes({1, 0, 0, 1, 1, 0x85, 1, 2, 0, 0}), "one sample as many"},
           Case{bytes({1, 0, 0, 1, 1, 0x85, 4, 2, 0, 1, 1, 100}), "squares without room"},
           Case{bytes({1, 0, 0, 1, 1, 0x91, 0x7f, 0xf0, 0, 0, 0, 0, 0, 0}), "infinity"},
       }) {
    Replayed replayed;
    const Status status = replay(seal(c.row), replayed);
    ASSERT_FALSE(status) << c.why;
    EXPECT_EQ(status.error().code, ErrorCode::kCorrupt) << c.why;
  }
  Replayed replayed;
  EXPECT_TRUE(replay(seal(bytes({1, 0, 0, 1, 1, 4})), replayed));
}

TEST(Journal, SkippingAnEntryConsumesTheSameBytesAsReadingIt) {
  for (const auto& [id, buckets] : sample_series()) {
    std::string entries;
    Window window;
    for (const SlotBucket& b : buckets) window.add(b, Combine::kMerge, &entries);
    Reader in(entries);
    for (size_t i = 0; i < buckets.size(); ++i) EXPECT_TRUE(skip_entry(in));
    EXPECT_TRUE(in.done());
  }
}

RC_GTEST_PROP(Journal, AnyBytesAreRefusedOrDecodeToPossibleEntries, ()) {
  Replayed replayed;
  if (!replay(seal('\1' + *rc::gen::arbitrary<std::string>()), replayed)) return;
  for (const auto& [id, buckets] : replayed) {
    for (const SlotBucket& b : buckets) RC_ASSERT(!b.bucket.is_empty() && b.slot >= 0);
  }
}

}  // namespace
}  // namespace statmill
