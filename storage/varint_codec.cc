// See varint_codec.h. Each write_x has its read_x beside it, line by line. Differences are taken modulo 2^64,
// so no pair of numbers is too far apart.
#include "storage/varint_codec.h"

#include <algorithm>
#include <limits>

#include "base/bytes.h"
#include "storage/possible.h"

namespace statmill {
namespace {

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

// Whether sum and squares of a pair follow from its two samples, min and max.
bool is_regular_pair(const Bucket::Decimal& d) {
  Int128 squares = 0;
  return Int128{d.min} + d.max == d.sum && !__builtin_add_overflow(square(d.min), square(d.max), &squares) &&
         squares == d.sum_of_squares;
}

bool is_regular(const DecimalRow& row) {
  if (row.count == 1) return is_single(row.count, row.numbers);
  return row.count > 2 || is_regular_pair(row.numbers);
}

// n Q - S^2, the integer behind M2: small where Q is large.
bool deviation_of(const DecimalRow& row, Int128& deviation) {
  Int128 nq = 0;
  if (__builtin_mul_overflow(static_cast<Int128>(row.count), row.numbers.sum_of_squares, &nq)) return false;
  deviation = nq - square(row.numbers.sum);
  return deviation >= 0;
}

template <class Numbers>
uint8_t shape_flags(const std::vector<Row<Numbers>>& rows) {
  uint8_t flags = kSingles;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i > 0 && rows[i].slot != rows[i - 1].slot + 1) flags |= kGaps;
    if (!is_single(rows[i].count, rows[i].numbers)) flags = static_cast<uint8_t>(flags & ~kSingles);
  }
  return flags;
}

uint8_t number_flags(const std::vector<DecimalRow>& rows) {
  uint8_t flags = 0;
  for (const DecimalRow& row : rows) {
    Int128 deviation = 0;
    if (!is_regular(row)) flags |= kIrregular;
    if (!deviation_of(row, deviation)) flags |= kRawSquares;
  }
  return flags;
}

bool has_sum(uint8_t flags, uint64_t count) { return (flags & kIrregular) != 0 || count > 2; }
bool has_range(uint8_t flags, uint64_t count) { return (flags & kIrregular) != 0 || count > 1; }

template <class Numbers>
void write_slots(Writer& out, uint8_t flags, const std::vector<Row<Numbers>>& rows) {
  if ((flags & kGaps) == 0) return;
  for (size_t i = 1; i < rows.size(); ++i) out.varint(bits(rows[i].slot - rows[i - 1].slot - 1));
}

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
void write_counts(Writer& out, const std::vector<Row<Numbers>>& rows) {
  for (const auto& row : rows) out.varint(row.count);
}

template <class Numbers>
void read_counts(Reader& in, std::vector<Row<Numbers>>& rows) {
  for (auto& row : rows) row.count = in.varint();
}

void write_single_decimals(Writer& out, const std::vector<DecimalRow>& rows) {
  uint64_t previous = 0;
  for (const DecimalRow& row : rows) {
    out.svarint(static_cast<int64_t>(bits(row.numbers.sum) - previous));
    previous = bits(row.numbers.sum);
  }
}

void read_single_decimals(Reader& in, int8_t scale, std::vector<DecimalRow>& rows) {
  uint64_t previous = 0;
  for (DecimalRow& row : rows) {
    previous += bits(in.svarint());
    row.count = 1;
    row.numbers = single_decimal(static_cast<int64_t>(previous), scale);
  }
}

