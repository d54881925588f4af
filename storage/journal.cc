// See journal.h. Entries are sorted by id and slot, so that both mostly cost a byte; numbers are absolute,
// since neighbours are different series. Each write_x has its read_x beside it.
#include "storage/journal.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/bytes.h"
#include "base/check.h"
#include "base/hash.h"
#include "storage/possible.h"

namespace statmill {
namespace {

constexpr uint8_t kVersion = 1;
constexpr size_t kChecksumBytes = 4;
constexpr size_t kEntryBytesMin = 3;  // id gap, flags, value

// Flags of an entry: kind in the low two bits, a small scale in the high three.
constexpr uint8_t kKindMask = 0x03;
constexpr uint8_t kSameSlot = 0x04;  // as the entry before
constexpr uint8_t kSingle = 0x08;    // one observation: a value alone
constexpr uint8_t kReal = 0x10;      // doubles
constexpr int kScaleShift = 5;
constexpr uint8_t kScaleInByte = 7;  // the scale is 7 or more, in a byte of its own

uint32_t checksum(TickNo tick, ShardNo shard, std::string_view bytes) {
  std::string head;
  Writer out(head);
  out.u64be(tick);
  out.u8(shard);
  return crc32c(bytes, crc32c(head));
}

void write_decimal(Writer& out, bool single, uint64_t count, const Bucket::Decimal& d) {
  if (d.scale >= kScaleInByte) out.u8(static_cast<uint8_t>(d.scale));
  out.svarint(d.sum);
  if (single) return;
  out.varint(count);
  out.svarint(d.min);
  out.svarint(d.max);
  out.varint128(static_cast<Uint128>(d.sum_of_squares));
}

std::optional<Bucket> read_decimal(Reader& in, uint8_t flags) {
  Bucket::Decimal d;
  d.scale = static_cast<int8_t>(flags >> kScaleShift);
  if (d.scale == kScaleInByte) d.scale = static_cast<int8_t>(in.u8());
  d.sum = in.svarint();
  uint64_t count = 1;
  if ((flags & kSingle) != 0) {
    d = single_decimal(d.sum, d.scale);
  } else {
    count = in.varint();
    d.min = in.svarint();
    d.max = in.svarint();
    d.sum_of_squares = static_cast<Int128>(in.varint128());
  }
  if (in.failed() || !is_possible(count, d)) return std::nullopt;
  return Bucket::from_decimal(count, d);
}

void write_real(Writer& out, bool single, uint64_t count, const Bucket::Real& r) {
  out.f64(r.sum);
  if (single) return;
  out.varint(count);
  out.f64(r.m2);
  out.f64(r.min);
  out.f64(r.max);
}

std::optional<Bucket> read_real(Reader& in, uint8_t flags) {
  Bucket::Real r = single_real(in.f64());
  uint64_t count = 1;
  if ((flags & kSingle) == 0) {
    count = in.varint();
    r.m2 = in.f64();
    r.min = in.f64();
    r.max = in.f64();
  }
  if (in.failed() || !is_possible(count, r)) return std::nullopt;
  return Bucket::from_real(count, r);
}

void write_entry(Writer& out, const JournalEntry& entry, const JournalEntry& previous) {
  const Bucket& bucket = entry.bucket;
  SM_CHECK(!bucket.is_empty() && entry.slot >= 0);
  const bool single = bucket.is_decimal() ? is_single(bucket.count(), bucket.decimal())
                                          : is_single(bucket.count(), bucket.real());
  auto flags = static_cast<uint8_t>(entry.kind);
  if (entry.slot == previous.slot) flags |= kSameSlot;
  if (single) flags |= kSingle;
  if (bucket.is_decimal()) {
    flags |= static_cast<uint8_t>(std::min<int>(bucket.decimal().scale, kScaleInByte) << kScaleShift);
  } else {
    flags |= kReal;
  }
  out.varint(entry.id - previous.id);
  out.u8(flags);
  if (entry.slot != previous.slot) out.svarint(entry.slot - previous.slot);
  if (bucket.is_decimal()) {
    write_decimal(out, single, bucket.count(), bucket.decimal());
  } else {
    write_real(out, single, bucket.count(), bucket.real());
  }
}

// None when the bytes are not an entry.
std::optional<JournalEntry> read_entry(Reader& in, const JournalEntry& previous) {
  const uint64_t gap = in.varint();
  const uint8_t flags = in.u8();
  const int64_t delta = (flags & kSameSlot) != 0 ? 0 : in.svarint();
  JournalEntry entry;
  entry.id = static_cast<SeriesId>(previous.id + gap);
  entry.kind = static_cast<Kind>(flags & kKindMask);
  if (gap > std::numeric_limits<SeriesId>::max() - previous.id) return std::nullopt;
  if (entry.kind != Kind::kGauge && entry.kind != Kind::kEvent) return std::nullopt;
  if (__builtin_add_overflow(previous.slot, delta, &entry.slot) || entry.slot < 0) return std::nullopt;
  const std::optional<Bucket> bucket = (flags & kReal) != 0 ? read_real(in, flags) : read_decimal(in, flags);
  if (!bucket) return std::nullopt;
  entry.bucket = *bucket;
  return entry;
}

bool in_order(const JournalEntry& a, const JournalEntry& b) {
  return a.id != b.id ? a.id < b.id : a.slot < b.slot;
}

Error corrupt(TickNo tick, ShardNo shard, std::string_view why) {
  return {ErrorCode::kCorrupt, "journal row of tick " + std::to_string(tick) + ", shard " +
                                   std::to_string(shard) + ": " + std::string(why)};
}

}  // namespace

std::string encode_journal_row(TickNo tick, ShardNo shard, std::vector<JournalEntry> entries) {
  std::stable_sort(entries.begin(), entries.end(), in_order);
  std::string row;
  Writer out(row);
  out.u8(kVersion);
  out.varint(entries.size());
  JournalEntry previous;
  for (const JournalEntry& entry : entries) {
    write_entry(out, entry, previous);
    previous = entry;
  }
  out.u32be(checksum(tick, shard, row));
  return row;
}

Result<std::vector<JournalEntry>> decode_journal_row(TickNo tick, ShardNo shard, std::string_view row) {
  if (row.size() < kChecksumBytes + 2) return corrupt(tick, shard, "cut short");
  const std::string_view bytes = row.substr(0, row.size() - kChecksumBytes);
  if (Reader(row.substr(bytes.size())).u32be() != checksum(tick, shard, bytes)) {
    return corrupt(tick, shard, "wrong checksum");
  }
  Reader in(bytes);
  if (const uint8_t version = in.u8(); version != kVersion) {
    return Error{ErrorCode::kVersion, "journal row of version " + std::to_string(version) +
                                          ", this program reads " + std::to_string(kVersion)};
  }
  const uint64_t count = in.varint();
  if (count > in.remaining() / kEntryBytesMin) return corrupt(tick, shard, "more entries than bytes");
  std::vector<JournalEntry> entries;
  entries.reserve(static_cast<size_t>(count));
  JournalEntry previous;
  for (uint64_t i = 0; i < count; ++i) {
    const std::optional<JournalEntry> entry = read_entry(in, previous);
    if (!entry || (i > 0 && in_order(*entry, previous))) return corrupt(tick, shard, "an impossible entry");
    entries.push_back(*entry);
    previous = *entry;
  }
  if (!in.done()) return corrupt(tick, shard, "bytes after the last entry");
  return entries;
}

}  // namespace statmill
