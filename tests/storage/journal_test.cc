// Journal rows: what goes in comes out, all of it or nothing.
#include "storage/journal.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>

#include "base/bytes.h"
#include "base/hash.h"
#include "tests/storage/buckets.h"

namespace statmill {

bool operator==(const JournalEntry& a, const JournalEntry& b) {
  return a.id == b.id && a.kind == b.kind && a.slot == b.slot && a.bucket == b.bucket;
}
std::ostream& operator<<(std::ostream& out, const JournalEntry& e) {
  return out << e.id << (e.kind == Kind::kEvent ? "*" : "") << "@" << e.slot << ":" << e.bucket;
}

namespace {

constexpr TickNo kTick = 1'000'000;
constexpr ShardNo kShard = 200;

std::string encode(const std::vector<JournalEntry>& entries) {
  return encode_journal_row(kTick, kShard, entries);
}

JournalEntry entry(SeriesId id, Slot slot, const Number& value, Kind kind = Kind::kGauge) {
  return {id, kind, slot, Bucket::of(value)};
}

std::vector<JournalEntry> sample_entries() {
  JournalEntry many = entry(9, 170'000'001, Number::decimal(15, 1));
  many.bucket.merge(Bucket::of(Number::decimal(-5, 0)));
  JournalEntry reals = entry(10, 170'000'001, Number::of(0.5));
  reals.bucket.merge(Bucket::of(Number::of(1.5)));
  return {entry(7, 170'000'000, Number::decimal(1, 0)),
          entry(7, 170'000'001, Number::decimal(-125, 2), Kind::kEvent),
          entry(8, 170'000'001, Number::decimal(3, 9)),
          many,
          reals,
          entry(4'000'000'000, 170'000'000, Number::of(0.1 + 0.2))};
}

// A row with the right checksum around any bytes.
std::string seal(std::string_view bytes) {
  std::string head;
  Writer h(head);
  h.u64be(kTick);
  h.u8(kShard);
  std::string row(bytes);
  Writer(row).u32be(crc32c(bytes, crc32c(head)));
  return row;
}

std::string bytes(std::initializer_list<int> values) {
  std::string out;
  for (const int v : values) out.push_back(static_cast<char>(v));
  return out;
}

RC_GTEST_PROP(Journal, DecodesWhatItEncodedInOrderOfIdAndSlot, ()) {
  const auto ids = rc::gen::oneOf(rc::gen::inRange<SeriesId>(0, 20), rc::gen::arbitrary<SeriesId>());
  const auto slots = rc::gen::oneOf(rc::gen::inRange<Slot>(170'000'000, 170'000'020),
                                    rc::gen::inRange<Slot>(0, std::numeric_limits<Slot>::max()));
  const auto kinds = rc::gen::element(Kind::kGauge, Kind::kEvent);
  auto entries = *rc::gen::container<std::vector<JournalEntry>>(rc::gen::apply(
      [](SeriesId id, Kind kind, Slot slot, const Bucket& b) {
        return JournalEntry{id, kind, slot, b};
      },
      ids, kinds, slots, any_buckets()));
  const auto decoded = decode_journal_row(kTick, kShard, encode(entries));
  std::stable_sort(entries.begin(), entries.end(), [](const JournalEntry& a, const JournalEntry& b) {
    return std::pair(a.id, a.slot) < std::pair(b.id, b.slot);
  });
  RC_ASSERT(decoded.has_value());
  RC_ASSERT(decoded.value() == entries);
}

TEST(Journal, BytesOnDiskAreThese) {
  EXPECT_EQ(hex(encode(sample_entries())),
            "0106070880fa8fa20102004902f90101ec090601244502631ea51501144000000000000000023fe00000000000"
            "003fe00000000000003ff8000000000000f6cfacf30e18013fd3333333333334ec9c9a4e");
  EXPECT_EQ(hex(encode({})), "0100c7fae973");
}

TEST(Journal, ALiveSampleTakesFiveBytes) {
  std::vector<JournalEntry> entries;
  for (SeriesId id = 0; id < 1000; ++id)
    entries.push_back(entry(id * 3, 170'000'000, Number::decimal(1234 + id, 2)));
  EXPECT_LE(encode(entries).size(), 5 * entries.size());
}

TEST(Journal, EveryTruncationIsCorrupt) {
  const std::string row = encode(sample_entries());
  for (size_t size = 0; size < row.size(); ++size) {
    const auto decoded = decode_journal_row(kTick, kShard, std::string_view(row).substr(0, size));
    ASSERT_FALSE(decoded) << size;
    EXPECT_EQ(decoded.error().code, ErrorCode::kCorrupt);
  }
}

TEST(Journal, EveryBitFlipIsCorrupt) {
  std::string row = encode(sample_entries());
  for (size_t bit = 0; bit < row.size() * 8; ++bit) {
    row[bit / 8] = static_cast<char>(row[bit / 8] ^ (1 << bit % 8));
    const auto decoded = decode_journal_row(kTick, kShard, row);
    ASSERT_FALSE(decoded) << bit;
    EXPECT_EQ(decoded.error().code, ErrorCode::kCorrupt);
    row[bit / 8] = static_cast<char>(row[bit / 8] ^ (1 << bit % 8));
  }
}

TEST(Journal, ARowOfAnotherTickOrShardIsCorrupt) {
  const std::string row = encode(sample_entries());
  EXPECT_FALSE(decode_journal_row(kTick + 1, kShard, row));
  EXPECT_FALSE(decode_journal_row(kTick, kShard + 1, row));
  EXPECT_TRUE(decode_journal_row(kTick, kShard, row));
}

TEST(Journal, ARowOfALaterVersionIsRefusedAsSuch) {
  const auto decoded = decode_journal_row(kTick, kShard, seal(bytes({2, 0})));
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().code, ErrorCode::kVersion);
}

TEST(Journal, RefusesRowsThatCannotBeTrueThoughTheirChecksumIsRight) {
  struct Case {
    std::string row;
    std::string why;
  };
  const std::string huge = bytes({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f});
  for (const Case& c : {
           Case{bytes({1}) + huge, "more entries than bytes"},
           Case{bytes({1, 1}), "no entry"},
           Case{bytes({1, 0, 0}), "a byte too many"},
           Case{bytes({1, 1, 0, 0x0e, 2}), "kind 2"},
           Case{bytes({1, 1, 0, 0x08, 1, 2}), "slot -1"},
           Case{bytes({1, 1}) + huge + bytes({0x0c, 2}), "id over 32 bits"},
           Case{bytes({1, 1, 0, 0xec, 19, 2}), "scale 19"},
           Case{bytes({1, 1, 0, 0x04, 2, 0, 0, 0, 0}), "count 0"},
           Case{bytes({1, 1, 0, 0x04, 2, 2, 4, 2, 2}), "min above max"},
           Case{bytes({1, 2, 0, 0x08, 4, 2, 0, 0x08, 1, 2}), "slots not ascending"},
           Case{bytes({1, 1, 0, 0x1c, 0x7f, 0xf0, 0, 0, 0, 0, 0, 0}), "infinity"},
       }) {
    const auto decoded = decode_journal_row(kTick, kShard, seal(c.row));
    ASSERT_FALSE(decoded) << c.why;
    EXPECT_EQ(decoded.error().code, ErrorCode::kCorrupt) << c.why;
  }
  EXPECT_TRUE(decode_journal_row(kTick, kShard, seal(bytes({1, 1, 0, 0x0c, 2}))));
}

RC_GTEST_PROP(Journal, AnyBytesAreRefusedOrPossibleEntries, ()) {
  const auto decoded = decode_journal_row(kTick, kShard, seal('\1' + *rc::gen::arbitrary<std::string>()));
  if (!decoded) return;
  for (const JournalEntry& e : *decoded) RC_ASSERT(!e.bucket.is_empty() && e.slot >= 0);
  const auto again = decode_journal_row(kTick, kShard, encode(*decoded));
  RC_ASSERT(again.has_value());
  RC_ASSERT(again.value() == decoded.value());
}

}  // namespace
}  // namespace statmill
