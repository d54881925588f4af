#include "storage/journal/journal_v1.h"

#include <limits>

#include "storage/bucket_check.h"

namespace statmill {
namespace {

constexpr size_t kEntryBytesMin = 3;  // id gap, flags, value

// Flags of an entry: kind in the low two bits, a small scale in the high three.
constexpr uint8_t kKindMask = 0x03;
constexpr uint8_t kSameSlot = 0x04;  // as the entry before
constexpr uint8_t kSingle = 0x08;    // one observation: a value alone
constexpr uint8_t kReal = 0x10;      // doubles
constexpr int kScaleShift = 5;
constexpr uint8_t kScaleInByte = 7;  // the scale is 7 or more, in a byte of its own

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

}  // namespace

std::optional<std::vector<JournalEntry>> decode_entries_v1(Reader& in) {
  const uint64_t count = in.varint();
  if (count > in.remaining() / kEntryBytesMin) return std::nullopt;
  std::vector<JournalEntry> entries;
  entries.reserve(static_cast<size_t>(count));
  JournalEntry previous;
  for (uint64_t i = 0; i < count; ++i) {
    const std::optional<JournalEntry> entry = read_entry(in, previous);
    if (!entry || (i > 0 && in_order(*entry, previous))) return std::nullopt;
    entries.push_back(*entry);
    previous = *entry;
  }
  if (!in.done()) return std::nullopt;
  return entries;
}

}  // namespace statmill