// min, then max - min, then sum - n min, then the squares, each where it does not follow from what came
// before.
void write_decimals(Writer& out, uint8_t flags, const std::vector<DecimalRow>& rows) {
  uint64_t previous = 0;
  for (const DecimalRow& row : rows) {
    out.svarint(static_cast<int64_t>(bits(row.numbers.min) - previous));
    previous = bits(row.numbers.min);
  }
  for (const auto& [slot, count, d] : rows) {
    if (has_range(flags, count)) out.varint(bits(d.max) - bits(d.min));
  }
  for (const auto& [slot, count, d] : rows) {
    if (has_sum(flags, count)) out.varint(bits(d.sum) - count * bits(d.min));
  }
  for (const DecimalRow& row : rows) {
    if (!has_sum(flags, row.count)) continue;
    Int128 number = row.numbers.sum_of_squares;
    if ((flags & kRawSquares) == 0) deviation_of(row, number);
    out.varint128(static_cast<Uint128>(number));
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

void write_reals(Writer& out, uint8_t flags, const std::vector<RealRow>& rows) {
  for (const RealRow& row : rows) out.f64(row.numbers.sum);
  if ((flags & kSingles) != 0) return;
  for (const RealRow& row : rows) out.f64(row.numbers.m2);
  for (const RealRow& row : rows) out.f64(row.numbers.min);
  for (const RealRow& row : rows) out.f64(row.numbers.max);
}

void read_reals(Reader& in, uint8_t flags, std::vector<RealRow>& rows) {
  for (RealRow& row : rows) row.numbers = single_real(in.f64());
  if ((flags & kSingles) != 0) return;
  for (RealRow& row : rows) row.numbers.m2 = in.f64();
  for (RealRow& row : rows) row.numbers.min = in.f64();
  for (RealRow& row : rows) row.numbers.max = in.f64();
}

template <class Numbers>
bool all_possible(const std::vector<Row<Numbers>>& rows) {
  return std::all_of(rows.begin(), rows.end(),
                     [](const auto& row) { return is_possible(row.count, row.numbers); });
}

template <class Numbers>
void write_head(Writer& out, uint8_t flags, Slot first_slot, const std::vector<Row<Numbers>>& rows) {
  out.varint(rows.size());
  out.varint(bits(rows.front().slot - first_slot));
  out.u8(flags);
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

std::string encode_varint_group(const Group& group, Slot first_slot) {
  std::string payload;
  Writer out(payload);
  uint8_t flags = group.combine == Combine::kAddEvents ? kEvents : 0;
  if (group.decimals.empty()) {
    flags |= static_cast<uint8_t>(kReal | shape_flags(group.reals));
    write_head(out, flags, first_slot, group.reals);
    write_slots(out, flags, group.reals);
    if ((flags & kSingles) == 0) write_counts(out, group.reals);
    write_reals(out, flags, group.reals);
    return payload;
  }
  flags |= shape_flags(group.decimals);
  if ((flags & kSingles) == 0) flags |= number_flags(group.decimals);
  write_head(out, flags, first_slot, group.decimals);
  out.u8(static_cast<uint8_t>(group.decimals.front().numbers.scale));
  write_slots(out, flags, group.decimals);
  if ((flags & kSingles) != 0) {
    write_single_decimals(out, group.decimals);
    return payload;
  }
  write_counts(out, group.decimals);
  write_decimals(out, flags, group.decimals);
  return payload;
}

std::optional<Group> decode_varint_group(std::string_view payload, Slot first_slot, int64_t chunk_slots) {
  Reader in(payload);
  const std::optional<Head> head = read_head(in, chunk_slots);
  if (!head) return std::nullopt;
  Group group;
  group.combine = (head->flags & kEvents) != 0 ? Combine::kAddEvents : Combine::kMerge;
  const Slot slot = first_slot + static_cast<Slot>(head->offset);
  const auto count = static_cast<size_t>(head->count);
  bool sound = false;
  if ((head->flags & kReal) != 0) {
    group.reals.assign(count, {slot, 0, {}});
    sound = decode_reals(in, head->flags, first_slot + chunk_slots, group.reals);
  } else {
    group.decimals.assign(count, {slot, 0, {}});
    sound = decode_decimals(in, head->flags, first_slot + chunk_slots, group.decimals);
  }
  if (!sound || in.failed() || !in.done()) return std::nullopt;
  if (!all_possible(group.reals) || !all_possible(group.decimals)) return std::nullopt;
  return group;
}

}  // namespace statmill
