// Each write_x is followed by its read_x.
#include "storage/codec/column_codec.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include "base/bytes.h"
#include "storage/bucket_check.h"
#include "storage/codec/bucket_columns.h"
#include "storage/codec/column.h"
#include "storage/codec/spread_column.h"

namespace statmill {
namespace {

// Flags of a payload.
constexpr uint8_t kGaps = 0x01;     // slots are not consecutive
constexpr uint8_t kSingles = 0x02;  // every bucket is one observation: sums alone
constexpr uint8_t kReal = 0x04;     // doubles
constexpr uint8_t kEvents = 0x08;   // Combine::kAddEvents
constexpr uint8_t kMeans = 0x10;    // counts differ: sums as mean and remainder
constexpr uint8_t kUnit = 0x20;     // all numbers are multiples of one
constexpr int kSpreadShift = 6;     // the two high bits: SpreadForm

uint64_t bits_of(int64_t v) { return static_cast<uint64_t>(v); }

// Returns the greatest common divisor of all columns, whose square also divides the squares; at least 1.
uint64_t unit_of(const DecimalColumns& c) {
  uint64_t unit = 0;
  for (const std::vector<int64_t>* numbers : {&c.sums, &c.mins, &c.maxs}) {
    for (const int64_t v : *numbers) {
      const uint64_t magnitude = v < 0 ? uint64_t{0} - bits_of(v) : bits_of(v);
      if (unit == 0 || magnitude % unit != 0) unit = std::gcd(unit, magnitude);
      if (unit == 1) return 1;
    }
  }
  if (unit == 0 || unit > INT32_MAX) return 1;  // its square must fit
  const Int128 square = Int128{static_cast<int64_t>(unit)} * static_cast<int64_t>(unit);
  const bool fits =
      std::all_of(c.squares.begin(), c.squares.end(), [&](Int128 q) { return q % square == 0; });
  return fits ? unit : 1;
}

void divide(DecimalColumns& c, int64_t unit) {
  for (std::vector<int64_t>* numbers : {&c.sums, &c.mins, &c.maxs}) {
    for (int64_t& v : *numbers) v /= unit;
  }
  for (Int128& q : c.squares) q /= Int128{unit} * unit;
}

bool multiply(DecimalColumns& c, int64_t unit) {
  bool overflow = false;
  for (std::vector<int64_t>* numbers : {&c.sums, &c.mins, &c.maxs}) {
    for (int64_t& v : *numbers) overflow |= __builtin_mul_overflow(v, unit, &v);
  }
  for (Int128& q : c.squares) overflow |= __builtin_mul_overflow(q, Int128{unit} * unit, &q);
  return !overflow;
}

bool all_consecutive(const std::vector<Slot>& slots) {
  return slots.back() - slots.front() + 1 == static_cast<Slot>(slots.size());
}

bool all_equal(const std::vector<uint64_t>& counts) {
  return std::all_of(counts.begin(), counts.end(), [&](uint64_t n) { return n == counts[0]; });
}

template <class C>
void write_common(BitWriter& out, uint8_t flags, const C& c) {
  if ((flags & kGaps) != 0) write_slots(out, c.slots);
  if ((flags & kSingles) == 0) write_counts(out, c.counts);
}

template <class C>
bool read_common(BitReader& in, uint8_t flags, Slot end, C& c) {
  if ((flags & kGaps) != 0) {
    if (!read_slots(in, end, c.slots)) return false;
  } else {
    std::iota(c.slots.begin(), c.slots.end(), c.slots[0]);
    if (c.slots.back() >= end) return false;
  }
  if ((flags & kSingles) != 0) return true;
  c.counts.resize(c.size());
  return read_counts(in, c.counts);
}

void write_decimals(BitWriter& out, uint8_t flags, const DecimalColumns& c, SpreadForm form) {
  write_common(out, flags, c);
  if ((flags & kMeans) != 0) {
    write_means(out, c);
  } else {
    encode_column(out, c.sums);
  }
  if ((flags & kSingles) != 0) return;
  write_extremes(out, form, c);
  encode_spread(out, form, c);
}

// Constructs the bucket in place: copying a bucket right after its construction would wait for its stores.
[[gnu::always_inline]] inline void put_decimal(std::vector<SlotBucket>& out, Slot slot, uint64_t count,
                                               const Bucket::Decimal& d) {
  SlotBucket& bucket = out.emplace_back();
  bucket.slot = slot;
  bucket.bucket = Bucket::from_decimal(count, d);
}

// Numbers that have not been read are 0.
void put_buckets(const DecimalColumns& c, int8_t scale, std::vector<SlotBucket>& out) {
  if (c.is_single()) {
    for (size_t i = 0; i < c.size(); ++i) put_decimal(out, c.slots[i], 1, single_decimal(c.sums[i], scale));
  } else if (c.squares.empty()) {
    for (size_t i = 0; i < c.size(); ++i)
      put_decimal(out, c.slots[i], c.counts[i], {c.sums[i], 0, 0, 0, scale});
  } else {
    for (size_t i = 0; i < c.size(); ++i) {
      put_decimal(out, c.slots[i], c.counts[i], {c.sums[i], c.squares[i], c.mins[i], c.maxs[i], scale});
    }
  }
}

void put_buckets(const RealColumns& c, std::vector<SlotBucket>& out) {
  for (size_t i = 0; i < c.size(); ++i) out.push_back({c.slots[i], real_bucket(c, i)});
}

bool are_possible(const DecimalColumns& c, int8_t scale) {
  for (size_t i = 0; i < c.squares.size(); ++i) {
    if (!is_possible(c.counts[i], Bucket::Decimal{c.sums[i], c.squares[i], c.mins[i], c.maxs[i], scale}))
      return false;
  }
  return c.is_single() || c.mins.empty() ||
         std::equal(c.mins.begin(), c.mins.end(), c.maxs.begin(), std::less_equal<>());
}

// Requires: all columns are there.
bool are_possible(const RealColumns& c) {
  for (size_t i = 0; i < c.size(); ++i) {
    const bool possible =
        c.is_single() ? is_possible(1, single_real(c.sums[i]))
                      : is_possible(c.counts[i], Bucket::Real{c.sums[i], c.squares[i], c.mins[i], c.maxs[i]});
    if (!possible) return false;
  }
  return true;
}

struct Head {
  size_t count = 0;
  Slot first = 0;
  uint8_t flags = 0;
  int8_t scale = 0;
  uint64_t unit = 1;
};

void write_head(Writer& out, const Head& head, Slot first_slot) {
  out.varint(head.count);
  out.varint(bits_of(head.first - first_slot));
  out.u8(head.flags);
  if ((head.flags & kReal) != 0) return;
  out.u8(static_cast<uint8_t>(head.scale));
  if ((head.flags & kUnit) != 0) out.varint(head.unit);
}

// Returns nullopt if no encoder writes it.
std::optional<Head> read_head(Reader& in, Slot first_slot, int64_t chunk_slots) {
  Head head;
  const auto slots = bits_of(chunk_slots);
  const uint64_t count = in.varint();
  const uint64_t offset = in.varint();
  head.flags = in.u8();
  if (in.failed() || offset >= slots || count == 0 || count > slots - offset) return std::nullopt;
  head.count = static_cast<size_t>(count);
  head.first = first_slot + static_cast<Slot>(offset);
  const bool single = (head.flags & kSingles) != 0;
  if ((head.flags & kEvents) != 0 && !single) return std::nullopt;
  const bool spread = head.flags >> kSpreadShift != 0;
  if (single && (spread || (head.flags & kMeans) != 0)) return std::nullopt;
  if ((head.flags & kReal) != 0) {
    return spread || (head.flags & (kMeans | kUnit)) != 0 ? std::nullopt : std::optional(head);
  }
  head.scale = static_cast<int8_t>(in.u8());
  if ((head.flags & kUnit) != 0) head.unit = in.varint();
  if (in.failed() || head.scale < 0 || head.scale > Bucket::kScaleMax) return std::nullopt;
  if (head.unit == 0 || head.unit > INT32_MAX) return std::nullopt;
  return head;
}

bool read_decimals(BitReader& in, const Head& head, Slot end, Parts parts, DecimalColumns& c) {
  c.slots.assign(head.count, head.first);
  if (!read_common(in, head.flags, end, c)) return false;
  c.sums.resize(c.size());
  if (!((head.flags & kMeans) != 0 ? read_means(in, c) : decode_column(in, c.sums))) return false;
  if ((head.flags & kSingles) == 0 && parts.extremes) {
    c.mins.resize(c.size());
    c.maxs.resize(c.size());
    const auto form = static_cast<SpreadForm>(head.flags >> kSpreadShift);
    if (!read_extremes(in, form, c)) return false;
    c.squares.resize(parts.squares ? c.size() : 0);
    if (parts.squares && !decode_spread(in, form, c)) return false;
  }
  if (head.unit > 1 && !multiply(c, static_cast<int64_t>(head.unit))) return false;
  return are_possible(c, head.scale);
}

bool read_reals(BitReader& in, const Head& head, Slot end, Parts parts, RealColumns& c) {
  c.slots.assign(head.count, head.first);
  if (!read_common(in, head.flags, end, c)) return false;
  c.sums.resize(c.size());
  if (!read_doubles(in, c.sums)) return false;
  if (c.is_single()) return are_possible(c);
  if (!parts.extremes) return true;
  for (std::vector<double>* numbers : {&c.mins, &c.maxs}) {
    numbers->resize(c.size());
    if (!read_doubles(in, *numbers)) return false;
  }
  if (!parts.squares) return true;
  c.squares.resize(c.size());
  return read_doubles(in, c.squares) && are_possible(c);
}

template <class C>
uint8_t shape_flags(Combine combine, const C& c) {
  uint8_t flags = combine == Combine::kAddEvents ? kEvents : 0;
  if (!all_consecutive(c.slots)) flags |= kGaps;
  if (c.is_single()) flags |= kSingles;
  return flags;
}

std::string encode_decimals(Combine combine, int8_t scale, DecimalColumns columns, Slot first_slot) {
  Head head{columns.size(), columns.slots[0], shape_flags(combine, columns), scale, unit_of(columns)};
  if (head.unit > 1) {
    head.flags |= kUnit;
    divide(columns, static_cast<int64_t>(head.unit));
  }
  SpreadForm form = SpreadForm::kIntegers;
  if (!columns.is_single()) {
    form = choose_spread_form(columns);
    head.flags |= static_cast<uint8_t>(static_cast<uint8_t>(form) << kSpreadShift);
    if (!all_equal(columns.counts)) head.flags |= kMeans;
  }
  std::string payload;
  Writer writer(payload);
  write_head(writer, head, first_slot);
  BitWriter out(payload);
  write_decimals(out, head.flags, columns, form);
  out.finish();
  return payload;
}

std::string encode_reals(Combine combine, const RealColumns& columns, Slot first_slot) {
  std::string payload;
  Writer writer(payload);
  const auto flags = static_cast<uint8_t>(shape_flags(combine, columns) | kReal);
  write_head(writer, {columns.size(), columns.slots[0], flags, 0, 1}, first_slot);
  BitWriter out(payload);
  write_common(out, flags, columns);
  write_doubles(out, columns.sums);
  if (!columns.is_single()) {
    for (const std::vector<double>* numbers : {&columns.mins, &columns.maxs, &columns.squares})
      write_doubles(out, *numbers);
  }
  out.finish();
  return payload;
}

}  // namespace

std::string encode_group(const Group& group, Slot first_slot) {
  return group.is_decimal ? encode_decimals(group.combine, group.scale, group.decimals, first_slot)
                          : encode_reals(group.combine, group.reals, first_slot);
}

std::optional<Group> read_group(std::string_view payload, Slot first_slot, int64_t chunk_slots, Parts parts) {
  Reader reader(payload);
  const std::optional<Head> head = read_head(reader, first_slot, chunk_slots);
  if (!head) return std::nullopt;
  BitReader in(payload.substr(reader.position()));
  const Slot end = first_slot + chunk_slots;
  Group group;
  group.combine = (head->flags & kEvents) != 0 ? Combine::kAddEvents : Combine::kMerge;
  group.is_decimal = (head->flags & kReal) == 0;
  group.scale = head->scale;
  const bool sound = group.is_decimal ? read_decimals(in, *head, end, parts, group.decimals)
                                      : read_reals(in, *head, end, parts, group.reals);
  const bool is_whole = parts.squares || (head->flags & kSingles) != 0;
  if (!sound || in.overrun() || (is_whole && !in.done())) return std::nullopt;
  return group;
}

std::optional<DecodedGroup> decode_group(std::string_view payload, Slot first_slot, int64_t chunk_slots) {
  const auto group = read_group(payload, first_slot, chunk_slots, {.extremes = true, .squares = true});
  if (!group) return std::nullopt;
  DecodedGroup decoded;
  decoded.combine = group->combine;
  decoded.buckets.reserve(group->size());
  group->is_decimal ? put_buckets(group->decimals, group->scale, decoded.buckets)
                    : put_buckets(group->reals, decoded.buckets);
  return decoded;
}

}  // namespace statmill
