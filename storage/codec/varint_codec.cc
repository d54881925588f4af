// Differences are taken modulo 2^64, so no pair of numbers is too far apart.
#include "storage/codec/varint_codec.h"

#include <algorithm>
#include <limits>

#include "base/bytes.h"
#include "storage/bucket_check.h"

namespace statmill {
namespace {

template <class Numbers>
struct Row {
  Slot slot = 0;
  uint64_t count = 0;
  Numbers numbers;
};
using DecimalRow = Row<Bucket::Decimal>;
using RealRow = Row<Bucket::Real>;

// Flags of a payload.
constexpr uint8_t kGaps = 0x01;     // slots are not consecutive: a gap column
constexpr uint8_t kSingles = 0x02;  // every bucket is one observation: a value column alone
constexpr uint8_t kReal = 0x04;     // doubles, no scale
constexpr uint8_t kEvents = 0x08;   // Combine::kAddEvents
constexpr uint8_t kIrregular =
    0x10;  // max, sum and squares do not follow from the rest even when count is 1 or 2
constexpr uint8_t kRawSquares = 0x20;  // sums of squares as they are, because n Q - S^2 does not fit 128 bits
constexpr uint8_t kKnownFlags = 0x3f;

constexpr Int128 kInt128Max = std::numeric_limits<Int128>::max();

uint64_t bits(int64_t v) { return static_cast<uint64_t>(v); }

Int128 square(int64_t v) { return Int128{v} * v; }

bool has_sum(uint8_t flags, uint64_t count) { return (flags & kIrregular) != 0 || count > 2; }
bool has_range(uint8_t flags, uint64_t count) { return (flags & kIrregular) != 0 || count > 1; }

template <class Numbers>
bool read_slots(Reader& in, uint8_t flags, Slot end_slot, std::vector<Row<Numbers>>& rows) {
  for (size_t i = 1; i < rows.size(); ++i) {
    const uint64_t gap = (flags & kGaps) != 0 ? in.varint() : 0;
    const Slot slot = rows[i - 1].slot + 1;
    if (slot >= end_slot || gap >= bits(end_slot - slot)) return false;
    rows[i].slot = slot + static_cast<Slot>(gap);
  }
  return true;
}

template <class Numbers>
void read_counts(Reader& in, std::vector<Row<Numbers>>& rows) {
  for (auto& row : rows) row.count = in.varint();
}

void read_single_decimals(Reader& in, int8_t scale, std::vector<DecimalRow>& rows) {
  uint64_t previous = 0;
  for (DecimalRow& row : rows) {
    previous += bits(in.svarint());
    row.count = 1;
    row.numbers = single_decimal(static_cast<int64_t>(previous), scale);
  }
}

// What follows for one sample or two; what is read for more.
bool read_sum(Reader& in, uint8_t flags, DecimalRow& row) {
  Bucket::Decimal& d = row.numbers;
  if (has_sum(flags, row.count)) {
    d.sum = static_cast<int64_t>(in.varint() + row.count * bits(d.min));
    return true;
  }
  if (row.count == 1) {
    d = single_decimal(d.min, d.scale);
    return true;
  }
  return !__builtin_add_overflow(d.min, d.max, &d.sum) &&
         !__builtin_add_overflow(square(d.min), square(d.max), &d.sum_of_squares);
}

bool read_squares(Reader& in, uint8_t flags, DecimalRow& row) {
  Uint128 squares = in.varint128();
  if ((flags & kRawSquares) == 0) {
    const auto n = static_cast<Uint128>(row.count);
    if (__builtin_add_overflow(squares, static_cast<Uint128>(square(row.numbers.sum)), &squares) ||
        squares % n != 0) {
      return false;
    }
    squares /= n;
  }
  if (squares > static_cast<Uint128>(kInt128Max)) return false;
  row.numbers.sum_of_squares = static_cast<Int128>(squares);
  return true;
}

bool read_decimals(Reader& in, uint8_t flags, int8_t scale, std::vector<DecimalRow>& rows) {
  uint64_t previous = 0;
  for (DecimalRow& row : rows) {
    if (row.count == 0) return false;
    previous += bits(in.svarint());
    row.numbers.min = static_cast<int64_t>(previous);
    row.numbers.scale = scale;
  }
  for (auto& [slot, count, d] : rows) {
    d.max = static_cast<int64_t>((has_range(flags, count) ? in.varint() : 0) + bits(d.min));
  }
  for (DecimalRow& row : rows) {
    if (!read_sum(in, flags, row)) return false;
  }
  for (DecimalRow& row : rows) {
    if (has_sum(flags, row.count) && !read_squares(in, flags, row)) return false;
  }
  return true;
}

void read_reals(Reader& in, uint8_t flags, std::vector<RealRow>& rows) {
  for (RealRow& row : rows) row.numbers = single_real(in.f64());
  if ((flags & kSingles) != 0) return;
  for (RealRow& row : rows) row.numbers.m2 = in.f64();
  for (RealRow& row : rows) row.numbers.min = in.f64();
  for (RealRow& row : rows) row.numbers.max = in.f64();
}

Bucket bucket_of(uint64_t count, const Bucket::Decimal& d) { return Bucket::from_decimal(count, d); }
Bucket bucket_of(uint64_t count, const Bucket::Real& r) { return Bucket::from_real(count, r); }

// False when one of them is impossible.
template <class Numbers>
bool put_buckets(const std::vector<Row<Numbers>>& rows, std::vector<SlotBucket>& out) {
  out.reserve(rows.size());
  for (const Row<Numbers>& row : rows) {
    if (!is_possible(row.count, row.numbers)) return false;
    out.push_back({row.slot, bucket_of(row.count, row.numbers)});
  }
  return true;
}

struct Head {
  uint64_t count = 0;
  uint64_t offset = 0;  // of the first slot in the chunk
  uint8_t flags = 0;
};

// None when it cannot be true. Every bucket takes a byte at least, which bounds what is allocated for them.
std::optional<Head> read_head(Reader& in, int64_t chunk_slots) {
  Head head;
  head.count = in.varint();
  head.offset = in.varint();
  head.flags = in.u8();
  if (in.failed() || (head.flags & ~kKnownFlags) != 0) return std::nullopt;
  if (head.count == 0 || head.count > in.remaining() || head.offset >= bits(chunk_slots)) return std::nullopt;
  if ((head.flags & kEvents) != 0 && (head.flags & kSingles) == 0) return std::nullopt;
  constexpr uint8_t kOfManyDecimals = kIrregular | kRawSquares;
  if ((head.flags & (kSingles | kReal)) != 0 && (head.flags & kOfManyDecimals) != 0) return std::nullopt;
  return head;
}

bool decode_decimals(Reader& in, uint8_t flags, Slot end_slot, std::vector<DecimalRow>& rows) {
  const auto scale = static_cast<int8_t>(in.u8());
  if (!read_slots(in, flags, end_slot, rows)) return false;
  if ((flags & kSingles) != 0) {
    read_single_decimals(in, scale, rows);
    return true;
  }
  read_counts(in, rows);
  return read_decimals(in, flags, scale, rows);
}

bool decode_reals(Reader& in, uint8_t flags, Slot end_slot, std::vector<RealRow>& rows) {
  for (RealRow& row : rows) row.count = 1;
  if (!read_slots(in, flags, end_slot, rows)) return false;
  if ((flags & kSingles) == 0) read_counts(in, rows);
  read_reals(in, flags, rows);
  return true;
}

}  // namespace

std::optional<DecodedGroup> decode_varint_group(std::string_view payload, Slot first_slot,
                                                int64_t chunk_slots) {
  Reader in(payload);
  const std::optional<Head> head = read_head(in, chunk_slots);
  if (!head) return std::nullopt;
  DecodedGroup group;
  group.combine = (head->flags & kEvents) != 0 ? Combine::kAddEvents : Combine::kMerge;
  const Slot slot = first_slot + static_cast<Slot>(head->offset);
  const auto count = static_cast<size_t>(head->count);
  bool sound = false;
  if ((head->flags & kReal) != 0) {
    std::vector<RealRow> rows(count, {slot, 0, {}});
    sound = decode_reals(in, head->flags, first_slot + chunk_slots, rows) && put_buckets(rows, group.buckets);
  } else {
    std::vector<DecimalRow> rows(count, {slot, 0, {}});
    sound =
        decode_decimals(in, head->flags, first_slot + chunk_slots, rows) && put_buckets(rows, group.buckets);
  }
  if (!sound || in.failed() || !in.done()) return std::nullopt;
  return group;
}

}  // namespace statmill
